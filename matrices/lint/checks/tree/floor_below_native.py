"""The floor of a family is a floor."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import FamilyNeedsDriver, ToolkitNeedsDriver

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    floors = {(claim.subject, claim.os): claim.driver for claim in normal(dataset, FamilyNeedsDriver)}
    for claim in normal(dataset, ToolkitNeedsDriver):
        floor = floors.get((claim.subject.partition(".")[0], claim.os))
        if floor is not None and claim.driver < floor:
            yield Finding(claim.id, f"native minimum {claim.driver} is below the minor-version floor {floor}")


CHECK = Check(
    name="floor-below-native",
    scope="tree",
    law="The minor-version floor is not above any native minimum of its major.",
    fix="Check both tables; where both say so, list the exception.",
    run=_run,
)
