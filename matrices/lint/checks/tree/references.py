"""Whatever is mentioned exists."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities
from matrices.lint.material import Material
from matrices.load import Dataset
from matrices.model import (
    CLAIMS,
    ENTITIES,
    BranchDrivesCc,
    Claim,
    CloudInstance,
    Coverage,
    DriverRunsCuda,
    GpuDroppedAfter,
    GpuHasCc,
    ImageContains,
    OsInstallsDriver,
    OsNeedsCc,
    ToolkitForwardOn,
    ToolkitReleased,
    TorchDefaultCuda,
    Wheel,
    WheelBuiltWith,
)

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    for subject, kind, name in _mentioned(dataset):
        if name not in dataset.entities[kind] and name not in dataset.moved:
            yield Finding(subject, f"{kind} `{name}` does not exist")
    for row in entities(dataset, Coverage):
        if row.table not in ENTITIES and row.table not in CLAIMS:
            yield Finding(f"coverage:{row.id}", f"table `{row.table}` is neither a kind nor a relation")


def _mentioned(dataset: Dataset) -> Iterator[tuple[str, str, str]]:
    """Every (who mentions, kind, id) of the data."""
    for claim in dataset.claims.values():
        for kind, name in _of_claim(claim):
            if name:
                yield claim.id, kind, name
    for instance in entities(dataset, CloudInstance):
        yield from ((f"cloud-instance:{instance.id}", "gpu", name) for name in instance.gpus)
    for wheel in entities(dataset, Wheel):
        yield f"wheel:{wheel.id}", "torch", str(wheel.torch)


def _of_claim(claim: Claim) -> Iterator[tuple[str, str | None]]:
    if isinstance(claim, BranchDrivesCc):
        yield from (("branch", claim.added), ("branch", claim.last))
    if isinstance(claim, (GpuDroppedAfter, OsNeedsCc, ToolkitReleased)):
        yield "branch", claim.branch
    if isinstance(claim, ToolkitForwardOn):
        yield from (("branch", name) for name in (*claim.branches, claim.paired_with))
    if isinstance(claim, OsInstallsDriver):
        yield from (("branch", f"R{number}") for number in claim.branches)
    if isinstance(claim, GpuHasCc):
        yield "capability", str(claim.compute_capability)
    if isinstance(claim, (DriverRunsCuda, WheelBuiltWith, TorchDefaultCuda)):
        yield "toolkit", str(claim.cuda.release)
    if isinstance(claim, ImageContains):
        yield from (("os", claim.os), ("jetpack", claim.jetpack))


CHECK = Check(
    name="references",
    scope="tree",
    law="Whatever is mentioned exists, or has moved.",
    fix="Add the row that is mentioned, or correct the id.",
    run=_run,
)
