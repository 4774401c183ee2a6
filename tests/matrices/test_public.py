"""The public catalogue keeps to its schema, and splits what clients should not have to guess."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from matrices.build import compiled
from matrices.catalogue import Catalogue
from matrices.load import load
from matrices.public import SCHEMA, _schema_of, json_schema, public, schema_text
from tests.matrices.toml_files import WORLD, data_folder


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(json_schema(), format_checker=FormatChecker())


@pytest.fixture(scope="module")
def world() -> dict[str, Any]:
    return public(Catalogue(compiled(load(WORLD))))


def row(document: dict[str, Any], relation: str, identity: str | None = None) -> dict[str, Any]:
    rows: list[dict[str, Any]] = document["claims"][relation]
    return next(found for found in rows if identity in (None, found["id"]))


def entity(document: dict[str, Any], kind: str, identity: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = document["entities"][kind]
    return next(found for found in rows if found["id"] == identity)


def test_the_schema_is_sound_and_committed() -> None:
    Draft202012Validator.check_schema(json_schema())
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == json.loads(schema_text())


def test_the_catalogue_keeps_to_it(catalogue: Catalogue, validator: Draft202012Validator) -> None:
    document = public(catalogue)
    assert [error.message for error in validator.iter_errors(document)] == []
    assert document["totals"]["claims"] == len(catalogue.by_id)
    assert document["data_version"] == catalogue.data_version
    ids = {claim["id"] for rows in document["claims"].values() for claim in rows}
    assert ids == set(catalogue.by_id)
    for rows in document["entities"].values():
        for found in rows:
            assert ids.issuperset(found["claims"] + found["inherited_claims"])
            assert not set(found["claims"]) & set(found["inherited_claims"])
    sources = {found["id"] for found in document["entities"]["source"]}
    pieces = [piece for rows in document["claims"].values() for claim in rows for piece in claim["evidence"]]
    assert {piece["source"] for piece in pieces} <= sources | {None}
    for piece in pieces:
        assert (piece["artefact"] is None) == (piece["kind"] != "measured")
        assert (piece["link"] is None) == (piece["kind"] == "measured")
        assert (piece["title"] is None) == (piece["source"] is None)


def test_a_row_that_breaks_it_is_found(world: dict[str, Any], validator: Draft202012Validator) -> None:
    assert validator.is_valid(world)
    for breach in (
        {"driver": "580"},
        {"since": "not a version"},
        {"since_is_bound": None},
        {"evidence": []},
        {"relation": "gpu-has-cc"},
        {"standing": "maybe"},
    ):
        broken = json.loads(json.dumps(world))
        like = {"id": "x", "relation": "gpu-listed-since", "subject_kind": "gpu", "subject": "v100"}
        like |= dict.fromkeys(("because", "uncertain", "note")) | {"standing": "normal", "os": "linux"}
        like |= {"since": "384.66", "since_is_bound": False, "evidence": row(world, "gpu-has-cc")["evidence"]}
        broken["claims"]["gpu-listed-since"] = [like]
        assert validator.is_valid(broken)
        broken["claims"]["gpu-listed-since"] = [like | breach]
        assert not validator.is_valid(broken), breach


def test_unions_are_split(world: dict[str, Any], tmp_path: Path) -> None:
    month = row(world, "toolkit-released", "toolkit-released:12.4:12.4.1")
    day = row(world, "toolkit-released", "toolkit-released:12.4:12.4.1#2")
    assert (month["on"], month["on_precision"]) == ("2024-04", "month")
    assert (day["on"], day["on_precision"]) == ("2024-04-12", "day")
    life = row(world, "branch-lifecycle")
    assert (life["until"], life["until_precision"]) == ("2018-03", "month")
    window = row(world, "branch-drives-cc")
    assert (window["last"], window["is_dropped"]) == ("R580", True)
    never = row(world, "branch-released", "branch-released:R580:windows")
    assert (never["first_on"], never["first_on_precision"]) == (None, None)
    text = """
    [defaults]
    evidence = [{ kind = "reported", link = "https://example.org/1", on = 2026-11-01 }]
    [[gpu]]
    id = "g"
    name = "G"
    marketing_name = "G"
    listed-since = { driver = "570.10", bound = "or-earlier" }
    [[toolkit]]
    id = "12.8"
    targets-cc = { sass = ["9.0"] }
    """
    small = public(Catalogue(compiled(load(data_folder(tmp_path, {"a.toml": text})))))
    listed = row(small, "gpu-listed-since")
    assert (listed["since"], listed["since_is_bound"]) == ("570.10", True)
    assert not {"driver", "bound"} & set(listed)
    targets = row(small, "toolkit-targets-cc")
    assert (targets["ptx"], targets["ptx_known"]) == ([], False)
    assert listed["evidence"] == [
        {
            "kind": "reported",
            "source": None,
            "title": None,
            "link": "https://example.org/1",
            "place": None,
            "artefact": None,
            "how": None,
            "on": "2026-11-01",
        }
    ]


def test_evidence_is_spelled_out(world: dict[str, Any]) -> None:
    documented, reported = row(world, "cc-needs-module")["evidence"]
    assert (documented["source"], documented["place"]) == ("release-notes", "table 1")
    assert documented["title"]
    assert documented["link"].startswith("https://")
    assert (reported["source"], reported["link"]) == (None, "https://example.org/forum/1")
    (measured,) = row(world, "wheel-embeds")["evidence"]
    assert measured["artefact"].endswith(".whl")
    assert measured["how"] == "fat binaries"


def test_inheritance_is_resolved(world: dict[str, Any]) -> None:
    gpu = entity(world, "gpu", "v100")
    assert gpu["claims"] == ["gpu-has-cc:v100"]
    assert gpu["inherited_claims"] == ["branch-drives-cc:7.0:linux", "cc-needs-module:7.0"]
    wheel = entity(world, "wheel", "torch-2.6.0+cu124-linux-x86_64")
    assert "torch-pairs-with:2.6.0:torchvision" in wheel["inherited_claims"]
    assert "toolkit-targets-cc:12.4" in wheel["inherited_claims"]
    assert "toolkit-needs-driver:12:linux" in wheel["inherited_claims"]
    image = entity(world, "image", "nvidia/cuda:12.4.1")
    assert "toolkit-targets-cc:12.4" in image["inherited_claims"]
    assert entity(world, "coverage", "torch-2.6")["evidence"]


def test_an_own_claim_replaces_that_of_the_capability(tmp_path: Path) -> None:
    text = """
    [defaults]
    evidence = [{ kind = "reported", link = "l", on = 2026-11-01 }]
    [[capability]]
    id = "9.0"
    architecture = "Hopper"
    needs-module = { modules = ["open", "proprietary"] }
    [[gpu]]
    id = "gh200"
    name = "GH200"
    marketing_name = "GH200"
    has-cc = [{ compute_capability = "9.0" }, { compute_capability = "8.9", standing = "deprecated", because = "a slip" }]
    needs-module = { modules = ["open"] }
    [[image]]
    id = "i"
    repository = "r"
    tags = ["t"]
    role = "other"
    contains = [{ python = "3.12" }, { cuda = "99.1.2" }]
    """
    small = public(Catalogue(compiled(load(data_folder(tmp_path, {"a.toml": text})))))
    gpu = entity(small, "gpu", "gh200")
    assert "gpu-needs-module:gh200" in gpu["claims"]
    assert gpu["inherited_claims"] == []
    assert entity(small, "image", "i")["inherited_claims"] == []


def test_a_type_without_a_public_form_is_refused() -> None:
    with pytest.raises(TypeError, match="no public form for"):
        _schema_of(dict[str, int])
