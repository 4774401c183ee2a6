"""A text made ready for looking for literals: lower-case distinct lines, without the chatter of unrelated programs.

A literal is looked for only if its longest word occurs; so thousands of literals cost little even in a long text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate, islice

__all__ = ["Haystack", "is_chatter", "longest_word"]

ENOUGH = 300_000  # characters; of a longer text the middle counts only where it speaks of GPUs
OUTSKIRTS = 60_000  # characters at either end
MOST_PLACES = 40  # lines looked at per literal
MOST_SPOKEN = 600  # lines per topic in the middle of a long text
PIECE = 2000  # characters; a longer line is looked at in pieces
OVERLAP = 300  # characters that two pieces of a line have in common

_SPACES = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_WORD = re.compile(r"[a-z0-9_]+")

# the start of a line of a log or of a package manager
_LOGGED = re.compile(
    r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) {1,2}\d{1,2} \d\d:\d\d:\d\d |\[?\d{4}[-/]\d\d[-/]\d\d[t ]\d\d:\d\d|[iwef]\d{4} \d\d:\d\d:\d\d"
    r"|\d{1,3}(?:\.\d{1,3}){3} \S{1,40} \S{1,40} \[|(?:get|hit|ign):\d{1,4} https?:|(?:setting up|unpacking|preparing to unpack|selecting previously) \S"
    r"|reading (?:package lists|state information)|building dependency tree|processing triggers|fetched \d|epoch[ :\[]{1,3}\d|step[ :]{1,2}\d"
    r"|[ \w:]{0,20}\d{1,3}%\|)"
)
# what torch appends to every error: it says nothing of this one
_BOILERPLATE = re.compile(
    r"\s{0,8}(?:cuda kernel errors might be asynchronously|for debugging consider passing cuda_launch_blocking|compile with `?torch_use_cuda_dsa"
    r"|device-side assertion tracking was not enabled|hip kernel errors might be)"
)
# what a line speaks of that may have to do with a GPU
_TOPICS = (
    "nvidia", "nvrm", "cuda", "gpu", "torch", "xid", "nccl", "cudnn", "cublas", "nvlink", "triton", "tensor", "driver", "nouveau", "dkms",
    "modprobe", "secure", "signature", "rejected", "kill", "shm", "shared memory", "bus error", "device", "pci", "display", "wsl",
    "nvlddmkm", "dxgi", "sm_", "vram", "oom", "out of memory", "rocm", "hip", "amd", "intel", "npu", "libnv", "ecc", "nvml", "platform",
    "plugin", "allocat", "insufficient", "unhealthy", "held broken", "depends",
)  # fmt: skip
_TOPIC = re.compile("|".join(_TOPICS) + "|[\u3400-\u9fff]")
_CHINESE = re.compile("[\u3400-\u9fff][^\n]*")


def is_chatter(lower: str) -> bool:
    """Whether a line is the log of a program that has nothing to do with GPUs, or stands below every error.

    >>> is_chatter("dec  1 10:11:12 host systemd[1]: started daily apt download activities.")
    True
    >>> is_chatter("dec  1 10:11:12 host kernel: nvrm: xid (pci:0000:01:00): 79"), is_chatter("it crashes since monday")
    (False, False)
    """
    if _BOILERPLATE.match(lower):
        return True
    return _LOGGED.match(lower) is not None and _TOPIC.search(lower) is None


@cache
def longest_word(literal: str) -> str:
    """The longest run of letters and digits in a literal; empty where it has none."""
    return max(_WORD.findall(literal), key=len, default="")


class Haystack:
    """Finds literals and the lines that hold them.

    Args:
        text: the text as it was read.
    """

    def __init__(self, text: str) -> None:
        pieces = [(number, piece) for number, line in enumerate(text.lower().split("\n")) for piece in _pieces(line)]
        if len(text) > ENOUGH:
            pieces = _relevant(pieces)
        first: dict[str, int] = {}
        for number, piece in pieces:
            first.setdefault(piece, number)
        quiet = [line for line in first if is_chatter(line)]
        self.chatter = frozenset([first.pop(line) for line in quiet])
        self._lines = list(first)
        self._numbers = list(first.values())
        self.text = "\n".join(self._lines)
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._ascii = self.text.isascii()
        self._tokens = set(self.text.translate(_SPACES).split()) if self._ascii else set(_WORD.findall(self.text))
        self._vocabulary = "\n".join(token for token in self._tokens if not token.isdigit())
        self._words: dict[str, bool] = {}
        self._has: dict[str, bool] = {}

    def __contains__(self, literal: str) -> bool:
        found = self._has.get(literal)
        if found is None:
            found = self._has[literal] = self._holds(literal)
        return found

    def _holds(self, literal: str) -> bool:
        if self._ascii and not literal.isascii():
            return False
        word = longest_word(literal)
        if word and not self.has_word(word):
            return False
        return literal in self.text

    def has_word(self, word: str) -> bool:
        """Whether a run of letters and digits occurs, alone or inside a longer one."""
        found = self._words.get(word)
        if found is None:
            inside = word in self.text if word.isdigit() else word in self._vocabulary
            found = self._words[word] = word in self._tokens or inside
        return found

    def has_token(self, word: str) -> bool:
        """Whether a run of letters and digits occurs alone."""
        return word in self._tokens

    def has_all(self, literals: Iterable[str]) -> bool:
        """Whether every one of some literals occurs."""
        return all(literal in self for literal in literals)

    def places(self, literal: str) -> list[int]:
        """The distinct lines that hold a literal, by index; the first of many.

        The empty literal stands in every line near the ends of the text, where people's own words are.
        """
        if not literal:
            count = len(self._lines)
            return [index for index in range(count) if index < MOST_PLACES or index >= count - MOST_PLACES]
        return _lines_with(literal, self.text, self._starts, MOST_PLACES)

    def gist(self, most: int) -> str:
        """So many characters of the text, the lines that speak of GPUs first."""
        if len(self.text) <= most:
            return self.text
        lines = [line[:most] for line in self._lines]
        return "\n".join(sorted(lines, key=lambda line: _TOPIC.search(line) is None))[:most]

    def line_with(self, literals: tuple[str, ...]) -> int | None:
        """The number of the first line that holds some literals in this order."""
        if not self.has_all(literals):
            return None
        for index in self.places(max(literals, key=len)):
            if _in_order(self._lines[index], literals):
                return self._numbers[index]
        return None

    def line_matching(self, pattern: re.Pattern[str], needle: str) -> int | None:
        """The number of the first line that holds a needle and matches a pattern."""
        if needle not in self:
            return None
        for index in self.places(needle):
            if pattern.search(self._lines[index]):
                return self._numbers[index]
        return None

    def all_matching(self, pattern: re.Pattern[str], needle: str) -> Iterator[tuple[int, str]]:
        """The numbers of the lines that hold a needle and match a pattern, with what matched."""
        if needle in self:
            for index in self.places(needle):
                for found in pattern.finditer(self._lines[index]):
                    yield self._numbers[index], found[0]

    def lines_near(self, literal: str, before: int) -> Iterator[tuple[int, str]]:
        """The lines with a literal and some before each, once each, in order, with their numbers."""
        if literal not in self:
            return
        wanted = {near for index in self.places(literal) for near in range(max(index - before, 0), index + 1)}
        for index in sorted(wanted):
            yield self._numbers[index], self._lines[index]

    def line_of(self, literal: str) -> int:
        """The number of the first line with a literal that occurs."""
        return self._numbers[self.places(literal)[0]]


def _lines_with(
    literal: str, text: str, starts: list[int], most: int, begin: int = 0, end: int | None = None
) -> list[int]:
    """The indices of the first lines between two places of a text that hold a literal."""
    found: list[int] = []
    at = text.find(literal, begin, end)
    while at >= 0 and len(found) < most:
        found.append(bisect_right(starts, at) - 1)
        at = text.find(literal, starts[found[-1] + 1], end)
    return found


def _relevant(pieces: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """What stands at the start and the end, and between them some lines with each topic."""
    text = "\n".join(piece for _, piece in pieces)
    starts = list(accumulate((len(piece) + 1 for _, piece in pieces), initial=0))
    begin, end = OUTSKIRTS, len(text) - OUTSKIRTS
    wanted = {*range(bisect_right(starts, begin)), *range(bisect_right(starts, end) - 1, len(pieces))}
    for topic in _TOPICS:
        wanted.update(_lines_with(topic, text, starts, MOST_SPOKEN, begin, end))
    if not text.isascii():
        chinese = islice(_CHINESE.finditer(text, begin, end), MOST_SPOKEN)
        wanted.update(bisect_right(starts, found.start()) - 1 for found in chinese)
    spoken = sorted(wanted)
    sizes = list(accumulate(len(pieces[index][1]) for index in spoken))
    return [
        pieces[index] for index, size in zip(spoken, sizes, strict=True) if size <= ENOUGH or index >= spoken[-1] - 30
    ]


def _pieces(line: str) -> Iterable[str]:
    """A long line in pieces that overlap."""
    if len(line) <= PIECE:
        return (line,)
    return (line[at : at + PIECE] for at in range(0, len(line) - OVERLAP, PIECE - OVERLAP))


def _in_order(line: str, literals: tuple[str, ...]) -> bool:
    start = 0
    for literal in literals:
        at = line.find(literal, start)
        if at < 0:
            return False
        start = at + len(literal)
    return True
