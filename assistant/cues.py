"""Which cues of the symptoms a text holds, with the lines that say so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from assistant.haystack import Haystack, longest_word
from assistant.symptom import Cue, Symptom

__all__ = ["Cues", "Hit", "matches"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A cue that was found.

    Attributes:
        symptom: the id of its cause.
        cue: the cue.
        line: the number of the line that shows it best.
    """

    symptom: str
    cue: Cue
    line: int


class Cues:
    """All cues of some symptoms, found through their longest words.

    Args:
        symptoms: in the order in which hits shall come.
    """

    def __init__(self, symptoms: Iterable[Symptom]) -> None:
        self._all = [_Compiled(symptom.id, cue) for symptom in symptoms for cue in symptom.cue]
        self._by_word: dict[str, list[int]] = {}
        for number, compiled in enumerate(self._all):
            self._by_word.setdefault(compiled.word, []).append(number)

    def hits(self, haystack: Haystack) -> list[Hit]:
        """Every cue that the text holds."""
        numbers = [
            number for word, each in self._by_word.items() if not word or haystack.has_word(word) for number in each
        ]
        return list(self._found(haystack, sorted(numbers)))

    def _found(self, haystack: Haystack, numbers: Iterable[int]) -> Iterator[Hit]:
        for number in numbers:
            compiled = self._all[number]
            line = compiled.line(haystack)
            if line is not None:
                yield Hit(compiled.symptom, compiled.cue, line)


class _Compiled:
    """A cue ready for looking for it."""

    __slots__ = ("__dict__", "cue", "symptom", "word")

    def __init__(self, symptom: str, cue: Cue) -> None:
        self.symptom = symptom
        self.cue = cue
        literals = cue.line or cue.text or (cue.needle or "",)
        # a text in which one of the literals has no word at all may lie behind the empty word
        self.word = max(map(longest_word, literals), key=len)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.cue.regex or "")

    def line(self, haystack: Haystack) -> int | None:
        """The line that shows the cue, unless something annuls it."""
        found = self._line(haystack)
        if found is None or any(literal in haystack for literal in self.cue.unless):
            return None
        return found

    def _line(self, haystack: Haystack) -> int | None:
        cue = self.cue
        if cue.line:
            return haystack.line_with(cue.line)
        if cue.text:
            return haystack.line_of(max(cue.text, key=len)) if haystack.has_all(cue.text) else None
        return haystack.line_matching(self._pattern, cue.needle or "")


def matches(cue: Cue, text: str) -> bool:
    """Whether a text, as it was read, holds a cue.

    >>> matches(Cue("weak", ("Xid 79",), line=("xid", "79")), "NVRM: Xid (PCI:0000:01:00): 79")
    True
    """
    return _Compiled("", cue).line(Haystack(text)) is not None
