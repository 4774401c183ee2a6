"""Every compute capability is that of some product."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, claims, entities
from matrices.lint.material import Material
from matrices.model import Capability, GpuHasCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    carried = {str(claim.compute_capability) for claim in claims(dataset, GpuHasCc)}
    for capability in entities(dataset, Capability):
        if capability.id not in carried:
            yield Finding(f"capability:{capability.id}", "no product has it")


CHECK = Check(
    name="capability-has-gpu",
    scope="tree",
    law="Every compute capability is that of some product.",
    fix="Add the product, or remove the capability.",
    run=_run,
    level="warning",
)
