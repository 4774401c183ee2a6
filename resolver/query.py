"""What is asked, normalised: names become products, texts become versions and the sets of versions they allow.

`resolver.reading` makes them from texts; the solver sees only types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from matrices.model import Gpu, Machine, OperatingSystem
from matrices.versions import ComputeCapability
from resolver.names import common_name
from resolver.rules import Driver
from resolver.specifiers import admits

__all__ = [
    "COMPANIONS",
    "MAX_GPUS",
    "PINNED",
    "Asked",
    "Companion",
    "PackageWanted",
    "Prefer",
    "Query",
    "Requested",
    "Subject",
    "Wanted",
]

MAX_GPUS = 64
COMPANIONS = ("torchvision", "torchaudio", "triton")  # released in step with torch
PINNED = ("cudnn", "nccl")  # which a build of torch brings or pins
Prefer = Literal["newest", "conservative"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One GPU of the question: what was written, the products it may be, their one capability."""

    asked: str
    gpus: tuple[Gpu, ...]  # empty where only a capability was named
    capability: ComputeCapability
    certain: bool
    reading: str

    @property
    def tegra(self) -> bool:
        """Whether it is a Tegra chip, which has stacks of its own."""
        return any(gpu.platform == "tegra" for gpu in self.gpus)

    @property
    def name(self) -> str:
        """The product's name, what the names of several have in common, or the capability where only that was said."""
        if not self.gpus:
            return f"compute capability {self.capability}"
        return common_name(self.gpus)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A version or specifier as asked, and the known versions it allows."""

    text: str
    allowed: frozenset[object]
    beyond: bool = False  # it may allow versions newer than any known

    @property
    def plain(self) -> str:
        """What was asked for, as it may stand in a sentence."""
        if len(self.allowed) == 1:
            return str(next(iter(self.allowed)))
        return "".join(letter for letter in self.text if letter.isalnum() or letter in ".,<>=!~* ")[:60]


@dataclass(frozen=True, slots=True)
class Companion:
    """A package released beside torch, with the versions asked for."""

    package: str
    text: str
    specifier: str

    def allows(self, version: str) -> bool:
        """Whether a version is among those asked for."""
        return not self.specifier or admits(self.specifier, version)


@dataclass(frozen=True, slots=True)
class PackageWanted:
    """A package that has releases of its own, with the versions asked for; `packages` are alternatives."""

    name: str
    packages: tuple[str, ...]
    text: str
    specifier: str

    def allows(self, version: str) -> bool:
        """Whether a version is among those asked for."""
        return not self.specifier or admits(self.specifier, version)


@dataclass(frozen=True, slots=True)
class Requested:
    """The packages of a question, sorted out."""

    companions: tuple[Companion, ...] = ()
    packages: tuple[PackageWanted, ...] = ()
    unjudged: tuple[str, ...] = ()
    torch: str | None = None  # what is asked of torch itself


@dataclass(frozen=True)
class Query:
    """A question in the solver's terms. What is None was left open."""

    subjects: tuple[Subject, ...]
    os: OperatingSystem
    machine: Machine
    machine_asked: bool
    driver: Driver | None = None
    driver_text: str = ""
    python: Wanted | None = None
    torch: Wanted | None = None
    cuda: Wanted | None = None
    variant: str | None = None
    companions: tuple[Companion, ...] = ()
    packages: tuple[PackageWanted, ...] = ()
    unjudged: tuple[str, ...] = ()  # packages about which the data says nothing
    prefer: Prefer = "newest"
    limit: int = 5
    container_runtime: str | None = None  # how a container gets its GPUs, by id
    forward: bool = False  # a CUDA too new for the driver counts as run where cuda-compat makes it run

    @cached_property
    def capabilities(self) -> tuple[ComputeCapability, ...]:
        """Each distinct capability once, lowest first: a host must satisfy every one."""
        return tuple(sorted({subject.capability for subject in self.subjects}))

    @property
    def driver_os(self) -> str:
        """Whose driver counts: under WSL2 it is that of Windows."""
        return "windows" if self.os.id == "wsl2" else self.os.family


@dataclass(slots=True)
class Asked:
    """A question as it came in, in plain texts."""

    gpus: Sequence[str]
    os: str = "linux"
    machine: str | None = None
    driver: str | None = None
    python: str | None = None
    torch: str | None = None
    cuda: str | None = None
    packages: Sequence[str] = field(default_factory=tuple)
    prefer: str = "newest"
    limit: int = 5
    container_runtime: str | None = None
