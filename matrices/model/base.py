"""Evidence, and what every entity and every claim has."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Literal

__all__ = [
    "BESIDE",
    "Channel",
    "Claim",
    "Date",
    "Documented",
    "Entity",
    "Evidence",
    "Machine",
    "Measured",
    "Module",
    "OsFamily",
    "Reported",
    "Standing",
]

Machine = Literal["x86_64", "aarch64"]
OsFamily = Literal["linux", "windows"]
Module = Literal["open", "proprietary"]
Channel = Literal["package-index", "pytorch-index", "pytorch-lts", "conda"]
Standing = Literal["preferred", "normal", "deprecated"]
Date = date | str  # "2026-11" where only the month is known; the loader checks the form

_FORBID: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}  # JSON has neither


@dataclass(frozen=True, slots=True)
class Measured:
    """Read from the artefact itself: which one, how, when."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    kind: Literal["measured"]
    artefact: str
    how: str
    on: date


@dataclass(frozen=True, slots=True)
class Documented:
    """Said by a source of `sources.toml`, at a place in it, read on a day."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    kind: Literal["documented"]
    source: str
    on: date
    place: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """Said by somebody who met it: a link (or the id of a source) and the day it was read."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    kind: Literal["reported"]
    link: str
    on: date
    place: str = ""


Evidence = Measured | Documented | Reported


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing that exists. `id` is for ever (`moved.toml` redirects those that had to change)."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    kind: ClassVar[str]
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence that could be wrong. `relation` names its meaning; `within` and `attribute` say where in the
    TOML it is written: in an entity of kind `within`, under `attribute`."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    relation: ClassVar[str]
    within: ClassVar[str]
    attribute: ClassVar[str]
    keyed_by: ClassVar[tuple[str, ...]] = ()  # fields that tell two claims of one subject apart
    id: str
    subject: str
    evidence: tuple[Evidence, ...]
    uncertain: str | None = None
    standing: Standing = "normal"
    because: str | None = None  # why the standing is not normal
    note: str | None = None


# the fields of a claim that do not say what it claims
BESIDE = ("id", "evidence", "uncertain", "standing", "because", "note")
