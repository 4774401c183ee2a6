"""Claims about images, operating systems and JetPack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from matrices.model.base import Claim, Date, Machine, Module
from matrices.versions import ComputeCapability, CudaVersion, DriverVersion, PythonVersion

__all__ = [
    "ImageContains",
    "ImageDemands",
    "ImageExists",
    "ImageForwardOn",
    "ImageNeedsCc",
    "ImageOldKey",
    "ImageTagLaw",
    "JetPackContains",
    "JetPackTorch",
    "OsInstallsDriver",
    "OsNeedsCc",
    "OsShips",
    "RuntimeChecks",
    "RuntimeDefault",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageExists(Claim):
    """Whether the tags of an image can be pulled, and when somebody last looked."""

    relation: ClassVar[str] = "image-exists"
    within: ClassVar[str] = "image"
    attribute: ClassVar[str] = "exists"
    status: Literal["exists", "removed", "never"]
    machines: tuple[Machine, ...] = ()
    seen_on: Date | None = None
    end_of_life: Date | None = None  # marked so by its publisher, who may delete it


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageForwardOn(Claim):
    """Older drivers on which data-center GPUs run an image through the cuda-compat libraries inside."""

    relation: ClassVar[str] = "image-forward-on"
    within: ClassVar[str] = "image"
    attribute: ClassVar[str] = "forward-on"
    drivers: tuple[DriverVersion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageContains(Claim):
    """The versions of what is inside an image."""

    relation: ClassVar[str] = "image-contains"
    within: ClassVar[str] = "image"
    attribute: ClassVar[str] = "contains"
    torch: str | None = None
    cuda: str | None = None
    cudnn: str | None = None
    os: str | None = None
    python: str | None = None
    tensorrt: str | None = None
    driver: DriverVersion | None = None  # the one NVIDIA built and tested it with
    jetpack: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageNeedsCc(Claim):
    """The least compute capability that an image supports, by its own notes."""

    relation: ClassVar[str] = "image-needs-cc"
    within: ClassVar[str] = "image"
    attribute: ClassVar[str] = "needs-cc"
    minimum: ComputeCapability


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageDemands(Claim):
    """What NVIDIA_REQUIRE_CUDA asks: `cuda` natively, or one of `branches` for the `brands`."""

    relation: ClassVar[str] = "image-demands"
    within: ClassVar[str] = "image"
    attribute: ClassVar[str] = "demands"
    keyed_by: ClassVar[tuple[str, ...]] = ("machine",)
    machine: Machine
    cuda: CudaVersion | None = None
    branches: tuple[int, ...] = ()
    brands: tuple[str, ...] = ()
    expression: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageTagLaw(Claim):
    """How the tags of a repository are spelled from one CUDA release to another, both included (`cuda_to` left
    out: every later one). A tag that breaks its law, and that no image lists, was never there."""

    relation: ClassVar[str] = "image-tag-law"
    within: ClassVar[str] = "image-repository"
    attribute: ClassVar[str] = "tag-law"
    keyed_by: ClassVar[tuple[str, ...]] = ("cuda_from",)
    cuda_from: CudaVersion
    cuda_to: CudaVersion | None = None
    version_parts: Literal[2, 3]
    distro: Literal["required", "optional"]  # whether a tag ends in a distribution
    flavors: tuple[str, ...]
    cudnn_flavors: tuple[str, ...] = ()  # the flavors that may have cuDNN; empty: any
    cudnn_tokens: tuple[str, ...]  # what stands before `runtime` and `devel` where cuDNN is inside
    without_cudnn: tuple[CudaVersion, ...] = ()  # releases that have no cuDNN tag
    distros_without_cudnn: tuple[str, ...] = ()
    never_pushed: tuple[CudaVersion, ...] = ()  # releases without any tag; a minor speaks for all its updates


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeChecks(Claim):
    """Whether a container runtime refuses an image whose NVIDIA_REQUIRE_CUDA the driver does not meet."""

    relation: ClassVar[str] = "runtime-checks-demands"
    within: ClassVar[str] = "container-runtime"
    attribute: ClassVar[str] = "checks-demands"
    checks: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeDefault(Claim):
    """The releases of NVIDIA Container Toolkit whose nvidia runtime works that way by default (`until_toolkit` excluded)."""

    relation: ClassVar[str] = "runtime-default"
    within: ClassVar[str] = "container-runtime"
    attribute: ClassVar[str] = "default-for"
    from_toolkit: str | None = None
    until_toolkit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOldKey(Claim):
    """Images of a CUDA older than `before` may hold a package repository whose signing key is no longer valid."""

    relation: ClassVar[str] = "image-old-key"
    within: ClassVar[str] = "image-repository"
    attribute: ClassVar[str] = "old-key"
    before: CudaVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class OsShips(Claim):
    """What an operating system comes with."""

    relation: ClassVar[str] = "os-ships"
    within: ClassVar[str] = "os"
    attribute: ClassVar[str] = "ships"
    glibc: str | None = None
    python: PythonVersion | None = None
    gcc: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OsNeedsCc(Claim):
    """CUDA works on this system only from a compute capability on, with a driver from a branch on.

    `driver_model` is the only one it works through, and `other_by_default` the product families that start in another."""

    relation: ClassVar[str] = "os-needs-cc"
    within: ClassVar[str] = "os"
    attribute: ClassVar[str] = "needs-cc"
    minimum: ComputeCapability
    branch: str | None = None
    driver_model: str | None = None
    other_by_default: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OsInstallsDriver(Claim):
    """The command that installs a driver branch; `{branch}` stands for its number."""

    relation: ClassVar[str] = "os-installs-driver"
    within: ClassVar[str] = "os"
    attribute: ClassVar[str] = "installs-driver"
    keyed_by: ClassVar[tuple[str, ...]] = ("module", "branches")
    module: Module
    branches: tuple[int, ...] = ()  # those it is known for; empty: any
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JetPackContains(Claim):
    """The CUDA of a JetPack release, its system, and the compute capabilities of the modules it serves.

    `server_wheels` are those of the capabilities on which it runs what is built for Arm servers."""

    relation: ClassVar[str] = "jetpack-contains"
    within: ClassVar[str] = "jetpack"
    attribute: ClassVar[str] = "contains"
    cuda: CudaVersion
    capabilities: tuple[ComputeCapability, ...] = ()
    os: str | None = None
    python: PythonVersion | None = None
    server_wheels: tuple[ComputeCapability, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JetPackTorch(Claim):
    """A torch that NVIDIA built for a JetPack release: its version, its Python and the address of its wheel."""

    relation: ClassVar[str] = "jetpack-torch"
    within: ClassVar[str] = "jetpack"
    attribute: ClassVar[str] = "torch"
    keyed_by: ClassVar[tuple[str, ...]] = ("version",)
    version: str
    python: PythonVersion
    wheel: str
