"""Versions and specifiers as texts: which known versions one allows, and whether it allows others than the known ones."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from resolver.errors import InvalidRequest

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

__all__ = ["admits", "allowed", "may_be_newer", "may_be_older", "near", "numbers"]


@lru_cache(maxsize=4_096)
def admits(specifier: str, version: str) -> bool:
    """Whether a specifier allows a version (kept)."""
    return _specifier(specifier).contains(version)


def near(given: str, known: list[str]) -> list[str]:
    """Up to five known versions that share the first two numbers with a text, else the first, else the newest alone."""
    parts = given.split(".")
    for size in (2, 1):
        found = [version for version in known if version.split(".")[:size] == parts[:size]]
        if found:
            return found[-5:]
    return known[-1:]


@lru_cache(maxsize=512)
def allowed(given: str, known: tuple[str, ...], name: str, text: str) -> tuple[tuple[str, ...], bool]:
    """Which of the known version texts a version or specifier allows, and whether it allows newer ones too."""
    if given in known:
        return (given,), False
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import Version

    bare = re.fullmatch(r"\d+(\.\d+)*(\.\*)?", given)
    written = f"=={given.removesuffix('.*')}.*" if bare else given
    try:
        specifier = SpecifierSet(written)
    except InvalidSpecifier:
        message = f"`{name}` is a version like `{known[-1]}` or a specifier like `>={known[-1]}`"
        raise InvalidRequest(message, field=name, given=text) from None
    if specifier.is_unsatisfiable():
        raise InvalidRequest(f"no {name} can be {given}: the specifier contradicts itself", field=name, given=text)
    beyond = _reaches_past(written, known[-1])
    if bare and not beyond:
        beyond = Version(given.removesuffix(".*")) > Version(known[-1])
    return tuple(version for version in known if specifier.contains(version)), beyond


def may_be_newer(specifier: str, newest: str) -> bool:
    """Whether a specifier allows a version newer than the newest known, be it just one that it names."""
    from packaging.version import Version

    named = (each.version.removesuffix(".*") for each in _specifier(specifier))
    return _reaches_past(specifier, newest) or any(Version(version) > Version(newest) for version in named)


def may_be_older(specifier: str, oldest: str) -> bool:
    """Whether a specifier allows a version older than the oldest known: it names one, or none below which it ends."""
    from packaging.version import Version

    named = [Version(each.version.removesuffix(".*")) for each in _specifier(specifier)]
    return any(version < Version(oldest) for version in named) or _specifier(specifier).contains("0")


@lru_cache(maxsize=512)
def _specifier(text: str) -> SpecifierSet:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(text)


def _reaches_past(specifier: str, newest: str) -> bool:
    """Whether a specifier allows versions newer than the newest known: by probes above it, and by those that it names."""
    from packaging.version import Version

    last = Version(newest)
    probes = [f"{last.major}.{last.minor + 1}.0", f"{last.major + 1}.0.0", f"{last.major + 9}.0.0"]
    wanted = _specifier(specifier)
    return any(wanted.contains(probe) for probe in probes)


def numbers(text: str) -> tuple[int, ...]:
    """`2.28` as (2, 28), for comparing.

    >>> numbers("2.9") < numbers("2.28")
    True
    """
    return tuple(int(part) for part in text.split("."))
