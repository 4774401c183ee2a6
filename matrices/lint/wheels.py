"""Laws of wheels, their companions and images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.load import Dataset
from matrices.model import (
    Image,
    ImageContains,
    ImageExists,
    ToolkitTargetsCc,
    Torch,
    TorchPairsWith,
    Wheel,
    WheelBuiltWith,
    WheelEmbeds,
    WheelNeeds,
)
from matrices.versions import ArchTarget

__all__ = ["CHECKS"]


def _local_tag(dataset: Dataset) -> Iterator[Finding]:
    for claim in normal(dataset, WheelBuiltWith):
        wheel = dataset.entities["wheel"][claim.subject]
        assert isinstance(wheel, Wheel)  # noqa: S101 - entities of that kind are wheels
        if wheel.variant != f"cu{claim.cuda.major}{claim.cuda.minor}":
            yield Finding(claim.id, f"built with CUDA {claim.cuda}, but the variant says {wheel.variant}")


def _within_toolkit(dataset: Dataset) -> Iterator[Finding]:
    made = {claim.subject: claim for claim in normal(dataset, ToolkitTargetsCc)}
    cuda = {claim.subject: str(claim.cuda.release) for claim in normal(dataset, WheelBuiltWith)}
    for claim in normal(dataset, WheelEmbeds):
        toolkit = made.get(cuda.get(claim.subject, ""))
        if toolkit is None:
            continue
        foreign = _foreign(claim.sass, toolkit.sass) or _foreign(claim.ptx or (), toolkit.ptx or toolkit.sass)
        if foreign:
            yield Finding(claim.id, f"holds code for {foreign}, which CUDA {toolkit.subject} does not make")


def _foreign(held: tuple[ArchTarget, ...], made: tuple[ArchTarget, ...]) -> ArchTarget | None:
    """A target that the toolkit does not make; suffixes count only where the toolkit's list has any."""
    suffixed = any(target.suffix for target in made)
    known = {target if suffixed else target.capability for target in made}
    return next((target for target in held if (target if suffixed else target.capability) not in known), None)


def _installable(dataset: Dataset) -> Iterator[Finding]:
    needing = {claim.subject: claim for claim in normal(dataset, WheelNeeds)}
    for wheel in entities(dataset, Wheel):
        claim = needing.get(wheel.id)
        if claim is None or not claim.python:
            yield Finding(f"wheel:{wheel.id}", "no Python is named that it installs on")
        elif wheel.os == "windows" and claim.glibc:
            yield Finding(claim.id, "a Windows wheel needs no glibc")


def _one_companion(dataset: Dataset) -> Iterator[Finding]:
    counted = Counter((claim.subject, claim.package) for claim in normal(dataset, TorchPairsWith))
    for (torch, package), count in counted.items():
        if count > 1:
            yield Finding(f"torch:{torch}", f"{count} versions of {package}")


def _has_wheels(dataset: Dataset) -> Iterator[Finding]:
    built = {str(wheel.torch) for wheel in entities(dataset, Wheel)}
    for torch in entities(dataset, Torch):
        if torch.id not in built:
            yield Finding(f"torch:{torch.id}", "a release without wheels")


def _tags_say_cuda(dataset: Dataset) -> Iterator[Finding]:
    held = {claim.subject: claim for claim in normal(dataset, ImageContains)}
    for image in entities(dataset, Image):
        claim = held.get(image.id)
        if image.role == "cuda" and claim is not None and claim.cuda is not None:
            stray = next((tag for tag in image.tags if tag.split("-")[0] != claim.cuda), None)
            if stray is not None:
                yield Finding(f"image:{image.id}", f"tag {stray} does not say CUDA {claim.cuda}")


def _tag_once(dataset: Dataset) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for image in entities(dataset, Image):
        for tag in image.tags:
            reference = f"{image.repository}:{tag}"
            if seen.setdefault(reference, image.id) != image.id:
                yield Finding(f"image:{image.id}", f"{reference} is also a tag of {seen[reference]}")


def _image_exists(dataset: Dataset) -> Iterator[Finding]:
    known = {claim.subject for claim in normal(dataset, ImageExists)}
    for image in entities(dataset, Image):
        if image.tags and image.id not in known:
            yield Finding(f"image:{image.id}", "nothing says whether it exists")


CHECKS = (
    Check("local-tag", "The CUDA of a wheel agrees with its local tag.", _local_tag),
    Check("within-toolkit", "A wheel holds only code that its toolkit makes.", _within_toolkit),
    Check("installable", "A wheel names the Pythons it installs on.", _installable),
    Check("one-companion", "A torch release has one version of each companion.", _one_companion),
    Check("has-wheels", "Every torch release has wheels.", _has_wheels),
    Check("tags-say-cuda", "The tags of a CUDA image begin with its CUDA.", _tags_say_cuda),
    Check("tag-once", "A tag belongs to one image.", _tag_once),
    Check("image-exists", "Every image with tags says whether it exists.", _image_exists),
)
