"""Between frozen dataclasses (of `matrices.model` and of the assistant) and plain JSON values, in both directions.

Plain values leave out what equals the default, so that rows stay small; versions and dates become their text.
Reading trusts the writer (the catalogue is generated and checked); unchecked text goes through `matrices.load`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from matrices.versions import _Version

__all__ = ["from_plain", "to_plain"]

T = TypeVar("T")
Reader = Callable[[Any], Any]


def to_plain(value: Any) -> Any:
    """JSON values for a dataclass, a version, a date, a tuple, a dict or a scalar."""
    if isinstance(value, _Version):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {
            field.name: to_plain(item)
            for field in fields(value)
            if not _is_default(field, item := getattr(value, field.name))
        }
    return value


def _is_default(field: Field[Any], value: object) -> bool:
    return field.default is not MISSING and field.default == value


def from_plain(cls: type[T], row: dict[str, Any]) -> T:
    """The dataclass that `to_plain` wrote as `row`."""
    readers = _readers(cast(Hashable, cls))
    return cls(**{name: readers[name](value) if name in readers else value for name, value in row.items()})


@cache
def _readers(cls: Any) -> dict[str, Reader]:
    """What turns a plain value into each field's type; fields that are plain already have no entry."""
    found = {}
    for name, hint in get_type_hints(cls).items():
        reader = _reader(hint)
        if reader is not None:
            found[name] = reader
    return found


def _reader(hint: Any) -> Reader | None:
    """What reads a value of a type: of a union, the member that needs reading (None is never written out)."""
    if get_origin(hint) is tuple:
        item = _reader(get_args(hint)[0])
        return tuple if item is None else lambda values: tuple(map(item, values))
    if get_origin(hint) is dict:
        member = _reader(get_args(hint)[1])
        return None if member is None else lambda row: {key: member(value) for key, value in row.items()}
    if get_origin(hint) in (Union, UnionType):
        members = get_args(hint)
        if date in members and str in members:
            return _read_date
        if sum(map(is_dataclass, members)) > 1:  # which of them it is stands in the row; its owner reads it
            return None
        return next((reader for member in members if (reader := _reader(member)) is not None), None)
    if isinstance(hint, type) and issubclass(hint, _Version):
        return hint.parse
    if isinstance(hint, type) and is_dataclass(hint):
        return partial(from_plain, hint)
    return date.fromisoformat if hint is date else None


def _read_date(text: str) -> date | str:
    """A full day as a date; a month alone (`2026-11`) stays text."""
    return date.fromisoformat(text) if len(text) == 10 else text
