"""Predicates about the numbers of out-of-memory messages and of `nvidia-smi`: whose memory it is."""

from __future__ import annotations

import re

from assistant.case import Case, Proof, predicate
from assistant.reading import Fact

__all__: list[str] = []


def _memories(case: Case) -> list[Fact]:
    return [fact for fact in case.all("memory") if fact.value.total]


def _unallocated(fact: Fact) -> float:
    """What the allocator holds without use: older messages print the sum, newer ones the difference."""
    reserved, allocated = fact.value.reserved or 0.0, fact.value.allocated or 0.0
    return float(reserved - allocated if reserved >= allocated else reserved)


@predicate("oom-larger-than-card")
def oom_larger_than_card(case: Case) -> Proof | None:
    """One request is larger than the whole card."""
    return next((Proof.of(fact) for fact in _memories(case) if (fact.value.tried or 0) > fact.value.total), None)


@predicate("oom-reserved-unallocated")
def oom_reserved_unallocated(case: Case) -> Proof | None:
    """The allocator holds more unused memory than was asked for, and a good part of the card."""
    for fact in _memories(case):
        if _unallocated(fact) > max(fact.value.tried or 0, 0.15 * fact.value.total):
            return Proof.of(fact)
    return None


@predicate("oom-other-process")
def oom_other_process(case: Case) -> Proof | None:
    """A good part of the card is held by somebody else than the process that failed."""
    for fact in _memories(case):
        memory = fact.value
        if memory.free is None or memory.allocated is None:
            continue
        own = memory.allocated + _unallocated(fact)
        if memory.total - memory.free - own > 0.4 * memory.total:
            return Proof.of(fact)
    return None


_USED = re.compile(r"(\d{1,6})mib ?/ ?(\d{3,6})mib")
_NOBODY = (
    "no running processes found",
    "no matching process",
    "no process",
    "没有进程",
    "没有任何进程",
    "看不到进程",
    "no processes",
)


@predicate("memory-without-process")
def memory_without_process(case: Case) -> Proof | None:
    """A good part of the card is in use, and no process is shown that uses it."""
    nobody = case.said(*_NOBODY)
    if nobody is None:
        return None
    for number, text in case.haystack.all_matching(_USED, "mib"):
        found = _USED.search(text)
        if found is not None and int(found[1]) > max(1000, int(found[2]) // 10):
            return Proof((number, *nobody.lines))
    return None
