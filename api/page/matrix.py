"""The tables of `/matrix` as the page shows them: fewer columns where many say the same, a word in every cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from api.page.rendering import Frame
from api.page.words import Words

__all__ = ["driver_rows", "newest_of_each_minor", "torch_rows"]

Table = Mapping[str, Any]
_SHADES = {"native": "yes", "minor-version": "yes", "forward": "unknown"}


def newest_of_each_minor(releases: Iterable[str]) -> list[str]:
    """The first release named of each minor version.

    >>> newest_of_each_minor(["2.15.0", "2.14.1", "2.14.0"])
    ['2.15.0', '2.14.1']
    """
    found: dict[str, str] = {}
    for release in releases:
        found.setdefault(release.rpartition(".")[0], release)
    return list(found.values())


def torch_rows(table: Table, shown: Sequence[str], words: Words, frame: Frame) -> list[dict[str, Any]]:
    """GPU x torch, the newest GPUs first; `shown` are the columns."""
    wanted = set(shown)
    return [
        {
            "name": row["gpu"]["name"] if not row["examples"] else row["gpu"]["compute_capability"],
            "about": row["gpu"]["architecture"] or "",
            "examples": ", ".join(row["examples"][:2]),
            "cells": [_torch_cell(cell, words, frame) for cell in row["cells"] if cell["torch"] in wanted],
        }
        for row in reversed(table["rows"])
    ]


def _torch_cell(cell: Table, words: Words, frame: Frame) -> dict[str, str]:
    ptx = cell["kernels"] == "ptx" and cell["verdict"] == "yes"
    return {
        "shade": cell["verdict"],
        "word": words(f"cell.{cell['verdict']}"),
        "small": "PTX" if ptx else cell["variant"] or "" if cell["verdict"] == "yes" else "",
        "column": cell["torch"],
        "link": _page(cell["why"], frame),
    }


def driver_rows(table: Table, least: str, words: Words, frame: Frame) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns from the CUDA `least` on, and the driver branches that run any of them, newest first."""
    columns = [cuda for cuda in table["cuda"] if not least or _number(cuda) >= _number(least)]
    wanted, rows = set(columns), []
    for row in table["rows"]:
        cells = [cell for cell in row["cells"] if cell["cuda"] in wanted]
        if any(cell["verdict"] != "no" for cell in cells):
            rows.append(
                {
                    "name": f"R{row['branch']}",
                    "about": words(f"branch.{row['type']}") if row["type"] else "",
                    "examples": words("matrix.until", until=row["until"]) if row["until"] else "",
                    "cells": [_driver_cell(cell, words, frame) for cell in cells],
                }
            )
    return columns, rows


def _driver_cell(cell: Table, words: Words, frame: Frame) -> dict[str, str]:
    how = cell["how"]
    return {
        "shade": _SHADES.get(how, how),
        "word": words(f"cell.{how}"),
        "small": words("cell.later") if cell["later_only"] else "",
        "column": cell["cuda"],
        "link": _page(cell["why"], frame),
    }


def _page(why: str, frame: Frame) -> str:
    """The page of a question whose data stands at an address of the API."""
    path, _, query = why.partition("?")
    return frame.link("/" if path == "/resolve" else path, **dict(parse_qsl(query)))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
