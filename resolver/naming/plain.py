"""A name in words: which products a phrase means, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matrices.model import Gpu
from resolver.naming.distance import Match
from resolver.naming.index import Index, unique
from resolver.naming.phrase import Phrase, read_text
from resolver.naming.reading import Part
from resolver.naming.recognition import Products, Recognition, Unknown
from resolver.naming.text import rewrite
from resolver.naming.words import CLASHES

__all__ = ["PROPOSALS", "Choice", "PlainNames", "products"]

PROPOSALS = 5
_CLOSE = 5  # a name this much further off is still what was meant, if the memory says so
_LOOK_ALIKE = str.maketrans("oil", "011")
_MISREAD = re.compile(r"(?<=\d)[oil]+|[oil]+(?=\d)")


@dataclass(frozen=True, slots=True)
class Choice:
    """What one part of a phrase means."""

    gpus: tuple[Gpu, ...]
    certain: bool
    how: str


def products(gpus: Sequence[Gpu], how: str, certain: bool = True) -> Products:
    """The answer for some products, read as their marketing names."""
    names = list(dict.fromkeys(gpu.marketing_name for gpu in gpus)) if len(gpus) > 1 else [gpus[0].name]
    return Products(tuple(gpus), certain, how, " / ".join(names[:3]) + (" ..." if len(names) > 3 else ""))


class PlainNames:
    """Names in words, over one index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def phrase(self, text: str) -> Phrase:
        """A cleaned text taken apart."""
        return read_text(rewrite(text), self._index.vocabulary)

    def recognise(self, text: str) -> Recognition | None:
        """What a cleaned text names; None if it names no model that exists."""
        phrase = self.phrase(text)
        if "vague" in phrase.said:
            return self.unknown(phrase)
        whole = _of_size(self._index.whole.get("".join(phrase.kept), ()), phrase)
        if whole:
            modified = "modified" in phrase.said
            return self.by_name(whole, "memory" if modified else "name", not modified)
        return self._agreed(phrase) if phrase.named else self._chip(phrase)

    def misspelt(self, text: str) -> Recognition | None:
        """The same with the letters O, I and L read as digits where they stand beside one."""
        corrected = _MISREAD.sub(lambda found: found[0].translate(_LOOK_ALIKE), text)
        found = self.recognise(corrected) if corrected != text else None
        return replace(found, certain=False, how="typo") if isinstance(found, Products) else found

    def by_name(self, gpus: Sequence[Gpu], how: str, certain: bool = True) -> Products:
        """Products found by name. Not certain where another one of the same name differs in capability."""
        rare = [sibling for gpu in gpus for sibling in self._index.rare_siblings.get(gpu.id, ())]
        shared = self._index.capabilities(rare) <= self._index.capabilities(gpus)
        return products(gpus, how, certain and shared)

    def unknown(self, phrase: Phrase) -> Unknown:
        """Nothing, with the products of the model numbers in the text as proposals."""
        return Unknown(tuple(unique(gpu for part in phrase.named for gpu in self._index.nearest(part)))[:PROPOSALS])

    def alternatives(self, text: str, chip: str | None) -> tuple[list[Gpu], bool]:
        """The products of a name in lspci, which may list several, on one chip; and whether it was all understood."""
        phrase = self.phrase(text)
        on_chip = {chip} if chip else set()
        choices = [self._choose(replace(part, chips=on_chip), phrase) for part in phrase.named]
        gpus = unique(gpu for choice in choices if choice for gpu in choice.gpus)
        understood = not (phrase.rest or phrase.words) and all(choice and choice.certain for choice in choices)
        return gpus, understood

    # --- steps ----------------------------------------------------------------------------------------------------

    def _choose(self, part: Part, phrase: Phrase) -> Choice | None:
        """The products that a part means, or None if there is no such product."""
        made = "maker" in phrase.said
        matches = self._index.matches(part, made)
        contradicted = not matches and bool(part.chips)
        if contradicted:
            matches = self._index.matches(replace(part, chips=set()), made)
        if not matches:
            return None
        choice = _by_memory(matches, part)
        if matches[0].other_prefix:
            return replace(choice, certain=False, how="prefix")
        return replace(choice, certain=choice.certain and not contradicted)

    def _agreed(self, phrase: Phrase) -> Recognition:
        """The products that all parts of the phrase agree on, if nothing in it is left unexplained."""
        choices = [self._choose(part, phrase) for part in phrase.named]
        found = [choice for choice in choices if choice is not None]
        if len(found) < len(choices):
            return self.unknown(phrase)
        common = [gpu for gpu in found[0].gpus if all(gpu in choice.gpus for choice in found[1:])]
        if not common:
            return Unknown(tuple(unique(choice.gpus[0] for choice in found))[:PROPOSALS])
        common = _explaining_rest(common, phrase)
        if not common:
            return self.unknown(phrase)
        if _no_more_than_number(phrase) and phrase.named[0].core in CLASHES:
            return Unknown(tuple(common)[:PROPOSALS])
        short = _no_more_than_number(phrase) and re.fullmatch(r"\d{3}", phrase.named[0].core)
        doubt = (
            "memory" if "modified" in phrase.said else "words" if phrase.words and "maker" not in phrase.said else ""
        )
        how = doubt if doubt and found[0].how == "model" else found[0].how
        return self.by_name(common, how, all(choice.certain for choice in found) and not (doubt or short))

    def _chip(self, phrase: Phrase) -> Products | None:
        """The products on a chip, if the phrase is nothing but one."""
        chips = {chip for part in phrase.parts for chip in part.chips}
        if len(chips) != 1 or phrase.rest or phrase.words:
            return None
        return products(self._index.by_chip[chips.pop()], "chip")


def _no_more_than_number(phrase: Phrase) -> bool:
    """Whether the text is a model number alone."""
    part = phrase.named[0]
    return not (part.families or part.traits or part.mobile or part.memory or phrase.said)


def _explaining_rest(gpus: Sequence[Gpu], phrase: Phrase) -> list[Gpu]:
    """Those of the products whose memory explains the numbers that are left; none if anything else is left."""
    rest = [atom for atom in phrase.rest if atom.isdigit() or "maker" not in phrase.said]
    if not all(map(str.isdigit, rest)):
        return []
    return [gpu for gpu in gpus if all(_holds(gpu, (), (float(atom), float(atom))) for atom in rest)]


def _of_size(gpus: Sequence[Gpu], phrase: Phrase) -> list[Gpu]:
    """Those of the products that have the memory the phrase asks for, if it asks."""
    sizes = [size for part in phrase.parts for size in part.memory]
    return [gpu for gpu in gpus if not sizes or any(_holds(gpu, (), size) for size in sizes)]


def _holds(gpu: Gpu, named: Sequence[tuple[float, float]], size: tuple[float, float]) -> bool:
    """Whether a product has about that much memory, by its data or by its name."""
    return any(size[0] <= known <= size[1] for known in (*gpu.memory_gb, *(least for least, _ in named)))


def _by_memory(matches: Sequence[Match], part: Part) -> Choice:
    """The nearest matches that have the memory asked for; the nearest ones at all where none has."""
    nearest = [match for match in matches if match.distance == matches[0].distance]
    if not part.memory:
        return Choice(tuple(unique(match.gpu for match in nearest)), True, "model")
    fitting = [
        match for match in matches if any(_holds(match.gpu, match.entry.part.memory, size) for size in part.memory)
    ]
    if fitting and fitting[0].distance <= matches[0].distance + _CLOSE:
        least = fitting[0].distance
        return Choice(tuple(unique(match.gpu for match in fitting if match.distance == least)), True, "model")
    unsaid = not any(match.gpu.memory_gb for match in nearest)
    return Choice(tuple(unique(match.gpu for match in (*fitting, *nearest))), unsaid, "model" if unsaid else "memory")
