"""What the rules of `assistant.lookalikes` are put together from."""

from __future__ import annotations

import re
from collections.abc import Callable

from assistant.case import Case, Proof, both

__all__ = ["Condition", "every", "matching", "no_devices_explained", "predicate_holds", "said", "without"]

Condition = Callable[[Case], Proof | None]


def predicate_holds(*names: str) -> Condition:
    """All of some predicates hold; `!` before a name: it must not."""

    def holds(case: Case) -> Proof | None:
        proofs = []
        for name in names:
            if name.startswith("!"):
                if case.holds(name[1:]):
                    return None
            else:
                proofs.append(case.proof(name))
        return both(proofs)

    return holds


def said(*literals: str, lacking: tuple[str, ...] = ()) -> Condition:
    """One of some literals is there, and none of those it must lack."""

    def holds(case: Case) -> Proof | None:
        return None if any(literal in case.haystack for literal in lacking) else case.said(*literals)

    return holds


def matching(pattern: str, needle: str) -> Condition:
    """A line with a needle matches a pattern."""
    compiled = re.compile(pattern)

    def holds(case: Case) -> Proof | None:
        line = case.haystack.line_matching(compiled, needle)
        return None if line is None else Proof((line,))

    return holds


def every(*parts: Condition) -> Condition:
    """All parts hold."""
    return lambda case: both(part(case) for part in parts)


def without(part: Condition, other: Condition) -> Condition:
    """One part holds and another does not."""
    return lambda case: None if other(case) else part(case)


def no_devices_explained(case: Case) -> Proof | None:
    """`No devices were found` with a kernel line that says why."""
    if "no devices were found" not in case.haystack:
        return None
    return case.said(
        "rminitadapter",
        "fallen off the bus",
        "legacy drivers",
        "open kernel modules",
        "bar1 is 0m",
        "pci i/o region",
        "key was rejected",
    )
