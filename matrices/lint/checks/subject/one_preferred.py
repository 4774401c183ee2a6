"""On one question at most one voice is preferred."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.voices import voices

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for heard in voices(material.dataset.claims.values()).values():
        for claim in [claim for claim in heard if claim.standing == "preferred"][1:]:
            yield Finding(claim.id, "two voices on one question are both preferred")


CHECK = Check(
    name="one-preferred",
    scope="subject",
    law="On one question at most one voice is preferred.",
    fix="Keep the preference of the better source and say `because`.",
    run=_run,
)
