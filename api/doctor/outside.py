"""The one door to the machine: files and programs. Everything else of the doctor works on what comes through it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = ["Here", "Outside", "Ran"]

Failure = Literal["absent", "late", "refused"]
MOST = 4_000_000  # characters kept of what a program or a file says


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program did: its exit code and texts, or why there are none.

    `failure`: `absent` - there is no such program; `late` - it did not end in time; `refused` - it may not be run.
    """

    code: int | None = None
    out: str = ""
    err: str = ""
    failure: Failure | None = None


class Outside(Protocol):
    """What probes may ask of a machine."""

    platform: str  # as `sys.platform`
    environment: Mapping[str, str]

    def text(self, path: str) -> str | None:
        """The text of a file; None where it cannot be read."""

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted; none where it cannot be read."""

    def target(self, path: str) -> str | None:
        """The last name of where a link leads; None where there is no link."""

    def exists(self, path: str) -> bool:
        """Whether there is something at a path."""

    def run(self, command: Sequence[str], seconds: float, *, text: str = "") -> Ran:
        """What a program says within a time, given `text` on its standard input."""


class Here:
    """This machine."""

    def __init__(self) -> None:
        self.platform = sys.platform
        self.environment: Mapping[str, str] = os.environ

    def text(self, path: str) -> str | None:
        """The text of a file."""
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read(MOST)
        except OSError:
            return None

    def names(self, path: str) -> list[str]:
        """The names in a folder."""
        try:
            return sorted(os.listdir(path))
        except OSError:
            return []

    def target(self, path: str) -> str | None:
        """The last name of where a link leads."""
        try:
            return os.path.basename(os.readlink(path))
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Whether there is something at a path."""
        return os.path.exists(path)

    def run(self, command: Sequence[str], seconds: float, *, text: str = "") -> Ran:
        """What a program says within a time. A list of words, never a shell; messages are asked for in English."""
        environment = {**self.environment, "LC_ALL": "C"}
        try:
            done = subprocess.run(  # noqa: S603  # the commands are the probes' own
                list(command),
                capture_output=True,
                input=text,
                text=True,
                errors="replace",
                timeout=seconds,
                env=environment,
                check=False,
            )
        except FileNotFoundError:
            return Ran(failure="absent")
        except subprocess.TimeoutExpired:
            return Ran(failure="late")
        except OSError:
            return Ran(failure="refused")
        return Ran(done.returncode, done.stdout[:MOST], done.stderr[:MOST])
