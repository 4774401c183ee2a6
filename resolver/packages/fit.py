"""Which releases a request allows, which torch they go with, and which drivers run them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from matrices.versions import ComputeCapability, CudaVersion, DriverVersion
from resolver import rules
from resolver.index import Index
from resolver.query import PackageWanted
from resolver.releases import Release
from resolver.rules import Driver, Verdict, weaker
from resolver.specifiers import admits

__all__ = ["MOST_KEPT", "Fit"]

MOST_KEPT = 2_000  # a bound on what strangers' questions can make us keep


class Fit:
    """What masks and reasons both ask of the releases, over one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._allowed: dict[PackageWanted, list[Release]] = {}
        self._torch_bits: dict[str, int] = {}

    def allowed(self, wanted: PackageWanted) -> list[Release]:
        """The releases that a request allows, newest first; of alternatives that for the newest CUDA."""
        found = self._allowed.get(wanted)
        if found is None:
            if len(self._allowed) > MOST_KEPT:
                self._allowed.clear()
            among = self.index.releases.among(wanted.packages)
            found = self._allowed[wanted] = [each for each in reversed(among) if wanted.allows(each.version)]
        return found

    def leaves(self, release: Release, beside: Iterable[PackageWanted]) -> bool:
        """Whether a release leaves the other packages a version that is wanted, where it names theirs itself."""
        for claim in release.names:
            for other in beside:
                if claim.package in other.packages:
                    named = replace(other, packages=(claim.package,))
                    if not any(admits(claim.specifier, each.version) for each in self.allowed(named)):
                        return False
        return True

    def bits_of_torch(self, specifier: str) -> int:
        """The builds of the torch releases that a specifier allows (kept)."""
        if specifier not in self._torch_bits:
            fitting = (bits for torch, bits in self.index.by_torch.items() if admits(specifier, str(torch)))
            self._torch_bits[specifier] = sum(fitting)
        return self._torch_bits[specifier]

    def runs(
        self, driver: Driver, os: str, cuda: CudaVersion | None, ptx: bool, floor: DriverVersion | None
    ) -> Verdict:
        """Whether a driver runs a build of a package: its CUDA, the PTX in it, and the driver it asks for itself."""
        verdict: Verdict = "yes"
        if cuda is not None:
            runs = self.index.drivers.runs(driver, cuda, os)
            verdict = weaker(runs.verdict, runs.natively if ptx else "yes")
        elif ptx:
            verdict = "unknown"
        return verdict if floor is None else weaker(verdict, rules.at_least(driver, floor)[0])

    def some_driver(self, cuda: CudaVersion, capabilities: Sequence[ComputeCapability], os: str) -> bool:
        """Whether there may be a driver branch that drives all capabilities and runs a CUDA."""
        for facts in self.index.drivers.branches.values():
            driver = facts.driver(os)
            if self.index.drivers.runs(driver, cuda, os).verdict != "no" and all(
                self.index.drivers.drives(driver, capability, os)[0] != "no" for capability in capabilities
            ):
                return True
        return False
