"""Claims about CUDA toolkits and families."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from matrices.model.base import Claim, Date, OsFamily
from matrices.versions import ArchTarget, DriverVersion

__all__ = [
    "FamilyNeedsDriver",
    "ForwardFor",
    "ToolkitForwardOn",
    "ToolkitHostCompiler",
    "ToolkitNeedsDriver",
    "ToolkitPtxIsa",
    "ToolkitReleased",
    "ToolkitShipsDriver",
    "ToolkitSupportsOs",
    "ToolkitTargetsCc",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyNeedsDriver(Claim):
    """The least driver on which every program of a CUDA major runs (minor-version compatibility)."""

    relation: ClassVar[str] = "toolkit-needs-driver"
    within: ClassVar[str] = "cuda-family"
    attribute: ClassVar[str] = "needs-driver"
    keyed_by: ClassVar[tuple[str, ...]] = ("os",)
    os: OsFamily
    mode: Literal["minor-version"] = "minor-version"
    driver: DriverVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitReleased(Claim):
    """One release of a toolkit minor: when, under which label, with which driver branch."""

    relation: ClassVar[str] = "toolkit-released"
    within: ClassVar[str] = "toolkit"
    attribute: ClassVar[str] = "released"
    keyed_by: ClassVar[tuple[str, ...]] = ("release",)
    release: str
    on: Date | None = None
    label: str | None = None
    branch: str | None = None  # the driver branch it was published with


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitNeedsDriver(Claim):
    """The least driver for one toolkit release natively."""

    relation: ClassVar[str] = "toolkit-needs-driver-natively"
    within: ClassVar[str] = "toolkit"
    attribute: ClassVar[str] = "needs-driver"
    keyed_by: ClassVar[tuple[str, ...]] = ("release", "os")
    release: str  # 12.8.1
    os: OsFamily
    driver: DriverVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitShipsDriver(Claim):
    """The driver inside the installer of one toolkit release."""

    relation: ClassVar[str] = "toolkit-ships-driver"
    within: ClassVar[str] = "toolkit"
    attribute: ClassVar[str] = "ships-driver"
    keyed_by: ClassVar[tuple[str, ...]] = ("release", "os")
    release: str
    os: OsFamily
    driver: DriverVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitTargetsCc(Claim):
    """What the compiler of every update of a toolkit minor makes code for."""

    relation: ClassVar[str] = "toolkit-targets-cc"
    within: ClassVar[str] = "toolkit"
    attribute: ClassVar[str] = "targets-cc"
    sass: tuple[ArchTarget, ...]
    ptx: tuple[ArchTarget, ...] | None = None
    deprecated: tuple[ArchTarget, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitPtxIsa(Claim):
    """The newest PTX that the compiler of a toolkit writes."""

    relation: ClassVar[str] = "toolkit-ptx-isa"
    within: ClassVar[str] = "toolkit"
    attribute: ClassVar[str] = "ptx-isa"
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitHostCompiler(Claim):
    """Host compilers: `maximum` major version (`gcc`, `clang`) or the vendor's words (`msvc`)."""

    relation: ClassVar[str] = "toolkit-host-compiler"
    within: ClassVar[str] = "toolkit"
    attribute: ClassVar[str] = "host-compiler"
    keyed_by: ClassVar[tuple[str, ...]] = ("compiler",)
    compiler: Literal["gcc", "clang", "msvc"]
    maximum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitSupportsOs(Claim):
    """A distribution that the vendor tested one toolkit release on, with its kernel and compilers."""

    relation: ClassVar[str] = "toolkit-supports-os"
    within: ClassVar[str] = "toolkit"
    attribute: ClassVar[str] = "supports-os"
    keyed_by: ClassVar[tuple[str, ...]] = ("release", "machine", "distribution")
    release: str
    machine: str
    distribution: str
    kernel: str | None = None
    gcc: str | None = None
    glibc: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitForwardOn(Claim):
    """The branches on which the cuda-compat package of a toolkit lets listed GPUs run it."""

    relation: ClassVar[str] = "toolkit-forward-on"
    within: ClassVar[str] = "toolkit"
    attribute: ClassVar[str] = "forward-on"
    package: str
    branches: tuple[str, ...]
    paired_with: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardFor(Claim):
    """The product families that may run a CUDA major through cuda-compat; of `perhaps` only some products."""

    relation: ClassVar[str] = "forward-for"
    within: ClassVar[str] = "cuda-family"
    attribute: ClassVar[str] = "forward-for"
    families: tuple[str, ...]
    perhaps: tuple[str, ...] = ()
