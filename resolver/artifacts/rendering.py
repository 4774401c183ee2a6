"""Templates to text: undefined names are errors, and every value passes one of the filters of `patterns`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from resolver.artifacts.patterns import checked, quoted, shell

__all__ = ["render"]


def render(template: str, values: Mapping[str, Any]) -> str:
    """A template, by its name without `.j2`, filled in."""
    return _environment().get_template(f"{template}.j2").render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates", encoding="utf-8"),
        autoescape=False,  # noqa: S701 - these are not HTML; every value passes `checked`, `quoted` or `shell`
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(checked=checked, quoted=quoted, shell=shell)
    return environment
