"""What a branch installs by itself is among what it offers."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, claims
from matrices.lint.material import Material
from matrices.model import BranchOffersModule

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for claim in claims(material.dataset, BranchOffersModule):
        if claim.default not in claim.modules:
            yield Finding(claim.id, f"{claim.default} is the default, but not offered")


CHECK = Check(
    name="default-offered",
    scope="subject",
    law="The default module of a branch is one that it offers.",
    fix="Correct `default` or `modules`.",
    run=_run,
)
