"""A measured claim says what was measured."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.build import compiled
from matrices.catalogue import Catalogue
from matrices.lint.base import Check, Finding
from matrices.lint.evidence import pieces_of
from matrices.lint.material import Material
from matrices.model import Measured
from matrices.reconcile.claims import judged

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    observations = material.observations
    if observations is None:
        return
    for item in judged(Catalogue(compiled(material.dataset)), observations):
        if item.fails:
            yield Finding(item.claim, f"{item.message} in {item.observations[0]}")
    kept = set(observations.artefacts)
    for subject, pieces in pieces_of(material.dataset):
        for piece in pieces:
            own = isinstance(piece, Measured) and piece.how.startswith("whichcuda measure")
            if own and isinstance(piece, Measured) and not any(name in piece.artefact for name in kept):
                yield Finding(subject, f"no observation of {piece.artefact} is kept")


CHECK = Check(
    name="measured-agrees",
    scope="claim",
    law="A claim does not contradict an observation, and what the project measured itself has its observation.",
    fix="Take the value that was observed; keep the other as a deprecated voice, with the reason.",
    run=_run,
)
