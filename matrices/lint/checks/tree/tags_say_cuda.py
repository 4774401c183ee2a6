"""The tags of a CUDA image begin with its CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import Image, ImageContains

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    held = {claim.subject: claim for claim in normal(dataset, ImageContains)}
    for image in entities(dataset, Image):
        claim = held.get(image.id)
        if image.role == "cuda" and claim is not None and claim.cuda is not None:
            stray = next((tag for tag in image.tags if tag.split("-")[0] != claim.cuda), None)
            if stray is not None:
                yield Finding(f"image:{image.id}", f"tag {stray} does not say CUDA {claim.cuda}")


CHECK = Check(
    name="tags-say-cuda",
    scope="tree",
    law="The tags of a CUDA image begin with its CUDA.",
    fix="Correct `contains.cuda` or move the tag.",
    run=_run,
)
