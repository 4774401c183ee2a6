"""A wheel names the Pythons it installs on."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import Wheel, WheelNeeds

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    needing = {claim.subject: claim for claim in normal(dataset, WheelNeeds)}
    for wheel in entities(dataset, Wheel):
        claim = needing.get(wheel.id)
        if claim is None or not claim.python:
            yield Finding(f"wheel:{wheel.id}", "no Python is named that it installs on")
        elif wheel.os == "windows" and claim.glibc:
            yield Finding(claim.id, "a Windows wheel needs no glibc")


CHECK = Check(
    name="installable",
    scope="tree",
    law="A wheel names the Pythons it installs on; only Linux wheels need a glibc.",
    fix="Add `needs.python` from the file tags.",
    run=_run,
)
