"""A newer compiler writes newer PTX."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from matrices.lint.base import Check, Finding, normal, numbers
from matrices.lint.material import Material
from matrices.model import ToolkitPtxIsa

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    written = sorted(normal(material.dataset, ToolkitPtxIsa), key=lambda claim: numbers(claim.subject))
    for before, claim in pairwise(written):
        if numbers(claim.version) < numbers(before.version):
            yield Finding(
                claim.id, f"writes PTX {claim.version}, less than the {before.version} of CUDA {before.subject}"
            )


CHECK = Check(
    name="ptx-rises",
    scope="tree",
    law="A newer toolkit writes at least the PTX of an older one.",
    fix="Correct the PTX version of the toolkit.",
    run=_run,
)
