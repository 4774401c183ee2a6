"""What holds only under a condition says which in words."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import FeatureNeedsCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for claim in normal(material.dataset, FeatureNeedsCc):
        if (claim.compiles or claim.below == "emulated") and not claim.note:
            yield Finding(claim.id, "holds under a condition that no note tells")


CHECK = Check(
    name="condition-noted",
    scope="claim",
    law="A feature that others emulate or that depends on the build has a note.",
    fix="Add `note` with the condition in a few words.",
    run=_run,
)
