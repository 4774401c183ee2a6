"""Text for a terminal: widths, wrapping and colour. Colour only repeats what the words say."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import TextIO

__all__ = ["Console"]

_COLOURS = {
    "yes": "32",
    "ok": "32",
    "no": "31",
    "error": "31",
    "unknown": "33",
    "warning": "33",
    "strong": "1",
    "dim": "2",
}


class Console:
    """Where text goes, how wide it is and whether it may have colour.

    Args:
        out: the stream written to.
        environment: `NO_COLOR`, `TERM` and `COLUMNS` are looked at.
    """

    def __init__(self, out: TextIO | None = None, environment: Mapping[str, str] = os.environ) -> None:
        self.out = out or sys.stdout
        self.terminal = terminal = self.out.isatty()
        self.width = min(shutil.get_terminal_size((80, 24)).columns, 100) if terminal else 80
        self.colour = terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"

    def line(self, text: str = "") -> None:
        """One line as it is: commands stay whole, so that they can be copied."""
        self.out.write(text + "\n")

    def paint(self, text: str, name: str) -> str:
        """The text in the colour of a verdict or a severity, where colour is wanted."""
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if self.colour else text

    def wrapped(
        self, text: str, first: str = "", rest: str | None = None, paint: tuple[str, str] | None = None
    ) -> None:
        """A paragraph within the width; `first` before its first line, `rest` (or as many blanks) before the others.

        `paint` is a part of the text and its colour: put in last, since colour has no width.
        """
        indent = " " * len(first) if rest is None else rest
        filled = textwrap.fill(
            text,
            max(self.width, 40),
            initial_indent=first,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        self.line(filled.replace(paint[0], self.paint(*paint), 1) if paint else filled)
