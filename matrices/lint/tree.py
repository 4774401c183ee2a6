"""Laws over everything: references resolve, ids agree with what they name, dates are real, names are unique."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from matrices.lint.base import Check, Finding, claims, entities
from matrices.load import Dataset
from matrices.model import (
    Branch,
    BranchDrivesCc,
    Capability,
    CloudInstance,
    Coverage,
    Documented,
    Gpu,
    GpuDroppedAfter,
    GpuHasCc,
    ImageContains,
    OperatingSystem,
    PackageNeedsCc,
    Toolkit,
    ToolkitForwardOn,
    Wheel,
)

__all__ = ["CHECKS"]


def _references(dataset: Dataset) -> Iterator[Finding]:
    for claim, kind, name in _mentioned(dataset):
        if name not in dataset.entities[kind]:
            yield Finding(claim, f"{kind} `{name}` does not exist")


def _mentioned(dataset: Dataset) -> Iterator[tuple[str, str, str]]:
    """Every (who mentions, kind, id) of the data."""
    for claim in dataset.claims.values():
        for piece in claim.evidence:
            if isinstance(piece, Documented):
                yield claim.id, "source", piece.source
    for coverage in entities(dataset, Coverage):
        for piece in coverage.evidence:
            if isinstance(piece, Documented):
                yield f"coverage:{coverage.id}", "source", piece.source
    for window in claims(dataset, BranchDrivesCc):
        yield from ((window.id, "branch", name) for name in (window.added, window.last) if name)
    for dropped in claims(dataset, GpuDroppedAfter):
        yield dropped.id, "branch", dropped.branch
    for forward in claims(dataset, ToolkitForwardOn):
        yield from ((forward.id, "branch", name) for name in forward.branches)
    for capability in claims(dataset, GpuHasCc):
        yield capability.id, "capability", str(capability.compute_capability)
    for instance in entities(dataset, CloudInstance):
        yield from ((f"cloud-instance:{instance.id}", "gpu", name) for name in instance.gpus)
    for wheel in entities(dataset, Wheel):
        yield f"wheel:{wheel.id}", "torch", str(wheel.torch)
    for held in claims(dataset, ImageContains):
        if held.os:
            yield held.id, "os", held.os
        if held.jetpack:
            yield held.id, "jetpack", held.jetpack


def _ids(dataset: Dataset) -> Iterator[Finding]:
    for branch in entities(dataset, Branch):
        if branch.id != f"R{branch.number}":
            yield Finding(f"branch:{branch.id}", f"the id of branch {branch.number} is R{branch.number}")
    for wheel in entities(dataset, Wheel):
        named = f"torch-{wheel.torch}+{wheel.variant}-{wheel.os}-{wheel.machine}"
        if named not in wheel.id:
            yield Finding(f"wheel:{wheel.id}", f"the id does not say {named}")
    for toolkit in entities(dataset, Toolkit):
        if toolkit.id.count(".") != 1:
            yield Finding(f"toolkit:{toolkit.id}", "the id of a toolkit is its major.minor")


def _one_capability(dataset: Dataset) -> Iterator[Finding]:
    counted = {gpu.id: 0 for gpu in entities(dataset, Gpu)}
    for claim in claims(dataset, GpuHasCc):
        if claim.standing != "deprecated":
            counted[claim.subject] += 1
    for name, count in counted.items():
        if count != 1:
            yield Finding(f"gpu:{name}", f"a product has exactly one compute capability that counts, not {count}")


def _capability_has_gpu(dataset: Dataset) -> Iterator[Finding]:
    carried = {str(claim.compute_capability) for claim in claims(dataset, GpuHasCc)}
    for capability in entities(dataset, Capability):
        if capability.id not in carried:
            yield Finding(f"capability:{capability.id}", "no product has it")


def _dates(dataset: Dataset) -> Iterator[Finding]:
    limit = date.fromisoformat(str(dataset.about["data_version"])[:10].replace(".", "-")) + timedelta(days=7)
    for claim in dataset.claims.values():
        if any(piece.on > limit for piece in claim.evidence):
            yield Finding(claim.id, f"evidence from after {limit}")


def _one_preferred(dataset: Dataset) -> Iterator[Finding]:
    seen: set[str] = set()
    for claim in dataset.claims.values():
        key = claim.id.partition("#")[0]
        if claim.standing == "preferred" and key in seen:
            yield Finding(claim.id, "two voices on one question are both preferred")
        if claim.standing == "preferred":
            seen.add(key)


def _unique_names(dataset: Dataset) -> Iterator[Finding]:
    """Products may share an alias (the asker is then asked which); a name is one product's own."""
    names: dict[str, str] = {}
    for gpu in entities(dataset, Gpu):
        if names.setdefault(gpu.name.casefold(), gpu.id) != gpu.id:
            yield Finding(f"gpu:{gpu.id}", f"`{gpu.name}` is already the name of {names[gpu.name.casefold()]}")
    systems: dict[str, str] = {}
    for system in entities(dataset, OperatingSystem):
        for spelling in {system.id, *(alias.casefold() for alias in system.aliases)}:
            if systems.setdefault(spelling, system.id) != system.id:
                yield Finding(f"os:{system.id}", f"`{spelling}` is already a name of {systems[spelling]}")


def _specifiers(dataset: Dataset) -> Iterator[Finding]:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    written = [(claim.id, claim.versions) for claim in claims(dataset, PackageNeedsCc)]
    written += [(f"coverage:{row.id}", row.torch) for row in entities(dataset, Coverage) if row.torch]
    for subject, text in written:
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            yield Finding(subject, f"`{text}` is not a version specifier")


def _moved(dataset: Dataset) -> Iterator[Finding]:
    living = {name for by_id in dataset.entities.values() for name in by_id}
    for old, new in dataset.moved.items():
        if old in living:
            yield Finding(f"moved:{old}", "an id that has moved is used again")
        if new not in living and new not in dataset.moved:
            yield Finding(f"moved:{old}", f"moved to `{new}`, which does not exist")


CHECKS = (
    Check("references", "Whatever is mentioned exists.", _references),
    Check("ids", "An id agrees with what it names.", _ids),
    Check("one-capability", "A product has exactly one compute capability.", _one_capability),
    Check("capability-has-gpu", "Every compute capability is that of some product.", _capability_has_gpu, "warning"),
    Check("dates", "Evidence is not from the future.", _dates),
    Check("one-preferred", "On one question at most one voice is preferred.", _one_preferred),
    Check("unique-names", "A name belongs to one product, a spelling to one operating system.", _unique_names),
    Check("specifiers", "Ranges of versions parse.", _specifiers),
    Check("moved", "Ids that moved lead somewhere and are not used again.", _moved),
)
