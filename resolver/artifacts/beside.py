"""The packages that a question wants beside torch, as files install them: with torch, after it, or apart from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from matrices.versions import PythonVersion
from resolver.packages import Plan
from resolver.parts import Build
from resolver.query import Query, Wanted

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["beside", "pythons", "with_python"]


def beside(engine: Engine, query: Query, build: Build) -> tuple[Plan, str]:
    """The packages for a build, and the Python that suits all of them."""
    usual = engine.stacks.python_for(build, query)
    if not query.packages:
        return Plan(None, ()), usual
    plan = _plan(engine, query, build)
    return plan, str(plan.python or usual)


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
