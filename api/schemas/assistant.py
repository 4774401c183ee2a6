"""What the assistant says, described."""

from __future__ import annotations

from typing import Literal

from api.schemas.base import Described
from api.schemas.stacks import Fix, Stack

__all__ = [
    "Advice",
    "AskAnswer",
    "Cause",
    "Fact",
    "StackFix",
]


class Cause(Described):
    """A cause that the text shows, by its stable id."""

    id: str
    title: str
    confidence: Literal["certain", "likely", "possible"]


class Fact(Described):
    """What was understood, and the line that says so."""

    value: str
    quote: str


class StackFix(Described):
    """A whole stack as the cure."""

    kind: Literal["stack"]
    stack: Stack


class Advice(Described):
    """What the assistant made of a message; `diagnosis` is null where the text does not decide it."""

    language: Literal["en", "zh"]
    diagnosis: Cause | None
    others: list[Cause]
    facts: dict[str, Fact]
    question: str | None
    fixes: list[StackFix | Fix]
    sources: list[str]
    data_version: str


class AskAnswer(Advice):
    """The answer of `/ask`; `answer` is Markdown."""

    answer: str
