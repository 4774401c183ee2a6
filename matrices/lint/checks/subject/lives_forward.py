"""A branch ends after it began."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import BranchLifecycle, BranchReleased

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    born = {claim.subject: str(claim.first_on) for claim in normal(dataset, BranchReleased) if claim.first_on}
    for claim in normal(dataset, BranchLifecycle):
        if claim.until and claim.subject in born and str(claim.until) < born[claim.subject][: len(str(claim.until))]:
            yield Finding(claim.id, f"ends {claim.until}, before it began {born[claim.subject]}")


CHECK = Check(
    name="lives-forward",
    scope="subject",
    law="A branch ends after it began.",
    fix="Correct `until` or the date of the first build.",
    run=_run,
)
