"""What machines did beside what the rules say of their stacks: a contradiction means that the physics here is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matrices.reconcile.observed import Observations
from matrices.reconcile.report import RuleOutcome
from resolver.engine import Checked, Engine
from resolver.errors import BadQuestion

__all__ = ["outcomes"]

_KERNEL = "float32"  # every GPU that CUDA knows multiplies these


def outcomes(engine: Engine, observations: Observations) -> Iterator[RuleOutcome]:
    """One outcome for each GPU of each machine on which torch was tried.

    A kernel that runs and multiplies wrong is no outcome, nor is a torch without CUDA, nor a stack that cannot be named.
    """
    for row in observations.of("machine"):
        torch = row["torch"] or {}
        for device in torch.get("devices", ()):
            result = device["kernels"].get(_KERNEL, "")
            if not torch.get("cuda") or result in ("", "wrong result", "not offered"):
                continue
            found = _checked(engine, row, torch, device["compute_capability"])
            if found is not None:
                rules = tuple(sorted({finding["rule"] for finding in found["findings"] if _decides(finding)}))
                yield RuleOutcome(row["id"], device["name"], found["verdict"], result == "ok", rules)


def _checked(engine: Engine, row: dict[str, Any], torch: dict[str, Any], capability: str) -> dict[str, Any] | None:
    version, _, local = str(torch["torch"]).partition("+")
    variant = local or "cu" + str(torch["cuda"]).replace(".", "")
    os = "wsl2" if row.get("wsl") else row["os"]
    stack = Checked(gpu=(f"cc {capability}",), driver=row["driver"], torch=f"{version}+{variant}", os=os)
    stack.machine = row.get("machine")
    try:
        return engine.check(stack)
    except BadQuestion:
        return None


def _decides(finding: dict[str, Any]) -> bool:
    return str(finding["severity"]) == "error"
