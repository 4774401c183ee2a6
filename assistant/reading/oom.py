"""Out-of-memory messages and their numbers, in MiB."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.facts import Memory
from assistant.reading.form import Collector, Form

__all__ = ["FORMS"]

_SOURCE = "out of memory"
_UNITS = {"bytes": 1 / 2**20, "kib": 1 / 2**10, "mib": 1.0, "gib": 2.0**10, "tib": 2.0**20, "mb": 1.0, "gb": 2.0**10}
_SIZE = r"(?P<{}>\d{{1,9}}(?:\.\d{{1,3}})?) (?P<{}_unit>bytes|[kmgt]ib|[mg]b)"

_NUMBERS = {
    "tried": (r"tried to allocate {}", r"allocating {} on device"),
    "total": (r"{} total capacity", r"total capacity of {}"),
    "free": (r"{} free", r"of which {} is free"),
    "allocated": (r"{} already allocated", r"allocated memory {} is allocated by pytorch"),
    "reserved": (r"{} reserved in total", r"{} is reserved by pytorch", r"{} cached"),
    "others": (r"process \d{{1,8}} has {}",),
}
_PATTERNS = {
    name: re.compile("|".join(form.format(_SIZE.format(f"n{at}", f"n{at}")) for at, form in enumerate(forms)))
    for name, forms in _NUMBERS.items()
}


def _numbers(line: Line, collector: Collector) -> None:
    """The numbers of one message, which a terminal may have wrapped."""
    start = line.lower.find("tried to allocate")
    start = start if start >= 0 else line.lower.find("allocating")
    text = line.lower[start:]
    for each in collector.document.following(line, 4):
        if "tried to allocate" in each.lower or len(text) > 700:
            break
        text += " " + each.lower.strip()
    read = {name: _megabytes(pattern, text) for name, pattern in _PATTERNS.items()}
    if read["tried"] is not None:
        collector.add("memory", Memory(**read), line, (start, len(line.text)), _SOURCE)


def _megabytes(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    if found is None:
        return None
    groups = found.groupdict()
    name = next(name for name, value in groups.items() if value is not None and not name.endswith("_unit"))
    return round(float(groups[name]) * _UNITS[groups[f"{name}_unit"]], 2)


FORMS: tuple[Form, ...] = (Form(_SOURCE, ("tried to allocate", "mib on device", "allocating "), _numbers),)
