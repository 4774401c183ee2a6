"""What a check is: a name, a scope, the law it holds the data to, what its author does about a breach, and a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from matrices.lint.material import Material
from matrices.load import Dataset
from matrices.model import Claim, Entity

__all__ = ["SCOPES", "Check", "Finding", "Level", "Mend", "Scope", "claims", "entities", "mended", "normal", "numbers"]

Level = Literal["error", "warning"]
Scope = Literal["file", "claim", "subject", "tree", "build"]
SCOPES: tuple[Scope, ...] = ("file", "claim", "subject", "tree", "build")
Mend = Callable[[str], str]  # the text of a file -> its text without the breach
C = TypeVar("C", bound=Claim)
E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class Finding:
    """One breach: `subject` is the id of the claim, `kind:id` of the entity or `file:name` of the file."""

    subject: str
    message: str
    line: int | None = None  # counted from 1, where the check knows it


@dataclass(frozen=True, slots=True)
class Check:
    """One law. `fix` tells its author what to do; `mend` does it, where a machine can."""

    name: str
    scope: Scope
    law: str
    fix: str
    run: Callable[[Material], Iterable[Finding]]
    level: Level = "error"
    mend: Mend | None = None


def mended(mend: Mend, message: str) -> Callable[[Material], Iterator[Finding]]:
    """The check that goes with a fixer: a file that it would change is in breach, at the first line it would change."""

    def run(material: Material) -> Iterator[Finding]:
        for name, text in material.texts.items():
            fixed = mend(text)
            if fixed != text:
                pairs = zip(text.split("\n"), fixed.split("\n"), strict=False)
                line = next((number for number, (old, new) in enumerate(pairs, 1) if old != new), text.count("\n") + 1)
                yield Finding(f"file:{name}", message, line)

    return run


def claims(dataset: Dataset, cls: type[C]) -> Iterator[C]:
    """All claims of a relation."""
    return (claim for claim in dataset.claims.values() if isinstance(claim, cls))


def normal(dataset: Dataset, cls: type[C]) -> Iterator[C]:
    """The claims of a relation that count: deprecated ones are kept for the record only."""
    return (claim for claim in claims(dataset, cls) if claim.standing != "deprecated")


def entities(dataset: Dataset, cls: type[E]) -> Iterator[E]:
    """All entities of a kind."""
    return (entity for entity in dataset.entities[cls.kind].values() if isinstance(entity, cls))


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, to sort by; unlike the types of `matrices.versions` it takes ill-formed ids too."""
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
