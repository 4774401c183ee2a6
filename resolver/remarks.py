"""What to know besides an answer: doubts, conditions, how names were understood, what is newer than the data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from resolver.driver import Drivers
from resolver.index import Index
from resolver.judge import Judge, Reason
from resolver.parts import Build
from resolver.query import Query, Subject
from resolver.solve import Outcome, Solver
from resolver.stack import Stacks
from resolver.words import quoted, say, sentence

__all__ = ["Remarks"]

_SPELT = {"cuda": "CUDA", "python": "Python"}


class Remarks:
    """Warnings over one index."""

    def __init__(self, index: Index, judge: Judge, solver: Solver, drivers: Drivers, stacks: Stacks) -> None:
        self.index = index
        self.judge = judge
        self.solver = solver
        self.drivers = drivers
        self.stacks = stacks

    def of(self, query: Query, builds: Sequence[Build], outcome: Outcome) -> list[str]:
        """What a reader of a yes or an unknown should know."""
        found = self.newer_than_data(query) + self.about_subjects(query) + self._about_driver(query, builds[0])
        found += [sentence(r) for s in query.subjects for r in self.judge.partial_libraries(builds[0], s)]
        if query.driver_os != query.os.family:
            found.append(say("driver-outside", os=query.os.name))
        systems = (self.judge.system(subject, query) for subject in query.subjects)
        found += [sentence(reason) for reason in systems if reason is not None and reason.condition]
        possible = outcome.masks.maybe & ~outcome.masks.yes & ~(2 * builds[0].bit - 1)
        if outcome.masks.yes and possible:
            labels = [build.label for build in self.index.picks(possible, 3)]
            found.append(say("newer-perhaps", labels=", ".join(labels)))
        if not outcome.masks.yes:
            found += [sentence(r) for r in self._doubts(query, builds[0])]
        found += [say("package-unjudged", package=name) for name in query.unjudged]
        if query.packages:
            found += [sentence(r) for r in self._doubts(query, builds[0], conditions=True)]
        return list(dict.fromkeys(found))

    def _doubts(self, query: Query, build: Build, *, conditions: bool = False) -> list[Reason]:
        """What is not known of a build, or with `conditions` what the packages beside it ask for."""
        choice = self.stacks.choose(query, build)
        reasons = self.stacks.reasons(query, build, choice)
        if conditions:
            return [reason for reason in reasons if reason.condition and reason.kind.startswith("package-")]
        return [reason for reason in reasons if reason.verdict == "unknown"]

    def about_subjects(self, query: Query) -> list[str]:
        """How the names of the GPUs were understood, where there is more than one way, and what is in doubt about them."""
        found = []
        for subject in query.subjects:
            if len(subject.gpus) > 1:
                names = " or ".join(gpu.name for gpu in subject.gpus[:4]) + (
                    " or others" if len(subject.gpus) > 4 else ""
                )
                found.append(
                    say("several-products", asked=quoted(subject.asked), names=names, capability=subject.capability)
                )
            elif subject.gpus and not subject.certain:
                found.append(say("read-as", asked=quoted(subject.asked), name=subject.name))
            capability = self.judge.capability(subject)
            if capability.verdict == "unknown":
                found.append(sentence(capability))
        return found

    def _about_driver(self, query: Query, build: Build) -> list[str]:
        choice = self.drivers.choose(query, build.cuda, False)
        found = []
        shown = self.index.drivers.branches.get(choice.driver.branch) if choice.driver else None
        until = str(shown.lifecycle.until) if shown and shown.lifecycle and shown.lifecycle.until else None
        if shown is not None and until is not None and until <= self.drivers.today[: len(until)]:
            found.append(say("end-of-life", branch=shown.number, until=until))
        if choice.driver is not None:
            ways = self.solver.forward.ways(query, build.cuda) if query.forward else []
            found += [sentence(way) for way in ways]
            runs = self.judge.runs(choice.driver, build.cuda, query.driver_os)
            drives = [self.judge.drives(choice.driver, subject, query.driver_os) for subject in query.subjects]
            found += [sentence(reason) for reason in (runs, *drives) if reason.condition]
        if choice.flavour == "mixed":
            pairs = combinations(choice.modules, 2)
            found += [_apart(first, second) for first, second in pairs if not set(first[1]) & set(second[1])][:1]
        return found

    def newer_than_data(self, query: Query) -> list[str]:
        """Versions asked for that lie beyond everything known: about them nothing can be said.

        A driver of the future is not among them: it may do all that is not ruled out by what is known.
        """
        newest = {
            "torch": max(self.index.by_torch),
            "cuda": self.index.newest_cuda,
            "python": max(self.index.by_python),
        }
        found = []
        for name, last in newest.items():
            wanted = getattr(query, name)
            if wanted is not None and wanted.beyond and not any(version <= last for version in wanted.allowed):
                found.append(
                    say("newer-than-data", given=quoted(wanted.text), newest=f"{_SPELT.get(name, name)} {last}")
                )
        return found


def _apart(first: tuple[Subject, tuple[str, ...]], second: tuple[Subject, tuple[str, ...]]) -> str:
    """That two GPUs have no kernel modules in common."""
    return say(
        "module-apart",
        first=first[0].name,
        first_module=" or ".join(first[1]) or "no known",
        second=second[0].name,
        second_module=" or ".join(second[1]) or "no known",
    )
