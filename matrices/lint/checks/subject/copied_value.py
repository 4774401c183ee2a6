"""A product does not repeat what it inherits from its capability."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import BranchDrivesCc, CcNeedsModule, GpuDroppedAfter, GpuHasCc, GpuNeedsModule

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    capability = {claim.subject: str(claim.compute_capability) for claim in normal(dataset, GpuHasCc)}
    modules = {claim.subject: set(claim.modules) for claim in normal(dataset, CcNeedsModule)}
    last = {claim.subject: claim.last for claim in normal(dataset, BranchDrivesCc) if claim.os == "linux"}
    for needing in normal(dataset, GpuNeedsModule):
        if set(needing.modules) == modules.get(capability.get(needing.subject, "")):
            yield Finding(needing.id, f"needs the modules of its capability {capability[needing.subject]}")
    for dropped in normal(dataset, GpuDroppedAfter):
        if dropped.branch == last.get(capability.get(dropped.subject, "")):
            yield Finding(dropped.id, f"dropped with its capability {capability[dropped.subject]}")


CHECK = Check(
    name="copied-value",
    scope="subject",
    law="A product does not repeat the modules or the last branch of its compute capability.",
    fix="Remove the row; the capability says it.",
    run=_run,
)
