"""`nvidia-smi`: the table in its old and new layouts, `-q`, `-L`, and CSV queries."""

from __future__ import annotations

import re

from assistant.reading import values
from assistant.reading.document import Line
from assistant.reading.facts import Process
from assistant.reading.form import Collector, Form, rule

__all__ = ["FORMS"]

_TABLE = "nvidia-smi"
_QUERY = "nvidia-smi -q"
_LIST = "nvidia-smi -L"
_CSV = "nvidia-smi --query-gpu"

_ROW = re.compile(
    r"\|\s{1,5}\d{1,3}\s{1,3}(?P<name>\S.{0,48}?)\s{1,30}(?P<mode>on|off|n/a|wddm|tcc|mcdm|err!|disabled"
    r"|enabled)\s{0,8}\|"
    r"\s{0,4}[0-9a-f]{4,8}:"
)


def _row(line: Line, collector: Collector) -> None:
    """The first line of a GPU in the table: number, name, persistence or driver model, bus id."""
    found = _ROW.search(line.lower)
    if found is None:
        return
    span = found.span("name")
    name = line.text[span[0] : span[1]]
    if name.startswith("ERR!"):
        collector.add("state", "err", line, span, _TABLE)
    else:
        collector.gpu(name, line, span, _TABLE)
    collector.claim(line, span)
    if found["mode"] in ("wddm", "tcc", "mcdm"):
        collector.add("state", found["mode"], line, found.span("mode"), _TABLE)


_PROCESS = re.compile(
    r"\|\s{1,6}\d{1,3}\s{1,8}(?:\S{1,4}\s{1,5}\S{1,4}\s{1,8})?(?P<pid>\d{1,8})\s{1,8}[cgm+]{1,3}\s{1,4}(?P<name>\S.{0,90}?)"
    r"\s{1,40}(?P<memory>\d{1,7})mib\s{0,4}\|"
)


def _process(line: Line, collector: Collector) -> None:
    found = _PROCESS.search(line.lower)
    if found is not None:
        start, end = found.span("name")
        process = Process(int(found["pid"]), line.text[start:end], int(found["memory"]))
        collector.add("process", process, line, found.span(), _TABLE)


def _error(line: Line, collector: Collector) -> None:
    """`ERR!` in place of a reading, but not the one for the CUDA version, which means a missing library."""
    at = line.lower.find("err!")
    if line.lower.lstrip().startswith("|") and "version" not in line.lower:
        collector.add("state", "err", line, (at, at + 4), _TABLE)


# --- -L and other numbered lists ----------------------------------------------------------------------------------------

_NUMBERED = re.compile(
    r"\s{0,40}(?:\[?\d\]?\s)?(?:gpu|device)[ #]{0,2}\d{1,3} ?: {0,4}(?P<name>[^\s(,:][^(,\n]{1,60}?) {0,4}(?:[(,]"
    r"|\.{0,3}$)"
)
_MOST_GPUS = 16


def _numbered(line: Line, collector: Collector) -> None:
    """`GPU 0: NVIDIA A10 (UUID: ...)` and the lines of the same form after it."""
    for each in (line, *collector.document.following(line, _MOST_GPUS)):
        found = _NUMBERED.match(each.lower)
        if found is None and not each.lower.lstrip().startswith("mig "):
            return
        if found is not None and any(map(str.isdigit, found["name"])):
            span = found.span("name")
            collector.gpu(each.text[span[0] : span[1]], each, span, _LIST)
            collector.claim(each, span)


def _mig(line: Line, collector: Collector) -> None:
    collector.add("state", "mig", line, (0, len(line.text)), _LIST)


# --- CSV ------------------------------------------------------------------------------------------------------------

_ASKED = re.compile(r"--query-gpu[= ]{1,2}\"?(?P<fields>[a-z_.,]{2,400})")
_HEADER = re.compile(r"[a-z_.]{2,40}(?: \[[a-z%]{1,6}\])?(?:, ?[a-z_.]{2,40}(?: \[[a-z%]{1,6}\])?){1,40}")
_COLUMNS = {"name": "gpu", "gpu_name": "gpu", "driver_version": "driver", "compute_cap": "gpu-capability"}


def _csv(line: Line, collector: Collector) -> None:
    """The rows below a CSV header or a command that names its columns."""
    asked = _ASKED.search(line.lower)
    if asked is None and not _HEADER.fullmatch(line.lower.strip()):
        return
    columns = [field.split("[")[0].strip() for field in (asked["fields"] if asked else line.lower).split(",")]
    for row in collector.document.following(line, _MOST_GPUS):
        if _HEADER.fullmatch(row.lower.strip()):
            continue
        cells = row.text.split(",")
        if len(cells) != len(columns) or len(columns) < 2:
            return
        start = 0
        for column, cell in zip(columns, cells, strict=True):
            begin = start + len(cell) - len(cell.lstrip())
            _cell(_COLUMNS.get(column), cell.strip(), row, (begin, start + len(cell)), collector)
            start += len(cell) + 1


def _cell(kind: str | None, text: str, row: Line, span: tuple[int, int], collector: Collector) -> None:
    if kind == "gpu":
        collector.gpu(text, row, span, _CSV)
    elif kind is not None:
        collector.add(kind, values.CONVERTERS[kind](text), row, span, _CSV)


FORMS: tuple[Form, ...] = (
    rule(
        _TABLE,
        ("driver version", "kmd version"),
        r"(?:nvidia-smi\s{1,20}<client-library>\s{1,40})?(?<!nvidia )(?:kmd|driver)(?: version)\s{0,60}[:=]?\s{0,20}<driver>"
        r"(?:.{0,30}?cuda(?: umd)? version\s{0,20}:\s{0,20}<driver-cuda>)?",
    ),
    rule(_TABLE, "cuda version", r"\|.{0,160}cuda(?: umd)? version: {1,12}<driver-cuda>"),
    rule(_QUERY, "cuda version", r"^\s{0,8}cuda version\s{2,60}: {0,3}<driver-cuda>"),
    rule(_QUERY, "product name", r"product name\s{0,60}: {0,3}(?P<gpu>\S[^|]{2,60}?)\s{0,20}$"),
    Form(_TABLE, ("| 0000", "|0000", "|   0000"), _row),
    Form(_TABLE, ("mib |",), _process),
    Form(_TABLE, ("err!",), _error),
    Form(_TABLE, ("mig devices:", "(uuid: mig-"), _mig),
    Form(_LIST, ("gpu 0:", "(uuid:", "device 0:", "gpu #0:"), _numbered),
    Form(_CSV, ("driver_version", "compute_cap", "--query-gpu", "memory.total"), _csv),
)
