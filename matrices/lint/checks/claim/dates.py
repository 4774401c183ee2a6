"""Evidence is not from the future."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    limit = material.today + timedelta(days=7)
    for claim in material.dataset.claims.values():
        if any(piece.on > limit for piece in claim.evidence):
            yield Finding(claim.id, f"evidence from after {limit}")


CHECK = Check(
    name="dates",
    scope="claim",
    law="Evidence is not from the future.",
    fix="Write the day on which the evidence was read.",
    run=_run,
)
