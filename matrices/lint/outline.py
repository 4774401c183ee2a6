"""A TOML file as pieces of its own text, so that pieces can change places and nothing else changes.

A library that parses and prints again (tomlkit) gathers arrays of tables that stand interleaved, `[[torch]]`, `[[wheel]]`,
`[[torch]]`: it would reorder the very rows that are to keep their order. Here every byte stays in its piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Block", "Section", "Statement", "Table", "blocks", "outline", "tables"]

_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{},\n]|[^"\'#\[\]{},\n]+|.',
    re.S,
)
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]\n]+?)\s*\]\]?[^\n]*\n?")
_PART = r'(?:[A-Za-z0-9_-]+|"[^"\n]*")'
_KEY = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")


@dataclass
class Statement:
    """`key = value` with the comments and blank lines before it; `key` is its dotted name in parts."""

    key: tuple[str, ...]
    text: str


@dataclass
class Section:
    """A header with its statements. `header` is "" at the top of the file, else `[evidence.notes]` or `[[gpu]]` as a
    dotted name; `lead` is all text up to the end of the header line, `tail` what comes after the last statement."""

    header: str
    lead: str
    statements: list[Statement] = field(default_factory=list)
    tail: str = ""

    @property
    def text(self) -> str:
        """The section as it stands in the file."""
        return self.lead + "".join(statement.text for statement in self.statements) + self.tail

    def value(self, key: str) -> str:
        """The text of a plain key without its quotes, "" where there is none."""
        found = next((item.text for item in self.statements if item.key == (key,)), "")
        return found.partition("=")[2].partition("#")[0].strip().strip('"')


@dataclass
class Block:
    """An entity with its sub-tables, or any other section alone."""

    sections: list[Section]

    @property
    def header(self) -> str:
        """The header of its first section."""
        return self.sections[0].header


@dataclass
class Table:
    """An inline table found in a text: from `start` to `end`, its keys with the text of each `key = value`."""

    start: int
    end: int
    items: list[tuple[str, str]]


def outline(text: str) -> list[Section]:
    """The sections of a file; joining their texts gives the file."""
    sections = [Section("", "")]
    waiting = ""  # comments and blank lines that belong to what follows
    for line in _logical_lines(text):
        header, key = _HEADER.fullmatch(line), _KEY.match(line)
        if header:
            sections.append(Section(header[2].replace(" ", "").replace('"', ""), waiting + line))
            waiting = ""
        elif key:
            parts = tuple(part.strip().strip('"') for part in key[1].split("."))
            sections[-1].statements.append(Statement(parts, waiting + line))
            waiting = ""
        else:
            waiting += line
    sections[-1].tail += waiting
    return sections


def blocks(sections: list[Section]) -> list[Block]:
    """Sections gathered: `[[toolkit.released]]` goes with the `[[toolkit]]` before it."""
    found: list[Block] = []
    for section in sections:
        if found and "." in section.header and section.header.split(".")[0] == found[-1].header:
            found[-1].sections.append(section)
        else:
            found.append(Block([section]))
    return found


def tables(text: str) -> list[Table]:
    """The innermost inline tables of a value, each with its items; comments inside one leave it out."""
    found: list[Table] = []
    opened: list[tuple[int, list[str], bool]] = []  # where it began, the texts of its items, whether it is simple
    depth: list[str] = []
    position = 0
    for piece in _PIECE.findall(text):
        if piece == "{":
            if opened:
                opened[-1] = (*opened[-1][:2], False)
            opened.append((position, [""], True))
        elif piece == "}" and opened:
            start, items, simple = opened.pop()
            keyed = [(item.partition("=")[0].strip(), item.strip()) for item in items if item.strip()]
            if simple and all(value for _, value in keyed):
                found.append(Table(start, position + 1, keyed))
        elif opened:
            start, items, simple = opened[-1]
            if piece == "," and (not depth or depth[-1] == "{"):
                items.append("")
            else:
                items[-1] += piece
            if piece.startswith("#"):
                opened[-1] = (start, items, False)
        if piece in "[{":
            depth.append(piece)
        elif piece in "]}" and depth:
            depth.pop()
        position += len(piece)
    return found


def _logical_lines(text: str) -> Iterator[str]:
    """Lines, a value that goes over several of them as one."""
    line, depth = "", 0
    for piece in _PIECE.findall(text):
        line += piece
        if piece in "[{":
            depth += 1
        elif piece in "]}":
            depth -= 1
        elif piece == "\n" and depth <= 0:
            yield line
            line, depth = "", 0
    if line:
        yield line
