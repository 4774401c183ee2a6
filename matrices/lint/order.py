"""The canonical order of keys and rows: that of the fields in `matrices.model`, said once.

An entity has its id, its own fields, its evidence, its claims; a claim its own fields, then what every claim may have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from functools import cache

from matrices.lint.outline import Block, Section, Statement, Table, blocks, outline, tables
from matrices.model import CLAIMS, ENTITIES

__all__ = ["keys_in_order", "rows_in_order"]

_LAST = ("uncertain", "standing", "because", "note", "evidence")
_EVIDENCE = ("kind", "artefact", "source", "link", "how", "place", "on")


@cache
def _claim_keys(kind: str, attribute: str) -> tuple[str, ...]:
    for cls in CLAIMS.values():
        if (cls.within, cls.attribute) == (kind, attribute):
            return (*(item.name for item in fields(cls) if item.name not in ("id", "subject", *_LAST)), *_LAST)
    return ()


@cache
def _entity_keys(kind: str) -> tuple[str, ...]:
    own = tuple(item.name for item in fields(ENTITIES[kind]) if item.name != "evidence")
    return (*own, "evidence", *(claim.attribute for claim in CLAIMS.values() if claim.within == kind))


def _keys(header: str) -> tuple[str, ...]:
    """The order of the keys below a header; empty where nothing is known of it."""
    first, _, second = header.partition(".")
    if first == "evidence":
        return _EVIDENCE
    if first not in ENTITIES:
        return ()
    known = _entity_keys(first)
    if not second:
        return known
    return _claim_keys(first, second)


def _ranked(key: str, order: Sequence[str]) -> int:
    return order.index(key) if key in order else len(order)


def keys_in_order(text: str) -> str:
    """The file with keys in canonical order, in tables and in inline tables, and sub-tables in that of their names."""
    found = []
    for block in blocks(outline(text)):
        for section in block.sections:
            _sort_keys(section)
        first, *others = block.sections
        known = _keys(first.header)
        others.sort(key=lambda section: _ranked(section.header.partition(".")[2], known))
        found += [section.text for section in (first, *others)]
    return "".join(found)


def _sort_keys(section: Section) -> None:
    known = _keys(section.header)

    def rank(statement: Statement) -> tuple[int, int]:
        first, *rest = statement.key
        inner = _keys(f"{section.header}.{first}") if rest else ()
        return _ranked(first, known), _ranked(rest[0], inner) if rest else 0

    if known:
        section.statements.sort(key=rank)
    for statement in section.statements:
        name = f"{section.header}.{statement.key[0]}"
        order = _keys(name) if section.header in ENTITIES else _keys(section.header)
        statement.text = _sorted_tables(statement.text, order)


def _sorted_tables(text: str, order: Sequence[str]) -> str:
    for table in reversed(tables(text)):
        keys = [key for key, _ in table.items]
        known = _EVIDENCE if "kind" in keys else order
        wanted = sorted(table.items, key=lambda item: _ranked(item[0].partition(".")[0], known))
        if wanted != table.items:
            text = text[: table.start] + _inline(table, wanted, text) + text[table.end :]
    return text


def _inline(table: Table, items: list[tuple[str, str]], text: str) -> str:
    space = " " if text[table.start + 1] == " " else ""
    return "{" + space + ", ".join(item for _, item in items) + space + "}"


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Numbers inside a text compare as numbers: RTX 4090 after RTX 980."""
    parts = re.findall(r"\d+|\D+", text.casefold())
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


_MACHINES = {"x86_64": 0, "aarch64": 1}
_SORTED_BY_ID = ("branch", "capability", "cuda-family", "toolkit", "torch")


def _row(block: Block) -> tuple[object, ...]:
    """What the rows of a kind are sorted by; nothing for kinds whose order is their author's."""
    row = block.sections[0]
    if block.header in _SORTED_BY_ID:
        return (_natural(row.value("id")),)
    if block.header == "gpu":
        return (_natural(row.value("name")),)
    if block.header == "wheel":
        machine = _MACHINES.get(row.value("machine"), len(_MACHINES))
        release, variant = (_natural(row.value(key)) for key in ("torch", "variant"))
        return (release, row.value("os"), machine, variant, _natural(row.value("id")))
    return ()


def rows_in_order(text: str) -> str:
    """The file with its entities in order: products by name, releases by version, wheels by release, system, machine
    and variant. Each kind keeps its places among the others."""
    written = blocks(outline(text))
    for kind in {block.header for block in written} & ENTITIES.keys():
        places = [place for place, block in enumerate(written) if block.header == kind]
        rows = sorted((written[place] for place in places), key=_row)
        for place, row in zip(places, rows, strict=True):
            written[place] = row
    return "".join(section.text for block in written for section in block.sections)
