"""A bound instead of a value is for products whose lists nobody kept."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import Gpu, GpuListedSince

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    limit = material.today - timedelta(days=730)
    for claim in normal(material.dataset, GpuListedSince):
        gpu = material.dataset.entities["gpu"][claim.subject]
        if claim.bound == "or-earlier" and isinstance(gpu, Gpu) and gpu.released and gpu.released > limit:
            yield Finding(claim.id, f"a bound for a product released on {gpu.released}")


CHECK = Check(
    name="bound-is-old",
    scope="claim",
    law='`bound = "or-earlier"` is for products older than two years.',
    fix="Find the first driver whose list names the product.",
    run=_run,
    level="warning",
)
