"""The tables against the answers that they gather."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resolver.engine import Asked, Checked, Engine
from resolver.errors import BadQuestion, InvalidRequest, UnknownVersion
from resolver.matrix import TorchCell
from tests.resolver.small_catalogue import BASICS, WHEELS, small_engine
from tests.resolver.test_invariants import DRIVERS, GPUS, SYSTEMS, WINDOWS_DRIVERS

COMPAT = """
[[toolkit]]
id = "13.1"
targets-cc = { sass = ["9.0"] }
forward-on = [
    { package = "cuda-compat-13-1", branches = ["R570"] },
    { package = "cuda-compat-13-1", branches = ["R530"], uncertain = "said by one only" },
    { package = "cuda-compat-13-1", branches = ["R530"], standing = "deprecated", because = "a slip" },
]
"""


def assert_as_resolved(engine: Engine, cell: TorchCell) -> None:
    """A cell says what `/resolve` says to its release and to each of its builds, and its question explains it."""
    parts: dict[str, Any] = dict(cell.question)
    asked = Asked([parts.pop("gpu")], **{**parts, "torch": str(cell.torch)})
    answer = engine.resolve(asked)
    assert answer["verdict"] == cell.verdict, asked
    shown = [stack["torch"] for stack in answer["stacks"]]
    if cell.best is None:
        assert not shown
        assert (cell.asks, cell.kernels) == ("resolve", None)
        assert cell.question["torch"] == str(cell.torch)
    else:
        assert (shown[0]["variant"], shown[0]["kernels"]) == (cell.best.wheel.variant, cell.kernels)
        assert (cell.asks, cell.question["torch"]) == ("check", cell.best.label)
        assert engine.check(Checked(gpu=asked.gpus, **parts))["verdict"] == cell.verdict, cell.question
    for variant, verdict in cell.variants.items():
        named = replace(asked, torch=f"{cell.torch}+{variant}")
        assert engine.resolve(named)["verdict"] == verdict, named
    assert {stack["variant"] for stack in shown} <= set(cell.variants)


def test_capabilities_are_what_is_resolved(engine: Engine) -> None:
    table = engine.matrix.torch(Asked(()))
    assert list(table.torches) == sorted(engine.index.by_torch, reverse=True)
    names = [row.query.subjects[0].asked for row in table.rows]
    assert names[0] == "cc 3.5"
    assert names[-1] == "cc 12.1"
    assert "cc 8.7" not in names, "Tegra only"
    assert "cc 2.0" not in names, "older than PyTorch"
    assert {row.query.machine for row in table.rows if row.query.subjects[0].asked == "cc 12.1"} == {"aarch64"}
    counts: Counter[str] = Counter()
    for row in table.rows:
        assert 1 <= len(row.examples) <= 3
        assert [cell.torch for cell in row.cells] == list(table.torches)
        for cell in row.cells:
            counts[cell.verdict] += 1
            assert_as_resolved(engine, cell)
    assert set(counts) == {"yes", "no", "unknown"}


def test_examples_are_known_names(engine: Engine) -> None:
    examples = {row.query.subjects[0].asked: row.examples for row in engine.matrix.torch(Asked(())).rows}
    assert "GeForce RTX 4090" in examples["cc 8.9"]
    assert "GeForce RTX 5090" in examples["cc 12.0"]
    assert not engine.matrix.torch(Asked(["rtx 4090"])).rows[0].examples


def test_any_question_is_as_resolved(engine: Engine) -> None:
    some = random.Random("matrix")
    counts: Counter[str] = Counter()
    for _ in range(40):
        os, driver = some.choice(SYSTEMS), some.choice(DRIVERS)
        if os in ("windows-11", "wsl2"):
            driver = WINDOWS_DRIVERS.get(driver or "", driver)
        asked = Asked(
            some.sample([*GPUS, "jetson orin nano", "gtx 480", "sm_87"], 2),
            os=os,
            driver=driver,
            machine=some.choice([None, None, "aarch64"]),
            python=some.choice([None, None, "3.9", "3.12", "3.14", ">=3.30"]),
        )
        for row in engine.matrix.torch(asked).rows:
            for cell in some.sample(row.cells, 5):
                counts[cell.verdict] += 1
                assert_as_resolved(engine, cell)
    assert min(counts[verdict] for verdict in ("yes", "no", "unknown")) > 30


def test_columns_and_variants_can_be_chosen(engine: Engine) -> None:
    table = engine.matrix.torch(Asked(["rtx5090"], torch=">=2.9,<2.11"), "cu128")
    assert [str(torch) for torch in table.torches] == ["2.10.0", "2.9.1", "2.9.0"]
    assert [dict(cell.variants) for cell in table.rows[0].cells] == [{"cu128": "yes"}] * 3
    assert engine.matrix.torch(Asked(["rtx5090"], torch="2.9.0+cu128")).rows[0].cells == table.rows[0].cells[2:]
    assert (
        engine.matrix.torch(Asked(["rtx5090"], torch="2.9.0+cu128"), "cu128").rows[0].cells == table.rows[0].cells[2:]
    )
    none = engine.matrix.torch(Asked(["rtx5090"], torch="2.9.0"), "cu118").rows[0].cells
    assert [(cell.verdict, cell.variants) for cell in none] == [("no", {})]
    assert engine.matrix.torch(Asked(["rtx5090"], torch=">=3")).torches == ()


@pytest.mark.parametrize(
    ("asked", "variant", "error", "field"),
    [
        (Asked(["a100"], torch="2.9.0+cu128"), "cu126", InvalidRequest, "variant"),
        (Asked(["a100"]), "cu999", UnknownVersion, "variant"),
        (Asked(["a100"]), "rocm6", InvalidRequest, "variant"),
        (Asked(["a100"], torch="2.9.0+cu999"), None, UnknownVersion, "torch"),
        (Asked(["a100"], torch="2.5.7"), None, UnknownVersion, "torch"),
        (Asked(["titan"]), None, BadQuestion, "gpu"),
        (Asked((), os="plan9"), None, InvalidRequest, "os"),
    ],
)
def test_what_cannot_be_read(
    engine: Engine, asked: Asked, variant: str | None, error: type[BadQuestion], field: str
) -> None:
    with pytest.raises(error) as caught:
        engine.matrix.torch(asked, variant)
    assert caught.value.field == field


def test_a_machine_asked_for_is_that_of_every_row(engine: Engine) -> None:
    for machine in ("x86_64", "aarch64"):
        rows = engine.matrix.torch(Asked((), machine=machine, torch="2.14.0")).rows
        assert {row.query.machine for row in rows} == {machine}
        assert {row.cells[0].question["machine"] for row in rows} == {machine}


@pytest.mark.parametrize("os", ["linux", "windows-11", "wsl2"])
def test_drivers_are_what_is_checked(engine: Engine, os: str) -> None:
    rows = engine.matrix.drivers(os)
    assert [row.facts.number for row in rows] == sorted(engine.index.drivers.branches, reverse=True)
    hows: Counter[str] = Counter()
    for row in rows:
        cudas = [cell.cuda for cell in row.cells]
        assert cudas == sorted(cudas, reverse=True)
        for cell in row.cells:
            hows[cell.how] += 1
            answer = engine.check(Checked(**cell.question))
            assert answer["verdict"] == cell.verdict, cell.question
            severities = {finding["severity"] for finding in answer["findings"] if finding["rule"] != "kernel-module"}
            assert ("warning" in severities) == cell.later_only
            assert cell.verdict == {"no": "no", "forward": "no", "unknown": "unknown"}.get(cell.how, "yes")
    expected = {"native", "minor-version", "no", "unknown"} | ({"forward"} if os == "linux" else set())
    assert set(hows) == expected


def test_forward_is_what_a_sure_claim_says(tmp_path: Path) -> None:
    engine = small_engine(tmp_path / "data", "", BASICS + COMPAT, WHEELS)
    rows = {row.facts.number: {str(cell.cuda): cell for cell in row.cells} for row in engine.matrix.drivers()}
    forward = rows[570]["13.1"]
    assert (forward.how, forward.verdict, forward.claim) == ("forward", "no", "toolkit-forward-on:13.1")
    assert rows[530]["13.1"].how == "no"
    assert rows[600]["13.1"].how == "minor-version"
    windows = {row.facts.number: {str(cell.cuda): cell for cell in row.cells} for row in engine.matrix.drivers("wsl2")}
    assert windows[570]["13.1"].how == "unknown"
