"""A wheel holds only code that its toolkit makes."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import ToolkitTargetsCc, WheelBuiltWith, WheelEmbeds
from matrices.versions import ArchTarget

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
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


CHECK = Check(
    name="within-toolkit",
    scope="tree",
    law="A wheel holds only code that its toolkit makes.",
    fix="Correct the targets of the wheel or of the toolkit.",
    run=_run,
)
