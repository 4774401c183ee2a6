"""Claims about GPUs, capabilities and driver branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from matrices.model.base import Claim, Date, Module, OsFamily
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion

__all__ = [
    "BranchDrivesCc",
    "BranchLifecycle",
    "BranchOffersModule",
    "BranchReleased",
    "CcNeedsModule",
    "CcThroughput",
    "CodeRunsOn",
    "DriverRunsCuda",
    "FeatureNeedsCc",
    "GpuDroppedAfter",
    "GpuHasCc",
    "GpuHasSpecs",
    "GpuListedSince",
    "GpuNeedsModule",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuHasCc(Claim):
    """The compute capability of a product."""

    relation: ClassVar[str] = "gpu-has-cc"
    within: ClassVar[str] = "gpu"
    attribute: ClassVar[str] = "has-cc"
    compute_capability: ComputeCapability


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuListedSince(Claim):
    """The first driver whose own list names the product; support may be earlier where `bound` says so."""

    relation: ClassVar[str] = "gpu-listed-since"
    within: ClassVar[str] = "gpu"
    attribute: ClassVar[str] = "listed-since"
    keyed_by: ClassVar[tuple[str, ...]] = ("os",)
    os: OsFamily = "linux"
    driver: DriverVersion
    bound: Literal["exact", "or-earlier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuDroppedAfter(Claim):
    """The last branch for one product, where it is not the last branch of its capability."""

    relation: ClassVar[str] = "gpu-dropped-after"
    within: ClassVar[str] = "gpu"
    attribute: ClassVar[str] = "dropped-after"
    branch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNeedsModule(Claim):
    """The kernel module flavours that work on Linux for one product, where they are not those of its capability."""

    relation: ClassVar[str] = "gpu-needs-module"
    within: ClassVar[str] = "gpu"
    attribute: ClassVar[str] = "needs-module"
    modules: tuple[Module, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuHasSpecs(Claim):
    """Figures of a product that compare it with others; one that nobody published is left out."""

    relation: ClassVar[str] = "gpu-has-specs"
    within: ClassVar[str] = "gpu"
    attribute: ClassVar[str] = "has-specs"
    memory_type: str | None = None
    bandwidth_gb_s: float | None = None
    fp32_tflops: float | None = None
    fp64_tflops: float | None = None
    fp16_tensor_dense_tflops: float | None = None
    tdp_w: int | None = None
    nvlink_gb_s: float | None = None
    mig_max_instances: int | None = None
    ecc: bool | None = None
    form_factor: str | None = None
    bus: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchDrivesCc(Claim):
    """The window of branches that drive a capability: from `added` (exact driver where known) to `last`.

    `last` left out: no branch has dropped it. `added` left out: the first branch is not known."""

    relation: ClassVar[str] = "branch-drives-cc"
    within: ClassVar[str] = "capability"
    attribute: ClassVar[str] = "driven-by"
    keyed_by: ClassVar[tuple[str, ...]] = ("os",)
    os: OsFamily = "linux"
    added: str | None = None
    added_driver: DriverVersion | None = None
    last: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CcNeedsModule(Claim):
    """The kernel module flavours that work on Linux for a capability."""

    relation: ClassVar[str] = "cc-needs-module"
    within: ClassVar[str] = "capability"
    attribute: ClassVar[str] = "needs-module"
    modules: tuple[Module, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CcThroughput(Claim):
    """Results of plain arithmetic per clock cycle and multiprocessor, in half and in single precision."""

    relation: ClassVar[str] = "cc-throughput"
    within: ClassVar[str] = "capability"
    attribute: ClassVar[str] = "throughput"
    fp16: int
    fp32: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRunsOn(Claim):
    """Machine code exceptions that the plain rule does not cover: a target whose code does not run on a
    capability of the same major (`except`), unless built by `until_cuda` or later."""

    relation: ClassVar[str] = "code-excludes-cc"
    within: ClassVar[str] = "capability"
    attribute: ClassVar[str] = "excluded-from"
    keyed_by: ClassVar[tuple[str, ...]] = ("targets",)
    targets: tuple[ArchTarget, ...]  # code for these does not run on this capability ...
    until_cuda: CudaVersion | None = None  # ... before this CUDA; left out: in every CUDA known


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchLifecycle(Claim):
    """What kind of branch it is and when its maker stops mending it."""

    relation: ClassVar[str] = "branch-lifecycle"
    within: ClassVar[str] = "branch"
    attribute: ClassVar[str] = "lifecycle"
    type: Literal["lts", "production", "new-feature", "legacy", "beta"] | None = None
    until: Date | None = None  # end of life


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchReleased(Claim):
    """The builds of a branch that have been seen."""

    relation: ClassVar[str] = "branch-released"
    within: ClassVar[str] = "branch"
    attribute: ClassVar[str] = "released"
    keyed_by: ClassVar[tuple[str, ...]] = ("os",)
    os: OsFamily
    first: DriverVersion | None = None
    first_on: Date | None = None
    latest: DriverVersion | None = None
    latest_on: Date | None = None
    versions: tuple[DriverVersion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchOffersModule(Claim):
    """The kernel module flavours a branch comes with on Linux, and which its installer takes by itself."""

    relation: ClassVar[str] = "branch-offers-module"
    within: ClassVar[str] = "branch"
    attribute: ClassVar[str] = "offers-module"
    modules: tuple[Module, ...]
    default: Module


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverRunsCuda(Claim):
    """The highest CUDA the drivers of a branch run natively: the number in the head of `nvidia-smi`."""

    relation: ClassVar[str] = "driver-runs-cuda"
    within: ClassVar[str] = "branch"
    attribute: ClassVar[str] = "runs-cuda"
    cuda: CudaVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureNeedsCc(Claim):
    """The compute capabilities that have a feature, from `minimum` to `maximum`; `below` says what others do.

    `torch` (a specifier) and `os` say with which torch, and where; `compiles` that the CUDA must target the GPU.
    """

    relation: ClassVar[str] = "feature-needs-cc"
    within: ClassVar[str] = "feature"
    attribute: ClassVar[str] = "needs-cc"
    minimum: ComputeCapability
    below: Literal["absent", "emulated"] = "absent"
    maximum: ComputeCapability | None = None
    torch: str | None = None
    os: tuple[OsFamily, ...] = ()
    compiles: bool = False
