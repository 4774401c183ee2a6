"""Forward compatibility leads from older drivers."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import Branch, ToolkitForwardOn

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    number = {branch.id: branch.number for branch in entities(dataset, Branch)}  # `references` reports the others
    for claim in normal(dataset, ToolkitForwardOn):
        own = number.get(claim.paired_with or "")
        for name in claim.branches:
            if own is not None and number.get(name, 0) >= own:
                yield Finding(claim.id, f"{name} is not older than {claim.paired_with}")


CHECK = Check(
    name="forward-is-older",
    scope="tree",
    law="The branches on which a cuda-compat package works are older than the branch it belongs to.",
    fix="Correct `branches` or `paired_with`.",
    run=_run,
)
