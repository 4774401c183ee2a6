"""A product has exactly one compute capability."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, claims, entities
from matrices.lint.material import Material
from matrices.model import Gpu, GpuHasCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    counted = {gpu.id: 0 for gpu in entities(dataset, Gpu)}
    for claim in claims(dataset, GpuHasCc):
        if claim.standing != "deprecated":
            counted[claim.subject] += 1
    for name, count in counted.items():
        if count != 1:
            yield Finding(f"gpu:{name}", f"a product has exactly one compute capability that counts, not {count}")


CHECK = Check(
    name="one-capability",
    scope="subject",
    law="A product has exactly one compute capability that counts.",
    fix='Give the others `standing = "deprecated"` with a reason.',
    run=_run,
)
