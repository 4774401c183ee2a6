"""What a source says, in the catalogue's own terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from matrices.codec import from_plain
from matrices.model import CLAIMS, Claim, claim_key

__all__ = ["DATED", "Parsed", "Row", "Unrecognised"]

DATED = frozenset({"on", "seen_on", "first_on", "latest_on", "released", "until", "end_of_life"})
"""The names of fields that hold a day, or a month where that is all that is known."""

_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Unrecognised(ValueError):
    """A page that is empty or not of the form that its source is known for; the message says which page."""


@dataclass(frozen=True, slots=True)
class Row:
    """One statement: that an entity exists, or with `relation` a claim about it.

    `values` are plain, as the TOML holds them, dates as ISO text. `grows` names a field that lists what has been seen:
    there a source adds to what is held and never takes away. `place` says where in the source it stands.
    """

    kind: str
    subject: str
    relation: str = ""
    values: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    grows: str = ""
    place: str = ""

    @property
    def key(self) -> str:
        """The id of the claim, or `kind:id` of the entity.

        >>> Row("torch", "2.15.0", "torch-pairs-with", {"package": "triton", "version": "3.9.0"}).key
        'torch-pairs-with:2.15.0:triton'
        >>> Row("torch", "2.15.0").key
        'torch:2.15.0'
        """
        if not self.relation:
            return f"{self.kind}:{self.subject}"
        return claim_key(CLAIMS[self.relation], self.subject, dict(self.values))

    def claim(self) -> Claim:
        """The statement as a claim without evidence. Raises `ValueError` or `TypeError` for values that do not fit."""
        for name in DATED & self.values.keys():
            if not _DATE.fullmatch(str(self.values[name])):
                raise ValueError(f"{name} is no date: {self.values[name]!r}")
        plain = {**self.values, "id": self.key, "subject": self.subject, "evidence": ()}
        return from_plain(CLAIMS[self.relation], plain)


@dataclass(frozen=True, slots=True)
class Parsed:
    """Everything one source says: rows, and in words what has no place among them."""

    rows: tuple[Row, ...]
    unmatched: tuple[str, ...] = ()
