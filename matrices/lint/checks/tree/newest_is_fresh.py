"""What is newest is looked at often."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from matrices.lint.base import Check, Finding, entities, numbers
from matrices.lint.material import Material
from matrices.model import Branch, Documented, Source

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    days = {source.id: source.stale_after_days for source in entities(dataset, Source)}
    newest: dict[str, str] = {}
    for branch in sorted(entities(dataset, Branch), key=lambda branch: branch.number):
        newest["branch"] = branch.id
    for toolkit in sorted(dataset.entities["toolkit"], key=numbers):
        newest["toolkit"] = toolkit
    for torch in sorted(dataset.entities["torch"], key=numbers):
        newest["torch"] = torch
    for kind, name in newest.items():
        own = [claim for claim in dataset.claims.values() if claim.within == kind and claim.subject == name]
        pieces = [piece for claim in own for piece in claim.evidence if isinstance(piece, Documented)]
        limits = [
            (piece.on + timedelta(days=limit)) for piece in pieces if (limit := days.get(piece.source)) is not None
        ]
        if limits and max(limits) < material.today:
            yield Finding(f"{kind}:{name}", f"no source of it has been read since it went stale on {max(limits)}")


CHECK = Check(
    name="newest-is-fresh",
    scope="tree",
    law="The newest branch, toolkit and torch rest on evidence no older than its source allows (`stale_after_days`).",
    fix="Read the source again and write the day.",
    run=_run,
    level="warning",
)
