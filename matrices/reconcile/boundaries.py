"""From a series of observations over versions to the pair of versions that a boundary lies between.

A boundary is never one version: it is the last that had it not and the first that had it. What lies between stays unknown.
A series that is not simple is not forced into a pair; it says why not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

__all__ = ["Boundaries", "NotSimple", "Reason", "infer"]

V = TypeVar("V")
Reason = Literal["nothing-observed", "never-seen", "came-back"]


@dataclass(frozen=True, slots=True)
class Boundaries(Generic[V]):
    """Where something begins and ends. `last_no` None: it may have begun before `first_yes`; `first_no` None: it goes on
    as far as anybody looked."""

    last_no: V | None
    first_yes: V
    last_yes: V
    first_no: V | None


@dataclass(frozen=True, slots=True)
class NotSimple:
    """Why a series gives no pair: nobody looked, nobody saw it, or it came, went and came back."""

    reason: Reason


def infer(series: Sequence[tuple[V, bool | None]]) -> Boundaries[V] | NotSimple:
    """The boundaries of a series in ascending order; None stands for a version that nobody looked at.

    >>> infer([("11.7", False), ("11.8", None), ("12.0", True), ("12.1", True), ("13.0", False)])
    Boundaries(last_no='11.7', first_yes='12.0', last_yes='12.1', first_no='13.0')
    >>> infer([("12.7", True), ("12.8", False), ("12.9", True)])
    NotSimple(reason='came-back')
    """
    seen = [(version, answer) for version, answer in series if answer is not None]
    if not seen:
        return NotSimple("nothing-observed")
    yes = [place for place, (_, answer) in enumerate(seen) if answer]
    if not yes:
        return NotSimple("never-seen")
    first, last = yes[0], yes[-1]
    if last - first + 1 != len(yes):
        return NotSimple("came-back")
    before = seen[first - 1][0] if first else None
    after = seen[last + 1][0] if last + 1 < len(seen) else None
    return Boundaries(before, seen[first][0], seen[last][0], after)
