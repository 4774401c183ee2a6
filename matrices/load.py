"""Hand-written TOML to typed entities and claims; every fault of every file is collected and reported at once.

A file may hold named evidence (`[evidence.NAME]`), a default for the file (`[defaults] evidence = ["NAME"]`) and
tables of entities (`[[wheel]]`). A claim is written inside its subject under the relation's attribute, as a table or
a list of tables: `[wheel.embeds]` with `sass = [...]` is a claim of `wheel-embeds`. Evidence is looked up in
the claim, then in the entity, then in the file's defaults; each piece is a name or a table.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from matrices.model import (
    CLAIMS,
    ENTITIES,
    Claim,
    Documented,
    Entity,
    Evidence,
    Measured,
    Reported,
    claim_key,
)

__all__ = ["DATA", "DataFaults", "Dataset", "Fault", "load"]

DATA = Path(__file__).parent / "data"

_EVIDENCE: dict[str, type[Any]] = {"measured": Measured, "documented": Documented, "reported": Reported}
_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {
    cls: TypeAdapter(cls) for cls in (*_EVIDENCE.values(), *ENTITIES.values(), *CLAIMS.values())
}
_ATTRIBUTES: dict[tuple[str, str], type[Claim]] = {(cls.within, cls.attribute): cls for cls in CLAIMS.values()}
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+:/-]*")


@dataclass(frozen=True)
class Fault:
    """One thing wrong in one place: `file` relative to the data folder, `path` of keys inside it."""

    file: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.file} · {self.path}: {self.message}" if self.path else f"{self.file}: {self.message}"


class DataFaults(ValueError):
    """Everything that is wrong with the data, as a list of `Fault`."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = faults


@dataclass
class Dataset:
    """What the files say: entities by kind and id, claims by id, and where each stands."""

    about: dict[str, Any] = field(default_factory=dict)
    entities: dict[str, dict[str, Entity]] = field(default_factory=lambda: {kind: {} for kind in ENTITIES})
    claims: dict[str, Claim] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[str, str]] = field(default_factory=dict)  # id -> file, key path


def load(folder: Path = DATA) -> Dataset:
    """Read all `*.toml` below `folder`.

    Raises:
        DataFaults: with every fault found in all files.
    """
    dataset = Dataset()
    faults: list[Fault] = []
    if not (folder / "about.toml").exists():
        faults.append(Fault("about.toml", "", "missing; it holds `data_version`"))
    for path in sorted(folder.rglob("*.toml")):
        name = path.relative_to(folder).as_posix()
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:  # TOML, its encoding, or a number of thousands of digits
            faults.append(Fault(name, "", f"not TOML: {error}"))
            continue
        if name == "about.toml":
            dataset.about = tables
            if not _is_day(tables.get("data_version")):
                faults.append(Fault(name, "data_version", "the version of the data is a day, as `2026.11.30`"))
        elif name == "moved.toml":
            dataset.moved = tables
            dataset.places |= {f"moved:{old}": (name, old) for old in tables}
            strays = [old for old, new in tables.items() if not isinstance(new, str)]
            faults += [Fault(name, old, "an id that moved leads to one other id, as text") for old in strays]
        else:
            _File(name, dataset, faults).read(tables)
    if faults:
        raise DataFaults(faults)
    return dataset


def _is_day(text: object) -> bool:
    try:
        return isinstance(text, str) and f"{date.fromisoformat(text.replace('.', '-')):%Y.%m.%d}" == text
    except ValueError:
        return False


class _File:
    """The reading of one file into `dataset`, complaints into `faults`."""

    def __init__(self, name: str, dataset: Dataset, faults: list[Fault]) -> None:
        self.name = name
        self.dataset = dataset
        self.faults = faults
        self.named: dict[str, Evidence] = {}
        self.default: tuple[Evidence, ...] | None = None

    def fault(self, path: str, message: str) -> None:
        self.faults.append(Fault(self.name, path, message))

    def read(self, tables: dict[str, Any]) -> None:
        for name, table in self.table(tables, "evidence").items():
            for piece in self.pieces([table], f"evidence.{name}"):
                self.named[name] = piece
        defaults = self.table(tables, "defaults")
        if "evidence" in defaults:
            self.default = tuple(self.pieces(defaults.pop("evidence"), "defaults.evidence"))
        for key in defaults:
            self.fault(f"defaults.{key}", "only `evidence` can have a default")
        for kind, rows in tables.items():
            cls = ENTITIES.get(kind)
            if cls is None or not isinstance(rows, list):
                self.fault(kind, f"not a list of entities; a kind is one of {', '.join(sorted(ENTITIES))}")
                continue
            for index, row in enumerate(rows):
                self.entity(cls, row, f"{kind}[{index}]")

    def table(self, tables: dict[str, Any], key: str) -> dict[str, Any]:
        """The table taken out at `key`; an empty one when it is left out or something else."""
        found = tables.pop(key, {})
        if isinstance(found, dict):
            return found
        self.fault(key, "not a table")
        return {}

    def entity(self, cls: type[Entity], row: object, path: str) -> None:
        if not isinstance(row, dict):
            self.fault(path, "an entity is a table")
            return
        claims = {key: row.pop(key) for key in list(row) if (cls.kind, key) in _ATTRIBUTES}
        evidence = self.default
        if "evidence" in row:
            evidence = tuple(self.pieces(row.pop("evidence"), f"{path}.evidence"))
        own = next((item for item in fields(cls) if item.name == "evidence"), None)
        if own is not None:
            row["evidence"] = evidence or ()
            if not evidence and own.default is MISSING:
                self.fault(path, "no evidence: name one in the entity or in [defaults]")
        subject = row.get("id")
        if not isinstance(subject, str) or not _ID.fullmatch(subject):
            self.fault(f"{path}.id", "an entity needs an id of ASCII letters, digits and ._+:/-")
            return
        path = f"{cls.kind}.{subject}"
        entity = self.validated(cls, row, path)
        if entity is not None:
            if subject in self.dataset.entities[cls.kind]:
                self.fault(path, f"written twice, first in {self.dataset.places[f'{cls.kind}:{subject}'][0]}")
            self.dataset.entities[cls.kind][subject] = entity
            self.dataset.places[f"{cls.kind}:{subject}"] = (self.name, path)
        for attribute, written in claims.items():
            rows = written if isinstance(written, list) else [written]
            for index, values in enumerate(rows):
                place = f"{path}.{attribute}" + (f"[{index}]" if isinstance(written, list) else "")
                self.claim(_ATTRIBUTES[cls.kind, attribute], subject, values, evidence, place)

    def claim(
        self,
        cls: type[Claim],
        subject: str,
        values: object,
        inherited: tuple[Evidence, ...] | None,
        path: str,
    ) -> None:
        if not isinstance(values, dict):
            self.fault(path, "a claim is a table")
            return
        evidence = inherited
        if "evidence" in values:
            evidence = tuple(self.pieces(values.pop("evidence"), f"{path}.evidence"))
        if not evidence:
            self.fault(path, "no evidence: name one in the claim, in its entity or in [defaults]")
            return
        if values.get("standing", "normal") != "normal" and not values.get("because"):
            self.fault(path, "a standing other than `normal` needs `because`")
        for name in sorted({"id", "subject"} & values.keys()):
            self.fault(f"{path}.{name}", "a claim is named by its place: it has no `id` or `subject` of its own")
        key = claim_key(cls, subject, values)
        first, voices = key, 1
        while key in self.dataset.claims:  # another voice on the same question: all stay
            voices += 1
            key = f"{first}#{voices}"
        claim = self.validated(cls, {**values, "id": key, "subject": subject, "evidence": evidence}, path)
        if claim is not None:
            self.dataset.claims[key] = claim
            self.dataset.places[key] = (self.name, path)

    def pieces(self, written: object, path: str) -> Iterator[Evidence]:
        """Evidence named or written out; each fault is reported and its piece left out."""
        for index, piece in enumerate(written if isinstance(written, list) else [written]):
            place = f"{path}[{index}]" if isinstance(written, list) and len(written) > 1 else path
            if isinstance(piece, str) and piece in self.named:
                yield self.named[piece]
            elif isinstance(piece, dict) and str(piece.get("kind")) in _EVIDENCE:
                found = self.validated(_EVIDENCE[str(piece["kind"])], piece, place)
                if found is not None:
                    yield found
            else:
                self.fault(
                    place, f"evidence is a name of this file or a table whose kind is one of {', '.join(_EVIDENCE)}"
                )

    def validated(self, cls: type[Any], row: dict[str, Any], path: str) -> Any:
        for item in fields(cls):
            if item.name in row and not _fits_date(item.type, row[item.name]):
                self.fault(f"{path}.{item.name}", 'a date is 2026-11-30 unquoted, or "2026-11" where a month will do')
                row = {**row, item.name: date.min}  # so that below only the other fields complain
        try:
            return _ADAPTERS[cls].validate_python(row)
        except ValidationError as error:
            for detail in error.errors(include_url=False, include_context=False):
                keys = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in detail["loc"])
                self.fault(path + keys, detail["msg"].removeprefix("Value error, "))
            return None


def _fits_date(hint: object, written: object) -> bool:
    """Whether `written` may stand in a field of this type as far as dates go: pydantic takes numbers and times too."""
    if hint not in ("date", "date | None", "Date | None"):
        return True
    month = hint == "Date | None" and isinstance(written, str) and _MONTH.fullmatch(written) is not None
    return type(written) is date or month
