"""Why the answer is no or unknown, what would change it, and what to know besides."""

from __future__ import annotations

from typing import Any

from resolver.causes import Causes
from resolver.cite import Citer
from resolver.closure import Closure
from resolver.driver import Drivers
from resolver.fixes import Fixes
from resolver.index import Index
from resolver.judge import Judge
from resolver.query import Query
from resolver.remarks import Remarks
from resolver.solve import Solver
from resolver.stack import Stacks
from resolver.words import say

__all__ = ["Explainer"]


class Explainer:
    """Explains outcomes over one index: causes, fixes, remarks."""

    def __init__(
        self, index: Index, judge: Judge, solver: Solver, drivers: Drivers, stacks: Stacks, citer: Citer
    ) -> None:
        self.solver = solver
        self.causes = Causes(index, judge, solver, citer)
        self.fixes = Fixes(index, judge, solver, stacks)
        self.remarks = Remarks(index, judge, solver, drivers, stacks)
        self.closure = Closure(index, solver.packages)

    def failure(self, query: Query) -> dict[str, Any]:
        """Verdict, conflict, fixes and warnings for a query that no known build satisfies."""
        newer, opened = self.undecided(query)
        warnings = list(newer)
        if opened:
            platform = {"os": query.os.name, "machine": query.machine}
            warnings.append(say("open-variants", torch=_shorten(opened), variants="these builds", **platform))
        return {
            "verdict": "unknown" if newer or opened else "no",
            "conflict": None if newer else self.causes.conflict(query),
            "fixes": self.fixes.of(query),
            "warnings": warnings + self.remarks.about_subjects(query),
        }

    def undecided(self, query: Query) -> tuple[list[str], list[str]]:
        """Why an answer without a build is not a no: what is newer than the data, and builds that it does not cover."""
        newer = self.remarks.newer_than_data(query)
        return newer, [] if newer or self.solver.misplaced(query) else self.closure.open_builds(query)


def _shorten(labels: list[str]) -> str:
    shown = ", ".join(labels[-4:])
    return shown if len(labels) <= 4 else f"{shown} and others"
