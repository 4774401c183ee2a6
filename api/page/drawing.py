"""The conflict as a drawing: what was asked, one box a layer from the GPU up, and the clash that some of them meet in."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.page.question import Form
from api.page.words import Words

__all__ = ["Drawing", "drawing"]

WIDTH, BOX, HEIGHT, GAP = 340, 232, 44, 14  # in user units; a letter is about 7 of them wide
_LETTERS = 26
_ORDER = ("gpu", "machine", "os", "driver", "cuda", "torch", "python", "image", "packages")


@dataclass(frozen=True, slots=True)
class Layer:
    """One box: what was asked, and whether it is part of the clash; `middle` is the height of its centre."""

    name: str
    asked: str
    clashes: bool
    top: int
    middle: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """Layers of one width, the point where the clashing ones meet, and the same as a sentence."""

    layers: tuple[Layer, ...]
    height: int
    meeting: int
    text: str
    rules: tuple[str, ...]
    width: int = WIDTH
    box: int = BOX
    box_height: int = HEIGHT


def drawing(answer: Mapping[str, Any], form: Form, words: Words) -> Drawing | None:
    """The drawing for an answer of no; None where nothing clashes with anything."""
    conflict = answer["conflict"]
    if conflict is None or not conflict["causes"]:
        return None
    rows = _rows(conflict["constraints"], answer, form)
    layers = tuple(
        Layer(words(name), _shortened(asked), clashes, 1 + row * (HEIGHT + GAP), 1 + row * (HEIGHT + GAP) + HEIGHT // 2)
        for row, (name, asked, clashes) in enumerate(rows)
    )
    middles = [layer.middle for layer in layers if layer.clashes]
    rules = tuple(dict.fromkeys(cause["rule"] for cause in conflict["causes"]))
    return Drawing(
        layers,
        height=layers[-1].top + HEIGHT + 1,
        meeting=(min(middles) + max(middles)) // 2,
        text=words("conflict.drawing", text=conflict["text"]),
        rules=rules,
    )


def _rows(
    constraints: Sequence[Mapping[str, Any]], answer: Mapping[str, Any], form: Form
) -> list[tuple[str, str, bool]]:
    """What was asked, in layers: first of the clash, then what else stands in the form."""
    clashing = {(part["name"], part["asked"]) for part in constraints}
    rows = [(name, asked, True) for name, asked in clashing]
    named = ", ".join(asked for name, asked in clashing if name == "gpu")
    names = dict.fromkeys(gpu["name"] for gpu in answer["gpus"])
    rows += [("gpu", name, False) for name in names if name not in named]
    told = {name for name, _ in clashing}
    rows += [(name, form[name], False) for name in _ORDER[1:] if form[name] and name not in told]
    return sorted(rows, key=lambda row: (_ORDER.index(row[0]), not row[2], row[1]))


def _shortened(text: str) -> str:
    """A text that fits into a box; wide letters count twice."""
    room = _LETTERS
    for position, letter in enumerate(text):
        room -= 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if room < 0:
            return text[: position - 1].rstrip() + "…"
    return text
