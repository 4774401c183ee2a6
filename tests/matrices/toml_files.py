"""Small data folders for tests: TOML written from plain values, and the tiny world that obeys every law."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, time
from pathlib import Path
from typing import Any

from matrices.versions import _Version

TESTS_DATA = Path(__file__).parent.parent / "data"
WORLD = TESTS_DATA / "world"

ABOUT = 'data_version = "2026.11.30"\n'
SAMPLE_EVIDENCE = """
[defaults]
evidence = [{ kind = "measured", artefact = "sample", how = "by hand", on = 2026-11-01 }]
"""


def data_folder(folder: Path, files: Mapping[str, str]) -> Path:
    """Write `files` (name to TOML) below `folder`, with an `about.toml` unless one is given."""
    for name, text in {"about.toml": ABOUT, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def document(tables: Mapping[str, Any]) -> str:
    """A TOML document that reads as `tables`.

    >>> print(document({"branch": [{"id": "R570", "number": 570}]}), end="")
    "branch" = [{ "id" = "R570", "number" = 570 }]
    """
    return "".join(f"{_toml(key)} = {_toml(value)}\n" for key, value in tables.items())


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower()  # a number or a truth value


def written(instance: Any, leave_out: tuple[str, ...] = ()) -> Any:
    """An instance of the model as its author would write it in TOML, dates as dates."""
    if isinstance(instance, _Version):
        return str(instance)
    if isinstance(instance, tuple):
        return [written(item) for item in instance]
    if hasattr(instance, "__dataclass_fields__"):
        values = {field.name: getattr(instance, field.name) for field in fields(instance)}
        return {name: written(value) for name, value in values.items() if value is not None and name not in leave_out}
    return instance
