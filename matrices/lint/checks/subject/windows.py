"""A capability is dropped after it was added."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import Branch, BranchDrivesCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    number = {branch.id: branch.number for branch in entities(dataset, Branch)}  # `references` reports the others
    for claim in normal(dataset, BranchDrivesCc):
        added, last = number.get(claim.added or ""), number.get(claim.last or "")
        if added is not None and last is not None and added > last:
            yield Finding(claim.id, f"dropped after {claim.last}, before it was added in {claim.added}")
        if added is not None and claim.added_driver and claim.added_driver.major < added:
            yield Finding(claim.id, f"driver {claim.added_driver} is older than branch {claim.added}")


CHECK = Check(
    name="windows",
    scope="subject",
    law="A capability is dropped after it was added.",
    fix="Correct `added`, `added_driver` or `last`.",
    run=_run,
)
