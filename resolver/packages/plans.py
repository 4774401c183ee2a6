"""The releases to install beside a build, with one Python that suits all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from matrices.versions import PythonVersion
from resolver.index import Index
from resolver.packages.fit import MOST_KEPT
from resolver.packages.judging import Judging, Pick
from resolver.parts import Build
from resolver.query import PackageWanted, Query
from resolver.rules import Driver

__all__ = ["Plan", "Plans"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The picks for all packages of a question with one build; `python` suits all of them."""

    python: PythonVersion | None
    picks: tuple[Pick, ...]
    missing: tuple[PackageWanted, ...] = ()  # none of their known releases will do

    @property
    def wheels(self) -> list[Pick]:
        """What is loaded into torch and comes as a wheel: one command installs it together with torch."""
        return [pick for pick in self.picks if pick.release.bound and not pick.compiled]

    @property
    def compiled(self) -> list[Pick]:
        """What is compiled against the torch that is there already, so that it comes after it."""
        return [pick for pick in self.picks if pick.release.bound and pick.compiled]

    @property
    def apart(self) -> list[Pick]:
        """What brings CUDA libraries of its own and belongs into an environment of its own."""
        return [pick for pick in self.picks if not pick.release.bound]

    def requirements(self, own: list[str]) -> list[str]:
        """Torch's own requirements with those of the wheels; a package that is asked for by itself is named once."""
        named = {claim.package for pick in self.wheels for claim in pick.release.names}
        kept = [text for text in own if text.partition("=")[0] not in named]
        return [*kept, *(pick.requirement for pick in self.wheels)]


class Plans:
    """Plans over one index."""

    def __init__(self, index: Index, judging: Judging) -> None:
        self.index = index
        self.judging = judging
        self._kept: dict[tuple[object, ...], Plan] = {}

    def plan(self, query: Query, build: Build, driver: Driver | None, usual: PythonVersion | None) -> Plan:
        """The releases to install beside a build, with the Python they share: the usual one if it will do, else the newest (kept)."""
        key = (query.packages, build.wheel.id, driver, usual, query.subjects, query.os.id, query.python)
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) > MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = self._best_plan(query, build, driver, usual)
        return found

    def _best_plan(self, query: Query, build: Build, driver: Driver | None, usual: PythonVersion | None) -> Plan:
        pythons = self._pythons(query, build, usual)
        plans = (self._plan(query, build, driver, python) for python in pythons)
        best: Plan | None = None
        for plan in plans:
            if not plan.missing and all(pick.verdict == "yes" for pick in plan.picks):
                return plan
            if best is None or len(plan.missing) < len(best.missing):
                best = plan
        return best or Plan(None, (), query.packages)

    def _pythons(self, query: Query, build: Build, usual: PythonVersion | None) -> list[PythonVersion]:
        there = build.needs.python if build.needs else tuple(self.index.by_python)
        if query.python is not None:
            there = tuple(python for python in there if python in query.python.allowed)
        newest_first = sorted((python for python in there if not python.free_threaded), reverse=True)
        rest = [python for python in sorted(there, reverse=True) if python.free_threaded]
        first = [usual] if usual in there else []
        return list(dict.fromkeys([*first, *newest_first, *rest]))

    def _plan(self, query: Query, build: Build, driver: Driver | None, python: PythonVersion) -> Plan:
        found: dict[str, Pick] = {}
        # first those that name versions of others
        for wanted in sorted(
            query.packages, key=lambda wanted: not any(r.names for r in self.judging.fit.allowed(wanted))
        ):
            named = [claim for pick in found.values() for claim in pick.release.names]
            specifiers = [claim.specifier for claim in named if claim.package in wanted.packages]
            narrowed = replace(wanted, specifier=",".join(filter(None, [wanted.specifier, *specifiers])))
            pick = self.judging.pick(query, narrowed, build, driver, query.subjects, python)
            if pick is not None:
                found[wanted.text] = pick
        missing = tuple(wanted for wanted in query.packages if wanted.text not in found)
        return Plan(python, tuple(found[wanted.text] for wanted in query.packages if wanted.text in found), missing)
