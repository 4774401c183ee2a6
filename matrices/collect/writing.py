"""What is new, written into the TOML: rows behind the nearest ones, comments and layout of everything else as they were.

A new subject is appended to the file of its kind; a claim about a subject that is there goes into its table. Nothing
that is held is altered: a list of things seen gains items, a claim that left a field out gains it, and both gain
evidence beside what they have.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matrices.collect.compare import Comparison
from matrices.collect.rows import DATED, Row
from matrices.load import DataFaults, Dataset, load
from matrices.model import CLAIMS

if TYPE_CHECKING:
    from tomlkit.items import Table

__all__ = ["NotWritten", "apply"]

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_HEAD = re.compile(r"^\[{1,2}([a-z.-]+)\]{1,2}", re.MULTILINE)
_BRACE = re.compile(r"(\d{4}-\d\d-\d\d|\])\}")
_COMMA = re.compile(r",(?=[a-z_]+ = )")

Evidence = Callable[[Row], Mapping[str, Any]]


class NotWritten(ValueError):
    """The new rows could not be written so that the data stays readable; every file is as it was."""


def apply(comparison: Comparison, folder: Path, evidence: Evidence, on: date) -> list[str]:
    """Write what is new and what has grown into the data below `folder`; the files touched, relative to it.

    Raises:
        NotWritten: when tomlkit is not installed, when the data could not be read afterwards, or does not say the rows.
    """
    if find_spec("tomlkit") is None:
        raise NotWritten("tomlkit is not installed; it is among the tools for developers")
    dataset = load(folder)
    rows = [_seen(row, on) for row in (*comparison.new, *comparison.grown)]
    texts: dict[str, str] = {}
    for subject in dict.fromkeys((row.kind, row.subject) for row in rows):
        own = [row for row in rows if (row.kind, row.subject) == subject]
        place = dataset.places.get(":".join(subject))
        name = place[0] if place else _home(own[0])
        before = texts.get(name) or _text_of(folder / name, name)
        texts[name] = _within(before, own, evidence) if place else _appended(before, own, evidence)
    if texts:
        texts["about.toml"] = _dated(folder, dataset, on)
    _write(folder, texts, rows)
    return sorted(texts)


def _seen(row: Row, on: date) -> Row:
    """Of an image that exists also the day on which that was seen."""
    if row.relation != "image-exists":
        return row
    return Row(row.kind, row.subject, row.relation, {**row.values, "seen_on": on.isoformat()}, row.grows, row.place)


def _home(row: Row) -> str:
    """The file that a new subject belongs into. Raises `NotWritten` for kinds that a person has to place."""
    subject = row.subject
    match row.kind:
        case "torch" | "wheel":
            release = subject if row.kind == "torch" else str(row.values["torch"])
            return f"torch/{'.'.join(release.split('.')[:2])}.toml"
        case "cuda-family":
            return "cuda-families.toml"
        case "toolkit":
            return f"cuda/{subject}.toml"
        case "branch":
            return f"drivers/{subject.lower()}.toml"
        case "image":
            return f"images/{_image_file(subject, row)}.toml"
    raise NotWritten(f"{row.key}: no file is known for it")


def _image_file(reference: str, row: Row) -> str:
    """The file that the images of a repository stand in."""
    repository, _, tag = reference.partition(":")
    if repository == "nvidia/cuda":
        return f"nvidia-cuda-{tag.partition('.')[0]}"
    if repository == "pytorch/pytorch":
        return "pytorch"
    if repository == "nvcr.io/nvidia/pytorch":
        return "ngc-pytorch"
    raise NotWritten(f"{row.key}: no file is known for it")


def _text_of(path: Path, name: str) -> str:
    if path.exists():
        return path.read_text(encoding="utf-8")
    return f"# {Path(name).stem}, as the sources read by `whichcuda refresh` say.\n"


def _dated(folder: Path, dataset: Dataset, on: date) -> str:
    """`about.toml` with a data version not older than the day of the newest evidence."""
    text = (folder / "about.toml").read_text(encoding="utf-8")
    held = str(dataset.about["data_version"])
    return text.replace(held, max(held, on.strftime("%Y.%m.%d")))


def _write(folder: Path, texts: Mapping[str, str], rows: Iterable[Row]) -> None:
    held = {name: path.read_bytes() if (path := folder / name).exists() else None for name in texts}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    try:
        missing = _missing(load(folder), rows)
        if missing:
            raise NotWritten(f"{missing[0]}: not in the data after it was written")
    except (DataFaults, NotWritten) as error:
        for name, body in held.items():
            if body is None:
                (folder / name).unlink()
            else:
                (folder / name).write_bytes(body)
        first = error.faults[0] if isinstance(error, DataFaults) else error
        raise NotWritten(str(first)) from error


def _missing(dataset: Dataset, rows: Iterable[Row]) -> list[str]:
    return [
        row.key
        for row in rows
        if row.key not in dataset.claims and row.subject not in dataset.entities.get(row.key.partition(":")[0], {})
    ]


def _appended(text: str, rows: list[Row], evidence: Evidence) -> str:
    """The text with a new subject at its end: its identity, then its claims."""
    entity = next((row for row in rows if not row.relation), None)
    if entity is None:
        raise NotWritten(f"{rows[0].key}: its subject does not exist")
    lines = ["", f"[[{entity.kind}]]", f"id = {_value('id', entity.subject)}"]
    lines += [f"{name} = {_value(name, value)}" for name, value in entity.values.items()]
    claims = [row for row in rows if row.relation]
    pieces = list(dict.fromkeys(_inline(evidence(row)) for row in claims))
    if len(pieces) == 1:
        lines.append(f"evidence = [{pieces[0]}]")
    for relation in dict.fromkeys(row.relation for row in claims):
        tables = [
            _inline(row.values if len(pieces) == 1 else {**row.values, "evidence": [evidence(row)]})
            for row in claims
            if row.relation == relation
        ]
        attribute = CLAIMS[relation].attribute
        if len(tables) == 1:
            lines.append(f"{attribute} = {tables[0]}")
        else:
            lines += [f"{attribute} = [", *(f"  {table}," for table in tables), "]"]
    return text.rstrip("\n") + "\n" + "\n".join(lines) + "\n"


def _value(name: str, value: object) -> str:
    """A value of TOML: texts quoted, full days as dates, lists and tables inline."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value if name in DATED and _DAY.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(name, item) for item in value)}]"
    if isinstance(value, Mapping):
        return _inline(value)
    return json.dumps(value)


def _inline(values: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{name} = {_value(name, value)}" for name, value in values.items()) + " }"


def _within(text: str, rows: list[Row], evidence: Evidence) -> str:
    """The text with claims and additions inside a subject that it holds: only that subject's lines are touched."""
    import tomlkit

    start, end = _block(text, rows[0])
    document = tomlkit.parse(text[start:end])
    tables: Any = document[rows[0].kind]
    entity: Table = tables[0]
    default = tomllib.loads(text).get("defaults", {}).get("evidence", [])
    for row in rows:
        if not row.relation:
            _extend(entity, row.grows, row.values[row.grows])
        elif (held := _held(entity, row)) is not None:
            _gain(held, row, [*_pieces(held, entity, default), evidence(row)])
        else:
            _add(entity, row, evidence(row))
    return text[:start] + _respaced(text[start:end], tomlkit.dumps(document)) + text[end:]


def _respaced(before: str, after: str) -> str:
    """The lines of `after`, those that `before` has too exactly as there: tomlkit drops the blank behind a date."""
    held = {"".join(line.split()): line for line in before.splitlines()}
    lines: list[str] = []
    for line in after.splitlines():
        spaced = _COMMA.sub(", ", _BRACE.sub(r"\1 }", line))
        if lines and lines[-1] and _HEAD.match(line):
            lines.append("")
        lines.append(held.get("".join(line.split()), spaced))
    return "\n".join(lines) + "\n" * after.endswith("\n")


def _block(text: str, row: Row) -> tuple[int, int]:
    """Where the lines of a subject begin and end: from its head to the head of the next thing that is not its own."""
    heads = [*_HEAD.finditer(text)]
    for number, head in enumerate(heads):
        if head[1] != row.kind:
            continue
        following = (other.start() for other in heads[number + 1 :] if not other[1].startswith(f"{row.kind}."))
        start, end = head.start(), next(following, len(text))
        named = tomllib.loads(text[start:end])[row.kind][0]["id"]
        if named == row.subject:
            return start, end
    raise NotWritten(f"{row.key}: its subject stands in no block of its own")


def _pieces(held: Table, entity: Table, default: list[Any]) -> list[Any]:
    """The evidence that a claim has or inherits, as written."""
    for table in (held, entity):
        if "evidence" in table:
            return list(table["evidence"].unwrap())
    return default


def _held(entity: Table, row: Row) -> Table | None:
    """The table of the claim that a row adds to: the first on its question."""
    cls = CLAIMS[row.relation]
    written: Any = entity.get(cls.attribute)
    for table in [] if written is None else written if isinstance(written, list) else [written]:
        values = table.unwrap()
        if Row(row.kind, row.subject, row.relation, values).key == row.key:
            return table  # type: ignore[no-any-return]  # tomlkit types its items as Any
    return None


def _gain(held: Table, row: Row, evidence: list[Any]) -> None:
    """A claim gains items and fields, and the evidence for them beside that which it had."""
    for name, value in row.values.items():
        if name == row.grows:
            _extend(held, name, value)
        elif name not in CLAIMS[row.relation].keyed_by:
            held[name] = _item(name, value)
    held["evidence"] = _item("evidence", evidence)


def _extend(table: Table, name: str, values: Iterable[object]) -> None:
    """A list gains items; a long one gets them on a line of their own."""
    if name not in table:
        table[name] = _item(name, list(values))
        return
    array: Any = table[name]
    if "\n" in array.as_string():
        array.add_line(*values, indent="  ")
    else:
        array.extend(values)


def _add(entity: Table, row: Row, piece: Mapping[str, Any]) -> None:
    """A claim of its own, in the form in which its siblings stand."""
    import tomlkit

    attribute = CLAIMS[row.relation].attribute
    values = {**row.values, "evidence": [piece]}
    written: Any = entity.get(attribute)
    if written is None:
        entity[attribute] = _item(attribute, values)
    elif isinstance(written, tomlkit.items.AoT):
        lines = "".join(f"{name} = {_value(name, value)}\n" for name, value in values.items())
        written.append(tomlkit.parse(f"{lines}\n"))
    elif isinstance(written, tomlkit.items.Array):
        written.add_line(_item(attribute, values), indent="  ")
    else:  # one alone, as a table: the two become a list
        tables = [_inline(written.unwrap()), _inline(values)]
        entity.remove(attribute)
        text = f"{attribute} = [\n" + "".join(f"  {table},\n" for table in tables) + "]\n"
        entity[attribute] = tomlkit.parse(text)[attribute]


def _item(name: str, value: object) -> Any:
    """A value as tomlkit's item, in the project's spelling."""
    import tomlkit

    return tomlkit.parse(f"value = {_value(name, value)}\n")["value"]
