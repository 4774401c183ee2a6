"""The documents name everything that there is: routes, commands, options, settings, rules, problems, checks."""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

import pytest

from api import reference
from api.cli import parser
from api.problems import PROBLEMS
from matrices.lint import CHECKS
from matrices.model import CLAIMS
from resolver.rules import RULES

ROOT = Path(__file__).parent.parent.parent


def options(command: argparse.ArgumentParser, name: str) -> list[tuple[str, str]]:
    """Every (command, option) below a parser."""
    found = []
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                found += [(f"{name} {word}", ""), *options(below, f"{name} {word}")]
        elif action.dest != "help":
            found += [(name, option) for option in action.option_strings or [action.dest]]
    return found


def test_every_command_and_option_has_its_row() -> None:
    sections = {}
    for part in reference.commands().split("### ")[1:]:
        title, _, body = part.partition("\n")
        sections[title.strip("`")] = body
    for name, option in options(parser(), "whichcuda"):
        assert name in sections
        assert not option or f"`{option}`" in sections[name], (name, option)


def test_every_route_has_its_row() -> None:
    from api.app import create_app

    rows = {re.split(r"[ `]", line.split("|")[1].strip(" `"))[-1]: line for line in reference.routes().splitlines()[2:]}
    assert set(rows) == set(create_app().openapi()["paths"])
    assert all(line.split("|")[3].strip() for line in rows.values()), "says what it answers"


def test_every_setting_has_its_row() -> None:
    read = set(re.findall(r'"(WHICHCUDA_\w+)"', (ROOT / "api/settings.py").read_text(encoding="utf-8")))
    rows = dict(re.findall(r"^\| `(WHICHCUDA_\w+)` \| (.*?) \|", reference.settings(), re.MULTILINE))
    assert set(rows) == read
    assert rows["WHICHCUDA_API_KEY"] == "unset"
    assert rows["WHICHCUDA_LOG_REQUESTS"] == "1"
    assert "0 keeps none." in reference.settings()


def test_every_rule_and_problem_has_its_row() -> None:
    for table, names in ((reference.rules(), RULES), (reference.problems(), PROBLEMS)):
        assert re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE) == list(names)


def test_every_relation_and_check_stands_in_the_data_document() -> None:
    page = (ROOT / "docs/data.md").read_text(encoding="utf-8")
    for name in (*CLAIMS, *(check.name for check in CHECKS)):
        assert f"`{name}`" in page, name


def test_examples_are_what_is_printed() -> None:
    page = "a\n```console\n$ whichcuda gpus 5090 --architecture Blackwell\nold\n```\nb\n"
    renewed = reference.examples(page)
    assert "GeForce RTX 5090\n" in renewed
    assert "old" not in renewed
    assert renewed.startswith("a\n```console\n$ whichcuda gpus 5090")
    assert renewed.endswith("```\nb\n")
    assert reference.examples(renewed) == renewed


def test_check_then_write_then_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs").mkdir()
    for page in reference.PARTS:
        shutil.copy(ROOT / page, tmp_path / page)
    path = tmp_path / "docs/reference.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"\| `sass`.*\n", "", text), encoding="utf-8")
    assert reference.main(["--check"], tmp_path) == 1
    assert "a generated part of docs/reference.md is stale: run `make data`" in capsys.readouterr().err
    assert reference.main(["--write"], tmp_path) == 0
    assert reference.main(["--check"], tmp_path) == 0
    assert "| `sass` |" in path.read_text(encoding="utf-8")
