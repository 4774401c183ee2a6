"""Claims gathered by the question they answer, and what each answers."""

from __future__ import annotations

from dataclasses import fields

from matrices.codec import to_plain
from matrices.load import Dataset
from matrices.model import Claim

__all__ = ["value_of", "voices_of"]

_NOT_VALUES = ("id", "evidence", "uncertain", "standing", "because", "note")


def voices_of(dataset: Dataset) -> dict[str, list[Claim]]:
    """The claims that answer one question, by its key; a second voice has `#2` behind it."""
    found: dict[str, list[Claim]] = {}
    for claim in dataset.claims.values():
        found.setdefault(claim.id.partition("#")[0], []).append(claim)
    return {key: voices for key, voices in found.items() if len(voices) > 1}


def value_of(claim: Claim) -> str:
    """What a claim says apart from who says it and how surely, as a text to compare."""
    return repr([to_plain(getattr(claim, item.name)) for item in fields(claim) if item.name not in _NOT_VALUES])
