"""A range begins before it ends."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, claims
from matrices.lint.material import Material
from matrices.model import FeatureNeedsCc, ImageTagLaw, PackageNeedsCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for cls, least, most in (
        (PackageNeedsCc, "minimum", "maximum"),
        (FeatureNeedsCc, "minimum", "maximum"),
        (ImageTagLaw, "cuda_from", "cuda_to"),
    ):
        for claim in claims(material.dataset, cls):
            low, high = getattr(claim, least), getattr(claim, most)
            if high is not None and low > high:
                yield Finding(claim.id, f"{least} {low} is above {most} {high}")


CHECK = Check(
    name="least-below-most",
    scope="subject",
    law="A minimum is not above its maximum, and a range of releases begins before it ends.",
    fix="Exchange or correct the two ends.",
    run=_run,
)
