"""The packages that a question wants beside torch, as files install them: with torch, after it, or apart from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from matrices.versions import PythonVersion
from resolver.packages import Pick, Plan
from resolver.parts import Build
from resolver.query import Query, Wanted

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["Beside", "beside", "pythons", "with_python"]


@dataclass(frozen=True, slots=True)
class Beside:
    """The picks for one build and one Python."""

    picks: tuple[Pick, ...] = ()

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


def beside(engine: Engine, query: Query, build: Build) -> tuple[Beside, str]:
    """The packages for a build, and the Python that suits all of them."""
    usual = engine.stacks.python_for(build, query)
    if not query.packages:
        return Beside(), usual
    plan = _plan(engine, query, build)
    return Beside(plan.picks), str(plan.python or usual)


def pythons(engine: Engine, query: Query, build: Build) -> frozenset[PythonVersion] | None:
    """The Pythons for which there surely are all the packages of a question; None where it names none."""
    if not query.packages:
        return None
    there = build.needs.python if build.needs else ()
    allowed = [python for python in there if query.python is None or python in query.python.allowed]
    plans = {python: _plan(engine, with_python(query, python), build) for python in allowed}
    return frozenset(
        python
        for python, plan in plans.items()
        if not plan.missing and all(pick.verdict == "yes" for pick in plan.picks)
    )


def with_python(query: Query, python: PythonVersion) -> Query:
    """The question for just one Python."""
    return replace(query, python=Wanted(str(python), frozenset({python})))


def _plan(engine: Engine, query: Query, build: Build) -> Plan:
    return engine.stacks.plan(query, build, engine.stacks.choose(query, build).driver)
