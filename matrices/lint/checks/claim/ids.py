"""An id agrees with what it names."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities
from matrices.lint.material import Material
from matrices.model import Branch, Image, Toolkit, Wheel

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    for branch in entities(dataset, Branch):
        if branch.id != f"R{branch.number}":
            yield Finding(f"branch:{branch.id}", f"the id of branch {branch.number} is R{branch.number}")
    for wheel in entities(dataset, Wheel):
        named = f"torch-{wheel.torch}+{wheel.variant}-{wheel.os}-{wheel.machine}"
        if named not in wheel.id:
            yield Finding(f"wheel:{wheel.id}", f"the id does not say {named}")
    for toolkit in entities(dataset, Toolkit):
        if toolkit.id.count(".") != 1:
            yield Finding(f"toolkit:{toolkit.id}", "the id of a toolkit is its major.minor")
    for image in entities(dataset, Image):
        if not image.id.startswith(image.repository):
            yield Finding(f"image:{image.id}", f"the id does not begin with {image.repository}")


CHECK = Check(
    name="ids",
    scope="claim",
    law="An id agrees with what it names.",
    fix="Correct the id, or the field it was copied beside.",
    run=_run,
)
