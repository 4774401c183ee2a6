"""How far a text is from a name: what was left out, what was added, and what contradicts it."""

from __future__ import annotations

from dataclasses import dataclass

from matrices.model import Gpu
from resolver.naming.reading import Part
from resolver.naming.words import VARIANTS

__all__ = ["Entry", "Match", "match"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of one product, taken apart."""

    gpu: Gpu
    part: Part
    mobile: bool  # the product is built into laptops
    rare: bool = False  # a variant that the plain name does not mean unless its chip is given
    alias: bool = False  # not the product's own name


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that fits a text, and how far the text is from its name.

    A product is only taken over another for being nearer, so the order of distances matters, not their sizes.
    """

    distance: int
    entry: Entry

    @property
    def gpu(self) -> Gpu:
        """The product."""
        return self.entry.gpu

    @property
    def other_prefix(self) -> bool:
        """Whether the text has the prefix of another line, `GTX` for `RTX`."""
        return self.distance % _ONLY_LAPTOP >= _OTHER_PREFIX


_OTHER_PREFIX = 20  # GTX written for RTX
_ONLY_LAPTOP = 100  # no laptop was said, but there is no desktop product of that number
_ONLY_MAX_Q = 200
_CONSUMER = {"gt", "gts", "gtx", "rtx"}
_IMPLIED = {"geforce", "tesla"}  # left out even by those who write the rest of the name
_SAID_ALONE = {"geforce", "tesla", "quadro", "rtx", "gtx", "gts", "gt", "jetson", "tegra"}  # left out before a number
_PRODUCT_TRAITS = VARIANTS - {"v2", "v3"}  # a maker's own "V2" says nothing
_SOFT_TRAITS = {"active": 0, "workstation": 1, "server": 1, "embedded": 5}
_IN_SERVERS = ("Data Center", "Tesla")


def match(entry: Entry, asked: Part, made: bool) -> Match | None:
    """The match of a text with a name; None where they contradict each other.

    Args:
        made: a maker of boards is named, so that words of its own product lines are no contradiction.
    """
    if entry.rare and not asked.chips:
        return None
    if asked.chips and asked.chips.isdisjoint(entry.gpu.chip.split("/")):
        return None
    if asked.eras - {entry.gpu.architecture}:
        return None
    if entry.alias and ((entry.part.eras and not asked.eras) or (entry.part.memory and not asked.memory)):
        return None  # "A6000 Ada" and "5090D 24G" say it all, without the last word they are other products
    total = 1 if entry.part.eras and not asked.eras else 0
    for part in (
        _families(entry, asked, made),
        _traits(entry, asked, made),
        _mobile(entry, asked),
        _form(entry, asked),
    ):
        if part is None:
            return None
        total += part
    return Match(total, entry)


def _families(entry: Entry, asked: Part, made: bool) -> int | None:
    named = entry.part.families
    extra = [_extra_family(word, entry, made) for word in asked.families - named]
    known = [distance for distance in extra if distance is not None]
    if len(known) < len(extra):
        return None
    missing = named - asked.families - (_IMPLIED if asked.families else _SAID_ALONE)
    return max(known, default=0) + len(missing)


def _extra_family(word: str, entry: Entry, made: bool) -> int | None:
    """The distance for a line word that the name does not have; None where it contradicts the name."""
    family, named = entry.gpu.family, entry.part.families
    consumer = family.startswith(("GeForce", "TITAN"))
    if word == "geforce" and consumer:
        return 0
    if word in _CONSUMER and (consumer or (word == "rtx" and family.startswith("RTX/Quadro"))):
        return _OTHER_PREFIX if named & _CONSUMER or not consumer else 2
    if word in ("tesla", "grid") and family in _IN_SERVERS:
        return 0
    if word in ("quadro", "grid") and "geforce" not in named and family.startswith(("RTX/Quadro", "Quadro", "NVS")):
        return _OTHER_PREFIX if "pro" in named else 2
    if word == "pro" and made:
        return 0
    return None


def _traits(entry: Entry, asked: Part, made: bool) -> int | None:
    extra = asked.traits - entry.part.traits
    missing = entry.part.traits - asked.traits
    if not missing <= _SOFT_TRAITS.keys() or (extra and not made) or extra & _PRODUCT_TRAITS:
        return None
    return sum(_SOFT_TRAITS[trait] for trait in missing) + 3 * len(extra)


def _mobile(entry: Entry, asked: Part) -> int | None:
    named = entry.part.mobile
    if "desktop" in asked.mobile:
        return None if entry.mobile else 0
    if "laptop" in asked.mobile:
        if not entry.mobile:
            return None
        return 1 if "maxq" in named - asked.mobile else 0
    if "maxq" in asked.mobile:
        if "maxq" in named:
            return 0
        return 1 if entry.mobile else None
    return _ONLY_MAX_Q if "maxq" in named else _ONLY_LAPTOP if "laptop" in named else 0


def _form(entry: Entry, asked: Part) -> int | None:
    named = entry.part.form
    if not asked.form or named == asked.form:
        return 0
    if asked.form == "dgx":  # the boards of these machines are SXM where a product has several forms
        return 2 if not named else 0 if named.startswith("sxm") else None
    if "sxm" in (named, asked.form) and named[:3] == asked.form[:3]:
        return 0  # one of them leaves the generation open
    return 2 if not named and (entry.gpu.family in _IN_SERVERS or asked.form == "pcie") else None
