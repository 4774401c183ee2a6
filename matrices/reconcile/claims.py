"""What the observations say about each claim, relation by relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from matrices.catalogue import Catalogue
from matrices.model import (
    Branch,
    BranchDrivesCc,
    Claim,
    DriverRunsCuda,
    Gpu,
    GpuHasCc,
    Measured,
    PackageBuiltWith,
    PackageEmbeds,
    ToolkitHostCompiler,
    ToolkitPtxIsa,
    ToolkitTargetsCc,
    TorchPairsWith,
    WheelBuiltWith,
    WheelEmbeds,
    WheelNeeds,
    WheelPins,
)
from matrices.reconcile.observed import Observations, family, pinned, release, shows
from matrices.versions import ArchTarget, CudaVersion, DriverVersion

__all__ = ["COMPARISONS", "Judged", "Said", "judged"]

Status = Literal["confirmed", "contradicted", "untested"]


@dataclass(frozen=True, slots=True)
class Said:
    """What one observation says about a claim: nothing against it, or what it saw instead."""

    observation: str
    against: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with the status that all observations together give it."""

    claim: str
    standing: str
    status: Status
    observations: tuple[str, ...] = ()  # those that confirm, or those that contradict
    message: str = ""

    @property
    def fails(self) -> bool:
        """Whether a person must decide: a claim that counts is contradicted."""
        return self.status == "contradicted" and self.standing != "deprecated"


def judged(catalogue: Catalogue, observations: Observations) -> list[Judged]:
    """Every claim that observations can speak about, by relation and in the catalogue's order."""
    return [
        _judged(claim, list(compare(catalogue, observations, claim)))
        for cls, compare in COMPARISONS
        for claim in catalogue.claims(cls)
    ]


def _judged(claim: Claim, said: list[Said]) -> Judged:
    against = [item for item in said if item.against]
    if against:
        seen = tuple(item.observation for item in against)
        return Judged(claim.id, claim.standing, "contradicted", seen, against[0].against)
    status: Status = "confirmed" if said else "untested"
    return Judged(claim.id, claim.standing, status, tuple(item.observation for item in said))


def _said(observation: str, claimed: object, seen: object, what: str) -> Said:
    return Said(observation, "" if claimed == seen else f"{what}: claimed {_shown(claimed)}, seen {_shown(seen)}")


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


# --- wheels -------------------------------------------------------------------------------------------------------


def _embeds(_: Catalogue, observations: Observations, claim: WheelEmbeds) -> Iterator[Said]:
    row = observations.by_id.get(claim.subject)
    if row is None or claim.library != "torch" or not row.get("result"):
        return
    for what, claimed in (("sass", claim.sass), ("ptx", claim.ptx)):
        if claimed is not None:
            yield _said(row["id"], list(map(str, claimed)), row["result"][what], what)


def _built_with(_: Catalogue, observations: Observations, claim: WheelBuiltWith) -> Iterator[Said]:
    row = observations.by_id.get(claim.subject)
    if row is not None and row.get("cuda"):
        yield _said(row["id"], str(claim.cuda.release), _minor(row["cuda"]), "CUDA")


def _needs(_: Catalogue, observations: Observations, claim: WheelNeeds) -> Iterator[Said]:
    row = observations.by_id.get(claim.subject)
    if row is None:
        return
    yield _said(row["id"], sorted(map(str, claim.python)), sorted(row["python_tags"]), "Python")
    named = [library["glibc"] for library in row.get("libraries", {}).values() if library.get("glibc")]
    floors = [row.get("glibc_of_tag"), *named]
    if claim.glibc and any(floors):
        least = max((floor for floor in floors if floor), key=Version)
        if named or Version(claim.glibc) < Version(least):  # a tag alone may ask for less than the libraries do
            yield _said(row["id"], claim.glibc, least, "glibc")


def _pins(_: Catalogue, observations: Observations, claim: WheelPins) -> Iterator[Said]:
    row = observations.by_id.get(claim.subject)
    if row is None:
        return
    for library in ("cudnn", "nccl", "triton"):
        claimed, seen = getattr(claim, library), pinned(row, library)
        if claimed is not None and seen is not None:
            yield _said(row["id"], claimed, seen, library)


def _pairs(_: Catalogue, observations: Observations, claim: TorchPairsWith) -> Iterator[Said]:
    if claim.package == "triton":
        for row in observations.releases.get("torch", ()):
            seen = pinned(row, "triton")
            if release(row) == claim.subject and seen is not None:
                yield _said(row["id"], claim.version, seen, "triton")
        return
    for row in observations.releases.get(claim.package, ()):
        seen = pinned(row, "torch")
        if release(row) == claim.version and seen is not None:
            yield _said(row["id"], claim.subject, seen, "torch")


def _package_built(_: Catalogue, observations: Observations, claim: PackageBuiltWith) -> Iterator[Said]:
    if claim.index is not None:  # those builds are not on the package index, where wheels are measured
        return
    versions, releases = SpecifierSet(claim.versions, prereleases=True), {str(cuda.release) for cuda in claim.cuda}
    for row in observations.releases.get(claim.subject, ()):
        here = row["os"] in claim.os and row["machine"] in claim.machines
        if here and row.get("cuda") and versions.contains(release(row)):
            seen = _minor(row["cuda"])
            yield Said(row["id"], "" if seen in releases else f"CUDA: claimed {_shown(claim.cuda)}, seen {seen}")


def _package_embeds(_: Catalogue, observations: Observations, claim: PackageEmbeds) -> Iterator[Said]:
    """A claim names a part of a package, which no observation does: code that no library holds contradicts it, a library
    that holds exactly this code confirms it, and whatever is between says nothing. What is only documented is a promise
    about GPUs, not about the code inside."""
    if not any(isinstance(piece, Measured) for piece in claim.evidence):
        return
    versions, releases = SpecifierSet(claim.versions, prereleases=True), {str(cuda.release) for cuda in claim.cuda}
    claimed = list(map(str, claim.sass))
    for row in observations.releases.get(claim.subject, ()):
        here = row["os"] in claim.os and row["machine"] in claim.machines and versions.contains(release(row))
        if not here or (releases and (not row.get("cuda") or _minor(row["cuda"]) not in releases)):
            continue
        held = [library["sass"] for library in row["libraries"].values() if library.get("sass")]
        strange = [target for target in claimed if not any(target in targets for targets in held)]
        if held and strange:
            yield Said(row["id"], f"sass: no library holds {_shown(strange)}")
        elif claimed in held:
            yield Said(row["id"])


def _minor(text: str) -> str:
    return str(CudaVersion.parse(text).release)


# --- toolkits -----------------------------------------------------------------------------------------------------


def _targets(_: Catalogue, observations: Observations, claim: ToolkitTargetsCc) -> Iterator[Said]:
    for row in observations.toolkits.get(claim.subject, ()):
        for what, claimed in (("sass", claim.sass), ("ptx", claim.ptx)):
            if claimed is not None:
                seen = tuple(map(ArchTarget.parse, row["targets"][what]))
                if not any(target.suffix for target in claimed):  # its source lists no variants with a suffix
                    seen = tuple(target for target in seen if not target.suffix)
                yield _said(row["id"], claimed, seen, what)


def _ptx_isa(_: Catalogue, observations: Observations, claim: ToolkitPtxIsa) -> Iterator[Said]:
    for row in observations.toolkits.get(claim.subject, ()):
        yield _said(row["id"], claim.version, row["ptx_isa"], "PTX")


def _compiler(_: Catalogue, observations: Observations, claim: ToolkitHostCompiler) -> Iterator[Said]:
    """The newest update of a toolkit counts: a later one may take newer host compilers than the first."""
    for row in observations.toolkits.get(claim.subject, ())[-1:]:
        seen = (row["host_compilers"] or {}).get(claim.compiler)
        if isinstance(seen, str):  # what is said of MSVC is words on one side, numbers on the other
            yield _said(row["id"], claim.maximum, seen, claim.compiler)


# --- machines -----------------------------------------------------------------------------------------------------


def _capability(catalogue: Catalogue, observations: Observations, claim: GpuHasCc) -> Iterator[Said]:
    gpu = catalogue.entities(Gpu)[claim.subject]
    for row in observations.of("machine"):
        for seen in row["gpus"]:
            if seen["compute_capability"] and shows(gpu, seen["name"]):
                yield _said(row["id"], str(claim.compute_capability), seen["compute_capability"], "capability")


def _runs_cuda(_: Catalogue, observations: Observations, claim: DriverRunsCuda) -> Iterator[Said]:
    for row in observations.of("machine"):
        if row["cuda_of_driver"] and _branch(row) == claim.subject:
            yield _said(row["id"], str(claim.cuda.release), _minor(row["cuda_of_driver"]), "CUDA of the driver")


def _drives(catalogue: Catalogue, observations: Observations, claim: BranchDrivesCc) -> Iterator[Said]:
    number = {branch.id: branch.number for branch in catalogue.entities(Branch).values()}
    first, last = number.get(claim.added or "", 0), number.get(claim.last or "", 10**6)
    for row in observations.of("machine"):
        seen = any(gpu["compute_capability"] == claim.subject for gpu in row["gpus"])
        if seen and row["driver"] and family(row) == claim.os:
            major = DriverVersion.parse(row["driver"]).major
            outside = f"driven by {row['driver']}, outside {claim.added or 'the first'} to {claim.last or 'the newest'}"
            yield Said(row["id"], "" if first <= major <= last else outside)


def _branch(row: dict[str, Any]) -> str:
    return f"R{DriverVersion.parse(row['driver']).major}" if row["driver"] else ""


Compare = Callable[[Catalogue, Observations, Any], Iterable[Said]]

COMPARISONS: tuple[tuple[type[Claim], Compare], ...] = (
    (WheelEmbeds, _embeds),
    (WheelBuiltWith, _built_with),
    (WheelNeeds, _needs),
    (WheelPins, _pins),
    (TorchPairsWith, _pairs),
    (PackageBuiltWith, _package_built),
    (PackageEmbeds, _package_embeds),
    (ToolkitTargetsCc, _targets),
    (ToolkitPtxIsa, _ptx_isa),
    (ToolkitHostCompiler, _compiler),
    (GpuHasCc, _capability),
    (DriverRunsCuda, _runs_cuda),
    (BranchDrivesCc, _drives),
)
