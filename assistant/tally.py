"""How strongly a text speaks for each cause: printed cues, codes, what was read and compared, and the rules between look-alikes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assistant.case import Case, Proof
from assistant.cues import Cues
from assistant.evidence import COMPARISONS
from assistant.load import Library
from assistant.lookalikes import RULES
from assistant.reading import CudaError, Fact
from assistant.symptom import Code, Symptom

__all__ = ["DECISIVE", "STRONG", "Mark", "Tally", "excluded", "tallies"]

COMPARED = 10.0
DECISIVE = 8.0
STRONG = 4.0
WEAK = 1.0
# what the second, third ... sign of one weight is worth beside the first: they often say the same again
_FURTHER = {"compared": (0.0,), "decisive": (1.5, 0.5), "strong": (2.0, 1.0, 0.5), "weak": (1.0, 0.5)}
_FIRST = {"compared": COMPARED, "decisive": DECISIVE, "strong": STRONG, "weak": WEAK}


@dataclass(frozen=True, slots=True)
class Mark:
    """One sign for a cause.

    Attributes:
        weight: how much it says.
        by: what it is: `cue`, `code xid 79`, `predicate gpu-newer-than-build`, `rule 4: ...`, `phrase`.
        line: the number of the line that shows it; None where it is the text as a whole.
    """

    weight: str
    by: str
    line: int | None


@dataclass(slots=True)
class Tally:
    """The signs for one cause."""

    symptom: Symptom
    marks: list[Mark] = field(default_factory=list)
    bonus: float = 0.0

    @property
    def score(self) -> float:
        """The first sign of a weight counts full, further ones less and less; the same line counts once for a weight."""
        total = self.bonus
        for weight, first in _FIRST.items():
            lines = {
                (mark.line, mark.by if weight == "compared" else "") for mark in self.marks if mark.weight == weight
            }
            if lines:
                total += first + sum(_FURTHER[weight][: len(lines) - 1])
        return total

    def has(self, weight: str) -> bool:
        """Whether there is a sign of a weight."""
        return any(mark.weight == weight for mark in self.marks)


def tallies(case: Case, library: Library, cues: Cues) -> dict[str, Tally]:
    """Every cause that something in the text speaks for and nothing rules out."""
    found: dict[str, Tally] = {}

    def add(symptom: str, mark: Mark) -> None:
        if symptom in library.symptoms:
            found.setdefault(symptom, Tally(library.symptoms[symptom])).marks.append(mark)

    for hit in cues.hits(case.haystack):
        add(hit.symptom, Mark(hit.cue.weight, "cue", hit.line))
    for code, fact in codes(case, library):
        if code.cause is not None:
            add(code.cause, Mark(code.weight, f"code {code.family} {code.number}", fact.line))
    for symptom in library.symptoms.values():
        for name in symptom.when:
            proof = case.proof(name)
            if proof is not None:
                add(symptom.id, _mark_of(name, proof))
    kept = {name: tally for name, tally in found.items() if not excluded(case, tally.symptom)}
    _judge(case, library, kept)
    return kept


def _mark_of(name: str, proof: Proof) -> Mark:
    weight = "compared" if name in COMPARISONS else "strong"
    return Mark(weight, f"predicate {name}", proof.lines[-1] if proof.lines else None)


def excluded(case: Case, symptom: Symptom) -> bool:
    """Whether what a cause needs is missing, or what rules it out is there."""
    if symptom.needs and not case.holds(*symptom.needs):
        return True
    return case.holds(*symptom.unless)


def _judge(case: Case, library: Library, found: dict[str, Tally]) -> None:
    """Let the rules speak for and rule out; what a rule speaks for is not ruled out by another."""
    favoured: set[str] = set()
    excluded: set[str] = set()
    for rule in RULES:
        if rule.among and not any(name in found for name in rule.among):
            continue
        if not rule.raises and not any(name in found for name in (*rule.favours, *rule.excludes)):
            continue
        proof = rule.holds(case)
        if proof is None:
            continue
        excluded |= set(rule.excludes)
        for name in rule.favours:
            if name in library.symptoms and (name in found or rule.raises) and name not in favoured:
                tally = found.setdefault(name, Tally(library.symptoms[name]))
                tally.marks.append(
                    Mark("rule", f"rule {rule.number}: {rule.says}", proof.lines[-1] if proof.lines else None)
                )
                tally.bonus += rule.points
                favoured.add(name)
    for name in excluded - favoured:
        found.pop(name, None)


# --- codes ------------------------------------------------------------------------------------------------------------


def codes(case: Case, library: Library) -> list[tuple[Code, Fact]]:
    """Every number with a meaning that was read, with its fact."""
    return [(code, fact) for fact, code in _looked_up(case, library) if code is not None]


def _looked_up(case: Case, library: Library) -> Iterator[tuple[Fact, Code | None]]:
    for fact in case.all("xid"):
        yield fact, library.code("xid", fact.value.number)
    for fact in case.all("cuda-error"):
        yield fact, cuda_code(fact.value, library)
    for fact in case.all("nccl-error"):
        yield fact, library.named("nccl", fact.value)
    for fact in case.all("nvml-error"):
        yield fact, library.named("nvml", f"NVML_ERROR_{fact.value.replace(' ', '_')}")
    for fact in case.all("device-code"):
        yield fact, library.code("windows-event", fact.value)
    for fact in case.all("windows-event"):
        yield fact, library.code("windows-event", fact.value[1])


def cuda_code(error: CudaError, library: Library) -> Code | None:
    """By name where there is one: an old runtime counts differently."""
    families: Iterable[str] = (
        ("cuda-driver", "cuda-runtime") if (error.name or "").startswith("CUDA_") else ("cuda-runtime", "cuda-driver")
    )
    for family in families:
        found = library.named(family, error.name) if error.name else None
        if found is None and error.code is not None:
            found = library.code(family, error.code)
        if found is not None:
            return found
    return None
