"""What an index hands out: builds, branches and drivers with their claims, and the bits of builds that fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from matrices.model import (
    BranchDrivesCc,
    BranchLifecycle,
    BranchOffersModule,
    BranchReleased,
    Claim,
    DriverRunsCuda,
    Wheel,
    WheelBuiltWith,
    WheelEmbeds,
    WheelNeeds,
    WheelPins,
)
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion
from resolver.rules import Driver, RunsAs, Verdict

__all__ = ["NONE", "BranchFacts", "Build", "Kernels", "Masks", "Runs", "Window", "grouped", "in_doubt", "standing"]

C = TypeVar("C", bound=Claim)
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Masks:
    """Bits of the builds that satisfy something (`yes`) and of those that may (`maybe`, which includes `yes`)."""

    yes: int
    maybe: int

    def __and__(self, other: Masks) -> Masks:
        return Masks(self.yes & other.yes, self.maybe & other.maybe)

    def __or__(self, other: Masks) -> Masks:
        return Masks(self.yes | other.yes, self.maybe | other.maybe)


NONE = Masks(0, 0)


@dataclass(frozen=True, slots=True)
class Kernels:
    """Whether a build has code for a capability: as machine code or PTX, by which target, says which claim."""

    verdict: Verdict
    how: str  # "sass", "ptx" or "none"; where the verdict is unknown, "none" may turn out as either
    target: ArchTarget | None
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """Whether a driver runs a CUDA, how, and the claims that say so."""

    verdict: Verdict
    runs_as: RunsAs
    natively: Verdict  # whether the driver's own CUDA is as new, so that it may compile PTX
    later_only: bool  # only the later point releases of the branch do
    floor: DriverVersion | None
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The driver branches that drive a capability, and the claim."""

    added: int | None
    added_driver: DriverVersion | None
    last: int | None
    claim: BranchDrivesCc


@dataclass(frozen=True, slots=True)
class BranchFacts:
    """What is known of one driver branch."""

    number: int
    released: dict[str, BranchReleased]
    native: CudaVersion | None  # known to run at least this
    native_most: CudaVersion | None  # known to run no more than this: the numbers never fall from branch to branch
    native_claims: tuple[DriverRunsCuda, ...]
    lifecycle: BranchLifecycle | None
    modules: BranchOffersModule | None
    drivers: dict[str, Driver] = field(default_factory=dict, compare=False)

    def driver(self, os: str) -> Driver:
        """The branch as a driver whose point release is not known (kept per operating system)."""
        found = self.drivers.get(os)
        if found is None:
            found = self.drivers[os] = self._driver(os)
        return found

    def _driver(self, os: str) -> Driver:
        builds = self.released.get(os)
        first = builds.first if builds and builds.first else DriverVersion.parse(str(self.number))
        latest = builds.latest if builds and not builds.uncertain else None
        return Driver(self.number, first, latest)


@dataclass(eq=False, slots=True)
class Build:
    """A wheel with its claims; `bit` is its place in every mask, higher is preferred."""

    wheel: Wheel
    cuda: CudaVersion
    built_with: WheelBuiltWith
    default: bool  # the variant that the package index serves, or its CUDA elsewhere
    embeds: WheelEmbeds | None
    needs: WheelNeeds | None
    pins: WheelPins | None
    bit: int = 0
    libraries: tuple[WheelEmbeds, ...] = ()
    kernels: dict[ComputeCapability, Kernels] = field(default_factory=dict)

    @property
    def newest_major(self) -> int:
        """The major of the newest capability that it has machine code for; 0 where that is not known."""
        return max((target.capability.major for target in self.embeds.sass), default=0) if self.embeds else 0

    @property
    def label(self) -> str:
        """`2.6.0+cu124`."""
        return f"{self.wheel.torch}+{self.wheel.variant}"


def standing(claims: Iterable[C]) -> C | None:
    """The claim that counts among voices on one question: preferred before normal, never a deprecated one."""
    normal = None
    for claim in claims:
        if claim.standing == "preferred":
            return claim
        if claim.standing == "normal" and normal is None:
            normal = claim
    return normal


def grouped(claims: Iterable[C], key: Callable[[C], K]) -> dict[K, C]:
    """The claim that counts for each key."""
    groups: dict[K, list[C]] = {}
    for claim in claims:
        groups.setdefault(key(claim), []).append(claim)
    return {name: best for name, group in groups.items() if (best := standing(group)) is not None}


def in_doubt(claim: Claim) -> bool:
    """For ordering: sure claims first."""
    return claim.uncertain is not None
