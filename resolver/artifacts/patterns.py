"""Which texts may be written into a generated file: one strict pattern for each kind of value.

Everything that comes from the data passes through here. Text of the person who asks never does: it is read into types
first, and only names and versions of the data are written.
"""

from __future__ import annotations

import re
import shlex

__all__ = ["PATTERNS", "UnfitText", "checked", "shell"]

PATTERNS: dict[str, re.Pattern[str]] = {
    kind: re.compile(pattern, re.ASCII)
    for kind, pattern in {
        "reference": r"[a-z0-9][a-z0-9./_-]{0,99}:(?=\D{0,40}\d)[A-Za-z0-9_][A-Za-z0-9._-]{0,127}",  # some number in the tag
        "version": r"\d{1,4}(?:\.\d{1,4}){0,3}[A-Za-z0-9.+]{0,40}",
        "number": r"\d{1,3}",
        "label": r"\d{1,3}(?:\.\d{1,3}){2}\+[a-z0-9]{1,12}",
        "tag": r"[a-z0-9][a-z0-9./_-]{0,60}:[0-9][A-Za-z0-9._-]{0,60}",
        "name": r"[A-Za-z0-9][A-Za-z0-9 ()+,./&'-]{0,99}",
        "phrase": r"[A-Za-z0-9][A-Za-z0-9 .,]{0,199}",
        "requirement": r"[a-z0-9][a-z0-9-]{0,40}(?:==|<)\d[A-Za-z0-9.+]{0,40}",
        "package": r"[a-z0-9][a-z0-9.+-]{1,40}=\d{1,3}(?:\.\d{1,3})?\.\*",
        "url": r"https://[a-z0-9.-]{3,60}(?:/[A-Za-z0-9._-]{1,40}){1,5}",
        "arch_list": r"\d{1,2}\.\d(?:;\d{1,2}\.\d){0,40}",
        "platform": r"linux/(?:amd64|arm64)",
        "command": r"python3|bash",
    }.items()
}


class UnfitText(ValueError):
    """A value of the data that may not stand in a generated file; a fault of the data, not of the question."""


def checked(text: object, kind: str) -> str:
    """`text` if it is wholly of its kind.

    Raises:
        UnfitText: naming kind and text.

    >>> checked("nvidia/cuda:13.0.2-base-ubuntu24.04", "reference")
    'nvidia/cuda:13.0.2-base-ubuntu24.04'
    """
    found = str(text)
    if PATTERNS[kind].fullmatch(found) is None:
        raise UnfitText(f"not a {kind} that can be written into a file: {found!r:.80}")
    return found


def shell(text: object, kind: str) -> str:
    """`checked`, then quoted as one word of the shell.

    >>> shell("python3=3.12.*", "package")
    "'python3=3.12.*'"
    """
    return shlex.quote(checked(text, kind))
