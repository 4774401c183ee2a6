"""An image asks for the driver that its CUDA needs."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import ImageContains, ImageDemands

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    held = {claim.subject: claim.cuda for claim in normal(dataset, ImageContains) if claim.cuda}
    for claim in normal(dataset, ImageDemands):
        cuda = held.get(claim.subject)
        if claim.cuda is None or cuda is None:
            continue
        if not f"{cuda}.".startswith(f"{claim.cuda.release}."):
            yield Finding(claim.id, f"demands CUDA {claim.cuda}, but contains {cuda}")
        elif claim.expression and f"cuda>={claim.cuda}" not in claim.expression:
            yield Finding(claim.id, f"the expression does not ask for CUDA {claim.cuda}")


CHECK = Check(
    name="demand-agrees",
    scope="tree",
    law="An image demands its own CUDA, and the expression it was read from says so.",
    fix="Correct `demands.cuda`, or the CUDA inside.",
    run=_run,
)
