"""A reason with its claims as plain data: what is shown under `because`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matrices.catalogue import EVIDENCE_RANK, Catalogue
from matrices.model import Claim, Documented, Evidence, Measured, Source
from matrices.sources import source_of
from resolver.judge import Reason
from resolver.words import sentence

__all__ = ["Citer"]


class Citer:
    """Turns reasons and claims into plain data, looking sources up in one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._best: dict[str, tuple[str, str]] = {}

    def because(self, reason: Reason) -> dict[str, Any]:
        """`{"rule", "claim", "text", "evidence", "source"}`; the other claims used are listed under `claims`."""
        shown: dict[str, Any] = {
            "rule": reason.rule,
            "claim": None,
            "text": sentence(reason),
            "evidence": None,
            "source": None,
        }
        if reason.claims:
            kind, shown["source"] = self.best(reason.claims[0])
            shown["claim"] = reason.claims[0].id
            if len(reason.claims) > 1:
                kind = min((self.best(claim) for claim in reason.claims), key=_rank)[0]
            shown["evidence"] = kind
            doubts = [claim.uncertain for claim in reason.claims if claim.uncertain]
            if doubts:
                shown["uncertain"] = "; ".join(doubts)
            if len(reason.claims) > 1:
                shown["claims"] = [claim.id for claim in reason.claims]
        return shown

    def best(self, claim: Claim) -> tuple[str, str]:
        """The kind of a claim's strongest evidence and where it is found."""
        found = self._best.get(claim.id)
        if found is None:
            piece = max(claim.evidence, key=self._trust)
            found = piece.kind, self.where(piece)
            self._best[claim.id] = found
        return found

    def _trust(self, piece: Evidence) -> tuple[int, bool]:
        """The strongest kind first; of equal ones the vendor's own page."""
        source = self.catalogue.entities(Source).get(piece.source) if isinstance(piece, Documented) else None
        return EVIDENCE_RANK[piece.kind], source is not None and source.publisher == "NVIDIA"

    def where(self, piece: Evidence) -> str:
        """A link, or for a measurement the artefact."""
        if isinstance(piece, Measured):
            return piece.artefact
        name = piece.source if isinstance(piece, Documented) else piece.link
        source = self.catalogue.entities(Source).get(name)
        return source.link if source else name

    def weakest(self, reasons: Iterable[Reason]) -> str:
        """The evidence of the weakest claim among reasons that hold."""
        kinds = [self.best(claim) for reason in reasons for claim in reason.claims]
        return min(kinds, key=_rank)[0] if kinds else "documented"

    def evidence(self, piece: Evidence) -> dict[str, Any]:
        """One piece of evidence in full; `source` is the id of its source, where it has one."""
        shown: dict[str, Any] = {"kind": piece.kind, "where": self.where(piece), "on": piece.on.isoformat()}
        name = source_of(piece)
        if name in self.catalogue.entities(Source):
            shown["source"] = name
        if isinstance(piece, Measured):
            shown["how"] = piece.how
        elif piece.place:
            shown["place"] = piece.place
        return shown


def _rank(kind_and_place: tuple[str, str]) -> int:
    return EVIDENCE_RANK[kind_and_place[0]]
