"""Claims gathered by the question they answer, what each answers, and whether they leave it open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matrices.codec import to_plain
from matrices.model import BESIDE, Claim

__all__ = ["question", "says", "undecided", "voices"]


def question(identity: str) -> str:
    """What a claim answers: its id without the number of the voice.

    >>> question("driver-runs-cuda:R580#2")
    'driver-runs-cuda:R580'
    """
    return identity.partition("#")[0]


def says(claim: Claim) -> dict[str, Any]:
    """What a claim says apart from who says it and how surely, as plain values."""
    return {name: value for name, value in to_plain(claim).items() if name not in BESIDE}


def voices(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """The claims by their question, in their order."""
    found: dict[str, list[Claim]] = {}
    for claim in claims:
        found.setdefault(question(claim.id), []).append(claim)
    return found


def undecided(claims: Iterable[Claim]) -> list[Claim]:
    """The voices on one question that count, where they disagree and none is preferred; otherwise none."""
    counting = [claim for claim in claims if claim.standing != "deprecated"]
    if any(claim.standing == "preferred" for claim in counting):
        return []
    return counting if any(says(claim) != says(counting[0]) for claim in counting[1:]) else []
