"""A text of a person taken apart, by the words of the catalogue's names.

What nothing explains is kept, so that a text with something unexplained is never answered as if it were understood.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from resolver.naming.reading import Part, Vocabulary, add_word
from resolver.naming.text import atoms
from resolver.naming.words import KINDS, RACKS, SUFFIXES, SYNONYMS, VARIANTS

__all__ = ["Phrase", "read_text"]


@dataclass(slots=True)
class Phrase:
    """The products named in a text, and what was around them.

    Attributes:
        parts: at least one; without a core if no model is named.
        said: kinds of words that were there: `brand`; `maker` (of boards or computers: other words are decoration);
            `vague` ("series", "or better"); `modified` (more memory soldered on).
        kept: all but brand, makers, noise and memory sizes, in order.
        words: words that nothing explains.
        rest: numbers and single letters that nothing explains.
    """

    parts: list[Part] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    kept: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)

    @property
    def named(self) -> list[Part]:
        """The parts that name a model."""
        return [part for part in self.parts if part.core]


def read_text(text: str, vocabulary: Vocabulary) -> Phrase:
    """Take apart a cleaned and rewritten text.

    >>> [part] = read_text("rtx 4090d 24g", Vocabulary({"4090"}, {"d"})).parts
    >>> part.core, part.families, part.traits, part.memory
    ('4090', {'rtx'}, {'d'}, [(24.0, 24.0)])
    """
    return _Reader(text, vocabulary).phrase


_LONGEST_CORE = 6  # atoms: "a100-pg509-200"
_UNITS = {"g": 1, "gb": 1, "gib": 1, "gig": 1, "mb": 1024, "mib": 1024}  # in a GB
_RESERVED = 1.08  # what a driver reports may be so much less than what is sold
_TOUCHING = ("family", "brand", "maker")  # short words that touch a number without belonging to the model


class _Reader:
    """Walks over the atoms of a text once; each rule says how many atoms it explains."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        found = atoms(text)
        self.atoms = [atom for atom, _ in found]
        self.touches = [touches for _, touches in found]
        self.vocabulary = vocabulary
        self.phrase = Phrase()
        self.part = Part()
        self.families: set[str] = set()  # since the last core: they lead the next one
        self.after_core = False
        at = 0
        while at < len(self.atoms):
            at += self.memory(at) or self.model(at) or self.word(at)
        self.part.families |= self.families
        self.phrase.parts.append(self.part)

    def following(self, at: int) -> str:
        """The next atom, empty at the end."""
        return self.atoms[at + 1] if at + 1 < len(self.atoms) else ""

    def memory(self, at: int) -> int:
        number, per_gigabyte = self.atoms[at], _UNITS.get(self.following(at))
        if per_gigabyte is None or not number.isdigit() or len(number) > (3 if per_gigabyte == 1 else 6):
            return 0
        if at + 2 < len(self.atoms) and self.touches[at + 2]:
            return 0  # "220 g94"
        size = int(number) / per_gigabyte
        self.part.memory.append((size, size if per_gigabyte == 1 else size * _RESERVED))
        return 2

    def model(self, at: int) -> int:
        explained = self.core(at) or self.chip(at) or self.form(at) or self.variant(at)
        self.phrase.kept += self.atoms[at : at + explained]
        return explained

    def core(self, at: int) -> int:
        before = self.atoms[at - 1] if self.touches[at] else ""
        if before.isalpha() and len(before) < 3 and before.isascii() and KINDS.get(before) not in _TOUCHING:
            return 0  # the "300" of "H300" is no model
        for size in range(min(_LONGEST_CORE, len(self.atoms) - at), 0, -1):
            joined = "".join(self.atoms[at : at + size])
            if joined in self.vocabulary.cores and (size == 1 or len(joined) > 4 or not joined.isdigit()):
                if self.part.core:
                    self.phrase.parts.append(self.part)
                    self.part = Part()
                self.part.core = joined
                self.part.families |= self.families
                self.families = set()
                self.after_core = True
                return size
        return 0

    def chip(self, at: int) -> int:
        for size in (3, 2):
            chip = self.vocabulary.chips.get("".join(self.atoms[at : at + size]))
            if chip is not None:
                self.part.chips.add(chip)
                return size
        return 0

    def form(self, at: int) -> int:
        atom, number = self.atoms[at], self.following(at)
        if atom in ("dgx", "hgx"):
            self.part.form = self.part.form or "dgx"
            return 1
        if atom + number in RACKS:
            return 2
        if atom == "nvl" and number.isdigit() and self.touches[at + 1]:
            self.part.traits.add(atom + number)
            return 2
        if atom not in ("sxm", "pcie", "nvl"):
            return 0
        generation = number if atom == "sxm" and number in tuple("23456") else ""
        self.part.form = atom + generation
        return 2 if generation else 1

    def variant(self, at: int) -> int:
        """What stands right after a model number: `4080s`, `4090 d`, `3070m`, `5090 d v2`."""
        atom = self.atoms[at]
        if atom == "v" and self.following(at) in ("2", "3"):
            self.part.traits.add(atom + self.following(at))
            return 2
        if not self.after_core or (atom not in SUFFIXES and atom != "m"):
            self.after_core = self.after_core and atom in ("ti", "super")
            return 0
        consumer = self.part.core.isdigit() and len(self.part.core) == 4
        if atom == "m" and consumer:
            self.part.mobile.add("laptop")
        elif atom == "s" and not consumer:
            self.phrase.words.append(atom)  # a plural, as in "eight A100s"
        elif atom == "m":
            self.phrase.rest.append(atom)
        else:
            self.part.traits.update(SUFFIXES[atom])
        return 1

    def word(self, at: int) -> int:
        """An atom of no other meaning."""
        word = SYNONYMS.get(self.atoms[at], self.atoms[at])
        kind = KINDS.get(word)
        if kind == "family":
            self.families.add(word)
        elif kind in ("brand", "maker", "vague", "modified"):
            self.phrase.said.add(kind)
        elif word in VARIANTS or (word in self.vocabulary.traits and word != "a"):
            self.part.traits.add(word)
        elif not add_word(self.part, word):
            if word.isdigit() and len(word) < 3 and not self.part.core and not self.families:
                return 1  # how many: "8 a100"
            self.unexplained(word)
        if kind not in ("noise", "brand", "maker", "modified"):
            self.phrase.kept.append(word)
        return 1

    def unexplained(self, word: str) -> None:
        plain = word.isascii() and (len(word) < 3 or word.isdigit())
        (self.phrase.rest if plain else self.phrase.words).append(word)
