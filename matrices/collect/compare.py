"""What a source says beside what the catalogue holds: new, changed, vanished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from matrices.catalogue import Catalogue
from matrices.codec import to_plain
from matrices.collect.rows import Parsed, Row
from matrices.model import CLAIMS, ENTITIES, BranchReleased, Claim, Entity
from matrices.voices import voices

__all__ = ["Change", "Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Change:
    """A claim that the source states otherwise than the catalogue: a person decides."""

    key: str
    stated: Mapping[str, Any]
    held: Mapping[str, Any]
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """`new` rows are whole; `grown` ones hold only what is to be added to an entity or a claim that is there already."""

    new: tuple[Row, ...]
    grown: tuple[Row, ...]
    changed: tuple[Change, ...]
    vanished: tuple[str, ...]
    unmatched: tuple[str, ...]
    confirmed: int


def compare(parsed: Parsed, catalogue: Catalogue, expected: Iterable[str] = ()) -> Comparison:
    """Sort each row by what the catalogue holds on its question.

    `expected` are the keys (see `Row.key`) that the source ought to state: those it does not have vanished.
    """
    held = voices(catalogue.by_id.values())
    found: dict[str, Row] = {}
    new, grown, changed, unmatched = [], [], [], list(parsed.unmatched)
    confirmed = 0
    for row in parsed.rows:
        first = found.setdefault(row.key, row)
        if first is not row:
            if first.values != row.values:
                unmatched.append(f"{row.key}: stated twice, and differently")
            continue
        try:
            outcome = _claim(row, held.get(row.key, [])) if row.relation else _entity(row, catalogue)
        except (TypeError, ValueError) as error:
            unmatched.append(f"{row.key}: {error}")
            continue
        if outcome is None:
            confirmed += 1
        elif isinstance(outcome, Change):
            changed.append(outcome)
        elif outcome is row:
            new.append(row)
        else:
            grown.append(outcome)
    vanished = sorted(set(expected) - found.keys())
    return Comparison(tuple(new), tuple(grown), tuple(changed), tuple(vanished), tuple(unmatched), confirmed)


def _entity(row: Row, catalogue: Catalogue) -> Row | None:
    held = catalogue.entities(ENTITIES[row.kind]).get(row.subject)
    if held is None:
        return row
    added = _added(row, held)
    return replace(row, values={row.grows: added}) if added else None


def _claim(row: Row, held: list[Claim]) -> Row | Change | None:
    """None where a voice of the catalogue says the same already."""
    stated = row.claim()
    if not held:
        return row
    if row.grows:
        return _growth(row, stated, held[0])
    names = [name for name in row.values if name not in CLAIMS[row.relation].keyed_by]
    for voice in held:
        if all(_same(getattr(stated, name), getattr(voice, name)) for name in names):
            if voice.uncertain is None:
                return None
            return Change(voice.id, dict(row.values), _plain(voice, names), f"held as uncertain: {voice.uncertain}")
    best = next((voice for voice in held if voice.standing != "deprecated"), held[0])
    differing = [name for name in names if not _same(getattr(stated, name), getattr(best, name))]
    if all(getattr(best, name) in (None, ()) for name in differing):
        return replace(row, values={name: row.values[name] for name in _keyed_and(row, differing)})
    return Change(best.id, {name: row.values[name] for name in differing}, _plain(best, differing), "differs")


def _growth(row: Row, stated: Claim, held: Claim) -> Row | Change | None:
    """What a list of things seen gains: the additions, with the newest where it is among them."""
    added = _added(row, held)
    values: dict[str, Any] = {row.grows: added} if added else {}
    if isinstance(held, BranchReleased) and isinstance(stated, BranchReleased) and stated.latest is not None:
        if held.latest is None or stated.latest > held.latest:
            values |= {name: row.values[name] for name in ("latest", "latest_on") if name in row.values}
            if held.latest is not None and held.latest not in held.versions:  # it would be forgotten otherwise
                values[row.grows] = [str(held.latest), *values.get(row.grows, ())]
        elif stated.latest == held.latest and stated.latest_on is not None:
            dated = {"latest_on": row.values["latest_on"]}
            if held.latest_on is None:
                values |= dated
            elif not _same(held.latest_on, stated.latest_on):
                return Change(held.id, dated, _plain(held, dated), "differs")
    keys = {key: row.values[key] for key in CLAIMS[row.relation].keyed_by if key in row.values}
    return replace(row, values={**keys, **values}) if values else None


def _added(row: Row, held: Entity | Claim) -> list[Any]:
    if not row.grows:
        return []
    known = {str(item) for item in getattr(held, row.grows)}
    known |= {str(getattr(held, name)) for name in ("first", "latest") if hasattr(held, name)}
    return [item for item in row.values.get(row.grows, ()) if str(item) not in known]


def _keyed_and(row: Row, names: Iterable[str]) -> list[str]:
    return [name for name in row.values if name in CLAIMS[row.relation].keyed_by or name in names]


def _same(one: object, other: object) -> bool:
    """Equal; of two dates the coarser decides; the order of a list says nothing."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return sorted(map(str, one)) == sorted(map(str, other))
    if isinstance(one, date) or isinstance(other, date):
        short, long = sorted((str(one), str(other)), key=len)
        return long.startswith(short)
    return one == other


def _plain(claim: Claim, names: Iterable[str]) -> dict[str, Any]:
    return {name: to_plain(getattr(claim, name)) for name in names}
