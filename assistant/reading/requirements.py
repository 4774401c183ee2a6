"""Packages that somebody asks for, in running text: `vLLM 0.9`, `flash attention 2`, `jax[cuda13]`, `tensorflow<2.11`.

Which packages there are, and by what names, comes from the data. What programs print names packages as well, but asks for none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from assistant.reading.document import Document, Line
from assistant.reading.form import Collector
from assistant.reading.prose import is_printed

__all__ = ["read_requirements"]

_SOURCE = "free text"
_EXTRA = r"(?:\[(?P<extra>[a-z0-9_-]{1,30})\])?"
_NUMBERS = r"\d{1,4}(?:\.\d{1,4}){0,3}(?:\.?(?:post|rc|a|b)\d{1,3})?"
_RANGE = rf"(?P<range>(?:[<>=!~]=?|===?) ?{_NUMBERS}(?: ?, ?(?:[<>!~]=?|==) ?{_NUMBERS}){{0,3}})"
_EXACT = rf"(?:version|版本|ver\.?|v|-|@|:)? ?v?(?P<exact>{_NUMBERS})(?:\.x)?(?![\w%.\[]|-\d)(?! ?(?:b|bits?|gpus?|cards?|gb?|gib|mib|mb|块|张|卡|个|次|台)(?![a-z]))"
_VERSION = re.compile(rf"(?:[-_ ]?gpu)? {{0,2}}(?:{_RANGE}|{_EXACT})")
_DENIED = re.compile(
    r"(?:\bwithout|\bno|\bnot(?: using| use| need| want)?|n't (?:use|need|want|have)|instead of|rather than|uninstall(?:ed)?|remove[ds]?|disable[ds]?"
    r"|不用|不装|没装|不要|没有|而不是|卸载了?|禁用)(?: an?| the| my)? ?$"
)
_BEFORE, _AFTER = r"(?<![a-z0-9_./\\@-])", r"(?![a-z0-9_/\\]|[.-][a-z]|[ _-]?llm)"


@lru_cache(maxsize=4)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Any of some names; a hyphen in one may be written as a blank, an underscore or nothing."""
    spelt = (re.escape(name).replace(r"\-", "[-_ ]?") for name in sorted(names, key=len, reverse=True))
    # a version may follow at once where it is one: `tf2.10`
    return re.compile(
        f"{_BEFORE}(?:{'|'.join(f'(?P<_{i}>{each})' for i, each in enumerate(spelt))}){_EXTRA}"
        rf"(?:(?=\d(?:\.\d|(?![a-z0-9])))|(?=[-_ ]gpu(?![a-z]))|{_AFTER})"
    )


@lru_cache(maxsize=4)
def _first_words(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({name.split("-")[0] for name in names}))


def read_requirements(document: Document, collector: Collector, packages: Mapping[str, frozenset[int]]) -> None:
    """The packages named in what people write, each with the versions that are said.

    Args:
        document: the text.
        collector: takes the facts, as requirements.
        packages: names with the first numbers of their versions; `jax[cuda13]` is a name as well.
    """
    names = tuple(name for name in packages if "[" not in name)
    ordered = sorted(names, key=len, reverse=True)
    for line in document.having(_first_words(names), near_ends=True):
        if is_printed(line.lower):
            continue
        for found in _pattern(names).finditer(line.lower):
            span = found.span()
            if not collector.free(line, span) or _DENIED.search(line.lower[max(0, span[0] - 24) : span[0]]):
                continue
            name = ordered[int(_which(found)[1:])]
            full = f"{name}[{found['extra']}]" if f"{name}[{found['extra']}]" in packages else name
            collector.add("requirement", full + _specifier(line, span[1], packages[full]), line, span, _SOURCE)


def _which(found: re.Match[str]) -> str:
    return next(group for group, text in found.groupdict().items() if text is not None and group.startswith("_"))


def _specifier(line: Line, start: int, majors: frozenset[int]) -> str:
    """The versions said after a name; a number by itself is one only where the package has such versions."""
    found = _VERSION.match(line.lower, start)
    if found is None:
        return ""
    if found["range"] is not None:
        text = found["range"].replace(" ", "")
        return text if text[1] in "=<>" or text[0] in "<>" else f"={text}"
    exact: str = found["exact"]
    if "." not in exact and int(exact) not in majors:
        return ""
    return f"=={exact}" if exact.count(".") > 1 else f"=={exact}.*"
