"""Whether a concrete stack works: the same judgements as for resolving, with every part pinned by the asker.

A part that is not given is not judged. The verdict is that of the weakest finding; for a no the conflict and the fixes are the
resolver's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from matrices.versions import CudaVersion
from resolver.errors import InvalidRequest
from resolver.imagetags import ImageJudge
from resolver.judge import Reason
from resolver.parts import Build
from resolver.query import Asked, Query, Wanted
from resolver.rules import Verdict, weakest
from resolver.words import joined, say, sentence

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["Checked", "Checker"]

_NOT_ON_JETSON = {"image-gpus-unknown"}  # what JetPack says of its images counts for them
_SEVERITY = {"yes": "ok", "no": "error", "unknown": "unknown"}


@dataclass(slots=True)
class Checked:
    """A concrete stack in plain texts; what is None or empty is not judged."""

    gpu: Sequence[str] = field(default_factory=tuple)
    driver: str | None = None
    torch: str | None = None
    cuda: str | None = None
    image: str | None = None
    python: str | None = None
    os: str | None = None
    machine: str | None = None
    packages: Sequence[str] = field(default_factory=tuple)
    container_runtime: str | None = None


class Checker:
    """Checks stacks with the parts of an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.judge = engine.judge
        self.images = ImageJudge(engine.index, engine.images)

    def check(self, checked: Checked) -> dict[str, Any]:
        """Findings and verdict for a stack.

        Raises:
            BadQuestion: when a part cannot be read, or nothing is given to judge.
        """
        query = self._query(checked)
        whole = query
        if query.cuda is not None and query.torch is not None:
            query = self._without_toolkit(query)
        if any(subject.tegra for subject in query.subjects):
            return self._jetson(query, checked)
        reasons = [self.judge.capability(subject) for subject in query.subjects]
        reasons += filter(None, (self.judge.host(subject, query.machine) for subject in query.subjects))
        reasons += filter(None, (self.judge.system(subject, query) for subject in query.subjects))
        reasons += self._driver(query)
        reasons += self.judge.one_host(query)
        build, picked = self._build(query)
        reasons += picked
        if build is not None:
            reasons += self._wheel(query, build)
        reasons += self._toolkit(whole, build)
        if checked.image is not None:
            reasons += self.images.judge(checked.image, query, self.judge)
        reasons += self._packages(query, build, whole.cuda)
        reasons = _distinct(reasons)
        verdict = self._verdict(reasons)
        found: dict[str, Any] = {"verdict": verdict}
        if verdict != "yes":
            found |= self._explained(_pinned(query, build), verdict)
            found["fixes"] = [*self._compat_fix(query, reasons), *_gate_fix(reasons), *found.get("fixes", [])]
        images = [checked.image] if checked.image is not None else []
        found["notices"] = self.engine.notices.of(query, build, None, images)
        return self._shaped(query, reasons, found)

    def _query(self, checked: Checked) -> Query:
        if not any((checked.gpu, checked.driver, checked.torch, checked.cuda, checked.image)):
            raise InvalidRequest("name at least one part: gpu, driver, torch, cuda or image", field="gpu")
        asked = Asked(
            gpus=checked.gpu,
            os=checked.os or "linux",
            machine=checked.machine,
            driver=checked.driver,
            python=checked.python,
            torch=checked.torch,
            cuda=checked.cuda,
            packages=checked.packages,
            container_runtime=checked.container_runtime,
        )
        return self.engine.reader.read(asked, gpus_needed=False)

    def _jetson(self, query: Query, checked: Checked) -> dict[str, Any]:
        """A Jetson: yes where a stack of its own holds all that is named, else not known."""
        found = self.engine.jetson.answer(query)
        images = [image["reference"] for stack in found.get("stacks", ()) for image in stack["images"]]
        if found["verdict"] != "no" and query.unjudged:
            found |= {"verdict": "unknown", "reasons": []}
        if found["verdict"] != "no" and checked.image is not None:
            judged = self.images.judge(checked.image, query, self.judge)
            certain = checked.image in images and found["verdict"] == "yes"
            reasons = [reason for reason in judged if reason.kind not in _NOT_ON_JETSON]
            if not certain and all(reason.verdict == "yes" for reason in reasons):
                values = {"image": checked.image, "gpu": query.subjects[0].name}
                reasons.append(Reason("image-on-jetson", "tegra", "unknown", (), values))
            verdict = weakest(["yes" if certain else "unknown", *(reason.verdict for reason in reasons)])
            found |= {"verdict": verdict, "reasons": [*found["reasons"], *reasons], "fixes": found["fixes"]}
        warnings = found["warnings"] + self.engine.explainer.remarks.about_subjects(query)
        return self._shaped(query, found["reasons"], {**found, "warnings": warnings})

    def _without_toolkit(self, query: Query) -> Query:
        """A CUDA that no build of the torch has is that of a toolkit: the wheel is then looked for without it."""
        return query if self.engine.solver.builds_named(query) else replace(query, cuda=None)

    def _driver(self, query: Query) -> Iterable[Reason]:
        if query.driver is None:
            return
        driven = []
        for subject in query.subjects:
            reason = self.judge.drives(query.driver, subject, query.driver_os)
            driven += [subject] if reason.verdict != "no" else []
            yield reason
        facts = self.engine.index.drivers.branches.get(query.driver.branch)
        if facts is not None and query.driver_os == "linux":
            yield from (self.judge.module(facts, subject) for subject in driven)

    def _build(self, query: Query) -> tuple[Build | None, list[Reason]]:
        """The build that a torch of the stack means, and what is to be said about finding it."""
        if query.torch is None:
            return None, []
        plain = self.engine.solver.builds_named(query)
        if not plain:
            return None, [self._absent(query)]
        served = [build for build in plain if build.wheel.channel == "package-index"]
        default = served[0] if served else plain[0]
        build = self._fitting(query, default)
        if query.variant is not None or query.cuda is not None:
            return build, []
        channel = build.wheel.channel.replace("-", " ")
        values = {"torch": build.label, "how": f"the {channel} serves", "version": str(build.wheel.torch)}
        values["os"] = query.os.name
        found = [Reason("variant-taken", "published", "yes", (build.built_with,), values)]
        if served and build is not default:
            found.append(self._default_not(query, default, build))
        if not served and query.os.family == "windows":
            found.append(Reason("default-variant", "published", "yes", (build.built_with,), values, condition=True))
        return build, found

    def _fitting(self, query: Query, default: Build) -> Build:
        """The build that decides: the default one where it fits as surely as any, else the best that does."""
        solver = self.engine.solver
        outcome = solver.outcome(query)
        fits = outcome.masks.yes or outcome.masks.maybe
        return default if not fits or fits & default.bit else solver.ranked(query, outcome, 1)[0]

    def _default_not(self, query: Query, default: Build, build: Build) -> Reason:
        """That a plain `pip install` brings a build that does not fit as surely as the one judged."""
        possible = self.engine.solver.outcome(query).masks.maybe & default.bit
        values = {
            "version": str(default.wheel.torch),
            "default": default.label,
            "torch": build.label,
            "command": self.engine.stacks.stack(query, build)["install"]["pip"],
        }
        kind = "default-perhaps" if possible else "default-not"
        return Reason(kind, "published", "yes", (default.built_with,), values, condition=True)

    def _absent(self, query: Query) -> Reason:
        """No build of that torch for that variant and platform: no inside coverage, unknown outside."""
        assert query.torch is not None  # noqa: S101 - the caller has one
        elsewhere = self.engine.solver.builds_named(query, anywhere=True)
        values: dict[str, Any] = {"torch": query.torch.text, "os": query.os.name, "machine": query.machine}
        opened = self.engine.explainer.closure.open_builds(query) or query.torch.beyond
        verdict: Verdict = "unknown" if opened else "no"
        if not elsewhere:
            return Reason("no-wheel", "published", verdict, (), values)
        values["has"] = ", ".join(sorted({f"{build.wheel.os} on {build.wheel.machine}" for build in elsewhere}))
        return Reason("platform-not", "platform", verdict, (elsewhere[0].built_with,), values)

    def _wheel(self, query: Query, build: Build) -> Iterable[Reason]:
        yield self.judge.published(build)
        native: Verdict | None = None
        if query.driver is not None:
            native = self.engine.index.drivers.runs(query.driver, build.cuda, query.driver_os).natively
            yield from self._runs(query, build.cuda)
        for subject in query.subjects:
            yield self.judge.kernels(build, subject, native)
            yield from (
                replace(reason, verdict="yes", condition=True)
                for reason in self.judge.partial_libraries(build, subject)
            )
        python = self.judge.python(build, query.python)
        yield from filter(None, (python, self.judge.glibc(build, query)))

    def _toolkit(self, query: Query, build: Build | None) -> Iterable[Reason]:
        """A CUDA of the stack that is not the wheel's own is a toolkit: it must run and make code."""
        if query.cuda is None:
            return
        if not query.cuda.allowed:
            values = {"given": query.cuda.plain, "newest": f"CUDA {self.engine.index.newest_cuda}"}
            yield Reason("newer", "toolkit-targets", "unknown", (), values)
        for cuda in sorted(cuda for cuda in query.cuda.allowed if isinstance(cuda, CudaVersion)):
            if build is not None and build.cuda.release == cuda:
                continue
            yield from self._runs(query, cuda)
            for subject in query.subjects:
                yield self.judge.targets(cuda, subject)
            yield from self._system_compiler(query, cuda)

    def _runs(self, query: Query, cuda: CudaVersion) -> Iterable[Reason]:
        """Whether the driver runs a CUDA by itself; where it is too old, whether cuda-compat is a way out."""
        if query.driver is None:
            return
        runs = self.judge.runs(query.driver, cuda, query.driver_os)
        yield runs
        if runs.verdict == "no":
            yield from self.engine.solver.forward.ways(query, cuda)

    def _system_compiler(self, query: Query, cuda: CudaVersion) -> Iterable[Reason]:
        """That the compiler of the operating system is too new for a toolkit, which matters to those who compile."""
        building = self.engine.stacks.building
        mine = building.system_compiler(query)
        found = building.host(cuda, mine, query) if mine is not None else None
        if mine is not None and found is not None and found.verdict == "no":
            values = found.values | {"advice": building.older_compiler(cuda, mine)}
            yield replace(found, kind="host-compiler-system", verdict="yes", values=values, condition=True)

    def _packages(self, query: Query, build: Build | None, toolkit: Wanted | None) -> Iterable[Reason]:
        if build is not None:
            yield from self.judge.companions(build, query)
        elif query.torch is None and query.subjects:
            yield from self._together(query)
        for wanted in query.packages:
            yield from self.engine.solver.packages.refusals.best_reasons(query, wanted, build, toolkit)
        for name in query.unjudged:
            yield Reason("package-unjudged", "published", "unknown", (), {"package": name})

    def _together(self, query: Query) -> Iterable[Reason]:
        """Whether some torch goes with all packages named that go with one: without it in the stack, the resolver looks for it."""
        packages = self.engine.solver.packages
        bound = tuple(
            wanted for wanted in query.packages if any(release.bound for release in packages.fit.allowed(wanted))
        )
        if not query.companions and not bound:
            return
        found = self.engine.answer(replace(query, cuda=None, unjudged=(), packages=bound, limit=1))
        names = ", ".join([*(each.text for each in query.companions), *(each.text for each in bound)])
        verdict: Verdict = found["verdict"]
        if verdict != "yes":
            kind = "together-not" if verdict == "no" else "together-unknown"
            yield Reason(kind, "package-pin", verdict, (), {"packages": names})
            return
        torch = found["stacks"][0]["torch"]
        values = {"packages": names, "torch": f"{torch['version']}+{torch['variant']}"}
        yield Reason("together", "package-pin", "yes", (), values)

    @staticmethod
    def _verdict(reasons: Iterable[Reason]) -> Verdict:
        # not knowing the flavour does not make a stack unknown
        return weakest(reason.verdict for reason in reasons if reason.kind != "module-unknown")

    def _explained(self, query: Query, verdict: Verdict) -> dict[str, Any]:
        """Conflict and fixes from the resolver, where the resolver too finds no sure answer."""
        if not query.subjects:
            return {}
        outcome = self.engine.solver.outcome(query)
        if outcome.verdict == "yes":
            return {}
        conflict = self.engine.explainer.causes.conflict(query) if outcome.verdict == "no" else None
        return {"conflict": conflict, "fixes": self.engine.explainer.fixes.of(query)}

    def finding(self, reason: Reason) -> dict[str, Any]:
        """One judgement as data."""
        return {
            "severity": "warning" if reason.condition and reason.verdict == "yes" else _SEVERITY[reason.verdict],
            "rule": reason.rule,
            "text": sentence(reason),
            "because": [self.engine.citer.because(reason)],
        }

    @staticmethod
    def _compat_fix(query: Query, reasons: Iterable[Reason]) -> list[dict[str, Any]]:
        """The cuda-compat package, where it lets every GPU run what the driver alone is too old for."""
        ways = [reason for reason in reasons if reason.kind == "forward-runs"]
        packages = {way.values["package"] for way in ways}
        if len(packages) != 1 or len(ways) != len(query.subjects):
            return []
        values = {key: ways[0].values[key] for key in ("package", "cuda")}
        return [
            {
                "kind": "forward",
                "change": {"package": values["package"]},
                "text": joined([say("fix-forward", **values)]),
            }
        ]

    def _shaped(self, query: Query, reasons: list[Reason], found: dict[str, Any]) -> dict[str, Any]:
        findings = [self.finding(reason) for reason in reasons]
        findings += [
            {"severity": "warning", "rule": "note", "text": text, "because": []} for text in found.get("warnings", [])
        ]
        return {
            "verdict": found["verdict"],
            "gpus": [self.engine.understood(query, number) for number in range(len(query.subjects))],
            "findings": findings,
            "conflict": found.get("conflict"),
            "fixes": found.get("fixes", []),
            "notices": found.get("notices", []),
            "data_version": self.engine.data_version,
        }


def _gate_fix(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    """What opens the gate of a container runtime, where nothing but the gate stands in the way."""
    if {reason.kind for reason in reasons if reason.verdict == "no"} != {"gate-refused"}:
        return []
    change = {"environment": {"NVIDIA_DISABLE_REQUIRE": "1"}}
    return [{"kind": "image-gate", "change": change, "text": joined([say("fix-gate")])}]


def _pinned(query: Query, build: Build | None) -> Query:
    """The query for just the build that was judged, so that conflict and fixes speak of it."""
    return query if build is None else replace(query, variant=build.wheel.variant)


def _distinct(reasons: Iterable[Reason]) -> list[Reason]:
    seen: dict[tuple[str, str], Reason] = {}
    for reason in reasons:
        seen.setdefault((reason.kind, sentence(reason)), reason)
    return list(seen.values())
