"""The doctor's findings for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from api.console import Console
from api.doctor.judging.findings import Finding, Judged
from resolver.labels import label_of

__all__ = ["show"]

_MARK = {"ok": "ok", "info": "--", "warning": "!!", "error": "NO", "unknown": "??"}
_COLOUR = {"ok": "ok", "info": "dim", "warning": "warning", "error": "error", "unknown": "unknown"}
_SUMMARY = {
    "yes": "yes: nothing stands between the programs here and the GPU",
    "no": "no: something has to be mended first",
    "unknown": "unknown: nothing wrong was seen, but not everything could be judged",
}


def show(judged: Judged, console: Console, *, next_step: bool = True) -> None:
    """Each finding with what mends it, then the verdict, then what fits this machine."""
    for finding in judged.findings:
        _finding(finding, console)
    console.line()
    console.wrapped(_SUMMARY[judged.verdict], paint=(judged.verdict, judged.verdict))
    apart = any(finding.id == "module" and finding.verdict == "error" for finding in judged.findings)
    if next_step and not apart:  # GPUs that no one kernel module drives have no stack in common here
        _next(judged, console)


def _finding(finding: Finding, console: Console) -> None:
    mark = _MARK[finding.verdict]
    console.wrapped(finding.text, first=f"{mark}  ", rest="    ", paint=(mark, _COLOUR[finding.verdict]))
    number = 0
    for step in finding.steps:
        if step.startswith("$ "):
            for line in step[2:].splitlines():
                console.line(f"         {line}")
            continue
        number += 1
        console.wrapped(step, first=f"      {number}. ", rest="         ")


def _next(judged: Judged, console: Console) -> None:
    stacks: Sequence[dict[str, Any]] = judged.resolved["stacks"] if judged.resolved is not None else ()
    if not stacks or judged.resolved is None or judged.resolved["verdict"] != "yes":
        return
    stack = stacks[0]
    console.line()
    console.wrapped(f"The newest that fits this machine is torch {label_of(stack['torch'])}:")
    console.line(f"  {stack['install']['pip']}")
