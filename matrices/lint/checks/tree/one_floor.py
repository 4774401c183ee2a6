"""Every CUDA family has its floors."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import CudaFamily, FamilyNeedsDriver

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    seen = {(claim.subject, claim.os) for claim in normal(dataset, FamilyNeedsDriver)}
    for family in entities(dataset, CudaFamily):
        for os in ("linux", "windows"):
            if (family.id, os) not in seen:
                yield Finding(f"cuda-family:{family.id}", f"no floor for {os}")


CHECK = Check(
    name="one-floor",
    scope="tree",
    law="Every CUDA family has a floor for each operating system.",
    fix="Add `needs-driver` for the system.",
    run=_run,
)
