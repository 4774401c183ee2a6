"""One engine: which builds satisfy a question, surely or maybe.

A question is a set of named constraints. Each becomes a mask over all builds; their AND is the answer, in two readings at once:
what surely satisfies (`yes`) and what may (`maybe`). Leaving constraints out is how conflicts and fixes are found, so every
constraint can be left out by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from matrices.versions import ComputeCapability
from resolver.forward import Forward
from resolver.index import Index
from resolver.judge import Judge
from resolver.packages import Packages
from resolver.parts import NONE, Build, Masks
from resolver.query import PINNED, Query, Wanted
from resolver.rules import Driver, Verdict
from resolver.specifiers import numbers

__all__ = ["Outcome", "Solver"]

Beside = Callable[[Driver], Masks]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Builds that satisfy the constraints, and among the sure ones those with machine code for every GPU."""

    masks: Masks
    sass: int

    @property
    def verdict(self) -> Verdict:
        """yes where a build surely fits, unknown where one may, else no."""
        return "yes" if self.masks.yes else "unknown" if self.masks.maybe else "no"


class Solver:
    """Solves queries over one index."""

    def __init__(self, index: Index, judge: Judge) -> None:
        self.index = index
        self.judge = judge
        self.forward = Forward(index)
        self.packages = Packages(index, judge)
        self._branch_masks: dict[tuple[int, str], tuple[Masks, Masks]] = {}
        self._free: dict[tuple[ComputeCapability, str], Masks] = {}

    def constraints(self, query: Query) -> tuple[str, ...]:
        """The names of a query's constraints, most easily changed first."""
        names = ["packages"] if query.companions or query.packages else []
        names += [name for name in ("cuda", "torch", "python", "driver") if getattr(query, name) is not None]
        if query.machine_asked or any(self.judge.host(subject, query.machine) for subject in query.subjects):
            names.append("machine")
        if query.os.id != "linux":  # plain Linux asks nothing that another system would not
            names.append("os")
        return (*names, *(f"gpu:{capability}" for capability in query.capabilities))

    def outcome(self, query: Query, without: frozenset[str] = frozenset()) -> Outcome:
        """The builds for a query with the constraints named in `without` left out."""
        capabilities = [cc for cc in query.capabilities if f"gpu:{cc}" not in without]
        if self.misplaced(query, without):
            return Outcome(NONE, 0)
        on = self._through_compat if query.forward else self._on_systems
        masks = on(query, capabilities, without)
        if "machine" in without:
            masks = masks & self._housed(query, without)
        for name, mask in self._plain_masks(query):
            if name not in without and not (name == "glibc" and "os" in without):
                masks = Masks(masks.yes & mask, masks.maybe & mask)
        if query.python is not None and "python" not in without:
            fits = _union(self.index.by_python, query.python)
            masks = masks & Masks(fits, fits | self.index.without_needs)
        if query.companions and "packages" not in without:
            masks = masks & self._companions(query, capabilities)
        if "os" not in without and self.judge.has_own_glibc(query) and self.judge.glibc_of(query) is None:
            masks = Masks(masks.yes & self.index.field_masks("glibc", _glibc_needs).get(None, 0), masks.maybe)
        masks = Masks(masks.yes & ~self.index.unpublished, masks.maybe)
        sass = masks.yes
        for capability in capabilities:
            sass &= self.index.kernel_masks(capability)[0].yes
        return Outcome(masks, sass)

    def _unlisted(self, query: Query, driver: Driver | None, os: str, without: frozenset[str]) -> bool:
        """Whether a product is named in the driver's own list only later, so that nobody knows whether it is driven."""
        return driver is not None and any(
            self.index.drivers.unlisted(driver, subject.gpus[0], os) is not None
            for subject in query.subjects
            if subject.gpus and f"gpu:{subject.capability}" not in without
        )

    def misplaced(self, query: Query, without: frozenset[str] = frozenset()) -> bool:
        """Whether a GPU does not go into the machine, or not with the operating system."""
        for subject in query.subjects:
            if f"gpu:{subject.capability}" in without:
                continue
            if "machine" not in without and self.judge.host(subject, query.machine) is not None:
                return True
            if "os" not in without:
                asked = replace(query, driver=None) if "driver" in without else query
                reason = self.judge.system(subject, asked)
                if reason is not None and reason.verdict == "no":
                    return True
        return False

    def _on_systems(self, query: Query, capabilities: list[ComputeCapability], without: frozenset[str]) -> Masks:
        """Builds that run with the driver; with the operating system left out, those of another one with its driver."""
        driver = None if "driver" in without else query.driver
        hosts = [(self.index.all, driver, query.driver_os)]
        if "os" in without:
            hosts = [(self.index.by_os.get(query.os.family, 0), driver, query.driver_os)]
            for family, bits in self.index.by_os.items():
                hosts.append((bits, self._driver_on(family, driver, query.driver_os), family))
        found = NONE
        for bits, there, os in hosts:
            masks = self._driven(capabilities, there, os, self._beside(query, capabilities, os, without))
            masks = masks & Masks(bits, bits)
            found = found | (Masks(0, masks.maybe) if self._unlisted(query, there, os, without) else masks)
        return found

    def through_compat(self, query: Query) -> Query | None:
        """The query with cuda-compat allowed, where nothing else gives a sure answer with the driver and that does."""
        if query.driver is None or query.packages:  # what packages do beside cuda-compat is not known
            return None
        wider = replace(query, forward=True)
        return wider if self.outcome(wider).masks.yes else None

    def _through_compat(self, query: Query, capabilities: list[ComputeCapability], without: frozenset[str]) -> Masks:
        """Builds that run with the driver through the cuda-compat package, which brings a compiler of its own for PTX."""
        assert query.driver is not None  # noqa: S101 - only asked for a driver
        if self._unlisted(query, query.driver, query.driver_os, without):
            return NONE
        bits = self.forward.bits(query)
        runs = Masks(bits, bits)
        return self._with_driver(capabilities, query.driver, query.driver_os, (runs, runs))

    def _driver_on(self, family: str, driver: Driver | None, home: str) -> Driver | None:
        """The same driver on another operating system: a bare branch has builds of its own there."""
        if driver is None or driver.exact:
            return driver
        facts = self.index.drivers.branches.get(driver.branch)
        return facts.driver(family) if facts is not None and driver == facts.driver(home) else driver

    def _housed(self, query: Query, without: frozenset[str]) -> Masks:
        """Builds for the machines that every GPU goes into."""
        fitting = self.index.all
        for subject in query.subjects:
            if subject.gpus and f"gpu:{subject.capability}" not in without:
                fitting &= sum(self.index.by_machine.get(machine, 0) for machine in subject.gpus[0].machines)
        return Masks(fitting, fitting)

    def _beside(
        self, query: Query, capabilities: list[ComputeCapability], os: str, without: frozenset[str]
    ) -> Beside | None:
        """The builds that go with the packages asked for, by driver; None where no package is."""
        if not query.packages or "packages" in without:
            return None
        return self.packages.masks.of(query, capabilities, os, without)

    def _driven(
        self, capabilities: list[ComputeCapability], driver: Driver | None, os: str, beside: Beside | None
    ) -> Masks:
        """Builds that run on all capabilities with the driver, or with some branch when the driver is free."""
        if driver is not None:
            masks = self._with_driver(capabilities, driver, os, self.index.driver_masks(driver, os))
            return masks & beside(driver) if beside else masks
        if len(capabilities) == 1 and beside is None:
            key = (capabilities[0], os)
            if key not in self._free:
                self._free[key] = self._some_branch(capabilities, os, None)
            return self._free[key]
        return self._some_branch(capabilities, os, beside)

    def _some_branch(self, capabilities: list[ComputeCapability], os: str, beside: Beside | None) -> Masks:
        found = NONE
        for facts in self.index.drivers.branches.values():
            key = (facts.number, os)
            branch = facts.driver(os)
            if key not in self._branch_masks:
                self._branch_masks[key] = self.index.driver_masks(branch, os)
            masks = self._with_driver(capabilities, branch, os, self._branch_masks[key])
            if masks.maybe:
                found = found | (masks & beside(branch) if beside else masks)
        return found

    def _with_driver(
        self, capabilities: Iterable[ComputeCapability], driver: Driver, os: str, runs: tuple[Masks, Masks]
    ) -> Masks:
        masks, native = runs
        for capability in capabilities:
            verdict, _ = self.index.drivers.drives(driver, capability, os)
            if verdict == "no":
                return NONE
            sass, either = self.index.kernel_masks(capability)
            runnable = sass | (either & native)
            masks = masks & (runnable if verdict == "yes" else Masks(0, runnable.maybe))
        return masks

    def _plain_masks(self, query: Query) -> list[tuple[str, int]]:
        """Masks of the constraints that know no `maybe`: platform, glibc and versions."""
        index = self.index
        found = [
            ("os", self.index.by_os.get(query.os.family, 0)),
            ("glibc", self._glibc(query)),
            ("machine", self.index.by_machine.get(query.machine, 0)),
        ]
        if query.torch is not None:
            found.append(("torch", _union(index.by_torch, query.torch)))
        if query.variant is not None:
            variants = index.field_masks("variant", lambda build: (build.wheel.variant,))
            found.append(("torch", variants.get(query.variant, 0)))
        if query.cuda is not None:
            found.append(("cuda", _union(index.by_cuda, query.cuda)))
        return found

    def _companions(self, query: Query, capabilities: list[ComputeCapability]) -> Masks:
        """Builds whose torch goes with the companions asked for; where no companion is known they only may."""
        found = Masks(self.index.all, self.index.all)
        for wanted in query.companions:
            fits, matched, unknown = NONE, False, 0
            for version, bits in self._versions_of(wanted.package):
                here = self._triton(version, capabilities) if wanted.package == "triton" else Masks(bits, bits)
                if version is None:
                    unknown |= bits & here.maybe
                elif wanted.allows(version):
                    matched = True
                    fits = fits | (here & Masks(bits, bits))
            # a version whose torch is known is not that of another release; where any will do, an unknown one may be it
            settled = (matched and wanted.specifier) or self.index.libraries.refuses_named(
                wanted.package, wanted.specifier, capabilities
            )
            found = found & Masks(fits.yes, fits.maybe if settled else fits.maybe | unknown)
        return found

    def _versions_of(self, package: str) -> Iterable[tuple[str | None, int]]:
        """Bits of the builds by the version of a companion that belongs to them; None where it is not known for sure."""
        if package in PINNED:
            yield from self.index.field_masks(package, lambda build: (_pinned(build, package),)).items()  # type: ignore[misc]  # versions or None
            return
        for torch, bits in self.index.by_torch.items():
            claim = self.index.libraries.companions.get((str(torch), package))
            yield (None if claim is None or claim.uncertain else claim.version), bits

    def _triton(self, version: str | None, capabilities: list[ComputeCapability]) -> Masks:
        """Builds with which a triton works: surely on Linux only, and on GPUs that it takes; None: whichever it is."""
        linux = self.index.by_os.get("linux", 0)
        if version is None:
            refused = self.index.libraries.refuses_all("triton", capabilities)
            return Masks(0, self.index.all & ~linux if refused else self.index.all)
        verdict = self.index.libraries.refuses("triton", version, capabilities)
        if verdict == "no":
            return Masks(0, self.index.all & ~linux)
        return Masks(linux if verdict == "yes" else 0, self.index.all)

    def _glibc(self, query: Query) -> int:
        has = self.judge.glibc_of(query)
        if has is None:
            return self.index.all
        by_glibc = self.index.field_masks("glibc", _glibc_needs)
        return sum(bits for needs, bits in by_glibc.items() if needs is None or numbers(str(needs)) <= numbers(has))

    def builds_named(self, query: Query, *, anywhere: bool = False) -> list[Build]:
        """Builds of the torch, variant and CUDA asked for, best first; `anywhere`: on whatever platform."""
        bits = self.index.all
        for name, mask in self._plain_masks(query):
            if name in ("torch", "cuda") or (name in ("os", "machine") and not anywhere):
                bits &= mask
        return list(self.index.picks(bits, len(self.index.builds)))

    def ranked(self, query: Query, outcome: Outcome, limit: int) -> list[Build]:
        """The builds to show, best first: sure before possible, machine code before PTX, newest torch first."""
        yes, maybe = outcome.masks.yes, outcome.masks.maybe
        if query.prefer == "conservative":
            yes = self._one_minor_back(yes)
        chosen: list[Build] = []
        for bits in (yes & outcome.sass, yes & ~outcome.sass) if yes else (maybe,):
            chosen += self.index.picks(bits, limit - len(chosen))
        return chosen

    def _one_minor_back(self, bits: int) -> int:
        """Without the newest minor release of torch among `bits`, where older ones remain."""
        if not bits:
            return bits
        newest = self.index.pick(bits).wheel.torch
        older = bits
        for torch, mask in self.index.by_torch.items():
            if (torch.major, torch.minor) == (newest.major, newest.minor):
                older &= ~mask
        return older or bits


def _union(masks: Mapping[Any, int], wanted: Wanted) -> int:
    found = 0
    for value in wanted.allowed:
        found |= masks.get(value, 0)
    return found


def _glibc_needs(build: Build) -> tuple[str | None]:
    return (build.needs.glibc if build.needs else None,)


def _pinned(build: Build, package: str) -> str | None:
    """The version of a library that a build brings or pins, where it is known for sure."""
    found: str | None = getattr(build.pins, package, None)
    return None if build.pins is None or build.pins.uncertain else found
