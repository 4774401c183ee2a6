"""The label of a product is not another product's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import Capability, Gpu, GpuHasCc

__all__ = ["CHECK"]

_NUMBER = re.compile(r"\d{3,}")


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    of_capability = {entity.id: entity.architecture for entity in entities(dataset, Capability)}
    for claim in normal(dataset, GpuHasCc):
        gpu = dataset.entities["gpu"][claim.subject]
        expected = of_capability.get(str(claim.compute_capability))
        if isinstance(gpu, Gpu) and gpu.architecture and expected and gpu.architecture != expected:
            yield Finding(
                f"gpu:{gpu.id}", f"architecture {gpu.architecture}, but {claim.compute_capability} is {expected}"
            )
    for gpu in entities(dataset, Gpu):
        named = set(_NUMBER.findall(gpu.name.casefold()))
        stray = next((number for number in _NUMBER.findall(gpu.id) if number not in named), None)
        if stray is not None:
            yield Finding(f"gpu:{gpu.id}", f"the id says {stray}, the name {gpu.name} does not")


CHECK = Check(
    name="label-agrees",
    scope="claim",
    law="The architecture of a product is that of its compute capability, and its id has the numbers of its name.",
    fix="Correct `architecture` or the id; they were copied from another row.",
    run=_run,
)
