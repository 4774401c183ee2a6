"""Which texts may be written into a generated file: one strict pattern for each kind of value.

Everything that is written passes through here. What the question says is read into types first, and only names and versions of
the data are written; the few texts of the person who asks that must stand in a file (a name, an image) are refused
where they are not wholly of their kind, and quoted where they are.
"""

from __future__ import annotations

import json
import re
import shlex

__all__ = ["PATTERNS", "UnfitText", "checked", "fits", "quoted", "shell"]

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
        "requirement": r"[a-z0-9][a-z0-9-]{0,40}(?:\[[a-z0-9,-]{1,40}\])?(?:==|<)\d[A-Za-z0-9.+]{0,40}",
        "package": r"[a-z0-9][a-z0-9.+-]{1,40}=\d{1,3}(?:\.\d{1,3})?\.\*",
        "url": r"https://[a-z0-9.-]{3,60}(?:/[A-Za-z0-9._-]{1,40}){1,5}",
        "arch_list": r"\d{1,2}\.\d(?:\+PTX)?(?:;\d{1,2}\.\d(?:\+PTX)?){0,40}",
        "platform": r"linux/(?:amd64|arm64)",
        "command": r"python3|bash",
        "command_line": r"whichcuda dockerfile [A-Za-z0-9 ()+,./&'=_-]{1,8000}",
        "gpu": r"sm_\d{2,3}|[A-Za-z0-9][A-Za-z0-9 ()+,./&'-]{0,99}",
        "option": r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,40}",
        "pip_option": r"--[a-z][a-z-]{1,40}",
        "extra": r"[a-z0-9][a-z0-9-]{0,40}",
        "word": r"[a-z]{1,20}",
        "python": r"3\.\d{1,2}",
        "index": r"pytorch(?:-lts)?-[a-z0-9]{1,12}",
        "subdir": r"linux-64|linux-aarch64|win-64|win-arm64",
        "marker": r"sys_platform == '(?:linux|win32)' and platform_machine == '(?:x86_64|aarch64|AMD64|ARM64)'",
        "specifier": r"(?:==|<)\d[A-Za-z0-9.+]{0,40}",
        "distribution": r"[a-z0-9][a-z0-9-]{0,40}",
        "arch": r"amd64|arm64",
        "label_value": r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?",
        "label_key": r"nvidia\.com/gpu\.(?:product|compute\.major|compute\.minor)",
        "resource": r"nvidia\.com/(?:gpu|mig-[1-7]g\.\d{1,3}gb(?:\.me)?)",
        # of the person who asks
        "dns_label": r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?",
        "image": r"(?:[a-z0-9](?:[a-z0-9.-]{0,60}[a-z0-9])?(?::\d{1,5})?/)?[a-z0-9][a-z0-9/_.-]{0,120}"
        r"(?::(?!latest(?:@|$))[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(?:@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})",
        "count": r"[1-9]\d?",
        "mig_profile": r"[1-7]g\.\d{1,3}gb(?:\+me)?",
    }.items()
}


class UnfitText(ValueError):
    """A value of the data that may not stand in a generated file; a fault of the data, not of the question."""


def fits(text: str, kind: str) -> bool:
    """Whether a text is wholly of a kind.

    >>> fits("registry.example.com:5000/team/app:1.2", "image"), fits("app:latest", "image"), fits("app", "image")
    (True, False, False)
    """
    return PATTERNS[kind].fullmatch(text) is not None


def checked(text: object, kind: str) -> str:
    """`text` if it is wholly of its kind.

    Raises:
        UnfitText: naming kind and text.

    >>> checked("nvidia/cuda:13.0.2-base-ubuntu24.04", "reference")
    'nvidia/cuda:13.0.2-base-ubuntu24.04'
    """
    found = str(text)
    if not fits(found, kind):
        raise UnfitText(f"not a {kind} that can be written into a file: {found!r:.80}")
    return found


def shell(text: object, kind: str) -> str:
    """`checked`, then quoted as one word of the shell.

    >>> shell("python3=3.12.*", "package")
    "'python3=3.12.*'"
    """
    return shlex.quote(checked(text, kind))


def quoted(text: object, kind: str) -> str:
    """`checked`, then as a string in double quotes, which JSON, YAML and TOML read the same.

    >>> quoted("yes", "dns_label")
    '"yes"'
    """
    return json.dumps(checked(text, kind))
