"""One text with the resolver beside it: what the predicates of `assistant.evidence` ask.

Everything is computed when first asked for. Facts from the log lines of unrelated programs do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assistant.haystack import Haystack
from assistant.reading import Fact, Package, Reading, TorchBuild
from matrices.model import Gpu
from matrices.versions import ComputeCapability, CudaVersion, DriverVersion
from resolver.engine import Engine
from resolver.names import BareCapability, Products
from resolver.parts import Build
from resolver.rules import Driver

__all__ = ["PREDICATES", "Case", "Predicate", "Proof", "both", "predicate"]


@dataclass(frozen=True, slots=True)
class Proof:
    """That a predicate holds, with the numbers of the lines that show it (perhaps none)."""

    lines: tuple[int, ...] = ()

    @classmethod
    def of(cls, *facts: Fact) -> Proof:
        """The lines of some facts."""
        return cls(tuple(dict.fromkeys(fact.line for fact in facts)))


Predicate = Callable[["Case"], "Proof | None"]

PREDICATES: dict[str, Predicate] = {}


def predicate(name: str) -> Callable[[Predicate], Predicate]:
    """Enter a function into the registry under the name that symptom files use."""

    def enter(function: Predicate) -> Predicate:
        PREDICATES[name] = function
        return function

    return enter


class Case:
    """A text to be diagnosed.

    Args:
        reading: what the text says.
        engine: the resolver.
    """

    def __init__(self, reading: Reading, engine: Engine) -> None:
        self.reading = reading
        self.engine = engine
        self.index = engine.index
        self._proofs: dict[str, Proof | None] = {}

    def proof(self, name: str) -> Proof | None:
        """Whether a predicate holds, and which lines show it; an unknown name never holds."""
        if name not in self._proofs:
            self._proofs[name] = None  # for a predicate that asks for itself
            function = PREDICATES.get(name)
            self._proofs[name] = function(self) if function else None
        return self._proofs[name]

    def holds(self, *names: str) -> bool:
        """Whether one of some predicates holds."""
        return any(self.proof(name) is not None for name in names)

    # --- the text -------------------------------------------------------------------------------------------------

    @cached_property
    def haystack(self) -> Haystack:
        """The text for finding literals."""
        return Haystack(self.reading.text)

    def said(self, *literals: str) -> Proof | None:
        """The lines of those of some lower-case literals that the text holds."""
        found = [self.haystack.line_of(literal) for literal in literals if literal in self.haystack]
        return Proof(tuple(found)) if found else None

    def said_all(self, *literals: str) -> Proof | None:
        """The lines of some literals if all of them are there."""
        return self.said(*literals) if self.haystack.has_all(literals) else None

    def word(self, *words: str) -> Proof | None:
        """As `said`, for words that stand alone."""
        found = [self.haystack.line_of(word) for word in words if self.haystack.has_token(word)]
        return Proof(tuple(found)) if found else None

    # --- facts ----------------------------------------------------------------------------------------------------

    def all(self, kind: str) -> tuple[Fact, ...]:
        """The facts of a kind."""
        quiet = self.haystack.chatter
        return tuple(fact for fact in self.reading.all(kind) if not quiet or fact.line not in quiet)

    def values(self, kind: str) -> list[Any]:
        """The values of a kind."""
        return [fact.value for fact in self.all(kind)]

    def of(self, kind: str, *values: object) -> Proof | None:
        """The facts of a kind with one of some values."""
        found = [fact for fact in self.all(kind) if fact.value in values]
        return Proof.of(*found) if found else None

    @cached_property
    def os(self) -> str:
        """The operating system whose drivers count: `windows` or `linux`."""
        return "windows" if self.holds("windows") and not self.holds("wsl") else "linux"

    # --- GPUs -----------------------------------------------------------------------------------------------------

    @cached_property
    def gpus(self) -> list[tuple[Fact, tuple[Gpu, ...]]]:
        """The NVIDIA products named, each with the candidates of its name."""
        return [(fact, fact.value.gpus) for fact in self.all("gpu") if isinstance(fact.value, Products)]

    @cached_property
    def capabilities(self) -> list[tuple[Fact, ComputeCapability]]:
        """The capabilities of the GPUs: what a program printed, or else what follows from the names."""
        printed = [(fact, fact.value) for fact in self.all("gpu-capability")]
        named = [pair for fact, gpus in self.gpus for pair in self._capability_of(fact, gpus)]
        bare = [
            (fact, fact.value.compute_capability) for fact in self.all("gpu") if isinstance(fact.value, BareCapability)
        ]
        sure = [(fact, value) for fact, value in printed if fact.source == "message"]
        return sure or named or bare or printed or self._of_series()

    def _of_series(self) -> list[tuple[Fact, ComputeCapability]]:
        """What all desktop products of a series such as "RTX 30" have in common."""
        found = []
        for fact in self.all("gpu-series"):
            names = tuple(f"GeForce {kind} {fact.value}" for kind in ("RTX", "GTX"))
            gpus = tuple(
                gpu
                for gpu in self.index.hardware.gpus.values()
                if gpu.family == "GeForce" and gpu.name.startswith(names)
            )
            found += self._capability_of(fact, gpus)
        return found

    def _capability_of(self, fact: Fact, gpus: tuple[Gpu, ...]) -> list[tuple[Fact, ComputeCapability]]:
        """What all candidates of a name have in common."""
        claims = [self.index.hardware.gpu_capability.get(gpu.id) for gpu in gpus]
        found = {claim.compute_capability for claim in claims if claim is not None}
        return [(fact, found.pop())] if len(found) == 1 else []

    # --- versions -------------------------------------------------------------------------------------------------

    @cached_property
    def drivers(self) -> list[tuple[Fact, Driver]]:
        """The installed driver, as far as the text tells."""
        return [(fact, driver) for fact in self.all("driver") if (driver := self._driver(fact.value)) is not None]

    def _driver(self, version: DriverVersion) -> Driver | None:
        facts = self.index.drivers.branch_of(version)
        if facts is None:
            return None
        if version.is_branch:
            return facts.driver(self.os) if facts.number == version.major else None
        return Driver(max(facts.number, min(version.major, self.index.drivers.newest_branch)), version, version)

    @cached_property
    def build_cudas(self) -> list[tuple[Fact, CudaVersion]]:
        """The CUDA that the framework in use was built with."""
        tagged = [(fact, fact.value.cuda) for fact in self.all("torch") if fact.value.cuda is not None]
        packaged = [(fact, cuda) for fact in self.all("package") if (cuda := _packaged_cuda(fact.value)) is not None]
        return tagged + [(fact, fact.value) for fact in self.all("torch-cuda")] + packaged

    def builds(self, fact: Fact) -> list[Build]:
        """The wheels that a torch named in the text may be, the default one where no CUDA is told."""
        torch: TorchBuild = fact.value
        if torch.without_cuda:
            return []
        releases = [
            each
            for each in self.index.by_torch
            if str(each) == torch.version or str(each).startswith(f"{torch.version}.")
        ]
        bits = 0
        for release in releases:
            bits |= self.index.by_torch[release]
        machine = next((value for value in self.values("machine") if value in ("x86_64", "aarch64")), "x86_64")
        wheels = self.index.picks(bits, 200)
        builds = [build for build in wheels if build.wheel.os == self.os and build.wheel.machine == machine]
        cuda = torch.cuda or next((fact.value for fact in self.all("torch-cuda")), None)
        if cuda is None:
            return [build for build in builds if build.default]
        return [build for build in builds if build.cuda.release == cuda.release]


def _packaged_cuda(package: Package) -> CudaVersion | None:
    """The CUDA of a framework from the runtime that conda installs beside it."""
    if package.name not in ("cudatoolkit", "pytorch-cuda", "cuda-runtime"):
        return None
    numbers = package.version.split(".")
    return (
        CudaVersion(int(numbers[0]), int(numbers[1])) if len(numbers) > 1 and "".join(numbers[:2]).isdigit() else None
    )


def both(proofs: Iterable[Proof | None]) -> Proof | None:
    """The lines of all proofs that hold together; None where one does not."""
    lines: list[int] = []
    for each in proofs:
        if each is None:
            return None
        lines += each.lines
    return Proof(tuple(dict.fromkeys(lines)))
