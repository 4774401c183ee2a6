"""CUDA Toolkit release notes: the tables of toolkits and drivers, and the drivers among the components.

The page is long and its tables are told apart by their captions. What a caption does not tell is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from matrices.catalogue import Catalogue
from matrices.collect.door import Pages
from matrices.collect.rows import Parsed, Row, Unrecognised
from matrices.collect.tables import Table, read_tables
from matrices.versions import CudaVersion, DriverVersion, InvalidVersion

__all__ = ["URL", "collect", "parse"]

URL = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"

_NATIVE = "corresponding driver versions"
_MINOR = "minor version compatibility"
_COMPONENTS = re.compile(r"cuda (\d+\.\d+)(?: update (\d+))? component versions")
_RELEASE = re.compile(r"CUDA (\d+\.\d+)(?:\.(\d+))?(?: (?:GA|Update (\d+)))?")
_FAMILY = re.compile(r"CUDA (\d+)\.x.*")
_DRIVER = re.compile(r">=\s*(\d[\d.]*)\**")
_SHIPPED: dict[str, Literal["linux", "windows"]] = {"nvidia linux driver": "linux", "nvidia windows driver": "windows"}


def collect(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Ask for the current release notes and read them."""
    return parse(pages.page("cuda-release-notes.html", URL, {}))


def parse(page: bytes) -> Parsed:
    """Rows of `toolkit`, `toolkit-needs-driver-natively`, `toolkit-needs-driver` and `toolkit-ships-driver`.

    Raises:
        Unrecognised: when no table of toolkits and drivers is found, or nothing can be read in it.
    """
    rows: list[Row] = []
    unmatched: list[str] = []
    for table in read_tables(page):
        caption = table.caption.lower()
        if _NATIVE in caption:
            rows += _native(table, unmatched)
        elif _MINOR in caption:
            rows += _minor(table, unmatched)
        elif found := _COMPONENTS.search(caption):
            rows += _shipped(table, f"{found[1]}.{found[2] or 0}")
    if not rows:
        raise Unrecognised("cuda-release-notes.html: no table of toolkits and drivers")
    return Parsed(tuple(rows), tuple(unmatched))


def _drivers(table: Table, unmatched: list[str]) -> Iterator[tuple[str, str, str]]:
    """First cell, system and driver of every cell that names one; what else stands below the heads is reported."""
    heads = next((number for number, cells in enumerate(table.rows) if any(map(_DRIVER.search, cells))), 0)
    columns = _columns(table, heads, unmatched)
    for cells in table.rows[heads:]:
        for column, os in columns.items():
            text = cells[column] if column < len(cells) else ""
            if found := _DRIVER.fullmatch(text):
                yield cells[0], os, found[1]
            elif text and text.upper() != "N/A":
                unmatched.append(f"{table.caption}: {cells[0]}, {os}: {text!r}")


def _columns(table: Table, heads: int, unmatched: list[str]) -> dict[int, Literal["linux", "windows"]]:
    """Which columns hold drivers, by the lowest of the heads; others are reported and passed over."""
    lowest: dict[int, str] = {}
    for cells in table.rows[:heads]:
        lowest |= dict(enumerate(cells))
    found: dict[int, Literal["linux", "windows"]] = {}
    for column, head in sorted(lowest.items())[1:]:
        lowered = head.lower()
        if "linux" in lowered and "aarch64" not in lowered:
            found[column] = "linux"
        elif "windows" in lowered:
            found[column] = "windows"
        else:
            unmatched.append(f"{table.caption}: column {head!r}")
    return found


def _native(table: Table, unmatched: list[str]) -> Iterator[Row]:
    for name, os, driver in _drivers(table, unmatched):
        found = _RELEASE.fullmatch(name.strip())
        if found is None:
            unmatched.append(f"{table.caption}: {name!r} is no release")
            continue
        release = f"{found[1]}.{found[2] or found[3] or 0}"
        place = f"{table.caption}: {name}"
        yield Row("toolkit", found[1], place=place)
        values = {"release": release, "os": os, "driver": driver}
        yield Row("toolkit", found[1], "toolkit-needs-driver-natively", values, place=place)


def _minor(table: Table, unmatched: list[str]) -> Iterator[Row]:
    for name, os, driver in _drivers(table, unmatched):
        found = _FAMILY.fullmatch(name.strip())
        if found is None:
            unmatched.append(f"{table.caption}: {name!r} is no CUDA family")
            continue
        place = f"{table.caption}: {name}"
        yield Row("cuda-family", found[1], place=place)
        yield Row("cuda-family", found[1], "toolkit-needs-driver", {"os": os, "driver": driver}, place=place)


def _shipped(table: Table, release: str) -> Iterator[Row]:
    subject = str(CudaVersion.parse(release).release)
    for cells in table.rows:
        os = _SHIPPED.get(cells[0].strip().lower()) if cells else None
        driver = next((text for text in cells[1:] if _is_driver(text)), None)
        if os and driver:
            values = {"release": release, "os": os, "driver": driver}
            yield Row("toolkit", subject, "toolkit-ships-driver", values, place=f"{table.caption}: {cells[0]}")


def _is_driver(text: str) -> bool:
    try:
        return not DriverVersion.parse(text).is_branch
    except InvalidVersion:
        return False
