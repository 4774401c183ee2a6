"""Two voices that count and disagree wait for a decision."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.lint.voices import value_of, voices_of

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for voices in voices_of(material.dataset).values():
        counting = [claim for claim in voices if claim.standing != "deprecated"]
        preferred = any(claim.standing == "preferred" for claim in counting)
        if not preferred and len({value_of(claim) for claim in counting}) > 1:
            yield Finding(counting[-1].id, f"{len(counting)} voices disagree and none is preferred")


CHECK = Check(
    name="open-disagreement",
    scope="subject",
    law="Of voices that disagree on one question one is preferred or the others are deprecated; until then the answer is `unknown`.",
    fix="Find out which is right; give it or the others a `standing` with `because`.",
    run=_run,
    level="warning",
)
