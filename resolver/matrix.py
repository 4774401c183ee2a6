"""Whole tables of verdicts: GPU x torch x variant, and driver branch x CUDA.

Nothing is judged here: a cell is what `/resolve` (for drivers `/check`) answers to the same question, read off the masks of a
whole row instead of being asked cell by cell. What explains a cell is a question too, so that reasons are made only for
who wants them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from matrices.model import Gpu, GpuHasSpecs
from matrices.versions import ComputeCapability, CudaVersion, TorchVersion
from resolver.errors import InvalidRequest
from resolver.parts import BranchFacts, Build, Masks
from resolver.query import Asked, Query, Wanted
from resolver.rules import Verdict
from resolver.solve import Outcome

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["DriverCell", "DriverRow", "Matrix", "TorchCell", "TorchRow", "TorchTable"]

How = Literal["native", "minor-version", "forward", "no", "unknown"]
NAMED = 3  # products named for a capability


@dataclass(frozen=True, slots=True)
class TorchCell:
    """One GPU with one torch release.

    Attributes:
        best: the build that `/resolve` proposes first; None where none is known.
        kernels: how that build has code for the GPU.
        variants: the verdict on each build of the release for the platform, by variant, best first.
        question: the fields of the question that explains the cell.
    """

    torch: TorchVersion
    verdict: Verdict
    best: Build | None
    kernels: Literal["sass", "ptx"] | None
    variants: Mapping[str, Verdict]
    question: Mapping[str, str]

    @property
    def asks(self) -> Literal["check", "resolve"]:
        """Whose question that is: `/check` judges a build; where there is none `/resolve` says what stands in the way."""
        return "check" if self.best else "resolve"


@dataclass(frozen=True, slots=True)
class TorchRow:
    """One GPU or capability with each torch release; `query` is what was understood, `examples` are products of it."""

    query: Query
    examples: tuple[str, ...]
    cells: tuple[TorchCell, ...]


@dataclass(frozen=True, slots=True)
class TorchTable:
    """Rows in the order asked for; columns from the newest release to the oldest."""

    torches: tuple[TorchVersion, ...]
    rows: tuple[TorchRow, ...]


@dataclass(frozen=True, slots=True)
class DriverCell:
    """One driver branch with one CUDA.

    Attributes:
        how: `forward` is only with the cuda-compat package, on data-center GPUs.
        verdict: whether the branch runs programs of that CUDA by itself.
        later_only: only the later point releases of the branch do.
        claim: the claim about cuda-compat where `how` is `forward`.
        question: the fields of the `/check` that explains the cell.
    """

    cuda: CudaVersion
    how: How
    verdict: Verdict
    later_only: bool
    claim: str | None
    question: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DriverRow:
    """One driver branch with each CUDA, newest first."""

    facts: BranchFacts
    cells: tuple[DriverCell, ...]


class Matrix:
    """Tables over one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.index = engine.index

    # --- GPU x torch --------------------------------------------------------------------------------------------

    def torch(self, asked: Asked, variant: str | None = None) -> TorchTable:
        """Every GPU of `asked` (none: every capability in `generations`) with every torch release that it allows.

        Raises:
            BadQuestion: as `Reader.read` does, and for a variant that no torch was ever built as.
        """
        wanted, tag = self.engine.reader.versions.torch(asked.torch)
        if variant is not None:
            if tag not in (None, variant):
                raise InvalidRequest("two variants are asked for: in `torch` and in `variant`", field="variant")
            tag = self.engine.reader.versions.variant(variant)
        torches = [torch for torch in reversed(self.index.by_torch) if wanted is None or torch in wanted.allowed]
        questions = self._questions(asked)
        rows = tuple(self._row(replace(query, variant=tag), torches, question) for query, question in questions)
        return TorchTable(tuple(torches), rows)

    def _questions(self, asked: Asked) -> Iterable[tuple[Query, dict[str, str]]]:
        """One query a row, and how it is asked."""
        for name in dict.fromkeys(asked.gpus) or self.generations:
            query = self.engine.reader.read(replace(asked, gpus=(name,), torch=None))
            parts = {"os": asked.os if asked.os != "linux" else None, "machine": asked.machine}
            if not asked.gpus and not query.machine_asked and self._arm_only(query):
                query = replace(query, machine="aarch64")
                parts["machine"] = query.machine
            parts = {"gpu": name, **parts, "driver": asked.driver, "python": asked.python}
            yield query, {part: text for part, text in parts.items() if text is not None}

    @cached_property
    def generations(self) -> tuple[str, ...]:
        """The capabilities, as one asks for them, that some build may have code for and that a card or server has."""
        found = []
        for capability in sorted(map(ComputeCapability.parse, self.index.hardware.capabilities)):
            sass, either = self.index.kernel_masks(capability)
            if (sass | either).maybe and self._products.get(capability):
                found.append(f"cc {capability}")
        return tuple(found)

    @cached_property
    def _products(self) -> dict[ComputeCapability, list[Gpu]]:
        """The products of each capability that are no Tegra chips."""
        found: dict[ComputeCapability, list[Gpu]] = {}
        for identity, claim in self.index.hardware.gpu_capability.items():
            gpu = self.index.hardware.gpus[identity]
            if gpu.platform == "desktop":
                found.setdefault(claim.compute_capability, []).append(gpu)
        return found

    def _arm_only(self, query: Query) -> bool:
        """Whether every product of a capability is built into ARM machines only."""
        return all(gpu.machines == ("aarch64",) for gpu in self._products[query.capabilities[0]])

    def _examples(self, query: Query) -> tuple[str, ...]:
        """Names of products that a reader may know a capability by: the fastest of each family, the fastest first."""
        if query.subjects[0].gpus:
            return ()
        products = self._products.get(query.capabilities[0], [])
        best: dict[str, tuple[float, int, str]] = {}
        for gpu in [gpu for gpu in products if gpu.id in self._speed] or products:
            rank = (self._speed.get(gpu.id, 0.0), -len(gpu.name), gpu.name)
            best[gpu.family] = max(rank, best.get(gpu.family, rank))
        return tuple(name for _, _, name in sorted(best.values(), reverse=True))[:NAMED]

    @cached_property
    def _speed(self) -> dict[str, float]:
        """Single precision in TFLOPS by product, where it was published."""
        found = self.index.catalogue.claims(GpuHasSpecs)
        return {claim.subject: claim.fp32_tflops for claim in found if claim.fp32_tflops and not claim.uncertain}

    def _row(self, query: Query, torches: Sequence[TorchVersion], question: Mapping[str, str]) -> TorchRow:
        if query.subjects[0].tegra:  # its stacks are those of JetPack
            cells = [
                TorchCell(torch, self._on_jetson(query, torch), None, None, {}, _with(question, str(torch)))
                for torch in torches
            ]
            return TorchRow(query, (), tuple(cells))
        outcome = self.engine.solver.outcome(query)
        newer, opened = self.engine.explainer.undecided(query)
        beyond: Verdict = "unknown" if newer else "no"
        perhaps = {label.partition("+")[0] for label in opened}
        builds: dict[TorchVersion, dict[Build, Verdict]] = {torch: {} for torch in torches}
        for build in self.engine.solver.builds_named(query):
            if build.wheel.torch in builds:
                builds[build.wheel.torch][build] = self._verdict(query, build, outcome.masks, beyond)
        cells = [
            self._cell(query, torch, outcome, builds[torch], "unknown" if str(torch) in perhaps else beyond, question)
            for torch in torches
        ]
        return TorchRow(query, self._examples(query), tuple(cells))

    def _on_jetson(self, query: Query, torch: TorchVersion) -> Verdict:
        asked = replace(query, torch=Wanted(str(torch), frozenset({torch})))
        verdict: Verdict = self.engine.jetson.answer(asked)["verdict"]
        return verdict

    def _cell(
        self,
        query: Query,
        torch: TorchVersion,
        outcome: Outcome,
        builds: Mapping[Build, Verdict],
        otherwise: Verdict,
        question: Mapping[str, str],
    ) -> TorchCell:
        """The cell of one release with its `builds`; `otherwise` is the verdict where none of them is proposed."""
        bits = self.index.by_torch[torch]
        here = Outcome(outcome.masks & Masks(bits, bits), outcome.sass & bits)
        variants = {build.wheel.variant: verdict for build, verdict in builds.items()}
        best = next(iter(self.engine.solver.ranked(query, here, 1)), None)
        if best is None:
            return TorchCell(torch, otherwise, None, None, variants, _with(question, str(torch)))
        kernels: Literal["sass", "ptx"] = "ptx" if self.engine.stacks.from_ptx(query, best) else "sass"
        return TorchCell(torch, builds[best], best, kernels, variants, _with(question, best.label))

    def _verdict(self, query: Query, build: Build, masks: Masks, otherwise: Verdict) -> Verdict:
        """The verdict on one build: a sure one must hold with everything that is shown beside it."""
        if not masks.maybe & build.bit:
            return otherwise
        sure = masks.yes & build.bit and self.engine.stacks.judged(query, build)[2] == "yes"
        return "yes" if sure else "unknown"

    # --- driver x CUDA ------------------------------------------------------------------------------------------

    def drivers(self, os: str = "linux") -> tuple[DriverRow, ...]:
        """Every driver branch, newest first, with every CUDA toolkit, newest first.

        Raises:
            InvalidRequest: for an operating system that is not known.
        """
        system = self.engine.reader.system(os)
        family = "windows" if system.id == "wsl2" else system.family
        cudas = sorted(map(CudaVersion.parse, self.index.targets.toolkits), reverse=True)
        return tuple(
            DriverRow(facts, tuple(self._runs(facts, cuda, family, os) for cuda in cudas))
            for facts in reversed(self.index.drivers.branches.values())
        )

    def _runs(self, facts: BranchFacts, cuda: CudaVersion, family: str, os: str) -> DriverCell:
        runs = self.index.drivers.runs(facts.driver(family), cuda, family)
        compat = self.index.drivers.compat.get(str(cuda)) if family == "linux" else None
        question = {"driver": str(facts.number), "cuda": str(cuda)} | ({} if os == "linux" else {"os": os})
        if runs.verdict == "yes":
            return DriverCell(cuda, runs.runs_as, "yes", runs.later_only, None, question)
        listed = compat is not None and f"R{facts.number}" in compat.branches and compat.uncertain is None
        if runs.verdict == "no" and compat is not None and listed:
            return DriverCell(cuda, "forward", "no", False, compat.id, question)
        return DriverCell(cuda, runs.verdict, runs.verdict, False, None, question)


def _with(question: Mapping[str, str], torch: str) -> dict[str, str]:
    """The question about one torch."""
    return {**question, "torch": torch}
