"""The compiled catalogue as a file: deterministic, evidence once, fresh or stale."""

from __future__ import annotations

import json
import random
import runpy
import sys
from pathlib import Path

import pytest

from matrices.build import SCHEMA_VERSION, compiled, main, serialised
from matrices.catalogue import CATALOGUE
from matrices.load import Dataset, load
from matrices.public import SCHEMA
from tests.matrices.toml_files import WORLD, data_folder


def test_two_readings_give_the_same_bytes() -> None:
    assert serialised(compiled(load(WORLD))) == serialised(compiled(load(WORLD)))


def test_text_is_json_of_what_was_compiled() -> None:
    plain = compiled(load(WORLD))
    assert json.loads(serialised(plain)) == plain


def test_text_of_no_data_is_json() -> None:
    plain = compiled(Dataset(about={"data_version": "2026.11.30"}))
    assert json.loads(serialised(plain)) == plain
    assert plain == {
        "schema_version": SCHEMA_VERSION,
        "data_version": "2026.11.30",
        "moved": {},
        "entities": {},
        "claims": {},
        "evidence": [],
    }


def test_groups_and_moved_ids_are_sorted_whatever_the_order_of_reading() -> None:
    dataset = load(WORLD)
    kinds = list(dataset.entities.items())
    random.Random(1).shuffle(kinds)
    shuffled = Dataset(dataset.about, dict(kinds), dataset.claims, dict(reversed(dataset.moved.items())))
    plain = compiled(shuffled)
    assert list(plain["entities"]) == sorted(plain["entities"])
    assert list(plain["claims"]) == sorted(plain["claims"])
    assert list(plain["moved"]) == sorted(plain["moved"])
    assert plain["entities"] == compiled(dataset)["entities"]


def test_evidence_is_written_once() -> None:
    dataset = load(WORLD)
    plain = compiled(dataset)
    pieces = [json.dumps(piece, sort_keys=True) for piece in plain["evidence"]]
    assert len(set(pieces)) == len(pieces) == 4  # of the two files: notes twice, for their places differ
    rows = [row for rows in (*plain["claims"].values(), *plain["entities"].values()) for row in rows]
    used = [index for row in rows for index in row.get("evidence", ())]
    assert len(used) > len(dataset.claims)
    assert set(used) == set(range(len(pieces)))


def test_one_row_a_line() -> None:
    plain = compiled(load(WORLD))
    lines = serialised(plain).splitlines()
    rows = [row for section in ("entities", "claims") for rows in plain[section].values() for row in rows]
    for row in [*rows, *plain["evidence"]]:
        assert json.dumps(row, ensure_ascii=False) in {line.strip().rstrip(",") for line in lines}


def test_people_can_read_what_is_not_ascii(tmp_path: Path) -> None:
    folder = data_folder(tmp_path, {"a.toml": '[[feature]]\nid = "f"\nname = "编译 – é"\n'})
    text = serialised(compiled(load(folder)))
    assert "编译 – é" in text
    assert json.loads(text)["entities"]["feature"] == [{"id": "f", "name": "编译 – é"}]


def test_build_then_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "catalogue.json"
    stale = "catalogue.json is stale: run `make data`\n"
    schema = tmp_path / "schema" / "catalogue.schema.json"
    assert main(["--check"], WORLD, target, schema) == 1
    assert capsys.readouterr().err == stale + stale.replace("catalogue", "catalogue.schema")
    assert not target.exists()
    assert main([], WORLD, target, schema) == 0
    assert capsys.readouterr().err == ""
    assert main(["--check"], WORLD, target, schema) == 0
    assert capsys.readouterr().err == "catalogue.json is fresh\n"
    assert schema.read_text(encoding="utf-8") == SCHEMA.read_text(encoding="utf-8")
    for path in (target, schema):
        built = path.read_bytes()
        path.write_bytes(built + b" ")
        assert main(["--check"], WORLD, target, schema) == 1
        assert capsys.readouterr().err == f"{path.name} is stale: run `make data`\n"
        assert path.read_bytes() == built + b" "
        assert main([], WORLD, target, schema) == 0
        assert path.read_bytes() == built


def test_bad_data_builds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = data_folder(tmp_path / "data", {"a.toml": "branch = 1\ngpu = 2\n", "b.toml": "="})
    target = tmp_path / "catalogue.json"
    assert main([], folder, target) == 1
    assert not target.exists()
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "a.toml · branch",
        "a.toml · gpu",
        "b.toml",
        "3 faults in the data",
    ]
    assert shown.out == ""


def test_command_finds_the_committed_catalogue_fresh(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = CATALOGUE.read_bytes()
    monkeypatch.setattr(sys, "argv", ["build", "--check"])
    monkeypatch.delitem(sys.modules, "matrices.build")
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("matrices.build", run_name="__main__")
    assert capsys.readouterr().err == "catalogue.json is fresh\n"
    assert caught.value.code == 0
    assert CATALOGUE.read_bytes() == before
