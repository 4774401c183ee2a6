"""Every capability on a desktop has a driver."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import BranchDrivesCc, Gpu, GpuHasCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    driven = {claim.subject for claim in normal(dataset, BranchDrivesCc)}
    carried: dict[str, str] = {}
    for claim in normal(dataset, GpuHasCc):
        gpu = dataset.entities["gpu"][claim.subject]
        if isinstance(gpu, Gpu) and gpu.platform == "desktop":
            carried.setdefault(str(claim.compute_capability), gpu.name)
    for name, product in carried.items():
        if name in dataset.entities["capability"] and name not in driven:
            yield Finding(f"capability:{name}", f"nothing says which branch drives it, the capability of {product}")


CHECK = Check(
    name="capability-driven",
    scope="tree",
    law="Every capability of a product that is no Tegra chip says which branches drive it.",
    fix="Add `driven-by` to the capability.",
    run=_run,
    level="warning",
)
