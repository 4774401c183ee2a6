"""How alike a text is to all that the symptom files say of a cause; for proposals only.

Each cause has a profile in each language: the words of its title, phrases, explanation, question and samples, rarer ones
being worth more. English goes by words, misspelt ones mended (rapidfuzz, loaded when first needed); Chinese by pairs of
neighbouring characters.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal

from assistant.symptom import Symptom

__all__ = ["LONGEST", "Profile", "Profiles", "bigrams", "words"]

Language = Literal["en", "zh"]

LONGEST = 1500  # characters of a text that are compared
MOST_MENDED = 12  # words
_TYPED = 5  # characters that a word has at least if it is mended
_SURE = 86  # of 100
_LATIN = re.compile(r"[a-z0-9_.+-]{2,}")
_CJK = re.compile("[\u3400-\u9fff]+")
_COMMON = frozenset(
    "the a an is are was it its i my me we you in on of to and or but for with this that not no does do did can have has had be been at as from"
    " after when then so if by only all same any there get gets got will would which what how why".split()
)


def words(text: str) -> frozenset[str]:
    """The words of an English text that say something.

    >>> sorted(words("The driver is NOT loaded."))
    ['driver', 'loaded']
    """
    plain = unicodedata.normalize("NFKC", text).lower()
    return frozenset(word.strip(".-") for word in _LATIN.findall(plain)) - _COMMON


def bigrams(text: str) -> frozenset[str]:
    """Pairs of neighbouring Chinese characters, and whole Latin words.

    >>> sorted(bigrams("显卡 GPU 掉卡"))
    ['gpu', '掉卡', '显卡']
    """
    plain = unicodedata.normalize("NFKC", text).lower()
    pairs = {run[at : at + 2] for run in _CJK.findall(plain) for at in range(max(len(run) - 1, 1))}
    return frozenset(pairs) | frozenset(_LATIN.findall(plain))


class Profile:
    """What all causes are described with in one language.

    Args:
        symptoms: the causes.
        language: which of the texts to take.
    """

    def __init__(self, symptoms: Iterable[Symptom], language: Language) -> None:
        self._parts = words if language == "en" else bigrams
        counted = {
            symptom.id: Counter(part for text in _texts(symptom, language) for part in self._parts(text))
            for symptom in symptoms
        }
        having = Counter(part for counts in counted.values() for part in counts)
        self._worth = {part: math.log(1 + len(counted) / count) for part, count in having.items()}
        self._postings: dict[str, list[tuple[str, float]]] = {}
        for name, counts in counted.items():
            vector = {part: (1 + math.log(count)) * self._worth[part] for part, count in sorted(counts.items())}
            length = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
            for part, weight in vector.items():
                self._postings.setdefault(part, []).append((name, weight / length))

    def alike(self, text: str, *, mend: bool = False) -> dict[str, float]:
        """For each cause that shares anything with a text the cosine between them, from 0 to 1."""
        parts = self._parts(text[:LONGEST])
        said = sorted(self._mended(parts) if mend else parts & self._worth.keys())
        length = math.sqrt(sum(self._worth[part] ** 2 for part in said)) or 1.0
        found: dict[str, float] = {}
        for part in said:
            for name, weight in self._postings[part]:
                found[name] = found.get(name, 0.0) + weight * self._worth[part] / length
        return found

    def _mended(self, parts: frozenset[str]) -> frozenset[str]:
        """The known ones, and for some unknown words the known word that was meant."""
        known = parts & self._worth.keys()
        strange = sorted(part for part in parts - known if len(part) >= _TYPED and part.isascii() and part.isalpha())
        return known | frozenset(self._meant(strange[:MOST_MENDED]))

    def _meant(self, strange: Iterable[str]) -> Iterator[str]:
        from rapidfuzz import fuzz, process

        for word in strange:
            best = process.extractOne(word, self._plain_words, scorer=fuzz.ratio, score_cutoff=_SURE)
            if best is not None:
                yield best[0]

    @cached_property
    def _plain_words(self) -> list[str]:
        return sorted(part for part in self._worth if part.isascii() and part.isalpha() and len(part) >= _TYPED)


def _texts(symptom: Symptom, language: Language) -> Iterator[str]:
    """Everything that a symptom file says in a language; the title and the phrases twice.

    What programs print in English stands in Chinese reports as well.
    """
    yield from [getattr(symptom.title, language)] * 2
    yield from (symptom.phrases or {}).get(language, ()) * 2
    yield getattr(symptom.explanation, language)
    if symptom.ask is not None:
        yield getattr(symptom.ask.text, language)
    for cue in symptom.cue:
        yield from (sample for sample in cue.samples if language == "zh" or sample.isascii())


class Profiles:
    """The profiles of both languages, made when first needed.

    Args:
        symptoms: the causes.
    """

    def __init__(self, symptoms: Iterable[Symptom]) -> None:
        self._symptoms = tuple(symptoms)

    @cached_property
    def _english(self) -> Profile:
        return Profile(self._symptoms, "en")

    @cached_property
    def _chinese(self) -> Profile:
        return Profile(self._symptoms, "zh")

    def alike(self, text: str, language: Language, *, mend: bool = False) -> dict[str, float]:
        """As `Profile.alike`, in the language of the text; with `mend` misspelt words count as what was meant."""
        return (self._chinese if language == "zh" else self._english).alike(text, mend=mend)
