"""Observations: what a measurement found, as JSON files that are only ever added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["as_text", "write_observation"]


def as_text(observation: dict[str, Any]) -> str:
    """An observation as it is written: JSON with sorted keys."""
    return json.dumps(observation, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def write_observation(observation: dict[str, Any], folder: Path) -> Path:
    """Write `observation` as `folder/YYYY/MM/id.json` and return that path.

    Observations are append-only: raises `FileExistsError` when the file is there and differs.
    """
    year, month, _ = str(observation["measured_on"]).split("-")
    path = folder / year / month / f"{observation['id']}.json"
    text = as_text(observation)
    if path.exists():
        if path.read_text(encoding="utf-8") == text:
            return path
        raise FileExistsError(f"{path.name} was observed before, and differently")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
