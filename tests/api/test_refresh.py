"""`whichcuda refresh`, on saved pages and a small data folder."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from api.cli import main
from api.commands.refresh import refresh
from matrices.catalogue import Catalogue
from matrices.collect.collectors import COLLECTORS
from tests.matrices.collect.saved import PAGES, world


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return world(tmp_path)


def run(data: Path, *arguments: str) -> int:
    proposals = data.parent / "proposals"
    return main(["refresh", "--data", str(data), "--output", str(proposals), "--today", "2026-02-03", *arguments])


def test_a_proposal_is_written_and_the_data_stays(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in data.rglob("*.toml")}
    assert run(data, "driver-releases", "--saved", str(PAGES / "releases.json")) == 0
    out = capsys.readouterr().out
    assert "Data center driver releases, for programs: 3 confirmed, 6 new, 2 changed" in out
    assert "verdicts  no verdict of 481 changes" in out
    proposal = data.parent / "proposals" / "driver-releases-2026-02-03.json"
    assert str(proposal) in out
    assert next(row["key"] for row in json.loads(proposal.read_bytes())["new"]) == "branch:R610"
    assert {path: path.read_bytes() for path in data.rglob("*.toml")} == before
    assert not (data.parent / "catalogue.json").exists()


def test_what_is_new_is_written_and_the_catalogue_with_it(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "--saved", str(PAGES), "--apply") == 0
    out = capsys.readouterr().out
    assert "written   drivers/r610.toml" in out
    assert "lint      error: cuda-families.toml" in out  # the small world knows no Windows of CUDA 13
    catalogue = Catalogue.load(data.parent / "catalogue.json")
    assert catalogue.data_version == "2026.02.03"
    assert "wheel-built-with:torch-2.10.0+cu130-linux-x86_64" in catalogue.by_id
    assert run(data, "--saved", str(PAGES), "--apply") == 0  # a second time there is nothing new
    assert not [
        line for line in capsys.readouterr().out.splitlines() if line.startswith(("  new", "  adds", "  written"))
    ]
    for proposal in (data.parent / "proposals").iterdir():
        plain = json.loads(proposal.read_bytes())
        assert plain["new"] == []
        assert {change["claim"] for change in plain["changed"]} <= catalogue.by_id.keys()  # and those stay for a person


def test_a_source_that_yields_nothing_fails_in_one_line(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data.parent / "empty").mkdir()
    (data.parent / "empty" / "releases.json").write_text("{}", encoding="utf-8")
    for saved in ("empty", "missing"):
        assert run(data, "driver-releases", "--saved", str(data.parent / saved)) == 1
    assert capsys.readouterr().err.splitlines() == [
        "whichcuda: driver-releases: releases.json: no branch could be read",
        "whichcuda: driver-releases: releases.json is not among the saved pages",
    ]
    gpus = '[{"cycle": "consumer-blackwell", "eol": false}]'
    (data.parent / "empty" / "nvidia-gpu.json").write_text(gpus, encoding="utf-8")
    assert run(data, "endoflife-gpus", "--saved", str(data.parent / "empty")) == 1
    assert capsys.readouterr().err == "whichcuda: endoflife-gpus: it says nothing\n"


def test_what_cannot_be_written_fails_and_leaves_the_data(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (data / "torch" / "2.9.toml").read_text(encoding="utf-8")
    inline = 'toolkit = [{ id = "13.0" }]\n'
    (data / "cuda" / "13.0.toml").write_text(inline, encoding="utf-8")
    assert run(data, "package-index", "--saved", str(PAGES), "--apply") == 1
    assert "package-index: not written: " in capsys.readouterr().err
    assert (data / "torch" / "2.9.toml").read_text(encoding="utf-8") == text


def test_broken_data_are_said(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "broken.toml").write_text("[", encoding="utf-8")
    assert run(data, "driver-releases", "--saved", str(PAGES)) == 1
    assert "whichcuda: the data cannot be read: broken.toml: not TOML" in capsys.readouterr().err


def test_a_source_nobody_knows(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "horoscope") == 2
    assert "there are package-index, pytorch-index" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["refresh", "--today", "tomorrow"])


def test_the_list_shows_how_old_the_evidence_is(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "endoflife-drivers", "--saved", str(PAGES), "--apply") == 0
    capsys.readouterr()
    assert run(data, "--list", "--today", "2026-02-20") == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert list(lines) == list(COLLECTORS)
    assert lines["driver-releases"] == "driver-releases    every 7 days  no evidence yet"
    assert (
        lines["endoflife-drivers"] == "endoflife-drivers  every 7 days  newest evidence 2026-02-03, 17 days old, stale"
    )


def test_pages_are_kept_for_those_without_a_network(data: Path) -> None:
    kept = data.parent / "kept"
    assert run(data, "driver-releases", "--saved", str(PAGES), "--keep", str(kept)) == 0
    assert (kept / "releases.json").read_bytes() == (PAGES / "releases.json").read_bytes()


def test_without_a_day_the_clock_is_asked(data: Path) -> None:
    class Dark:
        def page(self, name: str, url: str, headers: object) -> bytes:
            return (PAGES / name).read_bytes()

        def metadata(self, file: str, url: str) -> bytes:
            raise AssertionError

    options = Namespace(
        source="driver-releases",
        list=False,
        saved=None,
        keep=None,
        apply=False,
        output=data.parent,
        data=data,
        today=None,
    )
    assert refresh(options, Dark()) == 0
    [proposal] = data.parent.glob("driver-releases-*.json")
    assert json.loads(proposal.read_bytes())["read_on"] == proposal.stem.removeprefix("driver-releases-")
