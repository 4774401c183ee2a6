"""What was read: facts of named kinds, each with the line that says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion, PythonVersion, TorchVersion
from resolver.names import BareCapability, Products

__all__ = [
    "KINDS",
    "CudaError",
    "Fact",
    "Memory",
    "Package",
    "Process",
    "Reading",
    "TorchBuild",
    "Variable",
    "Xid",
]

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class TorchBuild:
    """A torch as written: `2.6`, `2.6.0+cu124`, `2.8.0.dev20250319+cu128`.

    Attributes:
        version: the part before the local tag, verbatim.
        local: the local tag without its plus sign, such as `cu124`, `cpu` or `rocm6.2`.
    """

    version: str
    local: str | None = None

    @property
    def release(self) -> TorchVersion | None:
        """The release, where three plain numbers were written."""
        numbers = self.version.split(".")
        if len(numbers) != 3 or not all(number.isdigit() for number in numbers):
            return None
        return TorchVersion.parse(self.version)

    @property
    def cuda(self) -> CudaVersion | None:
        """The CUDA it was built with, as far as the local tag tells.

        >>> print(TorchBuild("2.6.0", "cu124").cuda, TorchBuild("2.6.0", "cpu").cuda)
        12.4 None
        """
        digits = (self.local or "").split(".")[0].removeprefix("cu")
        if not digits.isdigit() or len(digits) not in (2, 3):
            return None
        return CudaVersion(int(digits[:-1]), int(digits[-1]))

    @property
    def without_cuda(self) -> bool:
        """Whether the local tag says that it has no CUDA."""
        return self.local is not None and self.local.startswith(("cpu", "rocm", "xpu"))

    def __str__(self) -> str:
        return self.version if self.local is None else f"{self.version}+{self.local}"


@dataclass(frozen=True, slots=True)
class Xid:
    """An Xid of the kernel log, with the process it is charged to where the line says so."""

    number: int
    pid: int | None = None
    process: str | None = None
    bus: str | None = None

    def __str__(self) -> str:
        return f"Xid {self.number}"


@dataclass(frozen=True, slots=True)
class CudaError:
    """An error of the CUDA runtime or driver: the number printed, the name printed or implied by the message."""

    code: int | None
    name: str | None

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.name, self.code) if part is not None)


@dataclass(frozen=True, slots=True)
class Package:
    """An installed or mentioned package and its version, verbatim."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable and its value, which may be empty."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


@dataclass(frozen=True, slots=True)
class Process:
    """A process in the table of `nvidia-smi`, with the memory it holds in MiB."""

    pid: int
    name: str
    memory_mib: int

    def __str__(self) -> str:
        return f"{self.name} ({self.pid}): {self.memory_mib} MiB"


@dataclass(frozen=True, slots=True)
class Memory:
    """The numbers of an out-of-memory message in MiB; `others` is what other processes hold."""

    tried: float | None = None
    total: float | None = None
    free: float | None = None
    allocated: float | None = None
    reserved: float | None = None
    others: float | None = None

    def __str__(self) -> str:
        named = ((name, getattr(self, name)) for name in self.__slots__)
        return " ".join(f"{name}={number:g}" for name, number in named if number is not None)


KINDS: dict[str, tuple[type, ...]] = {
    "gpu": (Products, BareCapability),
    "other-gpu": (str,),  # another maker's: whose
    "gpu-series": (str,),  # "50" of "RTX 50 series"
    "gpu-capability": (ComputeCapability,),
    "capability-required": (ComputeCapability,),
    "capability-range": (tuple,),  # least and highest capability that the torch build takes
    "arch-list": (tuple,),  # of ArchTarget: machine code
    "ptx-list": (tuple,),  # of ArchTarget: PTX beside it
    "requested-arch": (ArchTarget,),
    "driver": (DriverVersion,),
    "driver-cuda": (CudaVersion,),
    "driver-required": (DriverVersion,),
    "legacy-driver": (DriverVersion,),  # the branch that the driver itself says the GPU needs
    "kernel-module": (DriverVersion,),
    "client-library": (DriverVersion,),
    "module-flavour": (str,),  # open, proprietary
    "kernel-driver": (str,),  # nvidia, nouveau, vfio-pci
    "toolkit": (CudaVersion,),
    "cuda": (CudaVersion,),  # a CUDA version of which the text does not say whose
    "cuda-required": (CudaVersion,),
    "torch": (TorchBuild,),
    "torch-required": (TorchBuild,),
    "torch-cuda": (CudaVersion,),
    "cuda-available": (bool,),
    "cudnn": (str,),
    "compiler": (str,),
    "python": (PythonVersion,),
    "package": (Package,),
    "requirement": (str,),  # a package that somebody asks for, as pip is asked for it: `flash-attn==2.*`
    "missing-library": (str,),
    "os": (str,),
    "kernel": (str,),
    "machine": (str,),
    "glibc": (str,),
    "glibc-required": (str,),
    "platform": (str,),  # wsl, container, kubernetes, jetson, laptop, virtual-machine
    "jetpack": (str,),
    "l4t": (str,),
    "image": (str,),
    "docker-runtimes": (tuple,),
    "xid": (Xid,),
    "cuda-error": (CudaError,),
    "library-error": (str,),  # CUBLAS_STATUS_..., CUDNN_STATUS_...
    "nvml-error": (str,),
    "nccl-error": (str,),
    "device-code": (int,),  # Windows Device Manager
    "windows-event": (tuple,),  # source, number
    "memory": (Memory,),
    "process": (Process,),
    "state": (str,),  # of a GPU in nvidia-smi: mig, err, wddm, tcc, mcdm
    "environment": (Variable,),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a line says.

    Attributes:
        kind: one of `KINDS`, which also tells the type of the value.
        line: index into `Reading.lines`.
        quote: that line, trimmed; of a long line the 200 characters around the fact.
        source: short name of the form it was read from: `nvidia-smi`, `collect_env`, `free text`, ...
    """

    kind: str
    value: Any
    line: int
    quote: str
    source: str


@dataclass(frozen=True)
class Reading:
    """A text and what it says, in the order of the text.

    Attributes:
        text: the text as it was matched: NFKC, without terminal colours and invisible characters.
        lines: the lines as they came.
        facts: in the order in which they stand.
        language: what the asker writes; log lines do not count.
    """

    text: str
    lines: tuple[str, ...]
    facts: tuple[Fact, ...]
    language: Language
    _by_kind: dict[str, tuple[Fact, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_kind: dict[str, tuple[Fact, ...]] = {}
        for fact in self.facts:
            by_kind[fact.kind] = (*by_kind.get(fact.kind, ()), fact)
        object.__setattr__(self, "_by_kind", by_kind)

    def first(self, kind: str) -> Fact | None:
        """The first fact of a kind."""
        found = self.all(kind)
        return found[0] if found else None

    def all(self, kind: str) -> tuple[Fact, ...]:
        """The facts of a kind in order."""
        return self._by_kind.get(kind, ())

    def has(self, kind: str) -> bool:
        """Whether anything of a kind was read."""
        return kind in self._by_kind
