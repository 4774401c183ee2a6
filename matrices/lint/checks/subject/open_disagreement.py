"""Two voices that count and disagree wait for a decision."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.voices import undecided, voices

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for heard in voices(material.dataset.claims.values()).values():
        if counting := undecided(heard):
            yield Finding(counting[-1].id, f"{len(counting)} voices disagree and none is preferred")


CHECK = Check(
    name="open-disagreement",
    scope="subject",
    law="Of voices that disagree on one question one is preferred or the others are deprecated; until then the answer is `unknown`.",
    fix="Find out which is right; give it or the others a `standing` with `because`.",
    run=_run,
    level="warning",
)
