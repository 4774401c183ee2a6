"""The door of the resolver: questions in plain texts in, answers as plain data out. Built once, asked many times."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from matrices.catalogue import Catalogue
from matrices.model import CloudInstance
from resolver.check import Checked, Checker
from resolver.cite import Citer
from resolver.driver import Drivers
from resolver.explain import Explainer
from resolver.images import Images
from resolver.index import Index
from resolver.jetson import Jetson
from resolver.judge import Judge
from resolver.matrix import Matrix
from resolver.names import Names
from resolver.notices import Notices
from resolver.query import Asked, Query
from resolver.reading.reader import Reader
from resolver.solve import Outcome, Solver
from resolver.stack import Stacks

if TYPE_CHECKING:
    from resolver.artifacts.make import Artifact

__all__ = ["Asked", "Checked", "Engine"]


class Engine:
    """Resolver, checker and renderer over one catalogue.

    Args:
        catalogue: the compiled claims; `Engine.load()` takes the committed ones.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.index = Index(catalogue)
        capability_of = {gpu: claim.compute_capability for gpu, claim in self.index.hardware.gpu_capability.items()}
        self.names = Names(self.index.hardware.gpus, capability_of, catalogue.entities(CloudInstance))
        self.reader = Reader(self.index, self.names)
        self.judge = Judge(self.index)
        self.solver = Solver(self.index, self.judge)
        self.drivers = Drivers(self.index)
        self.images = Images(self.index)
        self.citer = Citer(catalogue)
        self.stacks = Stacks(self.index, self.judge, self.drivers, self.images, self.citer, self.solver.packages)
        self.explainer = Explainer(self.index, self.judge, self.solver, self.drivers, self.stacks, self.citer)
        self.jetson = Jetson(self.index, self.judge, self.stacks, self.citer)
        self.notices = Notices(
            self.index, self.drivers, self.images, self.stacks.building, self.citer, self.explainer.closure
        )

    @classmethod
    def load(cls) -> Engine:
        """The engine over the committed catalogue."""
        return cls(Catalogue.load())

    @property
    def data_version(self) -> str:
        """The version of the data that answers are made from."""
        return self.catalogue.data_version

    def resolve(self, asked: Asked) -> dict[str, Any]:
        """Valid stacks for the GPUs, best first; or why there is none and which change would make one.

        Raises:
            BadQuestion: when the question cannot be judged as it stands.
        """
        return self.answer(self.reader.read(asked))

    def answer(self, query: Query) -> dict[str, Any]:
        """The answer to a query already read."""
        if any(subject.tegra for subject in query.subjects):
            found = self.jetson.answer(query)
            return self._shaped(
                query, {**found, "warnings": found["warnings"] + self.explainer.remarks.about_subjects(query)}
            )
        outcome = self.solver.outcome(query)
        wider = self.solver.through_compat(query) if outcome.verdict == "no" else None
        if wider is not None:
            return self._through_compat(wider, query)
        if outcome.verdict == "no":
            return self._shaped(query, self.explainer.failure(query))
        return self._shaped(query, self._answered(query, outcome))

    def _through_compat(self, wider: Query, query: Query) -> dict[str, Any]:
        """The answer by cuda-compat, with what would make it run without."""
        found = self._answered(wider, self.solver.outcome(wider))
        return self._shaped(wider, {**found, "fixes": self.explainer.fixes.of(query)})

    def _answered(self, query: Query, outcome: Outcome) -> dict[str, Any]:
        """Stacks, verdict and what to know besides, where there is a build."""
        builds = self.solver.ranked(query, outcome, query.limit)
        stacks = [self.stacks.stack(query, build) for build in builds]
        found: dict[str, Any] = {"verdict": outcome.verdict, "stacks": stacks}
        found["warnings"] = self.explainer.remarks.of(query, builds, outcome)
        if query.unjudged or any(stack["verdict"] != "yes" for stack in stacks[:1]):
            found["verdict"] = "unknown"
        branch, images = (
            stacks[0]["driver"]["recommended_branch"],
            [image["reference"] for image in stacks[0]["images"]],
        )
        found["notices"] = self.notices.of(query, builds[0], branch, images)
        if outcome.verdict == "unknown":
            found["fixes"] = self.explainer.fixes.of(query)
        return found

    def _shaped(self, query: Query, found: dict[str, Any]) -> dict[str, Any]:
        return {
            "verdict": found["verdict"],
            "gpus": [self.understood(query, number) for number in range(len(query.subjects))],
            "stacks": found.get("stacks", []),
            "conflict": found.get("conflict"),
            "fixes": found.get("fixes", []),
            "warnings": found.get("warnings", []),
            "notices": found.get("notices") or self.notices.of(query),
            "data_version": self.data_version,
        }

    def understood(self, query: Query, number: int) -> dict[str, Any]:
        """What a name of the question was understood as."""
        subject = query.subjects[number]
        shown = {"asked": subject.asked, **self.stacks.gpu(query, number)}
        if len(subject.gpus) > 1:
            shown["candidates"] = [gpu.name for gpu in subject.gpus]
        return shown

    @cached_property
    def checker(self) -> Checker:
        """The judge of whole stacks."""
        return Checker(self)

    @cached_property
    def matrix(self) -> Matrix:
        """Whole tables of verdicts."""
        return Matrix(self)

    def check(self, checked: Checked) -> dict[str, Any]:
        """Whether a concrete stack works, finding by finding; a part that is not given is not judged.

        Raises:
            BadQuestion: when a part cannot be read.
        """
        return self.checker.check(checked)

    def artifact(self, kind: str, asked: Asked, options: Mapping[str, str] | None = None) -> Artifact:
        """A file for the best stack: one of the kinds in `resolver.artifacts.make`, with options of that kind.

        Raises:
            BadQuestion: when the question or an option cannot be judged.
            NoStack: when there is no stack, or no base image that fits it.
        """
        from resolver.artifacts.make import artifact

        return artifact(self, kind, asked, options or {})

    def build(self, asked: Asked, compiler: str | None = None) -> dict[str, Any]:
        """Which toolkit, targets and host compiler to compile with for the GPUs.

        Raises:
            BadQuestion: when a part cannot be read.
        """
        from resolver.compiling import build

        return build(self, asked, compiler)

    def dockerfile(self, asked: Asked, base: str = "cuda", workload: str = "run") -> str:
        """A pinned Dockerfile for the best stack.

        Raises:
            BadQuestion: when the question cannot be judged.
            NoStack: when there is no stack, or no base image that fits it.
        """
        return self.artifact("dockerfile", asked, {"base": base, "workload": workload}).text
