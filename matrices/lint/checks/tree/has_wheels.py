"""Every torch release has wheels."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities
from matrices.lint.material import Material
from matrices.model import Torch, Wheel

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    built = {str(wheel.torch) for wheel in entities(dataset, Wheel)}
    for torch in entities(dataset, Torch):
        if torch.id not in built:
            yield Finding(f"torch:{torch.id}", "a release without wheels")


CHECK = Check(
    name="has-wheels",
    scope="tree",
    law="Every torch release has wheels.",
    fix="Add the wheels of the release.",
    run=_run,
)
