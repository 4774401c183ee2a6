"""The catalogue for others: a schema of its own, apart from the internal one, so that either can change alone.

Authors like short rows, readers like typed ones. Here every member is always there (null where nothing is known), unions are
split (`until` and `until_precision`, `since` and `since_is_bound`, `ptx` and `ptx_known`), evidence is spelled out with the
title and link of its source, and inheritance is resolved: an entity names the claims that speak of it, its own and those of
what it is made of. Rows and JSON Schema come from one description of each type, so neither can say what the other does not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from matrices.catalogue import Catalogue
from matrices.codec import to_plain
from matrices.inheritance import Inheritance
from matrices.model import BESIDE, CLAIMS, ENTITIES, Claim, Documented, Entity, Evidence, Measured, Source
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion, PythonVersion, TorchVersion

__all__ = ["SCHEMA", "SCHEMA_VERSION", "described_evidence", "json_schema", "public", "schema_text"]

SCHEMA_VERSION = 1
SCHEMA = Path(__file__).parent / "schema" / "catalogue.schema.json"
LICENCE = "CC0-1.0"

Json = dict[str, Any]

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_PATTERNS: dict[Any, str] = {
    ComputeCapability: r"^\d{1,2}\.\d$",
    ArchTarget: r"^\d{1,2}\.\d[af]?$",
    CudaVersion: r"^\d{1,2}\.\d{1,2}(\.\d{1,3})?$",
    DriverVersion: r"^\d{2,3}(\.\d{1,3}){0,3}$",
    PythonVersion: r"^[23]\.\d{1,2}t?$",
    TorchVersion: r"^\d{1,2}\.\d{1,2}\.\d{1,2}$",
}
_TEXT: Json = {"type": "string"}
_TEXT_OR_NULL: Json = {"type": ["string", "null"]}
_IDS: Json = {"type": "array", "items": _TEXT}
_EVIDENCE: Json = {"type": "array", "items": {"$ref": "#/$defs/evidence"}}
_BESIDE = ("subject", *BESIDE)  # of a claim, whatever its relation


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of a public row: its name, its schema, and how it is read from the object."""

    name: str
    schema: Json
    read: Callable[[Any], Any]


# --- members from types -----------------------------------------------------------------------------------------------


def _plain(name: str, schema: Json, field: str | None = None) -> _Member:
    return _Member(name, schema, lambda row: to_plain(getattr(row, field or name)))


def _flag(name: str, says: str, read: Callable[[Any], bool]) -> _Member:
    return _Member(name, {"type": "boolean", "description": says}, read)


# unions, and missing values that say something of their own, by (relation, field)
_SPLIT: dict[tuple[str, str], tuple[_Member, ...]] = {
    ("gpu-listed-since", "driver"): (
        _plain("since", {"type": "string", "pattern": _PATTERNS[DriverVersion]}, "driver"),
        _flag(
            "since_is_bound", "true: the product may be driven by older drivers too", lambda row: row.bound != "exact"
        ),
    ),
    ("gpu-listed-since", "bound"): (),
    ("branch-drives-cc", "last"): (
        _plain("last", {**_TEXT_OR_NULL, "description": "the last branch that drives it"}),
        _flag("is_dropped", "false: no branch has dropped it", lambda row: row.last is not None),
    ),
    **{
        (relation, "ptx"): (
            _Member(
                "ptx",
                {"type": "array", "items": {"type": "string", "pattern": _PATTERNS[ArchTarget]}},
                lambda row: to_plain(row.ptx or ()),
            ),
            _flag("ptx_known", "false: nobody looked, so PTX may be there", lambda row: row.ptx is not None),
        )
        for relation in ("toolkit-targets-cc", "wheel-embeds")
    },
}


def _members(cls: type[Any]) -> tuple[_Member, ...]:
    return _read_members(cast(Hashable, cls))


@cache
def _read_members(cls: Any) -> tuple[_Member, ...]:
    """The members of a relation or of a kind of entity, besides those that all have."""
    label, hints = getattr(cls, "relation", ""), get_type_hints(cls)
    beside = _BESIDE if label else ("id", "evidence")
    found: list[_Member] = []
    for field in fields(cls):
        if field.name not in beside:
            split = _SPLIT.get((label, field.name))
            found += _typed(field.name, hints[field.name]) if split is None else split
    return tuple(found)


def _typed(name: str, hint: Any) -> tuple[_Member, ...]:
    if date in get_args(hint) and str in get_args(hint):
        written = {**_TEXT_OR_NULL, "pattern": r"^\d{4}-\d{2}(-\d{2})?$"}
        precision: Json = {"enum": ["day", "month", None]}

        def read(row: Any) -> str | None:
            value = getattr(row, name)
            return None if value is None else "day" if isinstance(value, date) else "month"

        return _plain(name, written), _Member(f"{name}_precision", precision, read)
    return (_plain(name, _schema_of(hint)),)


def _schema_of(hint: Any) -> Json:
    """The JSON Schema of a field's type.

    Raises:
        TypeError: for a type that nobody has said how to publish.
    """
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if hint in _PATTERNS:
        return {"type": "string", "pattern": _PATTERNS[hint]}
    if hint is date:
        return {"type": "string", "format": "date"}
    origin, members = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(members)}
    if origin is tuple:
        return {"type": "array", "items": _schema_of(members[0])}
    if origin in (Union, UnionType) and type(None) in members and len(members) == 2:
        inner = _schema_of(members[0])
        return {"enum": [*inner["enum"], None]} if "enum" in inner else {**inner, "type": [inner["type"], "null"]}
    raise TypeError(f"no public form for {hint}")


# --- rows -------------------------------------------------------------------------------------------------------------


def described_evidence(catalogue: Catalogue, piece: Evidence) -> Json:
    """One piece of evidence with what is known of its source; a measurement names its artefact instead."""
    shown: Json = dict.fromkeys(("kind", "source", "title", "link", "place", "artefact", "how", "on"))
    shown |= {"kind": piece.kind, "on": piece.on.isoformat()}
    if isinstance(piece, Measured):
        return shown | {"artefact": piece.artefact, "how": piece.how}
    name = piece.source if isinstance(piece, Documented) else piece.link
    source = catalogue.entities(Source).get(name)
    if source is None:  # a report is a link by itself
        return shown | {"link": name, "place": piece.place or None}
    return shown | {"source": name, "title": source.title, "link": source.link, "place": piece.place or None}


_KINDS: Json = {"enum": ["measured", "documented", "reported"]}
_EVIDENCE_SCHEMA: Json = {
    "kind": _KINDS,
    "source": {**_TEXT_OR_NULL, "description": "an id among the entities of kind `source`"},
    **dict.fromkeys(("title", "link", "place", "artefact", "how"), _TEXT_OR_NULL),
    "on": {"type": "string", "format": "date", "description": "the day it was read or measured"},
}
_CLAIM: Json = {
    "id": {**_TEXT, "description": "for ever; `moved` redirects those that had to change"},
    "relation": _TEXT,
    "subject_kind": _TEXT,
    "subject": _TEXT,
    "standing": {"enum": ["preferred", "normal", "deprecated"]},
    "because": {**_TEXT_OR_NULL, "description": "why the standing is not normal"},
    "uncertain": {**_TEXT_OR_NULL, "description": "why its own source is in doubt: then it never makes a yes"},
    "note": _TEXT_OR_NULL,
    "evidence": {**_EVIDENCE, "minItems": 1},
}
_ENTITY: Json = {
    "id": _TEXT,
    "claims": {**_IDS, "description": "the claims that have it as their subject"},
    "inherited_claims": {
        **_IDS,
        "description": "the claims about what it is made of, where none of its own replaces them",
    },
}


def _claim_row(catalogue: Catalogue, claim: Claim) -> Json:
    return {
        "id": claim.id,
        "relation": claim.relation,
        "subject_kind": claim.within,
        "subject": claim.subject,
        "standing": claim.standing,
        "because": claim.because,
        "uncertain": claim.uncertain,
        "note": claim.note,
        "evidence": [described_evidence(catalogue, piece) for piece in claim.evidence],
        **{member.name: member.read(claim) for member in _members(type(claim))},
    }


def _entity_row(catalogue: Catalogue, inheritance: Inheritance, entity: Entity) -> Json:
    row = {
        "id": entity.id,
        **{member.name: member.read(entity) for member in _members(type(entity))},
        "claims": [claim.id for claim in inheritance.own(entity)],
        "inherited_claims": [claim.id for claim in inheritance.inherited(entity)],
    }
    if hasattr(entity, "evidence"):
        row["evidence"] = [described_evidence(catalogue, piece) for piece in entity.evidence]
    return row


def public(catalogue: Catalogue) -> Json:
    """The whole catalogue in its public form: plain JSON values, in the catalogue's order."""
    inheritance = Inheritance(catalogue)
    entities = {
        kind: [_entity_row(catalogue, inheritance, entity) for entity in catalogue.entities(cls).values()]
        for kind, cls in sorted(ENTITIES.items())
    }
    claims = {
        relation: [_claim_row(catalogue, claim) for claim in catalogue.claims(cls)]
        for relation, cls in sorted(CLAIMS.items())
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "data_version": catalogue.data_version,
        "licence": LICENCE,
        "totals": {"entities": sum(map(len, entities.values())), "claims": sum(map(len, claims.values()))},
        "moved": dict(catalogue.moved),
        "entities": entities,
        "claims": claims,
    }


# --- schema -----------------------------------------------------------------------------------------------------------


def _closed(properties: Json, **more: Any) -> Json:
    """An object with just these members, all of them there."""
    return {
        "type": "object",
        **more,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _described(cls: type[Any]) -> str:
    return " ".join((cls.__doc__ or "").split())


def json_schema() -> Json:
    """The JSON Schema (draft 2020-12) of `public`."""
    definitions: Json = {"evidence": _closed(_EVIDENCE_SCHEMA)}
    kinds, relations = {}, {}
    for kind, entity in sorted(ENTITIES.items()):
        own = {member.name: member.schema for member in _members(entity)}
        stated = {"evidence": _EVIDENCE} if any(field.name == "evidence" for field in fields(entity)) else {}
        definitions[f"entity-{kind}"] = _closed(_ENTITY | own | stated, description=_described(entity))
        kinds[kind] = {"type": "array", "items": {"$ref": f"#/$defs/entity-{kind}"}}
    for relation, claim in sorted(CLAIMS.items()):
        own = {member.name: member.schema for member in _members(claim)}
        named = {"relation": {"const": relation}, "subject_kind": {"const": claim.within}}
        definitions[relation] = _closed(_CLAIM | named | own, description=_described(claim))
        relations[relation] = {"type": "array", "items": {"$ref": f"#/$defs/{relation}"}}
    counts = {"type": "integer", "minimum": 0}
    top: Json = {
        "schema_version": {"const": SCHEMA_VERSION},
        "data_version": {"type": "string", "pattern": r"^\d{4}\.\d{2}\.\d{2}(\.\d+)?$"},
        "licence": {"const": LICENCE},
        "totals": _closed({"entities": counts, "claims": counts}),
        "moved": {
            "type": "object",
            "additionalProperties": _TEXT,
            "description": "old ids and those that replace them",
        },
        "entities": _closed(kinds),
        "claims": _closed(relations),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:whichcuda:catalogue:{SCHEMA_VERSION}",
        "title": "whichcuda catalogue",
        **_closed(top),
        "$defs": definitions,
    }


def schema_text() -> str:
    """The schema as it is committed."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"
