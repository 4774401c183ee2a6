"""A tag belongs to one image."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities
from matrices.lint.material import Material
from matrices.model import Image

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for image in entities(material.dataset, Image):
        for tag in image.tags:
            reference = f"{image.repository}:{tag}"
            if seen.setdefault(reference, image.id) != image.id:
                yield Finding(f"image:{image.id}", f"{reference} is also a tag of {seen[reference]}")


CHECK = Check(
    name="tag-once",
    scope="tree",
    law="A tag belongs to one image.",
    fix="Keep the tag where its contents are.",
    run=_run,
)
