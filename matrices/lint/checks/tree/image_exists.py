"""Every image with tags says whether it exists."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import Image, ImageExists

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    known = {claim.subject for claim in normal(dataset, ImageExists)}
    for image in entities(dataset, Image):
        if image.tags and image.id not in known:
            yield Finding(f"image:{image.id}", "nothing says whether it exists")


CHECK = Check(
    name="image-exists",
    scope="tree",
    law="Every image with tags says whether it exists.",
    fix="Add `exists` with the day somebody looked.",
    run=_run,
)
