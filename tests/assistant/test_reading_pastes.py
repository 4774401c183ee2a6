"""Printed forms as people paste them: `tests/data/pastes/NAME.txt` is read to exactly what `NAME.facts.txt` lists.

A line of the list is `LINE SOURCE: KIND VALUE`, where a GPU is its id, with `?` where the reading is not certain.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.reading import KINDS, Fact, read
from resolver.engine import Engine
from resolver.names import Products

FOLDER = Path(__file__).parent.parent / "data" / "pastes"
PASTES = sorted(path for path in FOLDER.glob("*.txt") if not path.name.endswith(".facts.txt"))


@pytest.mark.parametrize("path", PASTES, ids=lambda path: path.stem)
def test_paste(engine: Engine, path: Path) -> None:
    facts = read(path.read_text(encoding="utf-8"), engine.names).facts
    expected = path.with_suffix(".facts.txt").read_text(encoding="utf-8").splitlines()
    assert [f"{fact.line} {fact.source}: {fact.kind} {_shown(fact)}" for fact in facts] == expected


@pytest.mark.parametrize("path", PASTES, ids=lambda path: path.stem)
def test_facts_are_what_their_kind_says_and_quote_their_line(engine: Engine, path: Path) -> None:
    reading = read(path.read_text(encoding="utf-8"), engine.names)
    for fact in reading.facts:
        assert isinstance(fact.value, KINDS[fact.kind]), fact
        assert fact.quote in reading.lines[fact.line]
        assert 0 < len(fact.quote) <= 200


def test_windows_line_ends_and_indentation_change_nothing(engine: Engine) -> None:
    for path in PASTES:
        text = path.read_text(encoding="utf-8")
        plain = [(fact.kind, fact.value) for fact in read(text, engine.names).facts]
        assert [(fact.kind, fact.value) for fact in read(text.replace("\n", "\r\n"), engine.names).facts] == plain


def _shown(fact: Fact) -> str:
    value: Any = fact.value
    if isinstance(value, Products):
        return value.gpus[0].id + ("" if value.certain else "?")
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
