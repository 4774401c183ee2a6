"""What the package index serves is there."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import TorchDefaultCuda, Wheel

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    served = {
        (str(wheel.torch), wheel.machine, wheel.variant)
        for wheel in entities(dataset, Wheel)
        if wheel.channel == "package-index" and wheel.os == "linux"
    }
    for claim in normal(dataset, TorchDefaultCuda):
        variant = claim.cuda.variant
        if (claim.subject, claim.machine, variant) not in served:
            yield Finding(claim.id, f"no wheel {variant} for {claim.machine} on the package index")


CHECK = Check(
    name="default-has-wheel",
    scope="tree",
    law="The default CUDA of a torch release is that of one of its wheels on the package index.",
    fix="Correct `default-cuda`, or add the wheel.",
    run=_run,
)
