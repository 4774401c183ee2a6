"""What the data does not cover: builds that may exist although no row names them.

Inside declared coverage the absence of a wheel means no; outside it means unknown. Asked only when the answer would be no.
"""

from __future__ import annotations

from matrices.model import Coverage, ToolkitTargetsCc
from matrices.versions import ComputeCapability, CudaVersion, TorchVersion
from resolver.index import Index
from resolver.packages import Packages
from resolver.query import PINNED, Companion, Query
from resolver.rules import Driver
from resolver.specifiers import admits

__all__ = ["Closure"]


class Closure:
    """The declared coverage of the wheel table."""

    def __init__(self, index: Index, packages: Packages) -> None:
        self.index = index
        self.packages = packages
        self.rows = [row for row in index.catalogue.entities(Coverage).values() if row.table == "wheel"]
        self._known_pythons: dict[TorchVersion, set[object]] = {}
        self._open: dict[tuple[str, str], list[tuple[TorchVersion, CudaVersion]]] = {}
        self._closed: dict[tuple[TorchVersion, CudaVersion, str, str], bool] = {}

    def closed(self, torch: TorchVersion, cuda: CudaVersion, os: str, machine: str) -> bool:
        """Whether every build of that release for that CUDA and platform would be in the table."""
        key = (torch, cuda, os, machine)
        found = self._closed.get(key)
        if found is None:
            found = self._closed[key] = any(_covers(row, torch, cuda, os, machine) for row in self.rows)
        return found

    def open_builds(self, query: Query) -> list[str]:
        """Labels of builds that no row names, that coverage does not exclude, and that could satisfy the query."""
        found = []
        for torch, cuda in self._open_pairs(query.os.family, query.machine):
            if query.torch is None or torch in query.torch.allowed:
                label = f"{torch}+cu{cuda.major}{cuda.minor}"
                if self._could(query, torch, cuda, label):
                    found.append(label)
        return found

    def _open_pairs(self, os: str, machine: str) -> list[tuple[TorchVersion, CudaVersion]]:
        """Releases and CUDAs of which nobody knows whether a build exists for a platform (kept per platform)."""
        found = self._open.get((os, machine))
        if found is None:
            known = {
                (build.wheel.torch, build.cuda.release)
                for build in self.index.builds
                if (build.wheel.os, build.wheel.machine) == (os, machine)
            }
            found = self._open[os, machine] = [
                (torch, cuda)
                for torch in self.index.by_torch
                for cuda in sorted(self._plausible(torch))
                if (torch, cuda) not in known and not self.closed(torch, cuda, os, machine)
            ]
        return found

    def _plausible(self, torch: TorchVersion) -> set[CudaVersion]:
        """CUDAs that this minor release or its neighbours were built with, for whatever platform."""
        return {
            build.cuda.release
            for build in self.index.builds
            if build.wheel.torch.major == torch.major and abs(build.wheel.torch.minor - torch.minor) <= 1
        }

    def _could(self, query: Query, torch: TorchVersion, cuda: CudaVersion, label: str) -> bool:
        if query.variant is not None and not label.endswith(f"+{query.variant}"):
            return False
        if query.cuda is not None and cuda not in query.cuda.allowed:
            return False
        if query.driver is not None and self.index.drivers.runs(query.driver, cuda, query.driver_os).verdict == "no":
            return False
        if query.python is not None and not query.python.allowed & self._pythons(torch):
            return False
        if any(self.index.libraries.refusal("torch", str(torch), capability) for capability in query.capabilities):
            return False
        if not all(self._goes_with(query, wanted, torch) for wanted in query.companions):
            return False
        if query.packages and not self.packages.masks.possible(query, torch):
            return False
        os = query.driver_os
        drivers = (
            [query.driver] if query.driver else [facts.driver(os) for facts in self.index.drivers.branches.values()]
        )
        return any(self._runs_on_all(query, cuda, driver) for driver in drivers)

    def _goes_with(self, query: Query, wanted: Companion, torch: TorchVersion) -> bool:
        if self.index.libraries.refuses_named(wanted.package, wanted.specifier, query.capabilities):
            return False
        if wanted.package in PINNED:
            return True  # what a build that nobody has seen pins is not known
        claim = self.index.libraries.companions.get((str(torch), wanted.package))
        if claim is not None and not claim.uncertain:
            return wanted.allows(claim.version)
        if wanted.package == "triton" and self.index.libraries.refuses_all("triton", query.capabilities):
            return False
        if not wanted.specifier:
            return True
        known = [
            row
            for row in self.index.libraries.companions.values()
            if row.package == wanted.package and not row.uncertain
        ]
        return not any(wanted.allows(row.version) for row in known)  # else it is that of another release

    def _pythons(self, torch: TorchVersion) -> set[object]:
        """Every Python that some build of a release installs on (kept per release)."""
        if torch not in self._known_pythons:
            builds = self.index.picks(self.index.by_torch[torch], len(self.index.builds))
            self._known_pythons[torch] = {python for build in builds if build.needs for python in build.needs.python}
        return self._known_pythons[torch]

    def _runs_on_all(self, query: Query, cuda: CudaVersion, driver: Driver) -> bool:
        """Whether one driver may drive every GPU and run that CUDA with code that its compiler makes for each."""
        runs = self.index.drivers.runs(driver, cuda, query.driver_os)
        if runs.verdict == "no":
            return False
        toolkit = self.index.targets.toolkits.get(str(cuda))
        for capability in query.capabilities:
            if self.index.drivers.drives(driver, capability, query.driver_os)[0] == "no":
                return False
            if toolkit is not None and not self._makes_code(toolkit, capability, native=runs.natively != "no"):
                return False
        return True

    def _makes_code(self, toolkit: ToolkitTargetsCc, capability: ComputeCapability, *, native: bool) -> bool:
        targets = self.index.targets
        return targets.makes_sass(toolkit, capability) or (native and targets.makes_ptx(toolkit, capability))


def _covers(row: Coverage, torch: TorchVersion, cuda: CudaVersion, os: str, machine: str) -> bool:
    return (
        "pytorch-index" in row.channel
        and os in row.os
        and machine in row.machine
        and (not row.cuda or cuda in row.cuda)
        and (row.torch is None or admits(row.torch, str(torch)))
    )
