"""What a check is: a name, the law it holds the data to, and a function from data to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from matrices.load import Dataset
from matrices.model import Claim, Entity

__all__ = ["Check", "Finding", "Level", "claims", "entities", "normal"]

Level = Literal["error", "warning"]
C = TypeVar("C", bound=Claim)
E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class Finding:
    """One breach: `subject` is the id of the claim or `kind:id` of the entity."""

    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class Check:
    """One law over the whole data set."""

    name: str
    law: str
    run: Callable[[Dataset], Iterable[Finding]]
    level: Level = "error"


def claims(dataset: Dataset, cls: type[C]) -> Iterator[C]:
    """All claims of a relation."""
    return (claim for claim in dataset.claims.values() if isinstance(claim, cls))


def normal(dataset: Dataset, cls: type[C]) -> Iterator[C]:
    """The claims of a relation that count: deprecated ones are kept for the record only."""
    return (claim for claim in claims(dataset, cls) if claim.standing != "deprecated")


def entities(dataset: Dataset, cls: type[E]) -> Iterator[E]:
    """All entities of a kind."""
    return (entity for entity in dataset.entities[cls.kind].values() if isinstance(entity, cls))
