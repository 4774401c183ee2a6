"""What goes together, described: stacks, checks, builds, and why."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.base import Described, Evidence, Verdict

__all__ = [
    "Because",
    "BuildAnswer",
    "BuildToolkit",
    "CheckAnswer",
    "Companions",
    "Conflict",
    "Constraint",
    "CudaPart",
    "DriverInstall",
    "DriverPart",
    "Finding",
    "Fix",
    "GpuPart",
    "HostCompiler",
    "ImagePart",
    "Install",
    "JetPackPart",
    "Notice",
    "PackagePart",
    "ResolveAnswer",
    "Stack",
    "TorchPart",
    "Understood",
]


class GpuPart(Described):
    """A product, or a bare compute capability."""

    id: str
    name: str
    compute_capability: str
    architecture: str | None


class Understood(GpuPart):
    """What a name was understood as; `candidates` where it covers several products that run the same."""

    asked: str
    candidates: list[str] = Field(default=[])


class Because(Described):
    """One reason: the rule, the claim it rests on first (all of them under `claims`), its evidence and where to look.

    `uncertain` says why a claim is doubted by its own source, where one is.
    """

    rule: str
    claim: str | None
    text: str
    evidence: Evidence | None
    source: str | None
    claims: list[str] = Field(default=[])
    uncertain: str | None = None


class DriverInstall(Described):
    """How to install the recommended branch; empty where no command is known."""

    os: str = ""
    module: str = ""
    commands: list[str] = Field(default=[])
    claim: str = ""


class DriverPart(Described):
    """The driver of a stack: what is installed, the least that works, and the branch to install."""

    installed: str | None
    minimum: str | None
    maximum_branch: str | None
    recommended_branch: str | None
    supported_until: str | None
    kernel_module: Literal["open", "proprietary", "either", "mixed"] | None
    install: DriverInstall


class HostCompiler(Described):
    """The newest compilers that the recommended toolkit takes; `yours` is the one named, or that of the system."""

    gcc: str | None
    clang: str | None
    msvc: str | None
    yours: str | None
    fits: Verdict | None
    advice: str | None


class BuildToolkit(Described):
    """The CUDA toolkit for compiling code of one's own. `maximum` is null where no newer one has dropped the GPU.

    `arch_list` is for `TORCH_CUDA_ARCH_LIST`, `cmake` for `CMAKE_CUDA_ARCHITECTURES`, `gencode` for nvcc;
    `arch_list_specific` is for kernels that use instructions of one architecture only.
    """

    minimum: str | None
    maximum: str | None
    recommended: str | None
    arch_list: str
    arch_list_specific: str | None
    cmake: str
    gencode: list[str]
    host_compiler: HostCompiler


class CudaPart(Described):
    """The CUDA inside the wheel and how the driver runs it."""

    runtime: str
    runs_as: Literal["native", "minor-version", "forward"] | None
    build_toolkit: BuildToolkit


class Companions(Described):
    """The packages released with a torch."""

    torchvision: str | None
    torchaudio: str | None


class TorchPart(Described):
    """The wheel: `index_url` is null where the package index itself serves it."""

    version: str
    variant: str | None
    python: list[str]
    glibc: str | None
    index_url: str | None
    companions: Companions
    kernels: Literal["sass", "ptx"] | None


class ImagePart(Described):
    """A container image that fits."""

    reference: str
    kind: Literal["cuda", "pytorch", "ngc", "jetson"]
    claim: str | None = None


class Install(Described):
    """The commands that install the wheel with its companions."""

    pip: str
    uv: str
    conda: str | None


class JetPackPart(Described):
    """The JetPack of a Jetson's stack: it brings the driver, the CUDA and the system."""

    release: str
    l4t: str
    os: str | None
    cuda: str


class PackagePart(Described):
    """A package beside torch. `install` is its own command where it is not loaded into torch, so that it may live apart."""

    version: str
    package: str
    requirement: str
    cuda: str | None
    compiled: bool
    index_url: str | None
    install: str | None
    verdict: Verdict


class Stack(Described):
    """One combination that works. A Jetson's has a `jetpack`, and null where a part does not apply to it."""

    verdict: Verdict
    gpus: list[GpuPart]
    driver: DriverPart
    cuda: CudaPart
    torch: TorchPart
    images: list[ImagePart]
    install: Install
    packages: dict[str, PackagePart]
    features: dict[str, Literal["native", "emulated", "absent"]]
    evidence: Evidence
    because: list[Because]
    jetpack: JetPackPart | None = None


class Constraint(Described):
    """One part of the question that takes part in a conflict."""

    name: str
    asked: str


class Conflict(Described):
    """The smallest set of constraints that cannot hold together, and why."""

    constraints: list[Constraint]
    causes: list[Because]
    text: str


class Fix(BaseModel):
    """One change that makes a stack; further members depend on the kind."""

    model_config = ConfigDict(extra="allow")
    kind: str
    change: dict[str, Any]
    text: str


class Notice(Described):
    """Something that ends or has ended, and when (`on`: a day or a month); told from the day of the data."""

    id: str
    text: str
    on: str | None
    claim: str | None
    source: str | None


class ResolveAnswer(Described):
    """The answer of `/resolve`."""

    verdict: Verdict
    gpus: list[Understood]
    stacks: list[Stack]
    conflict: Conflict | None
    fixes: list[Fix]
    warnings: list[str]
    notices: list[Notice]
    data_version: str


class Finding(Described):
    """One judgement on a stack."""

    severity: Literal["ok", "warning", "error", "unknown"]
    rule: str
    text: str
    because: list[Because]


class CheckAnswer(Described):
    """The answer of `/check`."""

    verdict: Verdict
    gpus: list[Understood]
    findings: list[Finding]
    conflict: Conflict | None
    fixes: list[Fix]
    notices: list[Notice]
    data_version: str


class BuildAnswer(Described):
    """The answer of `/build`; `torch` is the wheel that an extension compiled with this toolkit belongs to."""

    verdict: Verdict
    gpus: list[Understood]
    torch: str | None
    toolkit: BuildToolkit | None
    findings: list[Finding]
    fixes: list[Fix]
    data_version: str
