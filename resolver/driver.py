"""Which driver goes with a build and some GPUs: the least, the branch to install, the kernel module, the commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from matrices.model import OsInstallsDriver
from matrices.versions import CudaVersion, DriverVersion
from resolver.index import Index
from resolver.parts import BranchFacts
from resolver.query import Query, Subject
from resolver.rules import Driver, kernel_modules

__all__ = ["DriverChoice", "Drivers"]

Flavour = Literal["open", "proprietary", "either", "mixed"]


@dataclass(frozen=True, slots=True)
class DriverChoice:
    """The driver part of a stack. `recommended` is None where no branch is known to fit."""

    driver: Driver | None  # the installed one, or the recommended branch
    minimum: DriverVersion | None
    recommended: BranchFacts | None
    flavour: Flavour | None
    modules: tuple[tuple[Subject, tuple[str, ...]], ...]


class Drivers:
    """Chooses drivers over one index. `today` is the day of the data, so that answers do not depend on a clock."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.today = index.catalogue.data_version[:10].replace(".", "-")
        self._choices: dict[tuple[object, ...], DriverChoice] = {}

    def choose(self, query: Query, cuda: CudaVersion, natively: bool) -> DriverChoice:
        """The driver for programs of `cuda` on the GPUs of a query; `natively` where PTX must be compiled."""
        key = (query.subjects, query.driver, query.os.id, query.prefer, cuda.release, natively)
        found = self._choices.get(key)
        if found is None:
            if len(self._choices) > 5_000:  # a bound on what strangers' questions can make us keep
                self._choices.clear()
            found = self._choices[key] = self._choose(query, cuda, natively)
        return found

    def _choose(self, query: Query, cuda: CudaVersion, natively: bool) -> DriverChoice:
        fitting = [facts for facts in self.index.drivers.branches.values() if self._fits(facts, query, cuda, natively)]
        recommended = max(fitting, key=lambda facts: self._worth(facts), default=None)
        driver = query.driver or (recommended.driver(query.driver_os) if recommended else None)
        shown = self.index.drivers.branches.get(driver.branch) if driver else None
        modules = self._modules(query, shown)
        return DriverChoice(driver, self._minimum(query, cuda, natively), recommended, _flavour(modules), modules)

    def _fits(self, facts: BranchFacts, query: Query, cuda: CudaVersion, natively: bool) -> bool:
        driver = facts.driver(query.driver_os)
        runs = self.index.drivers.runs(driver, cuda, query.driver_os)
        if runs.verdict != "yes" or (natively and runs.natively != "yes") or facts.number < self._system_floor(query):
            return False
        return all(
            self.index.drivers.drives(driver, capability, query.driver_os)[0] == "yes"
            for capability in query.capabilities
        )

    def _worth(self, facts: BranchFacts) -> tuple[bool, bool, bool, str, int]:
        """Alive and really published before all else, then long-term support, then the longest life."""
        life = facts.lifecycle
        until = str(life.until) if life and life.until else ""
        published = any(not builds.uncertain for builds in facts.released.values())
        long_term = bool(life and life.type == "lts")
        alive = until > self.today
        return published and alive, published, long_term and alive, until, facts.number

    def _system_floor(self, query: Query) -> int:
        """The least branch that the operating system takes; 0 where it asks for none."""
        claim = self.index.hardware.os_needs.get(query.os.id)
        return int(claim.branch.removeprefix("R")) if claim and claim.branch else 0

    def _minimum(self, query: Query, cuda: CudaVersion, natively: bool) -> DriverVersion | None:
        """The least driver: the highest of the CUDA's floor, each GPU's first driver and what the system asks.

        Where PTX must be compiled (`natively`) the driver's own CUDA must be as new.
        """
        floor = self.index.drivers.floor(cuda, query.driver_os)
        least = [floor.driver] if floor else []
        branches = [self._system_floor(query)]
        if natively:
            own = (
                facts for facts in self.index.drivers.branches.values() if facts.native and facts.native >= cuda.release
            )
            branches += [facts.number for facts in own][:1]
        least += [DriverVersion.parse(str(number)) for number in branches if number]
        for capability in query.capabilities:
            window = self.index.drivers.window(capability, query.driver_os)
            if window is not None and window.added is not None:
                least.append(window.added_driver or DriverVersion.parse(str(window.added)))
        for subject in query.subjects:
            listing = self._listing(subject, query.driver_os)
            least += [listing] if listing else []
        return max(least, default=None)

    def _listing(self, subject: Subject, os: str) -> DriverVersion | None:
        """The first driver that names a product, where the list counts (see `DriverFacts.unlisted`)."""
        if not subject.gpus:
            return None
        oldest = DriverVersion.parse("100")
        claim = self.index.drivers.unlisted(Driver(100, oldest, oldest), subject.gpus[0], os)
        return claim.driver if claim else None

    def last_branch(self, query: Query) -> int | None:
        """The last branch that drives all GPUs of a query, where one has dropped any."""
        windows = [self.index.drivers.window(capability, query.driver_os) for capability in query.capabilities]
        return min((window.last for window in windows if window and window.last is not None), default=None)

    def _modules(self, query: Query, facts: BranchFacts | None) -> tuple[tuple[Subject, tuple[str, ...]], ...]:
        """The kernel module flavours for each GPU with a branch; nothing off Linux or where it is not known."""
        if query.driver_os != "linux" or facts is None or facts.modules is None:
            return ()
        found = []
        for subject in query.subjects:
            needed = self.index.hardware.modules(subject.capability, subject.gpus[0] if subject.gpus else None)
            if needed is not None:
                found.append((subject, kernel_modules(needed.modules, facts.modules.modules)))
        return tuple(found)

    @cached_property
    def _commands(self) -> dict[str, list[OsInstallsDriver]]:
        found: dict[str, list[OsInstallsDriver]] = {}
        for claim in self.index.catalogue.claims(OsInstallsDriver):
            found.setdefault(claim.subject, []).append(claim)
        return found

    def install(self, query: Query, choice: DriverChoice) -> dict[str, Any]:
        """How to install the recommended branch on the operating system asked for: `{}` where no command is known."""
        if choice.recommended is None or choice.flavour == "mixed":
            return {}
        branch = choice.recommended.number
        wanted = "proprietary" if choice.flavour == "proprietary" else "open"
        if choice.flavour == "either" and choice.recommended.modules is not None:
            wanted = choice.recommended.modules.default
        for claim in self._commands.get(query.os.id, ()):
            if claim.module == wanted and (not claim.branches or branch in claim.branches):
                commands = [command.replace("{branch}", str(branch)) for command in claim.commands]
                return {"os": query.os.id, "module": wanted, "commands": commands, "claim": claim.id}
        return {}


def _flavour(modules: Sequence[tuple[Subject, tuple[str, ...]]]) -> Flavour | None:
    """One word for the kernel modules of all GPUs; `mixed` where they have none in common."""
    sets: list[Iterable[str]] = [flavours for _, flavours in modules]
    if not sets:
        return None
    common = set(sets[0]).intersection(*sets[1:])
    if not common:
        return "mixed"
    if len(common) > 1:
        return "either"
    return "open" if "open" in common else "proprietary"
