"""What a new version of the data changes, told from two catalogues; and the figures beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from api.cli import main
from matrices.catalogue import CATALOGUE, Catalogue
from resolver.changes import Changes, changes, notes
from resolver.engine import Asked, Engine
from resolver.statistics import cells, cells_table, figures
from tests.resolver.small_catalogue import BASICS, WHEELS, small_engine


def catalogue(folder: Path, basics: str = BASICS, wheels: str = WHEELS, more: str = "") -> Catalogue:
    return small_engine(folder, more, basics, wheels).catalogue


@pytest.fixture
def found(tmp_path: Path) -> Changes:
    """A wheel less for 9.0, a higher floor, one claim gone, one seen elsewhere, one new."""
    before = catalogue(tmp_path / "before")
    wheels = WHEELS.replace('sass = ["7.0", "9.0", "12.0"]', 'sass = ["7.0", "12.0"]', 1)
    wheels = wheels.replace('pairs-with = [{ package = "torchvision", version = "0.35.0" }]\n', "")
    basics = BASICS.replace(
        'id = "13"\nneeds-driver = { os = "linux", driver = "580.10" }',
        'id = "13"\nneeds-driver = { os = "linux", driver = "610.10" }',
    )
    basics = basics.replace(
        'runs-cuda = { cuda = "12.8" }',
        'runs-cuda = { cuda = "12.8", evidence = [{ kind = "reported", link = "l", on = 2026-01-01 }] }',
    )
    new = '[[toolkit]]\nid = "13.1"\ntargets-cc = { sass = ["9.0"] }\n'
    return changes(before, catalogue(tmp_path / "after", basics, wheels, new))


def test_claims_are_told_apart(found: Changes) -> None:
    assert found.added == {"toolkit-targets-cc": ["toolkit-targets-cc:13.1"]}
    assert found.changed == {
        "toolkit-needs-driver": ["toolkit-needs-driver:13:linux"],
        "wheel-embeds": ["wheel-embeds:torch-2.20.0+cu128-linux-x86_64:torch"],
    }
    assert found.looked_up == {"driver-runs-cuda": ["driver-runs-cuda:R570"]}
    assert found.withdrawn == {"torch-pairs-with": ["torch-pairs-with:2.20.0:torchvision"]}


def test_verdicts_follow(found: Changes) -> None:
    told = {(one.table, one.question): (one.before, one.after) for one in found.verdicts}
    assert told["driver x CUDA", "driver 570, CUDA 13.1, linux"] == (None, "no")
    backwards = changes(found.after.catalogue, found.before.catalogue)
    assert {(one.question, one.before, one.after) for one in backwards.verdicts} == {
        (one.question, one.after, one.before) for one in found.verdicts
    }


def test_notes_say_it(found: Changes) -> None:
    text = notes(found)
    assert text.startswith("## Data 2026.01.02\n\nSince 2026.01.02.\n")
    assert "| `wheel-embeds` | 0 | 1 | 0 | 0 |" in text
    assert "| `torch-pairs-with` | 0 | 0 | 0 | 1 |" in text
    assert "- driver x CUDA, not there to no: " in text
    assert "| stale | 0 | 0 |" in text


def test_nothing_changed(engine: Engine) -> None:
    same = changes(engine.catalogue, Catalogue.load())
    assert [same.added, same.changed, same.looked_up, same.withdrawn, same.verdicts] == [{}, {}, {}, {}, ()]
    text = notes(same)
    assert "No claim was added, changed or withdrawn." in text
    assert "No verdict changed." in text


def test_many_verdicts_are_cut_short(engine: Engine) -> None:
    plain = json.loads(CATALOGUE.read_bytes())
    for row in plain["claims"]["toolkit-needs-driver"]:
        row["driver"] = "999.10"
    text = notes(changes(Catalogue(plain), engine.catalogue))
    assert " and others)" in text


def test_figures_count_every_cell(engine: Engine) -> None:
    counted = cells(engine)
    table = engine.matrix.torch(Asked(()))
    assert sum(counted["torch"].values()) == len(table.rows) * len(table.torches)
    assert sum(counted["drivers"].values()) == len(engine.index.drivers.branches) * len(engine.index.targets.toolkits)
    known = figures(engine)
    assert known["cells"] == counted
    assert known["claims"] == known["measured"] + known["documented"] + known["reported"]
    assert known["oldest"]["claim"] in engine.catalogue.by_id
    assert f"| GPU x torch | {counted['torch']['yes']} | {counted['torch']['no']} |" in cells_table(engine)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["changes", str(CATALOGUE)]) == 0
    assert "No verdict changed." in capsys.readouterr().out
    old = json.loads(CATALOGUE.read_bytes())
    gone = old["claims"]["gpu-has-specs"].pop()
    path = tmp_path / "old.json"
    path.write_text(json.dumps(old), encoding="utf-8")
    assert main(["changes", str(path), str(CATALOGUE), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["claims"]["added"] == {"gpu-has-specs": [gone["id"]]}
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert main(["changes", "-"]) == 1
    assert "| `gpu-has-specs` | 1 | 0 | 0 | 0 |" in capsys.readouterr().out


@pytest.mark.parametrize("text", [None, "{", "{}", "[]", '{"schema_version": 1}'])
def test_what_is_no_catalogue(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None) -> None:
    path = tmp_path / "x.json"
    if text is not None:
        path.write_text(text)
    assert main(["changes", str(path)]) == 2
    assert "whichcuda: " in capsys.readouterr().err
