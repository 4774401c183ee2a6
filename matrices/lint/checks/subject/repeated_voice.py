"""A claim is written once."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.voices import says, voices

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for heard in voices(material.dataset.claims.values()).values():
        said = [(says(claim), claim.standing) for claim in heard]
        for place, claim in enumerate(heard):
            if said[place] in said[:place]:
                yield Finding(claim.id, "says the same as the voice before it")


CHECK = Check(
    name="repeated-voice",
    scope="subject",
    law="Nobody says the same twice: two voices on one question differ in value or in evidence.",
    fix="Remove the copy, or put its evidence beside the other's.",
    run=_run,
)
