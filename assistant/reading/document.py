"""A text made ready for matching: plain characters, each distinct line once, found by the words in it.

Of a long text only the start, the end and the lines that speak of GPUs are looked at, and of these no more than `ENOUGH`
characters: a megabyte of log costs little more than finding a few words in it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate

__all__ = ["Document", "Line"]

ENOUGH = 160_000  # characters; a shorter text is looked at as a whole
OUTSKIRTS = 30_000  # characters at either end of a long text, where people's own words stand
LONGEST_LINE = 2000  # characters; longer ones are looked at in pieces
MOST_LINES = 1000  # with one word
MOST_ON_TOPIC = 600
QUOTE = 200
_GRAM = 3

# what a line in the middle of a long text must hold
_TOPICS = (
    "nvidia", "cuda", "nvrm", "driver", "torch", "xid", "gpu", "geforce", "tesla", "quadro", "rtx", "gtx", "nccl", "cudnn", "cublas",
    "tried to allocate", "sm_", "compute_", "capabilit", "python", "docker", "image", "10de", "nouveau", "ubuntu", "linux version",
    "version_id", "glibc", "| 0000", "libnv", "tegra", "wsl",
)  # fmt: skip

_COLOUR = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_MARKS = ("(R)", "(TM)", "(r)", "(tm)", "™", "®")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


def _clean(text: str) -> str:
    """Without colours, trademark signs and invisible characters; full-width forms become ordinary ones."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    for mark in _MARKS:
        text = text.replace(mark, " ")
    if text.isascii():
        return text
    # İ is the one character whose lower case is longer
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).replace("İ", "I")


def _clean_lines(text: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    cleaned = _clean(text)
    if cleaned == text:
        return lines
    clean = tuple(cleaned.splitlines())
    return clean if len(clean) == len(lines) else tuple(" ".join(_clean(line).splitlines()) for line in lines)


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or a piece of a long one.

    Attributes:
        number: index of the line in the text.
        start: where in the line the piece begins.
        text: cleaned.
        lower: the same in lower case, character for character.
    """

    number: int
    start: int
    text: str
    lower: str


class Document:
    """A text by lines.

    Args:
        text: anything.
    """

    def __init__(self, text: str) -> None:
        self.lines = tuple(text.splitlines())
        self.clean = _clean_lines(text, self.lines)
        self._head, self._tail = self._ends()
        places: dict[str, tuple[int, int]] = {}
        for number in self._relevant():
            line = self.clean[number]
            if len(line) <= LONGEST_LINE:
                places.setdefault(line, (number, 0))
            else:
                for start, piece in _pieces(line):
                    places.setdefault(piece, (number, start))
        self._pieces = _within(list(places), ENOUGH)
        self._places = [places[piece] for piece in self._pieces]
        self._lower = "\n".join(self._pieces).lower()
        self._starts = list(accumulate((len(piece) + 1 for piece in self._pieces), initial=0))
        self._grams = {self._lower[at : at + _GRAM] for at in range(len(self._lower))} | {""}
        self._found: dict[str, tuple[int, ...]] = {}
        self._known: dict[int, Line] = {}

    @cached_property
    def text(self) -> str:
        """The cleaned text."""
        return "\n".join(self.clean)

    def having(self, words: tuple[str, ...], *, near_ends: bool = False) -> list[Line]:
        """The distinct lines that hold one of some lower-case words, in order; not all of them if there are many.

        With `near_ends` only those at the start and the end of the text.
        """
        grams = self._grams
        likely = [word for word, first, last in _ends_of(words) if first in grams and last in grams]
        if not likely:
            return []
        found = {index for word in likely for index in self._having(word)}
        lines = [self._line(index) for index in sorted(found)]
        return [line for line in lines if self._is_near_end(line.number)] if near_ends else lines

    def outskirts(self) -> Iterator[Line]:
        """The distinct lines at the start and at the end of the text."""
        for index, (number, _) in enumerate(self._places):
            if self._is_near_end(number):
                yield self._line(index)

    def following(self, line: Line, most: int) -> list[Line]:
        """The lines after one, at most so many; a long one is cut."""
        return [self._plain(number) for number in range(line.number + 1, min(line.number + 1 + most, len(self.clean)))]

    def preceding(self, line: Line, most: int) -> list[Line]:
        """The lines before one, nearest first."""
        return [self._plain(number) for number in range(line.number - 1, max(line.number - 1 - most, -1), -1)]

    def quote(self, line: Line, start: int) -> str:
        """What to show of a line for something found at `start` of the piece."""
        original = self.lines[line.number]
        if len(original.strip()) <= QUOTE:
            return original.strip()
        if len(original) != len(self.clean[line.number]):
            return original.strip()[:QUOTE].strip()
        begin = max(0, line.start + start - QUOTE // 4)
        return original[begin : begin + QUOTE].strip()

    # --- which lines are looked at ----------------------------------------------------------------------------------

    def _ends(self) -> tuple[int, int]:
        """The last line of the start of the text and the first of its end."""
        count = len(self.clean)
        head = next((number for number, size in enumerate(accumulate(map(len, self.clean))) if size > OUTSKIRTS), count)
        backwards = enumerate(accumulate(map(len, reversed(self.clean))))
        return head, count - 1 - next((number for number, size in backwards if size > OUTSKIRTS), count)

    def _is_near_end(self, number: int) -> bool:
        return number <= self._head or number >= self._tail

    def _relevant(self) -> Iterable[int]:
        """The numbers of the lines that are worth a look."""
        count = len(self.clean)
        if sum(map(len, self.clean)) <= ENOUGH:
            return range(count)
        lower = self.text.lower()
        starts = list(accumulate((len(line) + 1 for line in self.clean), initial=0))
        found = {number for topic in _TOPICS for number in _lines_with(topic, lower, starts, MOST_ON_TOPIC)}
        return sorted(found | set(range(self._head + 1)) | set(range(max(0, self._tail), count)))

    def _having(self, word: str) -> tuple[int, ...]:
        if word not in self._found:
            self._found[word] = tuple(_lines_with(word, self._lower, self._starts, MOST_LINES))
        return self._found[word]

    def _plain(self, number: int) -> Line:
        text = self.clean[number][:LONGEST_LINE]
        return Line(number, 0, text, text.lower())

    def _line(self, index: int) -> Line:
        if index not in self._known:
            start = self._starts[index]
            piece = self._pieces[index]
            self._known[index] = Line(*self._places[index], piece, self._lower[start : start + len(piece)])
        return self._known[index]


@cache
def _ends_of(words: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Each word with its first and last letters: a text without these is a quick no. Called with the words of forms only."""
    return tuple((word, word[:_GRAM], word[-_GRAM:]) if len(word) >= _GRAM else (word, "", "") for word in words)


def _lines_with(word: str, lower: str, starts: list[int], most: int) -> Iterator[int]:
    """The lines that hold a word: the first `most`, and a third as many of the last."""
    last = -1
    at = lower.find(word)
    for _ in range(most):
        if at < 0:
            return
        last = bisect_right(starts, at) - 1
        yield last
        at = lower.find(word, starts[last + 1])
    least = starts[last + 1]
    at = lower.rfind(word, least)
    for _ in range(most // 3):
        if at < 0:
            return
        index = bisect_right(starts, at) - 1
        yield index
        at = lower.rfind(word, least, starts[index])


def _pieces(line: str) -> Iterator[tuple[int, str]]:
    """A long line in pieces, cut at blanks where there are any."""
    start = 0
    while start < len(line):
        end = start + LONGEST_LINE
        if end < len(line):
            blank = line.rfind(" ", start + LONGEST_LINE // 2, end)
            end = blank if blank > 0 else end
        yield start, line[start:end]
        start = end


def _within(pieces: list[str], most: int) -> list[str]:
    """As many of the first and of the last pieces as hold `most` characters: two thirds, and one third."""
    if sum(map(len, pieces)) <= most:
        return pieces
    head = bisect_right(list(accumulate(map(len, pieces))), most * 2 // 3)
    tail = bisect_right(list(accumulate(map(len, reversed(pieces[head:])))), most // 3)
    return pieces[:head] + pieces[len(pieces) - tail :]
