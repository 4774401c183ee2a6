"""Documented evidence names a source that is described once."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.evidence import pieces_of
from matrices.lint.material import Material
from matrices.model import Documented

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    known = material.dataset.entities["source"]
    for subject, pieces in pieces_of(material.dataset):
        for piece in pieces:
            if isinstance(piece, Documented) and piece.source not in known:
                yield Finding(subject, f"source `{piece.source}` does not exist")


CHECK = Check(
    name="source-known",
    scope="claim",
    law="Documented evidence names a source of `sources/`.",
    fix="Describe the source in `sources/`, or correct its id.",
    run=_run,
)
