"""A reservation says why: doubt, standing, note."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for claim in material.dataset.claims.values():
        for key in ("uncertain", "because", "note"):
            text = getattr(claim, key)
            if text is not None and not text.strip():
                yield Finding(claim.id, f"`{key}` is empty")
        if claim.because and claim.standing == "normal":
            yield Finding(claim.id, "a reason for a standing that is normal")


CHECK = Check(
    name="reasons-given",
    scope="claim",
    law="A reservation has words: `uncertain`, `because` and `note` are not empty, and `because` goes with a standing.",
    fix="Write the reason, or leave the key out.",
    run=_run,
)
