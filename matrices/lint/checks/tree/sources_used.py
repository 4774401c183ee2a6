"""A source that is described is used."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.collect.collectors import COLLECTORS
from matrices.lint.base import Check, Finding, entities
from matrices.lint.evidence import pieces_of
from matrices.lint.material import Material
from matrices.model import Documented, Source

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    used = {collector.source for collector in COLLECTORS.values()}
    for _, pieces in pieces_of(material.dataset):
        for piece in pieces:
            used.add(piece.source if isinstance(piece, Documented) else getattr(piece, "link", ""))
    for source in entities(material.dataset, Source):
        if source.id not in used:
            yield Finding(f"source:{source.id}", "nothing rests on it")


CHECK = Check(
    name="sources-used",
    scope="tree",
    law="Every source is one that something rests on, or that `refresh` reads.",
    fix="Remove the source, or name it where it was read.",
    run=_run,
    level="warning",
)
