"""`kubectl describe node` and pod: the labels of GPU feature discovery."""

from __future__ import annotations

import re

from assistant.reading import values
from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, rules

__all__ = ["FORMS"]

_LABELS = "kubectl"

_PART = re.compile(
    r"nvidia\.com/(?P<of>cuda\.driver|cuda\.runtime|gpu\.compute)\.(?P<part>major|minor"
    r"|rev)[=:] ?\"?(?P<number>\d{1,3})"
)
_KINDS = {"cuda.driver": "driver", "cuda.runtime": "driver-cuda", "gpu.compute": "gpu-capability"}


def _parts(line: Line, collector: Collector) -> None:
    """A version given as `major`, `minor` and `rev` on lines of their own, in any order."""
    first = _PART.search(line.lower)
    if first is None or first["part"] != "major":
        return
    near = (*collector.document.preceding(line, 3), *collector.document.following(line, 4))
    parts = {"major": first["number"]}
    for each in near:
        found = _PART.search(each.lower)
        if found is not None and found["of"] == first["of"]:
            parts.setdefault(found["part"], found["number"])
    kind = _KINDS[first["of"]]
    names = ("major", "minor", "rev") if kind == "driver" else ("major", "minor")
    text = ".".join(parts[name] for name in names if name in parts)
    collector.add(kind, values.CONVERTERS[kind](text), line, first.span(), _LABELS)


FORMS: tuple[Form, ...] = (
    *rules(
        _LABELS,
        ("gpu.product", r"gpu\.product[\"']?[=:] ?[\"']?(?P<gpu>[a-z][\w.-]{2,60})"),
        ("cuda.driver-version.full", r"cuda\.driver-version\.full[=:] ?\"?<driver>"),
        ("cuda.runtime-version.full", r"cuda\.runtime-version\.full[=:] ?\"?<driver-cuda>"),
        ("gke-accelerator", r"gke-accelerator[=:] ?\"?(?P<gpu>nvidia-[\w-]{2,40})"),
    ),
    Form(_LABELS, (".major=", ".major:"), _parts),
)
