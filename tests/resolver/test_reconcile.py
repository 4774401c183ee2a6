"""What machines did beside what the rules say: a kernel that ran although it cannot, and one that did not although it must."""

from __future__ import annotations

from typing import Any

import pytest

from matrices.reconcile.observed import Observations
from matrices.reconcile.report import RuleOutcome
from resolver.engine import Engine
from resolver.reconcile import outcomes
from tests.resolver.factory import small


@pytest.fixture(scope="module")
def engine() -> Engine:
    """The engine over a small world, in which torch 2.4.0+cu118 holds code for 3.7, 7.0 and 8.0, and PTX for 8.0."""
    return small()


def _machine(result: str, capability: str = "8.0", torch: str = "2.4.0+cu118", **values: Any) -> dict[str, Any]:
    device = {"name": "a GPU", "compute_capability": capability, "kernels": {"float32": result, "int8": "not offered"}}
    return {
        "id": "machine",
        "kind": "machine",
        "os": "linux",
        "machine": "x86_64",
        "driver": "570.211.01",
        "gpus": [],
        "torch": {"torch": torch, "cuda": "11.8", "devices": [device]},
        **values,
    }


def _found(engine: Engine, row: dict[str, Any]) -> list[RuleOutcome]:
    return list(outcomes(engine, Observations([row])))


NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"


@pytest.mark.parametrize(
    ("row", "verdict", "ran", "rules", "contradicts"),
    [
        (_machine("ok"), "yes", True, (), False),
        (_machine("ok", torch="2.4.0"), "yes", True, (), False),  # the CUDA is told apart from the version
        (_machine(NO_KERNEL), "yes", False, (), True),
        (_machine("ok", capability="3.7"), "no", True, ("drives", "library"), True),
        (_machine(NO_KERNEL, capability="3.7"), "no", False, ("drives", "library"), False),
    ],
)
def test_outcomes(
    engine: Engine, row: dict[str, Any], verdict: str, ran: bool, rules: tuple[str, ...], contradicts: bool
) -> None:
    (outcome,) = _found(engine, row)
    assert outcome == RuleOutcome("machine", "a GPU", verdict, ran, rules)
    assert outcome.contradicts is contradicts


@pytest.mark.parametrize(
    "row",
    [
        _machine("wrong result"),
        _machine("not offered"),
        _machine("ok", torch="2.4.0.dev1+cu118"),
        _machine("ok", capability="99.9"),
        _machine("ok") | {"torch": None},
        _machine("ok") | {"torch": {"torch": "2.4.0+cpu", "cuda": None, "devices": []}},
        _machine("ok") | {"torch": {"torch": "2.4.0", "cuda": None, "devices": [{"kernels": {"float32": "ok"}}]}},
        {"id": "wheel", "kind": "wheel"},
    ],
)
def test_what_is_no_outcome(engine: Engine, row: dict[str, Any]) -> None:
    assert _found(engine, row) == []


def test_under_wsl_the_system_is_wsl(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def check(stack: Any) -> dict[str, Any]:
        asked.append((stack.os, stack.machine, stack.driver, stack.torch))
        return {"verdict": "unknown", "findings": [{"rule": "sass", "severity": "ok"}]}

    monkeypatch.setattr(engine, "check", check)
    assert _found(engine, _machine("ok", wsl=True)) == [RuleOutcome("machine", "a GPU", "unknown", True)]
    assert asked == [("wsl2", "x86_64", "570.211.01", "2.4.0+cu118")]
