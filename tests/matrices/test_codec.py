"""Dataclasses to plain JSON values and back, for every class of the model."""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, field, fields
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices.codec import from_plain, to_plain
from matrices.model import CLAIMS, ENTITIES, Documented, Measured, Reported, ToolkitReleased, WheelEmbeds
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion
from tests.matrices.generated import few, instances

PIECES: dict[str, Any] = {"measured": Measured, "documented": Documented, "reported": Reported}
CLASSES = [*ENTITIES.values(), *CLAIMS.values(), *PIECES.values()]


def _read(cls: Any, plain: dict[str, Any]) -> Any:
    """`from_plain`, with the evidence read first: the catalogue holds it apart."""
    if "evidence" in plain:
        plain = {**plain, "evidence": [from_plain(PIECES[row["kind"]], row) for row in plain["evidence"]]}
    return from_plain(cls, plain)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@few
@given(data=st.data())
def test_plain_and_back(cls: Any, data: st.DataObject) -> None:
    thing = data.draw(instances(cls))
    plain = json.loads(json.dumps(to_plain(thing)))
    again = _read(cls, plain)
    assert again == thing
    assert to_plain(again) == plain  # equal drivers may differ in their text
    for item in fields(cls):
        value = getattr(thing, item.name)
        assert type(getattr(again, item.name)) is type(value)
        assert (item.name in plain) is (item.default is MISSING or value != item.default)


@dataclass(frozen=True)
class Inner:
    """Something inside something."""

    cuda: CudaVersion
    on: date | None = None


@dataclass(frozen=True)
class Outer:
    """What holds dicts, and other dataclasses one way or another."""

    inner: Inner
    maybe: Inner | None = None
    many: tuple[Inner, ...] = ()
    by_name: dict[str, ComputeCapability] = field(default_factory=dict)
    by_place: dict[str, Inner] = field(default_factory=dict)
    plain: dict[str, int] = field(default_factory=dict)
    either: Measured | Reported | None = None


def test_what_holds_other_things() -> None:
    old, new = Inner(CudaVersion(11, 8)), Inner(CudaVersion(13, 0, 1), date(2026, 11, 30))
    outer = Outer(new, old, (old, new), {"a": ComputeCapability(9, 0)}, {"b": new}, {"c": 1})
    plain = json.loads(json.dumps(to_plain(outer)))
    assert plain["inner"] == {"cuda": "13.0.1", "on": "2026-11-30"}
    assert plain["many"][0] == {"cuda": "11.8"}
    assert from_plain(Outer, plain) == outer
    assert from_plain(Outer, to_plain(Outer(old))) == Outer(old)


def test_which_of_several_dataclasses_it_is_its_owner_knows() -> None:
    piece = Reported("reported", "https://example.org", date(2026, 11, 1))
    outer = Outer(Inner(CudaVersion(12, 4)), either=piece)
    row = from_plain(Outer, to_plain(outer)).either
    assert isinstance(row, dict)
    assert from_plain(Reported, row) == piece


def test_optional_lists_hold_types() -> None:
    row = {"id": "x", "subject": "w", "evidence": [], "sass": ["9.0a"], "ptx": ["9.0"]}
    embeds = from_plain(WheelEmbeds, row)
    assert (embeds.sass, embeds.ptx) == ((ArchTarget.parse("9.0a"),), (ArchTarget.parse("9.0"),))
    assert from_plain(WheelEmbeds, {name: row[name] for name in row if name != "ptx"}).ptx is None


@pytest.mark.parametrize(("text", "read"), [("2026-11", "2026-11"), ("2026-11-30", date(2026, 11, 30))])
def test_a_month_stays_text_and_a_day_becomes_a_date(text: str, read: date | str) -> None:
    row = {"id": "x", "subject": "12.8", "evidence": [], "release": "12.8.1", "on": text}
    assert from_plain(ToolkitReleased, row).on == read


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (DriverVersion.parse("580.95.05"), "580.95.05"),
        (date(2026, 11, 30), "2026-11-30"),
        ((), []),
        (("a", (ArchTarget.parse("9.0a"), 1)), ["a", ["9.0a", 1]]),
        (None, None),
        (1.5, 1.5),
    ],
)
def test_plain_values(value: object, plain: object) -> None:
    assert to_plain(value) == plain
