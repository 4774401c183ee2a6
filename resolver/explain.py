"""Why the answer is no or unknown, what would change it, and what to know besides.

Causes are found by leaving one constraint of the minimal conflict out, taking the best build that then fits, and asking
which rule the constraint breaks on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from matrices.model import OperatingSystem
from resolver.cite import Citer
from resolver.closure import Closure
from resolver.conflict import minimal_conflict, relaxations
from resolver.driver import Drivers
from resolver.index import Index
from resolver.judge import Judge, Reason, numbers
from resolver.parts import Build
from resolver.query import Query, Subject
from resolver.rules import Verdict
from resolver.solve import Outcome, Solver
from resolver.stack import Stacks
from resolver.words import joined, say, sentence

__all__ = ["Explainer"]

_SPELT = {"cuda": "CUDA", "python": "Python"}


class Explainer:
    """Explains outcomes over one index."""

    def __init__(
        self, index: Index, judge: Judge, solver: Solver, drivers: Drivers, stacks: Stacks, citer: Citer
    ) -> None:
        self.index = index
        self.judge = judge
        self.solver = solver
        self.drivers = drivers
        self.stacks = stacks
        self.citer = citer
        self.closure = Closure(index, solver.packages)

    # --- no -----------------------------------------------------------------------------------------------------

    def failure(self, query: Query) -> dict[str, Any]:
        """Verdict, conflict, fixes and warnings for a query that no known build satisfies."""
        newer, opened = self.undecided(query)
        warnings = list(newer)
        if opened:
            platform = {"os": query.os.name, "machine": query.machine}
            warnings.append(say("open-variants", torch=_shorten(opened), variants="these builds", **platform))
        return {
            "verdict": "unknown" if newer or opened else "no",
            "conflict": None if newer else self.conflict(query),
            "fixes": self.fixes(query),
            "warnings": warnings + self.about_subjects(query),
        }

    def undecided(self, query: Query) -> tuple[list[str], list[str]]:
        """Why an answer without a build is not a no: what is newer than the data, and builds that it does not cover."""
        newer = self._newer_than_data(query)
        return newer, [] if newer or self.solver.misplaced(query) else self.closure.open_builds(query)

    def _newer_than_data(self, query: Query) -> list[str]:
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
                    say("newer-than-data", given=_quoted(wanted.text), newest=f"{_SPELT.get(name, name)} {last}")
                )
        return found

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
            "constraints": [{"name": name.partition(":")[0], "asked": self._asked(query, name)} for name in names],
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
        wanted = ", ".join(f"{name.partition(':')[0]} `{_quoted(self._asked(query, name))}`" for name in names)
        return Reason("nothing-fits", "published", "no", (), {"wanted": wanted})

    def _possible(self, query: Query, without: frozenset[str]) -> bool:
        return bool(self.solver.outcome(query, without).masks.maybe)

    def _asked(self, query: Query, name: str) -> str:
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

    def _causes(self, query: Query, name: str, conflict: Sequence[str]) -> Iterable[Reason]:
        """Why one constraint rejects the best build that satisfies the rest of the conflict."""
        left_out = frozenset(set(self.solver.constraints(query)) - set(conflict) | {name})
        at_home = left_out - ({"os", "machine"} - {name})  # explain with a build for the asker's platform, if any fits
        bits = self.solver.outcome(query, at_home).masks
        if not bits.maybe:
            bits = self.solver.outcome(query, left_out).masks
        same = self.index.field_masks("os", lambda build: (build.wheel.os,)).get(query.os.family, 0)
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
            values = {"torch": build.label, "has": str(build.cuda.release), "cuda": self._asked(query, name)}
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

    # --- fixes --------------------------------------------------------------------------------------------------

    def fixes(self, query: Query) -> list[dict[str, Any]]:
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
        left_out = self._asked(query, name)
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
        from resolver.judge import python_range

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

    # --- besides ------------------------------------------------------------------------------------------------

    def warnings(self, query: Query, builds: Sequence[Build], outcome: Outcome) -> list[str]:
        """What a reader of a yes or an unknown should know."""
        found = self._newer_than_data(query) + self.about_subjects(query) + self._about_driver(query, builds[0])
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
                    say("several-products", asked=_quoted(subject.asked), names=names, capability=subject.capability)
                )
            elif subject.gpus and not subject.certain:
                found.append(say("read-as", asked=_quoted(subject.asked), name=subject.name))
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


def _apart(first: tuple[Subject, tuple[str, ...]], second: tuple[Subject, tuple[str, ...]]) -> str:
    """That two GPUs have no kernel modules in common."""
    return say(
        "module-apart",
        first=first[0].name,
        first_module=" or ".join(first[1]) or "no known",
        second=second[0].name,
        second_module=" or ".join(second[1]) or "no known",
    )


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


def _shorten(labels: list[str]) -> str:
    shown = ", ".join(labels[-4:])
    return shown if len(labels) <= 4 else f"{shown} and others"


def _quoted(text: str) -> str:
    """User text for a sentence: printable, without backticks, at most 60 characters."""
    clean = "".join(letter if letter.isprintable() and letter != "`" else " " for letter in text)
    clean = " ".join(clean.split())
    return clean if len(clean) <= 60 else clean[:57] + "..."
