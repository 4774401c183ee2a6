"""A product has a driver when it is sold."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import BranchDrivesCc, BranchReleased, Gpu, GpuHasCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    born = {claim.subject: claim.first_on for claim in normal(dataset, BranchReleased) if claim.os == "linux"}
    launched: dict[str, date] = {}
    for claim in normal(dataset, GpuHasCc):
        gpu = dataset.entities["gpu"][claim.subject]
        if isinstance(gpu, Gpu) and gpu.released and gpu.platform == "desktop":
            first = launched.setdefault(str(claim.compute_capability), gpu.released)
            launched[str(claim.compute_capability)] = min(first, gpu.released)
    for window in normal(dataset, BranchDrivesCc):
        first_on, launch = born.get(window.added or ""), launched.get(window.subject)
        if isinstance(first_on, date) and launch and first_on > launch + timedelta(days=90):
            yield Finding(window.id, f"driven from {window.added} of {first_on} on, but sold since {launch}")


CHECK = Check(
    name="driver-before-launch",
    scope="tree",
    law="The first branch that drives a capability is not younger than its first product by more than 90 days.",
    fix="Correct `added`, or the day the product was released.",
    run=_run,
)
