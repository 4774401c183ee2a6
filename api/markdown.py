"""The assistant's Markdown on a terminal: headings bold, commands indented, paragraphs wrapped. Elsewhere it stays as it is."""

from __future__ import annotations

import re

from api.console import Console

__all__ = ["show_markdown"]

_FENCE = re.compile(r"^```\w*$")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_LINK = re.compile(r"<(https?://[^\s<>]+)>")
_ITEM = re.compile(r"^(?:- |\d+\. )")
_INDENT = "    "


def show_markdown(text: str, console: Console) -> None:
    """Show a text; one that is not for a terminal is passed on unchanged, so that it can be pasted elsewhere."""
    if not console.terminal:
        console.out.write(text)
        return
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced:
            console.line(_INDENT + line)
        else:
            _prose(_LINK.sub(r"\1", line), console)


def _prose(line: str, console: Console) -> None:
    if not line:
        console.line()
        return
    heading = _BOLD.search(line)
    mark = _ITEM.match(line)
    first = mark[0] if mark else ""
    plain = _BOLD.sub(r"\1", line[len(first) :])
    console.wrapped(plain, first=first, paint=(heading[1], "strong") if heading else None)
