"""Every piece of evidence with who rests on it."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import entities
from matrices.load import Dataset
from matrices.model import CloudInstance, Coverage, Evidence

__all__ = ["pieces_of"]


def pieces_of(dataset: Dataset) -> Iterator[tuple[str, tuple[Evidence, ...]]]:
    """The evidence of every claim, and of the entities that carry their own."""
    for claim in dataset.claims.values():
        yield claim.id, claim.evidence
    for coverage in entities(dataset, Coverage):
        yield f"coverage:{coverage.id}", coverage.evidence
    for instance in entities(dataset, CloudInstance):
        yield f"cloud-instance:{instance.id}", instance.evidence
