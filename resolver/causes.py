"""Why the answer is no: a minimal conflict and its typed causes.

Causes are found by leaving one constraint of the minimal conflict out, taking the best build that then fits, and asking
which rule the constraint breaks on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from resolver.cite import Citer
from resolver.conflict import minimal_conflict
from resolver.index import Index
from resolver.judge import Judge, Reason
from resolver.parts import Build
from resolver.query import Query, Subject
from resolver.rules import Verdict
from resolver.solve import Solver
from resolver.words import quoted

__all__ = ["Causes", "asked"]


class Causes:
    """Conflicts and their causes over one index."""

    def __init__(self, index: Index, judge: Judge, solver: Solver, citer: Citer) -> None:
        self.index = index
        self.judge = judge
        self.solver = solver
        self.citer = citer

    def conflict(self, query: Query) -> dict[str, Any]:
        """A minimal set of constraints that cannot hold together, with the typed causes."""
        names = minimal_conflict(self.solver.constraints(query), lambda without: self._possible(query, without))
        reasons: list[Reason] = []
        for name in names:
            for reason in self._causes(query, name, names):
                if all((reason.kind, reason.values) != (known.kind, known.values) for known in reasons):
                    reasons.append(reason)
        # where a package says why, that its torch would not fit either does not help
        if any(reason.kind.startswith(("package-", "no-driver-for-both")) for reason in reasons):
            reasons = [reason for reason in reasons if reason.kind not in ("kernels-none", "platform-not")]
        reasons = reasons or [self._unnamed(query, names)]
        return {
            "constraints": [{"name": name.partition(":")[0], "asked": asked(query, name)} for name in names],
            "causes": [self.citer.because(reason) for reason in reasons],
            "text": " ".join(dict.fromkeys(self.citer.because(reason)["text"] for reason in reasons)),
        }

    def _unnamed(self, query: Query, names: Sequence[str]) -> Reason:
        """What stands in the way where no constraint that was asked for does: the platform, as a rule."""
        named = query if "cuda" in names else replace(query, cuda=None)
        named = named if "torch" in names else replace(named, torch=None, variant=None)
        builds = self.solver.builds_named(named) or self.solver.builds_named(named, anywhere=True)
        for build in builds[:1]:
            for reason in self._platform(query, build):
                if reason.verdict == "no":
                    return reason
        wanted = ", ".join(f"{name.partition(':')[0]} `{quoted(asked(query, name))}`" for name in names)
        return Reason("nothing-fits", "published", "no", (), {"wanted": wanted})

    def _possible(self, query: Query, without: frozenset[str]) -> bool:
        return bool(self.solver.outcome(query, without).masks.maybe)

    def _causes(self, query: Query, name: str, conflict: Sequence[str]) -> Iterable[Reason]:
        """Why one constraint rejects the best build that satisfies the rest of the conflict."""
        left_out = frozenset(set(self.solver.constraints(query)) - set(conflict) | {name})
        at_home = left_out - ({"os", "machine"} - {name})  # explain with a build for the asker's platform, if any fits
        bits = self.solver.outcome(query, at_home).masks
        if not bits.maybe:
            bits = self.solver.outcome(query, left_out).masks
        same = self.index.by_os.get(query.os.family, 0)
        build = self.index.pick(bits.yes & same or bits.yes or bits.maybe & same or bits.maybe)
        return [reason for reason in self._against(query, name, conflict, build) if reason.verdict != "yes"]

    def _against(self, query: Query, name: str, conflict: Sequence[str], build: Build) -> Iterable[Reason]:
        subjects = [s for s in query.subjects if f"gpu:{s.capability}" in conflict]
        driver = query.driver if "driver" in conflict else None
        if name == "driver" or name.startswith("gpu:"):
            mine = [s for s in subjects if name in ("driver", f"gpu:{s.capability}")]
            misplaced = self._placing(query, mine, conflict)
            yield from misplaced
            if misplaced:
                return
            native: Verdict | None = None
            apart = self.judge.drives_apart(subjects, query.driver_os) if driver is None else None
            if apart is not None:
                yield apart
                return
            if driver is not None:
                driven = [self.judge.drives(driver, subject, query.driver_os) for subject in mine]
                yield from driven
                if any(reason.verdict == "no" for reason in driven):
                    return
                runs = self.judge.runs(driver, build.cuda, query.driver_os)
                native = self.index.drivers.runs(driver, build.cuda, query.driver_os).natively
                if name == "driver":
                    yield runs
                    if runs.verdict == "no":  # why cuda-compat is no way out, where the branch itself would be
                        yield from self.solver.forward.ways(query, build.cuda)
            if name != "driver":
                yield from filter(None, (self.judge.host(subject, build.wheel.machine) for subject in mine))
                yield from (self.judge.kernels(build, subject, native) for subject in mine)
        elif name == "python":
            yield from filter(None, (self.judge.python(build, query.python),))
        elif name == "packages":
            yield from self.judge.companions(build, query)
            yield from self.solver.packages.refusals.against(query, build, conflict)
        elif name == "cuda" and set(conflict) == {"cuda", "torch"}:
            values = {"torch": build.label, "has": str(build.cuda.release), "cuda": asked(query, name)}
            yield Reason("cuda-not", "published", "no", (build.built_with,), values)
        elif name in ("os", "machine"):
            misplaced = self._placing(query, subjects, conflict)
            yield from misplaced or self._platform(query, build)

    def _placing(self, query: Query, subjects: Sequence[Subject], conflict: Sequence[str]) -> list[Reason]:
        """GPUs that do not go into the machine, or not with the operating system, where those are in the conflict."""
        reasons: list[Reason | None] = []
        if "machine" in conflict:
            reasons += [self.judge.host(subject, query.machine) for subject in subjects]
        if "os" in conflict:
            reasons += [self.judge.system(subject, query) for subject in subjects]
        return [reason for reason in reasons if reason is not None and reason.verdict == "no"]

    def _platform(self, query: Query, build: Build) -> Iterable[Reason]:
        if build.wheel.os == query.os.family and build.wheel.machine == query.machine:
            reason = self.judge.glibc(build, query)
            if reason is not None:
                yield reason
            return
        values = {"torch": build.label, "os": query.os.name, "machine": query.machine}
        values["has"] = f"{build.wheel.os} on {build.wheel.machine}"
        yield Reason("platform-not", "platform", "no", (build.built_with,), values)


def asked(query: Query, name: str) -> str:
    """What was asked by one constraint, in the words of the asker or by the name of what it was understood as."""
    if name.startswith("gpu:"):
        capability = name.removeprefix("gpu:")
        return ", ".join(s.name for s in query.subjects if str(s.capability) == capability)
    if name == "driver":
        return query.driver_text
    if name == "os":
        return query.os.name
    if name == "machine":
        return query.machine
    if name == "packages":
        return ", ".join([wanted.text for wanted in query.companions] + [wanted.text for wanted in query.packages])
    return str(getattr(query, name).text)
