"""A claim is written once."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.lint.voices import value_of, voices_of

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for voices in voices_of(material.dataset).values():
        seen: set[object] = set()
        for claim in voices:
            said = (value_of(claim), claim.standing)
            if said in seen:
                yield Finding(claim.id, "says the same as the voice before it")
            seen.add(said)


CHECK = Check(
    name="repeated-voice",
    scope="subject",
    law="Nobody says the same twice: two voices on one question differ in value or in evidence.",
    fix="Remove the copy, or put its evidence beside the other's.",
    run=_run,
)
