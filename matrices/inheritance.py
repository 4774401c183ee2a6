"""What an entity takes over: a GPU from its capability, a wheel from its torch and its toolkit, an image from what is inside.

The data stores the link, never the copy; here the links are followed, one step each and as far as they lead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeVar

from matrices.catalogue import Catalogue
from matrices.model import (
    CLAIMS,
    Capability,
    Claim,
    CudaFamily,
    Entity,
    Gpu,
    GpuHasCc,
    Image,
    ImageContains,
    Toolkit,
    Torch,
    Wheel,
    WheelBuiltWith,
)

__all__ = ["Inheritance"]

C = TypeVar("C", bound=Claim)
# a claim about a product itself that takes the place of the one about its capability
_REPLACES = {"gpu-needs-module": "cc-needs-module"}


class Inheritance:
    """Whose claims speak of an entity, over one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    @cached_property
    def _by_subject(self) -> dict[tuple[str, str], list[Claim]]:
        found: dict[tuple[str, str], list[Claim]] = {}
        for cls in CLAIMS.values():
            for claim in self.catalogue.claims(cls):
                found.setdefault((cls.within, claim.subject), []).append(claim)
        return found

    def own(self, entity: Entity) -> list[Claim]:
        """The claims that have the entity as their subject."""
        return self._by_subject.get((entity.kind, entity.id), [])

    def inherited(self, entity: Entity) -> list[Claim]:
        """The claims about what the entity is made of, where none of its own replaces them."""
        replaced = {_REPLACES.get(claim.relation) for claim in self.own(entity) if claim.standing != "deprecated"}
        return [
            claim for parent in self.parents(entity) for claim in self.own(parent) if claim.relation not in replaced
        ]

    def parents(self, entity: Entity) -> list[Entity]:
        """What the entity is made of, nearest first, each once."""
        found: dict[tuple[str, str], Entity] = {}
        for parent in self._links(entity):
            found[parent.kind, parent.id] = parent
            found |= {(further.kind, further.id): further for further in self.parents(parent)}
        return list(found.values())

    def _links(self, entity: Entity) -> Iterator[Entity]:
        if isinstance(entity, Gpu):
            for has in self._counting(entity, GpuHasCc):
                yield from self._named(Capability, str(has.compute_capability))
        elif isinstance(entity, Wheel):
            yield from self._named(Torch, str(entity.torch))
            for built in self._counting(entity, WheelBuiltWith):
                yield from self._named(Toolkit, str(built.cuda.release))
        elif isinstance(entity, Image):
            for holds in self._counting(entity, ImageContains):
                if holds.cuda:
                    yield from self._named(Toolkit, ".".join(holds.cuda.split(".")[:2]))
        elif isinstance(entity, Toolkit):
            yield from self._named(CudaFamily, entity.id.partition(".")[0])

    def _counting(self, entity: Entity, cls: type[C]) -> Iterable[C]:
        return (claim for claim in self.own(entity) if isinstance(claim, cls) and claim.standing != "deprecated")

    def _named(self, cls: type[Entity], identity: str) -> Iterator[Entity]:
        known = self.catalogue.entities(cls).get(identity)
        if known is not None:
            yield known
