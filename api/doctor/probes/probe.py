"""A probe collects a text and reads it, so that a saved text can take its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from api.doctor.facts import Facts
from api.doctor.outside import Outside

__all__ = ["Context", "NoAnswer", "Probe"]

SECONDS = 10.0  # for one program; a broken driver makes nvidia-smi hang


@dataclass(frozen=True, slots=True)
class Probe:
    """One look at the machine.

    Attributes:
        name: by which `--skip` and `--from` name it.
        about: what it looks at, for the documents.
        collect: the text it sees; None where there is nothing to see. Raises `NoAnswer` where it should have been.
        read: puts what a text says into the facts.
    """

    name: str
    about: str
    collect: Callable[[Outside, Context], str | None]
    read: Callable[[str, Facts], None]


@dataclass(frozen=True, slots=True)
class Context:
    """What the asker fixes: the interpreter that is asked for torch, and the time in seconds that a program has."""

    python: str | None = None
    seconds: float = SECONDS


class NoAnswer(Exception):
    """A probe that should have answered; the message says why not."""
