"""A toolkit ships a driver that it can run on."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import ToolkitNeedsDriver, ToolkitShipsDriver

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    needs = {(claim.release, claim.os): claim.driver for claim in normal(dataset, ToolkitNeedsDriver)}
    for claim in normal(dataset, ToolkitShipsDriver):
        least = needs.get((claim.release, claim.os))
        if least is not None and claim.driver < least:
            yield Finding(claim.id, f"ships {claim.driver}, below its own minimum {least}")


CHECK = Check(
    name="ships-enough",
    scope="tree",
    law="A toolkit ships a driver that it can run on.",
    fix="Check both tables; where both say so, list the exception.",
    run=_run,
)
