"""The CUDA of a wheel agrees with its local tag."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import Wheel, WheelBuiltWith

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    for claim in normal(dataset, WheelBuiltWith):
        wheel = dataset.entities["wheel"][claim.subject]
        assert isinstance(wheel, Wheel)  # noqa: S101 - entities of that kind are wheels
        if wheel.variant != claim.cuda.variant:
            yield Finding(claim.id, f"built with CUDA {claim.cuda}, but the variant says {wheel.variant}")


CHECK = Check(
    name="local-tag",
    scope="tree",
    law="The CUDA of a wheel agrees with its local tag.",
    fix="Correct `built-with` or the variant.",
    run=_run,
)
