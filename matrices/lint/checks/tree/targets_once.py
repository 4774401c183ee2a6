"""What a compiler has dropped does not come back."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal, numbers
from matrices.lint.material import Material
from matrices.model import ToolkitTargetsCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    made = sorted(normal(material.dataset, ToolkitTargetsCc), key=lambda claim: numbers(claim.subject))
    seen: set[object] = set()
    dropped: dict[object, str] = {}
    for claim in made:
        now = {target.capability for target in claim.sass}
        for capability in sorted(now & dropped.keys(), key=str):
            yield Finding(claim.id, f"makes code for {capability}, which CUDA {dropped[capability]} did not")
        dropped = {capability: toolkit for capability, toolkit in dropped.items() if capability not in now}
        dropped |= dict.fromkeys(seen - now - dropped.keys(), claim.subject)
        seen |= now


CHECK = Check(
    name="targets-once",
    scope="tree",
    law="A capability that a toolkit no longer makes code for is not made by a later one.",
    fix="Correct the list of the toolkit between the others.",
    run=_run,
)
