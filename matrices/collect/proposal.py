"""A comparison as a file for people and programs: `proposals/SOURCE-DATE.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from matrices.catalogue import Catalogue
from matrices.collect.collectors import Collector
from matrices.collect.compare import Comparison
from matrices.collect.rows import Row
from matrices.model import Source

__all__ = ["proposal", "summary", "write_proposal"]


def proposal(collector: Collector, comparison: Comparison, catalogue: Catalogue, on: date) -> dict[str, Any]:
    """The comparison as plain values; `on` is the day the source was read."""
    source = catalogue.entities(Source)[collector.source]
    return {
        "source": collector.source,
        "title": source.title,
        "link": source.link,
        "read_on": on.isoformat(),
        "data_version": catalogue.data_version,
        "new": [_shown(row) for row in comparison.new] + [{**_shown(row), "adds": True} for row in comparison.grown],
        "changed": [
            {"claim": change.key, "stated": dict(change.stated), "held": dict(change.held), "why": change.why}
            for change in comparison.changed
        ],
        "vanished": list(comparison.vanished),
        "unmatched": list(comparison.unmatched),
        "confirmed": comparison.confirmed,
    }


def _shown(row: Row) -> dict[str, Any]:
    return {"key": row.key, "values": dict(row.values), "place": row.place}


def write_proposal(plain: Mapping[str, Any], name: str, folder: Path) -> Path:
    """Write it as `NAME-DATE.json` below `folder`, over an older one of that day; the path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{plain['read_on']}.json"
    path.write_text(json.dumps(plain, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    return path


def summary(plain: Mapping[str, Any]) -> Iterable[str]:
    """The proposal in lines for a terminal."""
    counted = ", ".join(f"{len(plain[part])} {part}" for part in ("new", "changed", "vanished", "unmatched"))
    yield f"{plain['title']}: {plain['confirmed']} confirmed, {counted}"
    for row in plain["new"]:
        label = "adds" if row.get("adds") else "new"
        yield f"  {label:<9} {row['key']} {_written(row['values'])}".rstrip()
    for change in plain["changed"]:
        stated, held = _written(change["stated"]), _written(change["held"])
        yield f"  changed   {change['claim']}: it says {stated}, held {held} ({change['why']})"
    for key in plain["vanished"]:
        yield f"  vanished  {key}"
    for text in plain["unmatched"]:
        yield f"  unmatched {text}"


def _written(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_text(value)}" for name, value in values.items())


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
