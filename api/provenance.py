"""Where the data comes from: sources with what rests on them, a claim with every voice on its question, the whole catalogue."""

from __future__ import annotations

import gzip
from functools import cached_property
from typing import Any
from urllib.parse import quote

from api.rendering import Rendered, rendered_json
from api.views import Views
from matrices.catalogue import strongest
from matrices.model import Claim, Measured
from matrices.public import public
from matrices.sources import Sources, SourceUse
from matrices.voices import question, says, voices
from resolver.rules import RULES

__all__ = ["Provenance"]


class Provenance:
    """Provenance over the views of one catalogue."""

    def __init__(self, views: Views) -> None:
        self.views = views
        self.catalogue = views.engine.catalogue
        self.sources = Sources(self.catalogue)

    # --- claims -------------------------------------------------------------------------------------------------

    def claim(self, identity: str) -> dict[str, Any] | None:
        """One claim with its evidence, the other voices on its question and the rules that read it; None if unknown."""
        claim = self.catalogue.by_id.get(identity)
        if claim is None:
            return None
        heard = self._voices[question(claim.id)]
        same = [voice for voice in heard if says(voice) == says(claim)]
        return {
            **self.views.claim_data(claim),
            "stale": self.sources.stale(claim),
            "voices": [self._voice(voice, claim) for voice in heard],
            "confirmed_by": _artefacts(same),
            "contradicted_by": _artefacts([voice for voice in heard if voice not in same]),
            "rules": [
                {"id": rule.id, "says": rule.says, "citation": rule.citation}
                for rule in RULES.values()
                if claim.relation in rule.reads
            ],
            "data_version": self.catalogue.data_version,
        }

    @cached_property
    def _voices(self) -> dict[str, list[Claim]]:
        return voices(self.catalogue.by_id.values())

    @staticmethod
    def _voice(voice: Claim, beside: Claim) -> dict[str, Any]:
        return {
            "id": voice.id,
            "agrees": says(voice) == says(beside),
            "standing": voice.standing,
            "because": voice.because,
            "uncertain": voice.uncertain,
            "evidence": strongest(voice),
            "on": max(piece.on for piece in voice.evidence).isoformat(),
            "links": {"self": f"/claims/{quote(voice.id, safe=':')}"},
        }

    # --- sources ------------------------------------------------------------------------------------------------

    def listed(self) -> dict[str, Any]:
        """Every source, by id."""
        rows = [self._source(use) for use in self.sources.uses.values()]
        return {"count": len(rows), "sources": rows, "data_version": self.catalogue.data_version}

    def source(self, identity: str) -> dict[str, Any] | None:
        """One source with the claims that rest on it; None where there is none of that id."""
        use = self.sources.uses.get(identity)
        if use is None:
            return None
        relations: dict[str, list[str]] = {}
        for claim in use.claims:
            relations.setdefault(claim.relation, []).append(claim.id)
        rest = {"claims": dict(sorted(relations.items())), "data_version": self.catalogue.data_version}
        return {**self._source(use), **rest}

    @staticmethod
    def _source(use: SourceUse) -> dict[str, Any]:
        source = use.source
        return {
            "id": source.id,
            "title": source.title,
            "publisher": source.publisher or None,
            "link": source.link,
            "licence": source.licence or None,
            "changes": source.changes or None,
            "stale_after_days": source.stale_after_days,
            "newest": use.newest.isoformat() if use.newest else None,
            "age_days": use.age_days,
            "stale": use.stale,
            "claim_count": len(use.claims),
            "links": {"self": f"/sources/{quote(source.id)}"},
        }

    # --- the whole ----------------------------------------------------------------------------------------------

    @cached_property
    def _whole(self) -> tuple[str, str, bytes]:
        """Media type, entity tag and packed bytes of the catalogue in its public form; made when first asked for."""
        whole = rendered_json(public(self.catalogue))
        return whole.media_type, whole.etag, gzip.compress(whole.body, mtime=0)

    def packed(self) -> Rendered:
        """The whole catalogue, packed by gzip: other bytes, so another tag."""
        media_type, etag, body = self._whole
        return Rendered(body, media_type, f'{etag[:-1]}-gzip"')

    def whole(self) -> Rendered:
        """The whole catalogue as JSON."""
        media_type, etag, body = self._whole
        return Rendered(gzip.decompress(body), media_type, etag)


def _artefacts(claims: list[Claim]) -> list[str]:
    """The artefacts that were measured for some claims."""
    measured = (piece for claim in claims for piece in claim.evidence if isinstance(piece, Measured))
    return sorted({piece.artefact for piece in measured})
