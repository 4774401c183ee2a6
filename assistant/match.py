"""From what was read to the cause: evidence before messages, messages before wording, and no cause where nothing decides.

The order of the decision:
1. Another maker's accelerator is out of scope, even where the words are those of CUDA.
2. Comparisons of two facts, then messages that only this cause prints, then strong signs, then weak ones that add up.
3. Rules between look-alikes speak for a cause or rule it out (`assistant.lookalikes`).
4. A root stands before its consequences.
5. Where all that is too little, phrases propose, and one question is asked that separates the candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assistant.asked import weigh_questions
from assistant.case import Case
from assistant.cues import Cues
from assistant.fuzzy import LONGEST, Profiles
from assistant.load import Library
from assistant.reading import Reading
from assistant.symptom import Ask, Symptom
from assistant.tally import DECISIVE, STRONG, Mark, Tally, excluded, tallies
from resolver.engine import Engine

__all__ = ["Abstention", "Cause", "Confidence", "Diagnosis", "Evidence", "Matcher", "diagnose"]

Confidence = Literal["certain", "likely", "possible"]
Abstention = Literal["out-of-scope", "nothing-found"]

_QUOTE = 200
_NEAREST = 3
_MOST_CAUSES = 4
ALIKE = 0.1  # what is less alike than this is not proposed
TIPPING = 2.0
PROPOSING = 6.0
_SCOPES = (
    ("other-accelerator", "out_of_scope_other_accelerator"),
    ("amd", "out_of_scope_amd"),
    ("apple", "out_of_scope_apple"),
    ("intel", "out_of_scope_intel"),
)
_TOPICS = (
    "gpu", "nvidia", "cuda", "显卡", "驱动", "torch", "geforce", "rtx", "gtx", "tesla", "quadro", "显存", "独显", "核显", "n卡", "driver", "cudnn", "nvcc",
    "nccl", "vram", "graphics", "tensorrt", "tensorflow", "xid", "vllm", "ollama", "jetson", "英伟达", "算力", "卡", "mib /",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that speaks for a cause, and why: `cue`, `code xid 79`, `predicate ...`, `rule 4: ...` or `phrase`."""

    quote: str
    line: int | None
    by: str


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause with its proof, strongest first."""

    symptom: Symptom
    score: float
    confidence: Confidence
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is the matter, as far as the text tells.

    Attributes:
        causes: roots before consequences; empty where nothing was found or nothing may be said.
        others: candidates that are less likely, best first.
        question: what to ask where the causes are only proposals.
        abstain: why there is no cause.
        scope: what the text is about instead, where it is out of scope.
    """

    causes: tuple[Cause, ...] = ()
    others: tuple[Cause, ...] = ()
    question: Ask | None = None
    abstain: Abstention | None = None
    scope: Symptom | None = None

    @property
    def decided(self) -> bool:
        """Whether the first cause is more than a proposal."""
        return bool(self.causes) and self.causes[0].confidence != "possible"


class Matcher:
    """Diagnoses texts with the same symptoms.

    Args:
        library: the symptoms and codes.
        engine: the resolver.
    """

    def __init__(self, library: Library, engine: Engine) -> None:
        self.library = library
        self.engine = engine
        self._cues = Cues(library.symptoms.values())
        self._profiles = Profiles(library.symptoms.values())

    def diagnose(self, reading: Reading) -> Diagnosis:
        """The causes that a text shows; the same reading always gives the same diagnosis."""
        case = Case(reading, self.engine)
        foreign = self._foreign(case)
        if foreign is not None:
            return foreign
        found = tallies(case, self.library, self._cues)
        weigh_questions(case, found, self.library)
        scores = self._with_likeness(case, found)
        ordered = self._ordered(scores)
        if not ordered:
            return self._nothing(case)
        return self._decided(case, [found[name] for name in ordered], scores)

    # --- scope ----------------------------------------------------------------------------------------------------

    def _foreign(self, case: Case) -> Diagnosis | None:
        for predicate, label in _SCOPES:
            proof = case.proof(predicate)
            symptom = self.library.symptoms.get(label)
            if proof is not None and symptom is not None:
                marks = [Mark("decisive", f"predicate {predicate}", line) for line in proof.lines]
                cause = _cause(case, Tally(symptom, marks), DECISIVE, "certain")
                return Diagnosis((cause,), abstain="out-of-scope", scope=symptom)
        return None

    def _nothing(self, case: Case) -> Diagnosis:
        """Nothing speaks for anything: a question where it is about GPUs, silence elsewhere."""
        if not _about_gpus(case):
            label = "out_of_scope_python" if case.holds("script-error") else "out_of_scope_general"
            return Diagnosis(abstain="out-of-scope", scope=self.library.symptoms.get(label))
        unknown = self.library.symptoms.get("needs_more_info")
        return Diagnosis(question=unknown.ask if unknown else None, abstain="nothing-found")

    # --- weighing -------------------------------------------------------------------------------------------------

    def _with_likeness(self, case: Case, found: dict[str, Tally]) -> dict[str, float]:
        """The scores; likeness to what the files say tips the balance, and where all else is weak it proposes.

        A likeness, with weak signs or without, never makes more than a proposal.
        """
        weak = max((tally.score for tally in found.values()), default=0.0) < STRONG and _about_gpus(case)
        alike = self._profiles.alike(case.haystack.gist(LONGEST), case.reading.language, mend=weak)
        scores = {name: tally.score + TIPPING * alike.get(name, 0.0) for name, tally in found.items()}
        if not weak:
            return scores
        for name, likeness in sorted(alike.items()):
            symptom = self.library.symptoms[name]
            if likeness < ALIKE or excluded(case, symptom) or (symptom.group == "F" and not case.holds("question")):
                continue
            tally = found.setdefault(name, Tally(symptom))
            tally.marks.append(Mark("phrase", "phrase", None))
            scores[name] = tally.score + PROPOSING * likeness
        most = max(scores.values(), default=0.0)
        shrink = min(1.0, (STRONG - 0.01) / most) if most else 1.0
        return {name: score * shrink for name, score in scores.items()}

    def _ordered(self, scores: dict[str, float]) -> list[str]:
        """By score, but roots that have more than weak signs before their consequences."""
        by_score = sorted((name for name in scores if scores[name] > 0), key=lambda name: (-scores[name], name))
        placed: list[str] = []

        def place(name: str) -> None:
            if name in placed:
                return
            for root in by_score:
                if scores[root] >= STRONG and root != name and name in self.library.consequences.get(root, ()):
                    if name not in self.library.consequences.get(name, ()):
                        place(root)
            placed.append(name)

        for name in by_score:
            place(name)
        return placed

    # --- deciding -------------------------------------------------------------------------------------------------

    def _decided(self, case: Case, ordered: Sequence[Tally], scores: dict[str, float]) -> Diagnosis:
        first = ordered[0]
        score = scores[first.symptom.id]
        named = case.holds("gpu-named", "driver-named") and case.holds("error-text", "gpu-not-seen")
        if first.symptom.group == "N" and (score >= STRONG or not named):
            return Diagnosis((_cause(case, first, score, "likely"),), abstain="out-of-scope", scope=first.symptom)
        if first.symptom.group in "MN" or score < STRONG:
            return self._proposed(case, ordered, scores)
        causes = [
            _cause(case, tally, scores[tally.symptom.id], self._confidence(tally, ordered, scores)) for tally in ordered
        ]
        standing = [cause for cause in causes if cause.score >= max(STRONG, score / 2)][:_MOST_CAUSES]
        rest = [cause for cause in causes if cause not in standing and cause.symptom.group != "N"]
        return Diagnosis(tuple(standing), tuple(rest[:_NEAREST]))

    def _confidence(self, tally: Tally, ordered: Iterable[Tally], scores: dict[str, float]) -> Confidence:
        """Certain where a message or a comparison says it and no other cause that is not its own comes near."""
        name, score = tally.symptom.id, scores[tally.symptom.id]
        if score < STRONG:
            return "possible"
        related = self.library.consequences.get(name, frozenset())
        rivals = [
            scores[other.symptom.id]
            for other in ordered
            if other is not tally and other.symptom.id not in related
            and name not in self.library.consequences.get(other.symptom.id, ())
        ]  # fmt: skip
        return "certain" if score >= DECISIVE and score - max(rivals, default=0.0) >= 2.0 else "likely"

    def _proposed(self, case: Case, ordered: Sequence[Tally], scores: dict[str, float]) -> Diagnosis:
        """Too little for an answer: the nearest, and the question that tells the first from the second."""
        nearest = [tally for tally in ordered if tally.symptom.group not in "MN"][:_NEAREST]
        unknown = self.library.symptoms.get("needs_more_info")
        asks = [tally.symptom.ask for tally in nearest if tally.symptom.ask is not None]
        question = asks[0] if asks and ordered[0].symptom.group != "M" else unknown.ask if unknown else None
        causes = [_cause(case, tally, scores[tally.symptom.id], "possible") for tally in nearest]
        return Diagnosis(tuple(causes[:1]), tuple(causes[1:]), question, None if causes else "nothing-found")


def _about_gpus(case: Case) -> bool:
    return any(topic in case.haystack for topic in _TOPICS) or bool(case.all("gpu"))


_RANKS = ("compared", "decisive", "rule", "strong", "weak", "phrase")


def _cause(case: Case, tally: Tally, score: float, confidence: Confidence) -> Cause:
    marks = sorted(tally.marks, key=lambda mark: (_RANKS.index(mark.weight), -1 if mark.line is None else mark.line))
    evidence = dict.fromkeys(Evidence(_quote(case, mark.line), mark.line, mark.by) for mark in marks)
    return Cause(tally.symptom, round(score, 2), confidence, tuple(evidence))


def _quote(case: Case, line: int | None) -> str:
    lines = case.reading.lines
    return "" if line is None or line >= len(lines) else lines[line].strip()[:_QUOTE]


@lru_cache(maxsize=4)
def _matcher(library: Library, engine: Engine) -> Matcher:
    return Matcher(library, engine)


def diagnose(reading: Reading, symptoms: Library, engine: Engine) -> Diagnosis:
    """What a text is about; see `Matcher`."""
    return _matcher(symptoms, engine).diagnose(reading)
