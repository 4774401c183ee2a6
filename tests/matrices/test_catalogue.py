"""The compiled catalogue gives back what the data set held, on demand, and ranks evidence."""

from __future__ import annotations

import itertools
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from matrices.build import compiled, main, serialised
from matrices.catalogue import EVIDENCE_RANK, Catalogue, strongest
from matrices.load import DATA, Dataset, load
from matrices.model import (
    CLAIMS,
    ENTITIES,
    Documented,
    Feature,
    GpuHasCc,
    Measured,
    Reported,
    ToolkitReleased,
)
from matrices.versions import ComputeCapability
from tests.matrices.toml_files import WORLD

PIECES: dict[str, Any] = {
    "measured": Measured("measured", "wheel", "by hand", date(2026, 11, 1)),
    "documented": Documented("documented", "notes", date(2026, 11, 1)),
    "reported": Reported("reported", "https://example.org", date(2026, 11, 1)),
}


def _claim(*kinds: str) -> GpuHasCc:
    return GpuHasCc(
        id="gpu-has-cc:v100",
        subject="v100",
        evidence=tuple(PIECES[kind] for kind in kinds),
        compute_capability=ComputeCapability(7, 0),
    )


@pytest.mark.parametrize("folder", [WORLD, DATA], ids=["world", "committed data"])
def test_catalogue_equals_the_data_set(folder: Path) -> None:
    dataset = load(folder)
    catalogue = Catalogue(json.loads(serialised(compiled(dataset))))
    assert catalogue.data_version == dataset.about["data_version"]
    assert catalogue.moved == dataset.moved
    for kind, cls in ENTITIES.items():
        assert catalogue.entities(cls) == dataset.entities[kind]
        assert list(catalogue.entities(cls)) == list(dataset.entities[kind])
    for cls in CLAIMS.values():
        assert list(catalogue.claims(cls)) == [claim for claim in dataset.claims.values() if type(claim) is cls]
    assert catalogue.by_id == dataset.claims
    assert catalogue.sizes == {
        **{kind: len(rows) for kind, rows in dataset.entities.items()},
        **{name: sum(claim.relation == name for claim in dataset.claims.values()) for name in CLAIMS},
    }


def test_text_of_equal_versions_is_kept() -> None:
    """`580.95.05` is not rewritten, although it equals `580.95.5`."""
    dataset = load(WORLD)
    catalogue = Catalogue(json.loads(serialised(compiled(dataset))))
    assert {key: repr(claim) for key, claim in catalogue.by_id.items()} == {
        key: repr(claim) for key, claim in dataset.claims.items()
    }


def test_load_reads_a_file(tmp_path: Path) -> None:
    target = tmp_path / "catalogue.json"
    assert main([], WORLD, target) == 0
    catalogue = Catalogue.load(target)
    assert catalogue.by_id == load(WORLD).claims
    assert catalogue.schema_version == 1


def test_objects_are_made_once() -> None:
    catalogue = Catalogue(compiled(load(WORLD)))
    assert catalogue.claims(ToolkitReleased) is catalogue.claims(ToolkitReleased)
    assert catalogue.entities(Feature) is catalogue.entities(Feature)
    assert catalogue.by_id is catalogue.by_id


def test_reading_leaves_the_parsed_json_alone() -> None:
    plain = compiled(load(WORLD))
    before = json.dumps(plain)
    catalogue = Catalogue(plain)
    assert catalogue.by_id
    assert all(catalogue.entities(cls) for cls in ENTITIES.values())
    assert json.dumps(plain) == before


def test_absent_kinds_and_relations_are_empty() -> None:
    catalogue = Catalogue(compiled(Dataset(about={"data_version": "2026.11.30"})))
    assert all(catalogue.entities(cls) == {} for cls in ENTITIES.values())
    assert all(catalogue.claims(cls) == () for cls in CLAIMS.values())
    assert catalogue.by_id == {}
    assert set(catalogue.sizes.values()) == {0}


def test_every_kind_of_evidence_has_a_rank() -> None:
    assert sorted(EVIDENCE_RANK, key=EVIDENCE_RANK.__getitem__) == ["reported", "documented", "measured"]


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        (["reported"], "reported"),
        (["reported", "documented"], "documented"),
        (["reported", "documented", "measured"], "measured"),
    ],
)
def test_a_claim_counts_as_its_strongest_evidence(kinds: list[str], kind: str) -> None:
    for order in itertools.permutations(kinds):
        assert strongest(_claim(*order)) == kind
