"""Claims about wheels and torch releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from matrices.model.base import Claim, Machine
from matrices.versions import ArchTarget, CudaVersion, PythonVersion

__all__ = [
    "TorchDefaultCuda",
    "TorchPairsWith",
    "WheelBuiltWith",
    "WheelEmbeds",
    "WheelNeeds",
    "WheelPins",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelBuiltWith(Claim):
    """The CUDA that a wheel was compiled with and that its own libraries belong to."""

    relation: ClassVar[str] = "wheel-built-with"
    within: ClassVar[str] = "wheel"
    attribute: ClassVar[str] = "built-with"
    cuda: CudaVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelEmbeds(Claim):
    """Machine code (`sass`) and PTX inside. `ptx` left out: nobody looked, so PTX may be there."""

    relation: ClassVar[str] = "wheel-embeds"
    within: ClassVar[str] = "wheel"
    attribute: ClassVar[str] = "embeds"
    keyed_by: ClassVar[tuple[str, ...]] = ("library",)
    library: str = "torch"
    sass: tuple[ArchTarget, ...]
    ptx: tuple[ArchTarget, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelNeeds(Claim):
    """What a wheel demands of the machine besides a GPU: one of these Pythons, and on Linux a C library."""

    relation: ClassVar[str] = "wheel-needs"
    within: ClassVar[str] = "wheel"
    attribute: ClassVar[str] = "needs"
    python: tuple[PythonVersion, ...]
    glibc: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelPins(Claim):
    """Libraries a wheel brings or pins, by package id."""

    relation: ClassVar[str] = "wheel-pins"
    within: ClassVar[str] = "wheel"
    attribute: ClassVar[str] = "pins"
    cudnn: str | None = None
    nccl: str | None = None
    triton: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchPairsWith(Claim):
    """The version of a companion package that belongs to a torch release."""

    relation: ClassVar[str] = "torch-pairs-with"
    within: ClassVar[str] = "torch"
    attribute: ClassVar[str] = "pairs-with"
    keyed_by: ClassVar[tuple[str, ...]] = ("package",)
    package: Literal["torchvision", "torchaudio", "triton"]
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchDefaultCuda(Claim):
    """The CUDA of the wheel that the package index serves for a machine."""

    relation: ClassVar[str] = "torch-default-cuda"
    within: ClassVar[str] = "torch"
    attribute: ClassVar[str] = "default-cuda"
    keyed_by: ClassVar[tuple[str, ...]] = ("machine",)
    machine: Machine
    cuda: CudaVersion
