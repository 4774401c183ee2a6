"""Every law holds where it is obeyed and speaks where it is broken; exceptions, output and exit codes."""

from __future__ import annotations

import json
import runpy
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from matrices.lint import CHECKS, EXCEPTIONS, Breach, lint
from matrices.lint.__main__ import main
from matrices.lint.base import Check, claims, entities, normal
from matrices.load import Dataset, load
from matrices.model import BranchReleased, Gpu, ToolkitReleased
from tests.matrices.toml_files import SAMPLE_EVIDENCE, TESTS_DATA, WORLD, data_folder, document

CASES: list[dict[str, Any]] = tomllib.loads((TESTS_DATA / "lint_cases.toml").read_text(encoding="utf-8"))["case"]
BY_NAME = {check.name: check for check in CHECKS}

Exceptions = Callable[..., Path]


def _dataset(folder: Path, case: dict[str, Any]) -> Dataset:
    files = {"a.toml": SAMPLE_EVIDENCE + case["text"], "moved.toml": document(case.get("moved", {}))}
    return load(data_folder(folder, files))


@pytest.fixture
def exceptions(tmp_path: Path) -> Exceptions:
    """A function that writes a list of exceptions, pairs of check and subject, and gives its path."""

    def write(*pairs: tuple[str, str]) -> Path:
        rows = [{"check": check, "subject": subject, "reason": "for a test"} for check, subject in pairs]
        path = tmp_path / "exceptions.toml"
        path.write_text(document({"exception": rows}), encoding="utf-8")
        return path

    return write


# --- the laws ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['check']}: {case['name']}")
def test_check(tmp_path: Path, case: dict[str, Any]) -> None:
    found = [(finding.subject, finding.message) for finding in BY_NAME[case["check"]].run(_dataset(tmp_path, case))]
    assert sorted(found) == sorted(case.get("finds", {}).items())


@pytest.mark.parametrize(
    "case", [case for case in CASES if "finds" in case], ids=lambda case: f"{case['check']}: {case['name']}"
)
def test_breach_names_the_place_to_mend(tmp_path: Path, case: dict[str, Any], exceptions: Exceptions) -> None:
    check = BY_NAME[case["check"]]
    dataset = _dataset(tmp_path / "data", case)
    shown = {str(breach) for breach in lint(dataset, exceptions())}
    for subject, message in case["finds"].items():
        file, path = dataset.places[subject]
        assert file == ("moved.toml" if subject.startswith("moved:") else "a.toml")
        assert f"{check.level}: {file} · {path}: {message} [{check.name}]" in shown


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_each_law_is_stated_and_tried_both_ways(check: Check) -> None:
    assert check.law.endswith(".")
    assert len(check.law) > 15
    assert {bool(case.get("finds")) for case in CASES if case["check"] == check.name} == {True, False}


def test_names_of_checks_are_unique() -> None:
    assert len(BY_NAME) == len(CHECKS)
    assert {case["check"] for case in CASES} == set(BY_NAME)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_nothing_breaks_no_law(tmp_path: Path, check: Check) -> None:
    assert list(check.run(load(data_folder(tmp_path, {})))) == []


def test_the_world_obeys(exceptions: Exceptions) -> None:
    assert lint(load(WORLD), exceptions()) == []


def test_the_committed_data_obeys() -> None:
    assert [str(breach) for breach in lint(load()) if breach.level == "error"] == []


def test_each_committed_exception_says_why() -> None:
    rows = tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8"))["exception"]
    assert all(row.keys() == {"check", "subject", "reason"} for row in rows)
    assert all(row["check"] in BY_NAME and len(row["reason"]) > 15 for row in rows)
    assert len({(row["check"], row["subject"]) for row in rows}) == len(rows)


# --- choosing what to judge -------------------------------------------------------------------------------------


def test_claims_and_entities_of_one_class() -> None:
    dataset = load(WORLD)
    assert [claim.os for claim in claims(dataset, BranchReleased)] == ["linux", "windows"]
    assert [gpu.id for gpu in entities(dataset, Gpu)] == ["v100"]


def test_deprecated_claims_do_not_count(tmp_path: Path) -> None:
    text = """
    [[toolkit]]
    id = "12.4"
    released = [
        { release = "12.4.0", standing = "deprecated", because = "wrong" },
        { release = "12.4.1" },
        { release = "12.4.2", standing = "preferred", because = "right" },
    ]
    """
    dataset = _dataset(tmp_path, {"text": text})
    assert [claim.release for claim in claims(dataset, ToolkitReleased)] == ["12.4.0", "12.4.1", "12.4.2"]
    assert [claim.release for claim in normal(dataset, ToolkitReleased)] == ["12.4.1", "12.4.2"]


# --- exceptions -------------------------------------------------------------------------------------------------

LONELY = {"text": '[[capability]]\nid = "7.0"\narchitecture = "Volta"\n[[torch]]\nid = "2.6.0"\n'}
NO_WHEELS = Breach("error", "has-wheels", "a.toml", "torch.2.6.0", "a release without wheels")
NO_GPU = Breach("warning", "capability-has-gpu", "a.toml", "capability.7.0", "no product has it")


def test_errors_come_before_warnings(tmp_path: Path, exceptions: Exceptions) -> None:
    assert lint(_dataset(tmp_path / "data", LONELY), exceptions()) == [NO_WHEELS, NO_GPU]


def test_an_exception_excuses_one_breach_of_one_law(tmp_path: Path, exceptions: Exceptions) -> None:
    dataset = _dataset(tmp_path / "data", LONELY)
    assert lint(dataset, exceptions(("has-wheels", "torch:2.6.0"))) == [NO_GPU]
    assert lint(dataset, exceptions(("has-wheels", "torch:2.6.0"), ("capability-has-gpu", "capability:7.0"))) == []


@pytest.mark.parametrize(
    ("check", "subject"), [("has-wheels", "torch:2.7.0"), ("ids", "torch:2.6.0"), ("no-such-check", "torch:2.6.0")]
)
def test_an_exception_that_excuses_nothing_is_an_error(
    tmp_path: Path, exceptions: Exceptions, check: str, subject: str
) -> None:
    unneeded = Breach(
        "error", check, "../lint/exceptions.toml", subject, f"the exception for {subject} is no longer needed"
    )
    assert lint(_dataset(tmp_path / "data", LONELY), exceptions((check, subject))) == [unneeded, NO_WHEELS, NO_GPU]


# --- the command ------------------------------------------------------------------------------------------------


def test_command_on_good_data(exceptions: Exceptions, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], WORLD, exceptions()) == 0
    assert capsys.readouterr() == ("", "0 errors, 0 warnings\n")
    assert main(["--json"], WORLD, exceptions()) == 0
    assert capsys.readouterr() == ("[]\n", "0 errors, 0 warnings\n")


def test_command_on_breaches(tmp_path: Path, exceptions: Exceptions, capsys: pytest.CaptureFixture[str]) -> None:
    _dataset(tmp_path / "data", LONELY)
    assert main([], tmp_path / "data", exceptions()) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "error: a.toml · torch.2.6.0: a release without wheels [has-wheels]",
        "warning: a.toml · capability.7.0: no product has it [capability-has-gpu]",
    ]
    assert shown.err == "1 errors, 1 warnings\n"


def test_warnings_alone_do_not_fail(tmp_path: Path, exceptions: Exceptions, capsys: pytest.CaptureFixture[str]) -> None:
    _dataset(tmp_path / "data", LONELY)
    assert main(["--json"], tmp_path / "data", exceptions(("has-wheels", "torch:2.6.0"))) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == [
        {
            "level": "warning",
            "check": "capability-has-gpu",
            "file": "a.toml",
            "path": "capability.7.0",
            "message": "no product has it",
        }
    ]
    assert shown.err == "0 errors, 1 warnings\n"


def test_command_on_data_that_cannot_be_read(
    tmp_path: Path, exceptions: Exceptions, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data_folder(tmp_path / "data", {"a.toml": "branch = 1\n", "b.toml": "gpu = [1]\n"})
    assert main(["--json"], folder, exceptions()) == 1
    shown = capsys.readouterr()
    assert [(row["check"], row["file"], row["path"]) for row in json.loads(shown.out)] == [
        ("readable", "a.toml", "branch"),
        ("readable", "b.toml", "gpu[0]"),
    ]
    assert shown.err == "2 errors, 0 warnings\n"
    assert main([], folder, exceptions()) == 1
    assert "error: b.toml · gpu[0]: an entity is a table [readable]" in capsys.readouterr().out


def test_command_on_the_committed_data(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["lint"])
    monkeypatch.delitem(sys.modules, "matrices.lint.__main__")
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("matrices.lint", run_name="__main__")
    assert capsys.readouterr().err.startswith("0 errors, ")
    assert caught.value.code == 0
