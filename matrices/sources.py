"""Which claims rest on which source, and how old what was read there is, counted to the day of the data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain

from matrices.catalogue import Catalogue
from matrices.model import Claim, CloudInstance, Coverage, Documented, Evidence, Reported, Source

__all__ = ["SourceUse", "Sources", "source_of"]


def source_of(piece: Evidence) -> str | None:
    """The id of the source (for a report without one, its link) behind a piece of evidence; None for a measurement.

    >>> source_of(Documented("documented", "nvidia-cuda-gpus", date(2026, 11, 30)))
    'nvidia-cuda-gpus'
    """
    if isinstance(piece, Documented):
        return piece.source
    return piece.link if isinstance(piece, Reported) else None


@dataclass(frozen=True, slots=True)
class SourceUse:
    """What rests on one source.

    Attributes:
        claims: those that name it as evidence.
        newest: the last day on which something was read there; None: never.
        age_days: from that day to the day of the data.
    """

    source: Source
    claims: tuple[Claim, ...]
    newest: date | None
    age_days: int | None

    @property
    def stale(self) -> bool:
        """Whether it should be read again. What never changes is never stale."""
        limit = self.source.stale_after_days
        return self.age_days is not None and limit is not None and self.age_days > limit


class Sources:
    """The sources of one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.today = date.fromisoformat(catalogue.data_version[:10].replace(".", "-"))

    @cached_property
    def uses(self) -> dict[str, SourceUse]:
        """Every source by its id."""
        claims: dict[str, dict[str, Claim]] = {}
        days: dict[str, list[date]] = {}
        for claim in self.catalogue.by_id.values():
            for piece in claim.evidence:
                name = source_of(piece)
                if name is not None:
                    claims.setdefault(name, {})[claim.id] = claim
                    days.setdefault(name, []).append(piece.on)
        stated = [row.evidence for row in self.catalogue.entities(Coverage).values()]
        stated += [row.evidence for row in self.catalogue.entities(CloudInstance).values()]
        for piece in chain.from_iterable(stated):
            days.setdefault(source_of(piece) or "", []).append(piece.on)
        found = {}
        for name, source in sorted(self.catalogue.entities(Source).items()):
            newest = max(days.get(name, ()), default=None)
            age = None if newest is None else (self.today - newest).days
            found[name] = SourceUse(source, tuple(claims.get(name, {}).values()), newest, age)
        return found

    def stale(self, claim: Claim) -> bool:
        """Whether nothing fresh stands behind a claim: every piece of its evidence should be looked up again.

        A measurement of an artefact does not age.
        """
        return all(self._old(piece) for piece in claim.evidence)

    def _old(self, piece: Evidence) -> bool:
        source = self.catalogue.entities(Source).get(source_of(piece) or "")
        limit = None if source is None else source.stale_after_days
        return limit is not None and (self.today - piece.on).days > limit
