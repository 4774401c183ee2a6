"""Laws of drivers and toolkits."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.load import Dataset
from matrices.model import (
    Branch,
    BranchDrivesCc,
    BranchLifecycle,
    BranchReleased,
    CudaFamily,
    DriverRunsCuda,
    FamilyNeedsDriver,
    ToolkitNeedsDriver,
    ToolkitShipsDriver,
)

__all__ = ["CHECKS"]


def _windows(dataset: Dataset) -> Iterator[Finding]:
    number = {branch.id: branch.number for branch in entities(dataset, Branch)}  # `references` reports the others
    for claim in normal(dataset, BranchDrivesCc):
        added, last = number.get(claim.added or ""), number.get(claim.last or "")
        if added is not None and last is not None and added > last:
            yield Finding(claim.id, f"dropped after {claim.last}, before it was added in {claim.added}")
        if added is not None and claim.added_driver and claim.added_driver.major < added:
            yield Finding(claim.id, f"driver {claim.added_driver} is older than branch {claim.added}")


def _cuda_rises(dataset: Dataset) -> Iterator[Finding]:
    known = {claim.subject: claim for claim in normal(dataset, DriverRunsCuda)}
    highest: DriverRunsCuda | None = None
    for branch in sorted(entities(dataset, Branch), key=lambda branch: branch.number):
        claim = known.get(branch.id)
        if claim is None:
            continue
        if highest is not None and claim.cuda < highest.cuda:
            yield Finding(
                claim.id, f"runs CUDA {claim.cuda}, less than the {highest.cuda} of the older {highest.subject}"
            )
        else:
            highest = claim


def _floor_below_native(dataset: Dataset) -> Iterator[Finding]:
    floors = {(claim.subject, claim.os): claim.driver for claim in normal(dataset, FamilyNeedsDriver)}
    for claim in normal(dataset, ToolkitNeedsDriver):
        floor = floors.get((claim.subject.partition(".")[0], claim.os))
        if floor is not None and claim.driver < floor:
            yield Finding(claim.id, f"native minimum {claim.driver} is below the minor-version floor {floor}")


def _one_floor(dataset: Dataset) -> Iterator[Finding]:
    seen = {(claim.subject, claim.os) for claim in normal(dataset, FamilyNeedsDriver)}
    for family in entities(dataset, CudaFamily):
        for os in ("linux", "windows"):
            if (family.id, os) not in seen:
                yield Finding(f"cuda-family:{family.id}", f"no floor for {os}")


def _ships_enough(dataset: Dataset) -> Iterator[Finding]:
    needs = {(claim.release, claim.os): claim.driver for claim in normal(dataset, ToolkitNeedsDriver)}
    for claim in normal(dataset, ToolkitShipsDriver):
        least = needs.get((claim.release, claim.os))
        if least is not None and claim.driver < least:
            yield Finding(claim.id, f"ships {claim.driver}, below its own minimum {least}")


def _lives_forward(dataset: Dataset) -> Iterator[Finding]:
    born = {claim.subject: str(claim.first_on) for claim in normal(dataset, BranchReleased) if claim.first_on}
    for claim in normal(dataset, BranchLifecycle):
        if claim.until and claim.subject in born and str(claim.until) < born[claim.subject][: len(str(claim.until))]:
            yield Finding(claim.id, f"ends {claim.until}, before it began {born[claim.subject]}")


def _releases_in_order(dataset: Dataset) -> Iterator[Finding]:
    number = {branch.id: branch.number for branch in entities(dataset, Branch)}
    for claim in normal(dataset, BranchReleased):
        if claim.first and claim.latest and claim.latest < claim.first:
            yield Finding(claim.id, f"latest {claim.latest} is older than first {claim.first}")
        if claim.os == "linux":  # elsewhere the numbers are not those of the branch
            stray = next((version for version in claim.versions if version.major != number[claim.subject]), None)
            if stray is not None:
                yield Finding(claim.id, f"{stray} is not of {claim.subject}")


CHECKS = (
    Check("windows", "A capability is dropped after it was added.", _windows),
    Check("cuda-rises", "A newer branch runs at least the CUDA of an older one.", _cuda_rises),
    Check(
        "floor-below-native",
        "The minor-version floor is not above any native minimum of its major.",
        _floor_below_native,
    ),
    Check("one-floor", "Every CUDA family has a floor for each operating system.", _one_floor),
    Check("ships-enough", "A toolkit ships a driver that it can run on.", _ships_enough),
    Check("lives-forward", "A branch ends after it began.", _lives_forward),
    Check("releases-in-order", "The builds of a branch are its own, first before latest.", _releases_in_order),
)
