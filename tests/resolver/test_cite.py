"""Reasons with their claims as plain data."""

from __future__ import annotations

from datetime import date

import pytest

from matrices.catalogue import Catalogue
from matrices.model import BranchReleased, Claim, Documented, Evidence, GpuHasCc, Measured, Reported
from matrices.versions import ComputeCapability
from resolver.cite import Citer
from resolver.judge import Reason
from tests.resolver.factory import World

DAY = date(2026, 1, 31)
MEASURED = Measured(kind="measured", artefact="a wheel", how="unzip", on=DAY)
DOCUMENTED = Documented(kind="documented", source="page", place="table 1", on=DAY)
ELSEWHERE = Documented(kind="documented", source="a book", on=DAY)
REPORTED = Reported(kind="reported", link="https://example.org/issue/1", on=DAY)
NAMED = Reported(kind="reported", link="page", place="a comment", on=DAY)


@pytest.fixture
def catalogue() -> Catalogue:
    return World().catalogue()


def claim(name: str, *evidence: Evidence) -> Claim:
    return GpuHasCc(id=name, subject="gpu", evidence=evidence, compute_capability=ComputeCapability.parse("9.0"))


def reason(*claims: Claim) -> Reason:
    return Reason("capability", "every-gpu", "yes", claims, {"gpu": "H100", "capability": "9.0"})


def test_reason_without_claims(catalogue: Catalogue) -> None:
    assert Citer(catalogue).because(reason()) == {
        "rule": "every-gpu",
        "claim": None,
        "text": "H100 has compute capability 9.0.",
        "evidence": None,
        "source": None,
    }


def test_one_claim_is_as_strong_as_its_strongest_evidence(catalogue: Catalogue) -> None:
    shown = Citer(catalogue).because(reason(claim("one", REPORTED, MEASURED, DOCUMENTED)))
    assert (shown["claim"], shown["evidence"], shown["source"]) == ("one", "measured", "a wheel")
    assert "claims" not in shown


def test_several_claims_are_as_strong_as_the_weakest(catalogue: Catalogue) -> None:
    shown = Citer(catalogue).because(reason(claim("one", MEASURED), claim("two", NAMED), claim("three", DOCUMENTED)))
    assert (shown["claim"], shown["evidence"], shown["source"]) == ("one", "reported", "a wheel")
    assert shown["claims"] == ["one", "two", "three"]


WHERE = [
    (MEASURED, "a wheel"),
    (DOCUMENTED, "https://example.org/page"),
    (ELSEWHERE, "a book"),
    (REPORTED, "https://example.org/issue/1"),
    (NAMED, "https://example.org/page"),
]


@pytest.mark.parametrize("piece, where", WHERE)
def test_where(catalogue: Catalogue, piece: Evidence, where: str) -> None:
    assert Citer(catalogue).where(piece) == where


def test_evidence_in_full(catalogue: Catalogue) -> None:
    citer = Citer(catalogue)
    assert citer.evidence(MEASURED) == {"kind": "measured", "where": "a wheel", "on": "2026-01-31", "how": "unzip"}
    assert citer.evidence(DOCUMENTED)["place"] == "table 1"
    assert "place" not in citer.evidence(REPORTED)


def test_weakest(catalogue: Catalogue) -> None:
    citer = Citer(catalogue)
    assert citer.weakest([]) == "documented"
    assert citer.weakest([reason()]) == "documented"
    assert citer.weakest([reason(claim("one", MEASURED)), reason(claim("two", REPORTED, MEASURED))]) == "measured"
    assert citer.weakest([reason(claim("one", MEASURED)), reason(claim("three", REPORTED))]) == "reported"


def test_claims_of_real_data_are_found_by_id(catalogue: Catalogue) -> None:
    world = World().claim("branch-released", "R570", os="linux").catalogue()
    assert isinstance(world.by_id["branch-released:R570:linux"], BranchReleased)


def test_of_equal_kinds_the_page_of_the_vendor_is_shown() -> None:
    world = World().entity("source", "vendor", title="V", link="https://example.org/vendor", publisher="NVIDIA")
    world.entity("source", "other", title="O", link="https://example.org/other", publisher="Somebody")
    citer = Citer(world.catalogue())
    pieces = [Documented(kind="documented", source=name, on=DAY) for name in ("other", "vendor", "page")]
    assert citer.best(claim("one", *pieces)) == ("documented", "https://example.org/vendor")
    assert citer.best(claim("two", REPORTED, pieces[0])) == ("documented", "https://example.org/other")
    assert citer.best(claim("three", *pieces, MEASURED)) == ("measured", "a wheel")
