"""Why there is no answer, and which change would make one: a minimal conflict and every single relaxation.

Works on names of constraints and one question, "is it satisfiable without these?", so it knows nothing of GPUs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

__all__ = ["minimal_conflict", "relaxations"]

Satisfiable = Callable[[frozenset[str]], bool]  # given the names left out


def minimal_conflict(names: Iterable[str], satisfiable: Satisfiable) -> tuple[str, ...]:
    """A smallest-by-deletion set of constraints that cannot hold together.

    Args:
        names: all constraints, most easily changed first: those are kept in the conflict where there is a choice.
        satisfiable: whether an answer exists when the given names are left out.

    >>> minimal_conflict(["torch", "python", "driver"], lambda without: bool(without & {"torch", "driver"}))
    ('torch', 'driver')
    """
    ordered = tuple(names)
    without: frozenset[str] = frozenset()
    for name in reversed(ordered):
        trial = without | {name}
        if not satisfiable(trial):
            without = trial
    return tuple(name for name in ordered if name not in without)


def relaxations(names: Iterable[str], satisfiable: Satisfiable) -> tuple[tuple[str, ...], ...]:
    """Every single constraint whose leaving out makes an answer; where there is none, every such pair.

    >>> relaxations(["torch", "python", "driver"], lambda without: bool(without & {"torch", "driver"}))
    (('torch',), ('driver',))
    """
    ordered = tuple(names)
    for size in (1, 2):
        found = tuple(group for group in combinations(ordered, size) if satisfiable(frozenset(group)))
        if found:
            return found
    return ()
