"""How much is known, counted where it matters: the cells of the tables, beside the figures of the claims."""

from __future__ import annotations

from collections import Counter
from typing import Any

from matrices.statistics import contradictions, oldest, statistics, total
from resolver.engine import Asked, Engine

__all__ = ["cells", "cells_table", "figures"]


def cells(engine: Engine) -> dict[str, dict[str, int]]:
    """The cells of each table by verdict: every capability x torch, and every driver branch x CUDA, on Linux."""
    torch = Counter(cell.verdict for row in engine.matrix.torch(Asked(())).rows for cell in row.cells)
    drivers = Counter(cell.verdict for row in engine.matrix.drivers() for cell in row.cells)
    return {
        name: {verdict: counted[verdict] for verdict in ("yes", "no", "unknown")}
        for name, counted in (("torch", torch), ("drivers", drivers))
    }


def figures(engine: Engine) -> dict[str, Any]:
    """All figures as plain data: sums over the claims, open contradictions, the oldest claim, the cells."""
    sums, last = total(statistics(engine.catalogue)), oldest(engine.catalogue)
    names = ("claims", "measured", "documented", "reported", "bound", "stale", "uncertain", "deprecated")
    return {
        **{name: getattr(sums, name) for name in names},
        "contradictions": contradictions(engine.catalogue),
        "oldest": None if last is None else {"claim": last[0], "on": last[1].isoformat()},
        "cells": cells(engine),
    }


def cells_table(engine: Engine) -> str:
    """The cells as a Markdown table."""
    titles = {"torch": "GPU x torch", "drivers": "driver x CUDA"}
    lines = ["| table | yes | no | unknown | unknown share |", "|---|---:|---:|---:|---:|"]
    for name, counted in cells(engine).items():
        share = 100 * counted["unknown"] / max(sum(counted.values()), 1)
        lines.append(f"| {titles[name]} | {counted['yes']} | {counted['no']} | {counted['unknown']} | {share:.1f} % |")
    return "\n".join(lines)
