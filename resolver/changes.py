"""What a new version of the data changes: claims, and the verdicts that follow from them.

Claims are compared as they are written in two catalogues, by id; verdicts cell by cell over the tables of `resolver.matrix`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from matrices.catalogue import Catalogue
from matrices.model import Claim
from matrices.voices import says
from resolver.engine import Asked, Engine
from resolver.statistics import figures

__all__ = ["Changes", "Verdict", "changes", "notes"]

SHOWN = 10  # examples of one kind of change of verdict
SYSTEMS = ("linux", "windows-11")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One cell that answers otherwise than before; None: there was, or is, no such cell."""

    table: str
    question: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """From one catalogue to another: ids of claims by relation, and verdicts.

    Attributes:
        changed: those that say something else, stand otherwise or are doubted otherwise.
        looked_up: those that say the same on other evidence.
    """

    before: Engine
    after: Engine
    added: Mapping[str, list[str]] = field(default_factory=dict)
    changed: Mapping[str, list[str]] = field(default_factory=dict)
    looked_up: Mapping[str, list[str]] = field(default_factory=dict)
    withdrawn: Mapping[str, list[str]] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()


def changes(before: Catalogue, after: Catalogue) -> Changes:
    """The differences between two catalogues."""
    old, new = before.by_id, after.by_id
    both = [(old[name], claim) for name, claim in new.items() if name in old]
    differ = [claim for was, claim in both if _says(was) != _says(claim)]
    same = [claim for was, claim in both if _says(was) == _says(claim) and was.evidence != claim.evidence]
    engines = Engine(before), Engine(after)
    return Changes(
        *engines,
        added=_by_relation(claim for name, claim in new.items() if name not in old),
        changed=_by_relation(iter(differ)),
        looked_up=_by_relation(iter(same)),
        withdrawn=_by_relation(claim for name, claim in old.items() if name not in new),
        verdicts=tuple(_verdicts(*engines)),
    )


def _says(claim: Claim) -> dict[str, Any]:
    """What a claim says, how it stands and whether it is doubted: all but its evidence and the words beside it."""
    return {**says(claim), "standing": claim.standing, "uncertain": claim.uncertain is not None}


def _by_relation(claims: Iterator[Claim]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for claim in claims:
        found.setdefault(claim.relation, []).append(claim.id)
    return dict(sorted(found.items()))


def _verdicts(before: Engine, after: Engine) -> Iterator[Verdict]:
    for table, of in (("GPU x torch", _torch_cells), ("driver x CUDA", _driver_cells)):
        old, new = of(before), of(after)
        for question in [*new, *(gone for gone in old if gone not in new)]:
            if old.get(question) != new.get(question):
                yield Verdict(table, question, old.get(question), new.get(question))


def _torch_cells(engine: Engine) -> dict[str, str]:
    return {
        f"{row.query.subjects[0].name}, torch {cell.torch}, {row.query.os.name}": cell.verdict
        for os in SYSTEMS
        for row in engine.matrix.torch(Asked((), os=os)).rows
        for cell in row.cells
    }


def _driver_cells(engine: Engine) -> dict[str, str]:
    return {
        f"driver {row.facts.number}, CUDA {cell.cuda}, {os}": cell.how
        for os in SYSTEMS
        for row in engine.matrix.drivers(os)
        for cell in row.cells
    }


def notes(found: Changes) -> str:
    """Release notes of the data, as Markdown."""
    before, after = found.before, found.after
    lines = [f"## Data {after.data_version}", "", f"Since {before.data_version}.", "", "### Claims", ""]
    kinds = {"added": found.added, "changed": found.changed, "looked up again": found.looked_up}
    kinds["withdrawn"] = found.withdrawn
    relations = sorted({relation for ids in kinds.values() for relation in ids})
    if relations:
        lines += [f"| relation | {' | '.join(kinds)} |", "|---|" + "---:|" * len(kinds)]
        for relation in relations:
            counted = " | ".join(str(len(ids.get(relation, ()))) for ids in kinds.values())
            lines.append(f"| `{relation}` | {counted} |")
    lines += ["No claim was added, changed or withdrawn."] * (not relations)
    lines += ["", "### Verdicts", "", *_said(found.verdicts)]
    lines += ["", "### Figures", "", "| figure | before | after |", "|---|---:|---:|"]
    for name, (was, now) in _figures(before, after).items():
        lines.append(f"| {name} | {was} | {now} |")
    return "\n".join(lines) + "\n"


def _said(verdicts: tuple[Verdict, ...]) -> Iterator[str]:
    """Changes of verdict, by table and kind, the most frequent first, with examples."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for one in verdicts:
        groups.setdefault((one.table, one.before or "not there", one.after or "not there"), []).append(one.question)
    for (table, was, now), questions in sorted(groups.items(), key=lambda group: -len(group[1])):
        shown = "; ".join(questions[:SHOWN]) + (" and others" if len(questions) > SHOWN else "")
        yield f"- {table}, {was} to {now}: {len(questions)} ({shown})"
    if not verdicts:
        yield "No verdict changed."


def _figures(before: Engine, after: Engine) -> dict[str, tuple[int, int]]:
    was, now = _counted(before), _counted(after)
    return {name: (was[name], number) for name, number in now.items()}


def _counted(engine: Engine) -> dict[str, int]:
    found = figures(engine)
    names = ("claims", "measured", "documented", "reported", "bound", "stale", "uncertain", "deprecated")
    counted = {name: found[name] for name in names}
    counted["open contradictions"] = len(found["contradictions"])
    return counted | {f"unknown cells, {table}": cells["unknown"] for table, cells in found["cells"].items()}
