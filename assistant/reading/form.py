"""How a printed form is read: the words that guard it, what is done with a line that holds one, where the facts go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from assistant.reading.document import Document, Line
from assistant.reading.facts import Fact
from assistant.reading.values import ALIASES, CONVERTERS, SHAPES
from resolver.names import BareCapability, Names, NotNvidia, Products, Recognition, Unknown

__all__ = ["Collector", "Form", "rule", "rules", "starting"]

MOST_FACTS = 50  # of one kind
MOST_EQUAL = 16  # of one kind and value
MOST_TRIED = 300  # of one kind, kept or not
MOST_CLAIMS = 64  # in one line: a line with more is no text
MOST_UNKNOWN = 8  # names that turn out to be none: looking for what may have been meant is slow


@dataclass(frozen=True, slots=True)
class Form:
    """A reader of lines.

    Attributes:
        source: the name that its facts carry.
        words: lower-case literals; only lines that hold one are read.
        read: called with each such line.
    """

    source: str
    words: tuple[str, ...]
    read: Callable[[Line, Collector], None]


class Collector:
    """Takes facts, keeps them few, and remembers which characters are already spoken for.

    Args:
        document: the text.
        names: the recogniser of GPU names.
    """

    def __init__(self, document: Document, names: Names) -> None:
        self.document = document
        self._names = names
        self._facts: list[tuple[int, int, Fact]] = []
        self._claims: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._seen: set[tuple[str, int, Hashable]] = set()
        self._of_kind: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()
        self._equal: Counter[tuple[str, Hashable]] = Counter()
        self._recognised: dict[str, Recognition] = {}
        self._unknown = 0

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in the order of the text."""
        return tuple(fact for _, _, fact in sorted(self._facts, key=lambda placed: placed[:2]))

    def add(
        self, kind: str, value: Any, line: Line, span: tuple[int, int], source: str, key: Hashable | None = None
    ) -> None:
        """Keep a fact found at `span` of a line; nothing happens if the value is None or there are enough of it."""
        if value is None:
            return
        self._tried[kind] += 1
        self.claim(line, span)
        key = value if key is None else key
        if (kind, line.number, key) in self._seen or self.full(kind):
            return
        if self._equal[kind, key] >= MOST_EQUAL:
            return
        self._seen.add((kind, line.number, key))
        self._of_kind[kind] += 1
        self._equal[kind, key] += 1
        fact = Fact(kind, value, line.number, self.document.quote(line, span[0]), source)
        self._facts.append((line.number, line.start + span[0], fact))

    def claim(self, line: Line, span: tuple[int, int]) -> None:
        """Mark characters as understood, so that free text does not read them as something else."""
        claims = self._claims.setdefault((line.number, line.start), [])
        if len(claims) < MOST_CLAIMS:
            claims.append(span)

    def free(self, line: Line, span: tuple[int, int]) -> bool:
        """Whether nothing has claimed any of these characters."""
        claims = self._claims.get((line.number, line.start), ())
        return len(claims) < MOST_CLAIMS and all(span[1] <= begun or span[0] >= ended for begun, ended in claims)

    def full(self, kind: str) -> bool:
        """Whether there is enough of a kind, so that looking for more is no use."""
        return self._of_kind[kind] >= MOST_FACTS or self._tried[kind] >= MOST_TRIED

    # --- GPUs -----------------------------------------------------------------------------------------------------

    def gpu(self, name: str, line: Line, span: tuple[int, int], source: str) -> bool:
        """Keep what a name means if that is certain; another maker's product is kept as that."""
        found = self._gpu(name)
        if isinstance(found, NotNvidia):
            self.add("other-gpu", found.reading, line, span, source)
        elif isinstance(found, BareCapability):
            self.add("gpu-capability", found.compute_capability, line, span, source)
        elif isinstance(found, Products):
            self.add("gpu", found, line, span, source, key=tuple(gpu.id for gpu in found.gpus))
        return not isinstance(found, Unknown)

    def _gpu(self, name: str) -> Recognition:
        """What a name means, once without what may have been cut off or soldered on; Unknown if not certain."""
        for spelling in dict.fromkeys((name, *_shorter(name))):
            found = self._recognise(spelling)
            if not isinstance(found, Products | Unknown):
                return found
            if isinstance(found, Products) and found.certain:
                return replace(found, certain=False) if name.endswith("...") else found
        return Unknown()

    def _recognise(self, name: str) -> Recognition:
        if name not in self._recognised:
            if self._unknown >= MOST_UNKNOWN:
                return Unknown()
            self._recognised[name] = self._names.recognise(name)
            self._unknown += isinstance(self._recognised[name], Unknown)
        return self._recognised[name]


_MEMORY = re.compile(r"[ (\-]{0,3}\d{1,3} {0,2}[gG](?:i?[bB])?\)?$")


def _shorter(name: str) -> list[str]:
    """Other spellings to try: what `nvidia-smi` cut off, without memory that does not fit, in the singular."""
    if name.endswith("..."):  # where the printed names do not tell, what is left may still be a name
        return [name.rstrip(". ")]
    bare = _MEMORY.sub("", name)
    singular = name[:-1] if name[-1:] in "sS" and name[-2:-1].isdigit() else name
    return [spelling for spelling in (bare, singular) if spelling != name]


# --- rules ------------------------------------------------------------------------------------------------------------


def starting(words: Iterable[str], not_after: str) -> str:
    """A pattern for one of some words, not right after a character of the class `not_after` but perhaps after `8x`.

    The same as a lookbehind and an alternation, written so that a search skips to the first letters.
    """
    rests: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    branches = "|".join(f"(?<={first})(?:{'|'.join(ends)})" for first, ends in rests.items())
    return f"[{''.join(rests)}](?:(?<![{not_after}].)|(?<=\\d[x×*].))(?:{branches})"


_SLOT = re.compile(r"(?<!\?P)<([a-z-]+)>")


def rule(source: str, words: str | tuple[str, ...], pattern: str, *, free: bool = False) -> Form:
    """A form that is one regular expression over the lower-case line.

    `<kind>` stands for a group of that kind in its usual shape, `(?P<kind>...)` (with `_` for `-`) for one in a shape
    of its own; each group becomes a fact. A group `gpu` is recognised first, a group `skip` is only marked as understood.
    With `free`, what another form has understood is left alone.
    """
    expression = re.compile(_SLOT.sub(lambda slot: f"(?P<{slot[1].replace('-', '_')}>{SHAPES[slot[1]]})", pattern))
    kinds = [(group, group.rstrip("0123456789").replace("_", "-")) for group in expression.groupindex]

    def read(line: Line, collector: Collector) -> None:
        for found in expression.finditer(line.lower):
            for group, kind in kinds:
                span = found.span(group)
                if span[0] < 0 or collector.full(kind) or (free and not collector.free(line, span)):
                    continue
                text = line.text[span[0] : span[1]]
                if kind in ("gpu", "skip"):
                    collector.claim(line, span)
                if kind == "gpu":
                    collector.gpu(text, line, span, source)
                elif kind != "skip":
                    value = CONVERTERS.get(kind, str)(text)
                    collector.add(ALIASES.get(kind, kind), value, line, span, source)

    return Form(source, (words,) if isinstance(words, str) else words, read)


def rules(source: str, *table: tuple[str | tuple[str, ...], str]) -> tuple[Form, ...]:
    """Several rules of one source."""
    return tuple(rule(source, words, pattern) for words, pattern in table)
