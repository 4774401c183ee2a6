"""What would change the answer: every single change that makes a sure one, with its stack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from matrices.model import OperatingSystem
from resolver.causes import asked
from resolver.conflict import relaxations
from resolver.index import Index
from resolver.judge import Judge
from resolver.labels import python_range
from resolver.parts import Build
from resolver.query import Query
from resolver.solve import Solver
from resolver.specifiers import numbers
from resolver.stack import Stacks
from resolver.words import joined, say

__all__ = ["Fixes"]


class Fixes:
    """Changes to questions over one index."""

    def __init__(self, index: Index, judge: Judge, solver: Solver, stacks: Stacks) -> None:
        self.index = index
        self.judge = judge
        self.solver = solver
        self.stacks = stacks

    def of(self, query: Query) -> list[dict[str, Any]]:
        """Every single change that makes a sure answer (or every pair, where no single one does), with its stack."""
        names = self.solver.constraints(query)
        if len(query.capabilities) < 2:  # without its only GPU there is no question left
            names = tuple(name for name in names if not name.startswith("gpu:"))
        groups = relaxations(names, lambda without: self._sure(query, without))
        found = [self._fix(query, group) for group in groups]
        if len(query.capabilities) > 1:
            found += self._split(query)
        return found

    def _sure(self, query: Query, without: frozenset[str]) -> bool:
        """Whether there is a sure answer with some constraints left out, for a GPU at least."""
        left = [capability for capability in query.capabilities if f"gpu:{capability}" not in without]
        return bool(left and self.solver.outcome(query, without).masks.yes)

    def _fix(self, query: Query, group: tuple[str, ...]) -> dict[str, Any]:
        build = self._moved_to(query, group)
        relaxed = self._relaxed(query, group, build)
        stack = self.stacks.stack(relaxed, build)
        changes = [self._change(query, relaxed, name, build, stack) for name in group]
        kinds = "+".join(dict.fromkeys(name.partition(":")[0] for name in group))
        return {
            "kind": kinds,
            "change": _merged(change for change, _ in changes),
            "text": joined(text for _, text in changes),
            "stack": _brief(stack, build),
        }

    def _moved_to(self, query: Query, group: tuple[str, ...]) -> Build:
        """The best build with the constraints of `group` left out; one for another platform where that is the change."""
        if "packages" in group and query.packages:
            others = frozenset(name for name in group if name != "packages")
            query = replace(query, **self._any_versions(query, group))
            outcome = self.solver.outcome(query, others)
        else:
            outcome = self.solver.outcome(query, frozenset(group))
        found = self.solver.ranked(query, outcome, len(self.index.builds))
        if "machine" in group:
            found = [build for build in found if build.wheel.machine != query.machine] or found
        if "os" in group:  # a newer system of the same family where only its C library is too old
            found = [build for build in found if build.wheel.os == query.os.family] or found
        return found[0]

    def _relaxed(self, query: Query, group: tuple[str, ...], build: Build) -> Query:
        """The query with the constraints of `group` replaced by what the build has."""
        changes: dict[str, Any] = {}
        for name in group:
            if name in ("cuda", "python"):
                changes[name] = None
            elif name == "packages":
                changes |= self._any_versions(query, group)
            elif name == "torch":
                changes |= {"torch": None, "variant": None}
            elif name == "driver":
                changes |= {"driver": None, "driver_text": ""}
            elif name == "machine":
                changes["machine"] = build.wheel.machine
            elif name == "os":
                changes["os"] = self._plain_system(build.wheel.os)
        dropped = {name.removeprefix("gpu:") for name in group if name.startswith("gpu:")}
        if dropped:
            changes["subjects"] = tuple(s for s in query.subjects if str(s.capability) not in dropped)
        return replace(query, **changes)

    def _any_versions(self, query: Query, group: tuple[str, ...]) -> dict[str, Any]:
        """The packages of a query in whatever versions, if that mends it; else none of them."""
        others = frozenset(name for name in group if name != "packages")
        anything = tuple(
            replace(wanted, specifier="", packages=self.index.releases.named(wanted.name, ()) or wanted.packages)
            for wanted in query.packages
        )
        freed = replace(query, companions=(), packages=anything)
        if anything and self.solver.outcome(freed, others).masks.yes:
            return {"companions": (), "packages": anything}
        return {"companions": (), "packages": ()}

    def _plain_system(self, family: str) -> OperatingSystem:
        """The system of a family about which nothing special is known."""
        systems = [s for s in self.index.catalogue.entities(OperatingSystem).values() if s.family == family]
        return min(systems, key=lambda system: family not in (system.id, *system.aliases))

    def _change(
        self, query: Query, relaxed: Query, name: str, build: Build, stack: dict[str, Any]
    ) -> tuple[dict[str, Any], str]:
        """What to change for one constraint, as data and as words that end in the thing to do."""
        if name == "driver":
            return self._driver_change(query, stack)
        if name in ("torch", "cuda"):
            return {"torch": build.label}, say("fix-torch", torch=build.label, command=stack["install"]["pip"])
        if name == "packages":
            return self._package_change(query, build, stack)
        if name == "python":
            python = self.stacks.python_beside(relaxed, build)
            return {"python": python}, say("fix-python", python=python, torch=build.label, has=self._has(build))
        if name == "machine":
            return {"machine": build.wheel.machine}, say("fix-machine", machine=build.wheel.machine)
        if name == "os":
            glibc = self.stacks.glibc_needed(relaxed, build)
            has = self.judge.glibc_of(query) if self.judge.has_own_glibc(query) else None
            too_old = None not in (glibc, has) and numbers(str(has)) < numbers(str(glibc))
            kind = "fix-wsl" if query.os.family == "windows" and relaxed.os.family == "linux" else "fix-os"
            words = say("fix-glibc", glibc=glibc) if too_old else say(kind, os=relaxed.os.name)
            return {"os": relaxed.os.id, "glibc": glibc}, words
        left_out = asked(query, name)
        rest = ", ".join(subject.name for subject in relaxed.subjects)
        return {"without": left_out}, say("fix-gpu", gpu=left_out, torch=build.label, rest=rest)

    @staticmethod
    def _package_change(query: Query, build: Build, stack: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Other versions of the packages asked for; where none will do, the stack without them."""
        chosen = stack["packages"]
        if not chosen:
            kind = "fix-without" if query.packages else "fix-torch"
            left_out = ", ".join(wanted.name for wanted in query.packages)
            words = say(kind, package=left_out, torch=build.label, command=stack["install"]["pip"])
            return {"torch": build.label}, words
        commands = [part["install"] for part in chosen.values() if part["install"]]
        if len(commands) < len(chosen):
            commands.insert(0, stack["install"]["pip"])
        versions = ", ".join(dict.fromkeys(part["requirement"] for part in chosen.values()))
        change = {"torch": build.label, "packages": {name: part["version"] for name, part in chosen.items()}}
        return change, say("fix-package", versions=versions, torch=build.label, command=" && ".join(commands))

    @staticmethod
    def _has(build: Build) -> str:
        return python_range(build.needs.python) if build.needs else "unknown"

    def _driver_change(self, query: Query, stack: dict[str, Any]) -> tuple[dict[str, Any], str]:
        minimum, branch, last = (stack["driver"][key] for key in ("minimum", "recommended_branch", "maximum_branch"))
        change = {"minimum": minimum, "branch": branch, "maximum_branch": last}
        if query.driver is not None and query.driver.branch > self.index.drivers.newest_branch:
            return {"driver": change}, say("fix-driver-known", branch=branch, newest=self.index.drivers.newest_branch)
        backwards = query.driver is not None and last is not None and query.driver.branch > int(last)
        if backwards:
            return {"driver": change}, say("fix-driver-back", branch=branch)
        kind = "fix-driver-limit" if last else "fix-driver"
        return {"driver": change}, say(kind, minimum=minimum, last=last, branch=branch)

    def _split(self, query: Query) -> list[dict[str, Any]]:
        """The fewest stacks that cover all GPUs, where no single one does: greedy by GPUs covered."""
        left, groups = list(query.capabilities), []
        while left:
            group = self._largest_group(query, left)
            if not group:
                return []
            groups.append(group)
            left = [capability for capability in left if capability not in group]
        parts = []
        for group in groups:
            part = _part(query, group)
            build = self.solver.ranked(part, self.solver.outcome(part), 1)[0]
            stack = self.stacks.stack(part, build)
            parts.append({"gpus": [s.name for s in part.subjects], "machine": part.machine, **_brief(stack, build)})
        apart = self.judge.drives_apart(query.subjects, query.driver_os)
        if apart is None:
            words = "; ".join(f"{', '.join(part['gpus'])}: torch {part['torch']}" for part in parts)
        else:  # each host with a driver of its own
            words = "; ".join(
                f"{', '.join(part['gpus'])}: torch {part['torch']}, driver branch R{part['driver']['recommended_branch']}"
                for part in parts
            )
        return [
            {
                "kind": "split",
                "change": {"stacks": len(parts)},
                "text": joined([say("fix-split" if apart is None else "fix-hosts", count=len(parts), parts=words)]),
                "stacks": parts,
            }
        ]

    def _largest_group(self, query: Query, left: list[Any]) -> list[Any]:
        """The largest run of capabilities that one build covers, starting from the lowest left."""
        group: list[Any] = []
        for capability in left:
            trial = [*group, capability]
            part = _part(query, trial)
            if self.solver.outcome(part).masks.yes:
                group = trial
        return group


def _part(query: Query, capabilities: Sequence[Any]) -> Query:
    """The query for some of its GPUs, on a machine that they go into."""
    subjects = tuple(subject for subject in query.subjects if subject.capability in capabilities)
    bound = {gpu.machines for subject in subjects for gpu in subject.gpus[:1]}
    machine = "aarch64" if bound == {("aarch64",)} else query.machine
    return replace(query, subjects=subjects, machine=machine)


def _brief(stack: dict[str, Any], build: Build) -> dict[str, Any]:
    """The part of a stack that a fix needs to be acted on."""
    return {
        "torch": build.label,
        "cuda": str(build.cuda.release),
        "install": stack["install"],
        "packages": stack["packages"],
        "driver": {key: stack["driver"][key] for key in ("minimum", "maximum_branch", "recommended_branch")},
    }


def _merged(changes: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Several changes as one; GPUs to leave out are listed together."""
    found: dict[str, Any] = {}
    for change in changes:
        if "without" in found and "without" in change:
            change = {"without": f"{found['without']}, {change['without']}"}
        found |= change
    return found
