"""Evidence can be followed: an artefact with a method, or a link."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.evidence import pieces_of
from matrices.lint.material import Material
from matrices.model import Measured, Reported

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    known = material.dataset.entities["source"]
    for subject, pieces in pieces_of(material.dataset):
        for piece in pieces:
            if isinstance(piece, Measured) and not (piece.artefact.strip() and piece.how.strip()):
                yield Finding(subject, "a measurement without artefact or method")
            if isinstance(piece, Reported) and not piece.link.startswith("https://") and piece.link not in known:
                yield Finding(subject, f"`{piece.link}` is neither a web link nor a source")


CHECK = Check(
    name="evidence-says-where",
    scope="claim",
    law="Measured evidence says what was read and how; a report is a web link or a source.",
    fix="Fill in `artefact`, `how` or `link`.",
    run=_run,
)
