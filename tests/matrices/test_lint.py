"""Every law holds where it is obeyed and speaks where it is broken; exceptions, output and exit codes."""

from __future__ import annotations

import json
import runpy
import sys
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import matrices.lint.checks
from matrices.build import compiled, serialised
from matrices.lint import CHECKS, EXCEPTIONS, Breach, lint
from matrices.lint.__main__ import main
from matrices.lint.base import SCOPES, Check, claims, entities, normal
from matrices.lint.material import Material
from matrices.load import load
from matrices.model import BranchReleased, Gpu, ToolkitReleased
from matrices.reconcile.observed import OBSERVATIONS
from tests.matrices.toml_files import SAMPLE_EVIDENCE, TESTS_DATA, WORLD, data_folder, document

CASES: list[dict[str, Any]] = tomllib.loads((TESTS_DATA / "lint_cases.toml").read_text(encoding="utf-8"))["case"]
BY_NAME = {check.name: check for check in CHECKS}

Exceptions = Callable[..., Path]


def _material(folder: Path, case: dict[str, Any]) -> Material:
    """The data of a case: `text` is one file with evidence, `files` are whole files as they are."""
    files = {"moved.toml": document(case.get("moved", {})), **case.get("files", {})}
    if "text" in case:
        files["a.toml"] = SAMPLE_EVIDENCE + case["text"]
    return Material.read(data_folder(folder, files))


@pytest.fixture
def exceptions(tmp_path: Path) -> Exceptions:
    """A function that writes a list of exceptions, pairs of check and subject, and gives its path."""

    def write(*pairs: tuple[str, str], reason: str = "for a test") -> Path:
        rows = [{"check": check, "subject": subject, "reason": reason} for check, subject in pairs]
        path = tmp_path / "exceptions.toml"
        path.write_text(document({"exception": rows}), encoding="utf-8")
        return path

    return write


# --- the laws ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['check']}: {case['name']}")
def test_check(tmp_path: Path, case: dict[str, Any]) -> None:
    material = _material(tmp_path, case)
    assert bool(material.faults) == (case["check"] == "readable" and "finds" in case), material.faults
    found = [(finding.subject, finding.message) for finding in BY_NAME[case["check"]].run(material)]
    assert sorted(found) == sorted(case.get("finds", {}).items())


@pytest.mark.parametrize(
    "case", [case for case in CASES if "finds" in case], ids=lambda case: f"{case['check']}: {case['name']}"
)
def test_breach_names_the_place_to_mend(tmp_path: Path, case: dict[str, Any], exceptions: Exceptions) -> None:
    check = BY_NAME[case["check"]]
    material = _material(tmp_path / "data", case)
    shown = {str(breach): breach for breach in lint(material, exceptions())}
    for subject, message in case["finds"].items():
        kind, _, name = subject.partition(":")
        place = name if kind == "file" else " · ".join(material.dataset.places[subject])
        assert shown[f"{check.level}: {place}: {message} [{check.name}]"].fix == check.fix


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_each_law_is_stated_and_tried_both_ways(check: Check) -> None:
    assert check.law.endswith(".")
    assert len(check.law) > 15
    assert check.fix.endswith(".")
    assert ("--fix" in check.fix) == (check.mend is not None)
    if check.scope != "build" and check.name != "measured-agrees":  # tried below: they need more than files of data
        assert {bool(case.get("finds")) for case in CASES if case["check"] == check.name} == {True, False}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_is_the_module_named_after_it(check: Check) -> None:
    path = Path(matrices.lint.checks.__file__).parent / check.scope / f"{check.name.replace('-', '_')}.py"
    assert path.exists()


def test_names_of_checks_are_unique() -> None:
    assert len(BY_NAME) == len(CHECKS)
    assert {case["check"] for case in CASES} <= set(BY_NAME)
    assert {check.scope for check in CHECKS} == set(SCOPES)


def test_each_check_has_its_row_in_the_documents() -> None:
    page = (TESTS_DATA.parent.parent / "docs/data.md").read_text(encoding="utf-8")
    assert [check.name for check in CHECKS if f"| `{check.name}` |" not in page] == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_nothing_breaks_no_law(tmp_path: Path, check: Check) -> None:
    assert list(check.run(Material.read(data_folder(tmp_path, {})))) == []


def test_the_world_obeys(exceptions: Exceptions) -> None:
    assert lint(Material.read(WORLD), exceptions()) == []


def test_the_committed_data_obeys() -> None:
    assert [str(breach) for breach in lint(Material.read()) if breach.level == "error"] == []


def test_each_committed_exception_says_why() -> None:
    rows = tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8"))["exception"]
    assert all(row.keys() - {"link"} == {"check", "subject", "reason"} for row in rows)
    assert all(row["check"] in BY_NAME and len(row["reason"]) > 15 for row in rows)
    assert len({(row["check"], row["subject"]) for row in rows}) == len(rows)


# --- what the laws need beside the data ---------------------------------------------------------------------------


def test_a_catalogue_that_is_missing_or_stale_is_found(tmp_path: Path) -> None:
    check, catalogue = BY_NAME["catalogue-current"], tmp_path / "catalogue.json"
    material = Material.read(WORLD, catalogue)
    for text in (None, "{}", serialised(compiled(load(WORLD)))):
        if text is not None:
            catalogue.write_text(text, encoding="utf-8")
        found = [finding.message for finding in check.run(material)]
        stale = text in (None, "{}")
        assert found == ["the catalogue is not what the data compiles to"] * stale


def test_two_compilations_that_differ_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matrices.lint.checks.build import catalogue_current

    texts = iter(("one", "two"))
    monkeypatch.setattr(catalogue_current, "serialised", lambda _: next(texts))
    catalogue = tmp_path / "catalogue.json"
    catalogue.write_text("one", encoding="utf-8")
    found = BY_NAME["catalogue-current"].run(Material.read(WORLD, catalogue))
    assert [finding.message for finding in found] == ["two compilations of the same data differ"]


def test_a_public_catalogue_that_breaks_its_schema_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matrices.lint.checks.build import public_valid

    check, material = BY_NAME["public-valid"], Material.read(WORLD, tmp_path / "catalogue.json")
    assert list(check.run(Material.read(WORLD))) == list(check.run(material)) == []
    monkeypatch.setattr(public_valid, "public", lambda _: {"claims": 1})
    broken = [(finding.subject, finding.message.split(" ")[0]) for finding in check.run(material)]
    assert ("public catalogue", "$.claims:") in broken
    for schema in (tmp_path / "missing.json", tmp_path / "stale.json"):
        monkeypatch.setattr(public_valid, "SCHEMA", schema)
        assert next(iter(check.run(material))).subject == "public schema"
        (tmp_path / "stale.json").write_text("{}", encoding="utf-8")


def test_what_was_observed_is_held_against_the_claims(tmp_path: Path) -> None:
    """A claim that an observation contradicts, and one that was measured here without an observation of it."""
    text = """
    [[toolkit]]
    id = "12.4"
    ptx-isa = { version = "8.4" }
    [[toolkit]]
    id = "12.5"
    ptx-isa = { version = "8.5" }
    """
    own = SAMPLE_EVIDENCE.replace("by hand", "whichcuda measure toolkit").replace('"sample"', '"nvcc 12.4.131"')
    folder = data_folder(tmp_path / "data", {"a.toml": own + text})
    check, kept = BY_NAME["measured-agrees"], tmp_path / "observations"
    kept.mkdir()

    def found() -> list[tuple[str, str]]:
        return [(each.subject, each.message) for each in check.run(Material.read(folder, observed=kept))]

    unkept = [(f"toolkit-ptx-isa:{toolkit}", "no observation of nvcc 12.4.131 is kept") for toolkit in ("12.4", "12.5")]
    assert found() == unkept
    row = {"id": "c", "kind": "toolkit", "cuda": "12.4", "compiler": "12.4.131", "ptx_isa": "8.4"}
    row |= {"artefacts": [{"artefact": "nvcc 12.4.131"}], "targets": {}, "host_compilers": None}
    (kept / "c.json").write_text(json.dumps(row), encoding="utf-8")
    assert found() == []
    (kept / "c.json").write_text(json.dumps(row | {"ptx_isa": "8.3"}), encoding="utf-8")
    assert found() == [("toolkit-ptx-isa:12.4", "PTX: claimed 8.4, seen 8.3 in c")]
    assert list(check.run(Material.read(folder))) == []


def test_the_committed_observations_agree() -> None:
    assert list(BY_NAME["measured-agrees"].run(Material.read(observed=OBSERVATIONS))) == []


def test_ages_are_judged_by_the_given_day_or_the_data_version(exceptions: Exceptions) -> None:
    fresh, old = Material.read(WORLD), Material.read(WORLD, day=date(2027, 11, 30))
    assert (str(fresh.today), str(old.today)) == ("2026-11-30", "2027-11-30")
    assert {breach.check for breach in lint(old, exceptions())} == {"newest-is-fresh"}


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
    dataset = _material(tmp_path, {"text": text}).dataset
    assert [claim.release for claim in claims(dataset, ToolkitReleased)] == ["12.4.0", "12.4.1", "12.4.2"]
    assert [claim.release for claim in normal(dataset, ToolkitReleased)] == ["12.4.1", "12.4.2"]


# --- exceptions -------------------------------------------------------------------------------------------------

LONELY = {
    "files": {
        "capabilities.toml": '[[capability]]\nid = "7.0"\narchitecture = "Volta"\n',
        "torch/2.6.toml": '# Without wheels.\n\n[[torch]]\nid = "2.6.0"\n',
    }
}
_WHEELS, _GPU = BY_NAME["has-wheels"].fix, BY_NAME["capability-has-gpu"].fix
NO_WHEELS = Breach("error", "has-wheels", "torch/2.6.toml", "torch.2.6.0", "a release without wheels", _WHEELS, 4)
NO_GPU = Breach("warning", "capability-has-gpu", "capabilities.toml", "capability.7.0", "no product has it", _GPU, 2)


def test_errors_come_before_warnings(tmp_path: Path, exceptions: Exceptions) -> None:
    assert lint(_material(tmp_path / "data", LONELY), exceptions()) == [NO_WHEELS, NO_GPU]


def test_an_exception_excuses_one_breach_of_one_law(tmp_path: Path, exceptions: Exceptions) -> None:
    material = _material(tmp_path / "data", LONELY)
    assert lint(material, exceptions(("has-wheels", "torch:2.6.0"))) == [NO_GPU]
    assert lint(material, exceptions(("has-wheels", "torch:2.6.0"), ("capability-has-gpu", "capability:7.0"))) == []


@pytest.mark.parametrize(
    ("check", "subject"), [("has-wheels", "torch:2.7.0"), ("ids", "torch:2.6.0"), ("no-such-check", "torch:2.6.0")]
)
def test_an_exception_that_excuses_nothing_is_an_error(
    tmp_path: Path, exceptions: Exceptions, check: str, subject: str
) -> None:
    message = f"the exception for {subject} is no longer needed"
    unneeded = Breach("error", check, "../lint/exceptions.toml", subject, message, "Remove it.")
    assert lint(_material(tmp_path / "data", LONELY), exceptions((check, subject))) == [unneeded, NO_WHEELS, NO_GPU]


def test_an_exception_without_a_reason_is_an_error(tmp_path: Path, exceptions: Exceptions) -> None:
    found = lint(_material(tmp_path / "data", LONELY), exceptions(("has-wheels", "torch:2.6.0"), reason=" "))
    assert [breach.message for breach in found] == ["the exception for torch:2.6.0 has no reason", NO_GPU.message]


# --- the command ------------------------------------------------------------------------------------------------


def test_command_on_good_data(exceptions: Exceptions, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], WORLD, exceptions()) == 0
    assert capsys.readouterr() == ("", "0 errors, 0 warnings\n")
    assert main(["--format", "json"], WORLD, exceptions()) == 0
    assert capsys.readouterr() == ("[]\n", "0 errors, 0 warnings\n")
    assert main(["--today", "2027-11-30"], WORLD, exceptions()) == 0
    assert capsys.readouterr().err.endswith("0 errors, 1 warnings\n")


def test_command_on_breaches(tmp_path: Path, exceptions: Exceptions, capsys: pytest.CaptureFixture[str]) -> None:
    _material(tmp_path / "data", LONELY)
    assert main([], tmp_path / "data", exceptions()) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "error: torch/2.6.toml · torch.2.6.0: a release without wheels [has-wheels]",
        "warning: capabilities.toml · capability.7.0: no product has it [capability-has-gpu]",
    ]
    assert shown.err.splitlines() == [f"capability-has-gpu: {_GPU}", f"has-wheels: {_WHEELS}", "1 errors, 1 warnings"]


def test_warnings_alone_do_not_fail(tmp_path: Path, exceptions: Exceptions, capsys: pytest.CaptureFixture[str]) -> None:
    _material(tmp_path / "data", LONELY)
    excused = exceptions(("has-wheels", "torch:2.6.0"))
    assert main(["--format", "json"], tmp_path / "data", excused) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == [
        {
            "level": "warning",
            "check": "capability-has-gpu",
            "file": "capabilities.toml",
            "path": "capability.7.0",
            "message": "no product has it",
            "fix": _GPU,
            "line": 2,
        }
    ]
    assert shown.err == "0 errors, 1 warnings\n"


def test_annotations_show_the_line_in_a_pull_request(
    tmp_path: Path, exceptions: Exceptions, capsys: pytest.CaptureFixture[str]
) -> None:
    _material(tmp_path / "data", {"files": {**LONELY["files"], "about.toml": 'data_version = "2026.11.30" \n'}})
    assert main(["--format", "github"], tmp_path / "data", exceptions(("ids", "100%"))) == 1
    text = "the exception for 100%25 is no longer needed. Remove it."
    spaces = f"tabs, spaces at the end of a line, or not one line feed at the end. {BY_NAME['whitespace'].fix}"
    wheels, gpu = f"{NO_WHEELS.message}. {_WHEELS}", f"{NO_GPU.message}. {_GPU}"
    assert capsys.readouterr().out.splitlines() == [
        f"::error file=matrices/lint/exceptions.toml,title=ids::100%25: {text}",
        f"::error file=matrices/data/about.toml,line=1,title=whitespace::{spaces}",
        f"::error file=matrices/data/torch/2.6.toml,line=4,title=has-wheels::torch.2.6.0: {wheels}",
        f"::warning file=matrices/data/capabilities.toml,line=2,title=capability-has-gpu::capability.7.0: {gpu}",
    ]


def test_command_on_data_that_cannot_be_read(
    tmp_path: Path, exceptions: Exceptions, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then only the form is judged, and no exception is missed."""
    folder = data_folder(tmp_path / "data", {"a.toml": "branch = 1\n", "b.toml": "gpu = [1]\n"})
    (folder / "c.toml").write_bytes(b"\xff")
    assert main(["--format", "json"], folder, exceptions(("has-wheels", "torch:2.6.0"))) == 1
    shown = capsys.readouterr()
    assert [(row["check"], row["file"], row["message"].split(":")[0]) for row in json.loads(shown.out)] == [
        ("readable", "a.toml", "branch"),
        ("readable", "b.toml", "gpu[0]"),
        ("readable", "c.toml", "not TOML"),
    ]
    assert main(["--fix"], folder, exceptions()) == 1
    assert "error: b.toml: gpu[0]: an entity is a table [readable]" in capsys.readouterr().out


def test_command_on_the_committed_data(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["lint"])
    monkeypatch.delitem(sys.modules, "matrices.lint.__main__")
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("matrices.lint", run_name="__main__")
    assert "0 errors, " in capsys.readouterr().err
    assert caught.value.code == 0
