"""Why packages will not do: beside any build that a conflict leaves, or in a concrete stack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from matrices.versions import CudaVersion, PythonVersion
from resolver.index import Index
from resolver.judge import Reason
from resolver.packages.judging import Judging, Pick
from resolver.parts import Build
from resolver.query import PackageWanted, Query, Wanted
from resolver.rules import RANK, weakest

__all__ = ["Refusals"]

_CONCERNS = {"package-pin": "torch", "python": "python", "platform": "os", "glibc": "os", "minor-version": "driver"}
_CONCERNS |= {"driver-floor": "driver", "older-runtime": "driver", "same-cuda": "cuda"}


class Refusals:
    """Explanations over one index."""

    def __init__(self, index: Index, judging: Judging) -> None:
        self.index = index
        self.judging = judging

    def against(self, query: Query, build: Build, conflict: Sequence[str]) -> Iterator[Reason]:
        """Why no release of a package will do beside a build, as far as the constraints of a conflict are concerned."""
        subjects = [subject for subject in query.subjects if f"gpu:{subject.capability}" in conflict]
        driver = query.driver if "driver" in conflict else None
        asked = self._asked_pythons(query) if "python" in conflict else []
        pythons: list[PythonVersion | None] = list(asked) or [None]
        for wanted in query.packages:
            picks = [
                pick
                for python in pythons
                for pick in self.judging.candidates(query, wanted, build, driver, subjects, python)
            ]
            if picks and all(pick.verdict == "no" for pick in picks):
                yield from min((_relevant(pick, conflict) for pick in picks), key=len)

    def best_reasons(
        self, query: Query, wanted: PackageWanted, build: Build | None, toolkit: Wanted | None
    ) -> tuple[Reason, ...]:
        """Everything judged about the release that a concrete stack means, the one that fits best where several may be it.

        `toolkit` is the CUDA of the system, where the stack names one: what brings no CUDA of its own needs that major there.
        """
        pythons: list[PythonVersion | None] = list(self._asked_pythons(query)) or [None]
        picks = [
            pick
            for python in pythons
            for pick in self.judging.candidates(query, wanted, build, query.driver, query.subjects, python)
        ]
        if not picks:
            return (self.unknown(wanted),)
        judged = [_under_toolkit(pick.reasons, toolkit) for pick in picks]
        return max(judged, key=lambda reasons: (RANK[weakest(each.verdict for each in reasons)], -_refusals(reasons)))

    def _asked_pythons(self, query: Query) -> list[PythonVersion]:
        if query.python is None:
            return []
        return sorted((python for python in self.index.by_python if python in query.python.allowed), reverse=True)

    def unknown(self, wanted: PackageWanted) -> Reason:
        """Of a package none of the known releases will do, a later one may."""
        values = {"given": f"{wanted.name}{wanted.specifier}", "newest": f"{wanted.name} {self._newest(wanted)}"}
        return Reason("newer", "published", "unknown", (), values)

    def _newest(self, wanted: PackageWanted) -> str:
        return self.index.releases.among(wanted.packages)[-1].version


def _under_toolkit(reasons: tuple[Reason, ...], toolkit: Wanted | None) -> tuple[Reason, ...]:
    """The reasons, with a no where a package uses the CUDA of the system and that is of another major."""
    majors = {cuda.major for cuda in toolkit.allowed if isinstance(cuda, CudaVersion)} if toolkit else set()
    if toolkit is None or not majors:
        return reasons
    return tuple(
        replace(
            reason,
            kind="package-system-cuda-not",
            verdict="no",
            condition=False,
            values={**reason.values, "has": toolkit.plain},
        )
        if reason.kind == "package-system-cuda" and CudaVersion.parse(reason.values["cuda"]).major not in majors
        else reason
        for reason in reasons
    )


def _refusals(reasons: Iterable[Reason]) -> int:
    return sum(reason.verdict == "no" for reason in reasons)


def _relevant(pick: Pick, conflict: Sequence[str]) -> list[Reason]:
    """What speaks against a release and concerns the other constraints of a conflict; all of it where nothing does."""
    refused = _refused(pick)
    names = {name.partition(":")[0] for name in conflict}
    concerned = [reason for reason in refused if _CONCERNS.get(reason.rule, "gpu") in names]
    return concerned or refused


def _refused(pick: Pick) -> list[Reason]:
    return [reason for reason in pick.reasons if reason.verdict == "no"]
