"""No tabs, no spaces at the end of a line, one line feed at the end of a file."""

from __future__ import annotations

from matrices.lint.base import Check, mended

__all__ = ["CHECK"]


def _mend(text: str) -> str:
    lines = (line.replace("\t", "    ").rstrip() for line in text.replace("\r\n", "\n").split("\n"))
    return "\n".join(lines).strip("\n") + "\n" if text else text


CHECK = Check(
    name="whitespace",
    scope="file",
    law="No tabs, no spaces at the end of a line; a file ends in one line feed.",
    fix="`--fix` removes them.",
    run=mended(_mend, "tabs, spaces at the end of a line, or not one line feed at the end"),
    mend=_mend,
)
