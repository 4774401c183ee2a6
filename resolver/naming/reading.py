"""A name of the catalogue taken apart: model number, line words, variants, generation, form factor, memory.

Only a catalogue name may introduce a model number (its *core*); the texts of people are searched for cores that exist
(see `resolver.naming.phrase`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from resolver.naming.words import ERAS, KINDS, SYNONYMS

__all__ = ["Part", "Vocabulary", "add_word", "read_name"]


@dataclass(slots=True)
class Part:
    """One product as named: by a catalogue name, or somewhere in a text."""

    core: str = ""
    families: set[str] = field(default_factory=set)
    traits: set[str] = field(default_factory=set)
    eras: set[str] = field(default_factory=set)
    mobile: set[str] = field(default_factory=set)  # laptop, maxq, desktop
    chips: set[str] = field(default_factory=set)
    form: str = ""  # sxm (perhaps with its generation), pcie, nvl; dgx where a text names the machine
    memory: list[tuple[float, float]] = field(default_factory=list)  # GB, least and most


@dataclass(slots=True)
class Vocabulary:
    """What the names of the catalogue consist of; `chips` maps the spellings of lspci to chips."""

    cores: set[str] = field(default_factory=set)
    traits: set[str] = field(default_factory=set)
    chips: dict[str, str] = field(default_factory=dict)

    def add_name(self, part: Part) -> None:
        """Learn the words of a name."""
        self.cores.add(part.core)
        self.traits |= part.traits

    def add_chip(self, chip: str) -> None:
        """Learn a chip with the endings that pci.ids gives its revisions and mobile forms."""
        for ending in ("", "m", "gl", "glm", "b", "bm", "bgl", "bglm", "s"):
            self.chips.setdefault(chip.lower() + ending, chip)


_CHIP = re.compile(r"\((?:g[a-z]?\d|c\d|mcp)\w*(?:/\w+)*\)")
_MEMORY = re.compile(r"(?<![a-z0-9])(\d{1,3}) ?gb?(?![a-z])")
_MEMORY_TYPE = re.compile(r"(?:gddr|hbm)\d\w*")
_FORM = re.compile(r"(?<![a-z0-9])(sxm\d?|pcie|nvl)(?![a-z0-9])")
_RUN = re.compile(r"[a-z0-9]+(?:-[a-z]*\d[a-z0-9]*)*")  # "p106-100" is one, "v100-dgxs" two
_VARIANT = re.compile(r"([a-z]?\d{3,4})(ti|super|d)")
_NAMED_BY_WORDS = ("jetson", "drive", "igx")


def read_name(name: str) -> Part | None:
    """The part that a cleaned name of the catalogue is.

    None for the few names that are not one model with words around it: those are only looked up whole.

    >>> part = read_name("geforce rtx 5090 d v2")
    >>> part.core, sorted(part.families), sorted(part.traits)
    ('5090', ['geforce', 'rtx'], ['d', 'v2'])
    """
    sizes = [float(found[1]) for found in _MEMORY.finditer(name)]
    part = Part(memory=[(size, size) for size in sizes])
    bare = _CHIP.sub(" ", _MEMORY_TYPE.sub(" ", name)).replace("max-q", "maxq")
    for found in _FORM.finditer(bare):
        part.form = found[1]
    runs = _RUN.findall(_FORM.sub(" ", _MEMORY.sub(" ", bare)))
    by_words = bool(runs) and runs[0] in _NAMED_BY_WORDS
    cores: list[str] = []
    for run in runs:
        if run == "a" or not add_word(part, SYNONYMS.get(run, run)):
            _add_run(part, run, cores, by_words)
    part.core = "".join(cores)
    one_model = len(cores) == 1 or by_words or cores[:1] == ["titan"]
    return part if one_model and len(part.core) > 1 and "/" not in name else None


def add_word(part: Part, word: str) -> bool:
    """Put a word that means the same in every name where it belongs; whether it was one."""
    kind = KINDS.get(word)
    if kind == "family":
        part.families.add(word)
    elif kind == "mobile":
        part.mobile.add(word)
    elif kind == "era":
        part.eras.add(ERAS[word])
    return kind is not None


def _add_run(part: Part, run: str, cores: list[str], by_words: bool) -> None:
    """Put what is left of a name into its core or among its traits."""
    split = _VARIANT.fullmatch(run)
    if by_words or run == "titan" or (cores == ["titan"] and run in ("x", "xp", "v", "z")):
        cores.append(run.replace("-", ""))
    elif split:
        cores.append(split[1])
        part.traits.add(split[2])
    elif any(map(str.isdigit, run)) and run not in ("v2", "v3") and not run.startswith("nvl"):
        cores.append(run.replace("-", ""))
    else:
        part.traits.add(run)
