"""The compiled catalogue: one generated JSON of all entities and claims, loaded at run time.

`python -m matrices.build` writes it from the TOML; the TOML is the truth. Claims become objects when first asked for,
relation by relation, so that a command line pays only for what its answer needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from matrices.codec import from_plain
from matrices.model import CLAIMS, ENTITIES, Claim, Documented, Entity, Evidence, Measured, Reported

__all__ = ["CATALOGUE", "EVIDENCE_RANK", "Catalogue", "strongest"]

CATALOGUE = Path(__file__).parent / "catalogue.json"

EVIDENCE_RANK = {"reported": 1, "documented": 2, "measured": 3}

C = TypeVar("C", bound=Claim)
E = TypeVar("E", bound=Entity)

_EVIDENCE: dict[str, type[Any]] = {"measured": Measured, "documented": Documented, "reported": Reported}


class Catalogue:
    """Everything the project knows, read-only.

    Args:
        plain: the parsed JSON, as `matrices.build.compiled` makes it.
    """

    def __init__(self, plain: Mapping[str, Any]) -> None:
        self._plain = plain
        self.schema_version: int = plain["schema_version"]
        self.data_version: str = plain["data_version"]
        self.moved: Mapping[str, str] = plain["moved"]
        self._claims: dict[str, tuple[Any, ...]] = {}
        self._entities: dict[str, dict[str, Any]] = {}

    @classmethod
    def load(cls, path: Path = CATALOGUE) -> Catalogue:
        """Read the committed catalogue (or another one at `path`)."""
        return cls(json.loads(path.read_bytes()))

    @cached_property
    def _evidence(self) -> list[Evidence]:
        return [from_plain(_EVIDENCE[row["kind"]], row) for row in self._plain["evidence"]]

    def entities(self, cls: type[E]) -> dict[str, E]:
        """All entities of a kind by id, in the catalogue's order."""
        found = self._entities.get(cls.kind)
        if found is None:
            rows = self._plain["entities"].get(cls.kind, ())
            found = {row["id"]: from_plain(cls, self._with_evidence(row)) for row in rows}
            self._entities[cls.kind] = found
        return found

    def claims(self, cls: type[C]) -> tuple[C, ...]:
        """All claims of a relation, in the catalogue's order."""
        found = self._claims.get(cls.relation)
        if found is None:
            rows = self._plain["claims"].get(cls.relation, ())
            found = tuple(from_plain(cls, self._with_evidence(row)) for row in rows)
            self._claims[cls.relation] = found
        return found

    def _with_evidence(self, row: Mapping[str, Any]) -> dict[str, Any]:
        if "evidence" not in row:
            return dict(row)
        return {**row, "evidence": [self._evidence[index] for index in row["evidence"]]}

    @cached_property
    def by_id(self) -> dict[str, Claim]:
        """Every claim by its id."""
        return {claim.id: claim for cls in CLAIMS.values() for claim in self.claims(cls)}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many entities of each kind and claims of each relation there are."""
        counted = {kind: len(self._plain["entities"].get(kind, ())) for kind in ENTITIES}
        return counted | {name: len(self._plain["claims"].get(name, ())) for name in CLAIMS}


def strongest(claim: Claim) -> str:
    """The kind of the strongest evidence of a claim, which is what it counts as."""
    return max((piece.kind for piece in claim.evidence), key=EVIDENCE_RANK.__getitem__)
