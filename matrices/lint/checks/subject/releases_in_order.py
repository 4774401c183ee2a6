"""The builds of a branch are its own."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import Branch, BranchReleased

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    number = {branch.id: branch.number for branch in entities(dataset, Branch)}
    for claim in normal(dataset, BranchReleased):
        if claim.first and claim.latest and claim.latest < claim.first:
            yield Finding(claim.id, f"latest {claim.latest} is older than first {claim.first}")
        if claim.os == "linux":  # elsewhere the numbers are not those of the branch
            stray = next((version for version in claim.versions if version.major != number[claim.subject]), None)
            if stray is not None:
                yield Finding(claim.id, f"{stray} is not of {claim.subject}")


CHECK = Check(
    name="releases-in-order",
    scope="subject",
    law="The builds of a branch are its own, first before latest.",
    fix="Move the build to its branch, or correct first and latest.",
    run=_run,
)
