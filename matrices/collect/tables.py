"""Tables and links of an HTML page, as texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

__all__ = ["Table", "read_links", "read_tables"]


@dataclass(slots=True)
class Table:
    """A table: its caption and its rows of cells. A cell that spans several rows or columns is repeated in each."""

    caption: str = ""
    rows: list[list[str]] = field(default_factory=list)


def read_tables(page: bytes) -> list[Table]:
    """Every table of a page; one inside another is read as its cell's text."""
    reader = _TableReader()
    reader.feed(page.decode("utf-8", "replace"))
    reader.close()
    return [Table(table.caption, _spread(table.cells)) for table in reader.tables]


def read_links(page: bytes) -> list[tuple[str, str]]:
    """Address and text of every link of a page."""
    reader = _LinkReader()
    reader.feed(page.decode("utf-8", "replace"))
    reader.close()
    return reader.links


@dataclass(slots=True)
class _Cell:
    text: str = ""
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class _Raw:
    caption: str = ""
    cells: list[list[_Cell]] = field(default_factory=list)


class _TableReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[_Raw] = []
        self._depth = 0
        self._into = ""  # where text goes: "caption", "cell" or nowhere

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.tables.append(_Raw())
        elif self._depth != 1:
            return
        elif tag == "caption":
            self._into = "caption"
        elif tag == "tr":
            self.tables[-1].cells.append([])
        elif tag in ("td", "th") and self.tables[-1].cells:
            spans = {name: _span(value) for name, value in attrs}
            cell = _Cell(columns=spans.get("colspan", 1), rows=spans.get("rowspan", 1))
            self.tables[-1].cells[-1].append(cell)
            self._into = "cell"

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._depth = max(0, self._depth - 1)
        if self._depth == 0 or (self._depth == 1 and tag in ("caption", "td", "th", "tr")):
            self._into = ""

    def handle_data(self, data: str) -> None:
        if not self._depth or not self._into:
            return
        table = self.tables[-1]
        if self._into == "caption":
            table.caption = _joined(table.caption, data)
        else:
            cell = table.cells[-1][-1]
            cell.text = _joined(cell.text, data)


class _LinkReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self._address: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._address, self._text = dict(attrs).get("href"), ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._address is not None:
            self.links.append((self._address, self._text.strip()))
            self._address = None


def _joined(text: str, more: str) -> str:
    return " ".join(f"{text}{more}".split()) + (" " if more[-1:].isspace() else "")


def _span(value: str | None) -> int:
    return min(int(value), 100) if value and value.isascii() and value.isdecimal() and int(value) else 1


def _spread(cells: list[list[_Cell]]) -> list[list[str]]:
    """The rows with spans written out."""
    rows: list[list[str]] = []
    hanging: dict[int, tuple[str, int]] = {}  # column -> text and how many more rows it hangs into
    for given in cells:
        row: list[str] = []
        waiting = list(given)
        while waiting or len(row) in hanging:
            column = len(row)
            if column in hanging:
                text, left = hanging.pop(column)
                if left > 1:
                    hanging[column] = (text, left - 1)
                row.append(text)
                continue
            cell = waiting.pop(0)
            for _ in range(cell.columns):
                if cell.rows > 1:
                    hanging[len(row)] = (cell.text.strip(), cell.rows - 1)
                row.append(cell.text.strip())
        rows.append(row)
    return rows
