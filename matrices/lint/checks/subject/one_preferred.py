"""On one question at most one voice is preferred."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    seen: set[str] = set()
    for claim in material.dataset.claims.values():
        key = claim.id.partition("#")[0]
        if claim.standing == "preferred" and key in seen:
            yield Finding(claim.id, "two voices on one question are both preferred")
        if claim.standing == "preferred":
            seen.add(key)


CHECK = Check(
    name="one-preferred",
    scope="subject",
    law="On one question at most one voice is preferred.",
    fix="Keep the preference of the better source and say `because`.",
    run=_run,
)
