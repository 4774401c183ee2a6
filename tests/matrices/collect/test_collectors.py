from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from matrices.catalogue import Catalogue
from matrices.collect.collectors import COLLECTORS
from matrices.collect.compare import compare
from matrices.collect.proposal import proposal, summary, write_proposal
from matrices.collect.rows import Row
from matrices.model import Documented, Measured, Reported, Source
from tests.matrices.collect.saved import pages

TODAY = date(2026, 2, 3)


@pytest.mark.parametrize("name", sorted(COLLECTORS))
def test_every_collector_names_a_source_that_goes_stale(name: str) -> None:
    source = Catalogue.load().entities(Source)[COLLECTORS[name].source]
    assert source.stale_after_days


def test_evidence_of_a_page_and_of_the_package_index() -> None:
    row = Row("torch", "2.9.1", place="torch-2.9.1.whl")
    assert COLLECTORS["driver-releases"].evidence(row, TODAY) == {
        "kind": "documented",
        "source": "nvidia-driver-releases",
        "on": TODAY,
        "place": "torch-2.9.1.whl",
    }
    measured = COLLECTORS["package-index"].evidence(row, TODAY)
    assert measured["kind"] == "measured"
    assert measured["artefact"] == "package index: torch-2.9.1.whl"


def test_whose_evidence_a_piece_is() -> None:
    index, eol = COLLECTORS["package-index"], COLLECTORS["endoflife-drivers"]
    documented = Documented("documented", eol.source, TODAY)
    reported = Reported("reported", eol.source, TODAY)
    measured = Measured("measured", "package index: torch 1.0.0", "by hand", TODAY)
    assert [eol.is_own(piece) for piece in (documented, reported, measured)] == [True, True, False]
    assert [index.is_own(piece) for piece in (documented, reported, measured)] == [False, False, True]


def test_a_proposal_holds_everything(catalogue: Catalogue, tmp_path: Path) -> None:
    collector = COLLECTORS["driver-releases"]
    found = compare(collector.collect(pages(), catalogue), catalogue, ["branch:R999"])
    plain = proposal(collector, found, catalogue, TODAY)
    path = write_proposal(plain, collector.name, tmp_path / "proposals")
    assert path.name == "driver-releases-2026-02-03.json"
    assert json.loads(path.read_bytes()) == plain
    assert (plain["link"], plain["read_on"]) == (
        "https://docs.nvidia.com/datacenter/tesla/drivers/releases.json",
        "2026-02-03",
    )
    assert list(summary(plain)) == [
        "Data center driver releases, for programs: 3 confirmed, 6 new, 2 changed, 1 vanished, 5 unmatched",
        "  new       branch:R610 number 610",
        "  new       branch-released:R610:linux os linux, versions 610.57.04, latest 610.57.04, latest_on 2026-08-03",
        "  new       branch-lifecycle:R610 type production",
        "  new       branch:R615 number 615",
        "  new       branch-released:R615:linux os linux, versions 615.11.01, latest 615.11.01",
        "  adds      branch-released:R580:linux os linux, versions 580.95.05 580.178.04, latest 580.178.04, latest_on 2026-08-03",
        "  changed   branch-released:R535:linux: it says latest_on 2026-01-13, held latest_on 2026-01-10 (differs)",
        "  changed   branch-lifecycle:R535: it says type lts, held type production (differs)",
        "  vanished  branch:R999",
        "  unmatched unknown key 'checksum'",
        "  unmatched R580: not a driver version: 'soon'",
        "  unmatched branch 615: type 'preview'",
        "  unmatched branch 620: no build could be read",
        "  unmatched branch readme: not a number",
    ]
