"""TOML to `symptoms.json`: `python -m assistant.build` writes it, `--check` fails when it is not fresh.

Every fault of every file is found before anything is said, each with its file and the path of its key.
"""

from __future__ import annotations

import json
import sys
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assistant.evidence import PREDICATES
from assistant.load import SYMPTOMS
from assistant.patterns import fault
from assistant.symptom import Code, Cue, Symptom
from matrices.codec import to_plain
from matrices.load import DataFaults, Fault

__all__ = ["Sources", "compiled", "main", "read", "serialised"]

FOLDER = Path(__file__).parent

_SYMPTOM = TypeAdapter(Symptom)
_CODES = TypeAdapter(dict[str, tuple[Code, ...]])


@dataclass
class Sources:
    """What the files say."""

    symptoms: list[Symptom] = field(default_factory=list)
    codes: list[Code] = field(default_factory=list)


def read(folder: Path = FOLDER) -> Sources:
    """Read `symptoms/*.toml` and `codes/*.toml` below a folder.

    Raises:
        DataFaults: with every fault found in all files.
    """
    sources, faults = Sources(), list[Fault]()
    origin: dict[int, str] = {}
    for path, tables in _tables(folder, "symptoms", faults):
        name = f"symptoms/{path.name}"
        try:
            symptom = _SYMPTOM.validate_python(tables)
        except ValidationError as error:
            faults += _complaints(name, error)
            continue
        if symptom.id != path.stem:
            faults.append(Fault(name, "id", f"`{symptom.id}` must be the name of the file"))
        faults += (Fault(name, place, message) for place, message in _symptom_faults(symptom))
        sources.symptoms.append(symptom)
    for path, tables in _tables(folder, "codes", faults):
        try:
            rows = _CODES.validate_python(tables).get("code", ())
        except ValidationError as error:
            faults += _complaints(f"codes/{path.name}", error)
            continue
        origin |= {id(row): f"codes/{path.name}" for row in rows}
        sources.codes += rows
    faults += _between(sources, origin)
    if faults:
        raise DataFaults(faults)
    return sources


def _tables(folder: Path, part: str, faults: list[Fault]) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted((folder / part).glob("*.toml")):
        try:
            yield path, tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            faults.append(Fault(f"{part}/{path.name}", "", f"not TOML: {error}"))


def _complaints(name: str, error: ValidationError) -> list[Fault]:
    return [Fault(name, ".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()]


# --- one symptom ------------------------------------------------------------------------------------------------------


def _symptom_faults(symptom: Symptom) -> Iterator[tuple[str, str]]:
    for number, cue in enumerate(symptom.cue):
        for place, message in _cue_faults(cue):
            yield f"cue.{number}{place}", message
    for name in ("when", "needs", "unless"):
        for predicate in getattr(symptom, name):
            if predicate not in PREDICATES:
                yield name, f"no predicate is called `{predicate}`"
    if symptom.id in symptom.explains:
        yield "explains", "a cause cannot explain itself"
    for language, phrases in (symptom.phrases or {}).items():
        for number, phrase in enumerate(phrases):
            if not phrase.strip():
                yield f"phrases.{language}.{number}", "empty"


def _cue_faults(cue: Cue) -> Iterator[tuple[str, str]]:
    if sum(map(bool, (cue.line, cue.text, cue.regex))) != 1:
        yield "", "exactly one of `line`, `text` and `regex`"
    if not cue.samples:
        yield ".samples", "a text that it matches is missing"
    if (cue.needle is None) != (cue.regex is None):
        yield ".needle", "belongs to a `regex`, which needs one"
    for name in ("line", "text", "unless"):
        for literal in getattr(cue, name):
            yield from ((f".{name}", message) for message in _literal_faults(literal, one_line=name != "unless"))
    if cue.needle:
        yield from ((".needle", message) for message in _literal_faults(cue.needle))
    message = fault(cue.regex) if cue.regex else None
    if message:
        yield ".regex", message


def _literal_faults(literal: str, one_line: bool = True) -> Iterator[str]:
    if not literal.strip():
        yield "an empty literal"
    if one_line and "\n" in literal:
        yield f"`{literal}` goes over the end of a line"
    if unicodedata.normalize("NFKC", literal).lower() != literal:
        yield f"`{literal}` is not lower-case NFKC, so that it never matches"


# --- between files ----------------------------------------------------------------------------------------------------


def _between(sources: Sources, origin: dict[int, str]) -> Iterator[Fault]:
    known = {symptom.id: symptom for symptom in sources.symptoms}
    for symptom in sources.symptoms:
        name = f"symptoms/{symptom.id}.toml"
        for other in symptom.explains:
            if other not in known:
                yield Fault(name, "explains", f"no cause is called `{other}`")
            elif symptom.id in known[other].explains:
                yield Fault(name, "explains", f"`{other}` says that it explains this one")
    seen: set[tuple[str, int, str]] = set()
    for code in sources.codes:
        place = f"{code.family} {code.number}"
        if code.cause is not None and code.cause not in known:
            yield Fault(origin[id(code)], place, f"no cause is called `{code.cause}`")
        if (code.family, code.number, code.name) in seen:
            yield Fault(origin[id(code)], place, "stands there twice")
        seen.add((code.family, code.number, code.name))


# --- output -----------------------------------------------------------------------------------------------------------


def compiled(sources: Sources) -> dict[str, Any]:
    """The symptoms and codes as plain values, in a canonical order."""
    codes = sorted(sources.codes, key=lambda code: (code.family, code.number, code.name))
    return {
        "symptoms": [to_plain(symptom) for symptom in sorted(sources.symptoms, key=lambda each: each.id)],
        "codes": [to_plain(code) for code in codes],
    }


def serialised(plain: dict[str, Any]) -> str:
    """One symptom or code a line, so that a change of data is a readable change of the file."""

    def rows(values: Iterable[Any]) -> str:
        return ",\n".join(f"  {json.dumps(value, ensure_ascii=False)}" for value in values)

    return f'{{\n "symptoms": [\n{rows(plain["symptoms"])}\n ],\n "codes": [\n{rows(plain["codes"])}\n ]\n}}\n'


def main(arguments: Sequence[str], folder: Path = FOLDER, target: Path = SYMPTOMS) -> int:
    """Build, or with `--check` compare; 0 when the file is (now) fresh, 1 with the reasons otherwise."""
    try:
        text = serialised(compiled(read(folder)))
    except DataFaults as error:
        sys.stderr.write(f"{error}\n{len(error.faults)} faults in the symptoms\n")
        return 1
    if "--check" in arguments:
        fresh = target.exists() and target.read_text(encoding="utf-8") == text
        sys.stderr.write("symptoms.json is fresh\n" if fresh else "symptoms.json is stale: run `make data`\n")
        return 0 if fresh else 1
    target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
