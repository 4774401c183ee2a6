"""How trustworthy the data is today, counted; and the generated parts of the documents.

`python -m matrices.statistics` prints the count, `--write` renews the parts, `--check` fails when one is stale.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path

from matrices.catalogue import Catalogue, strongest
from matrices.model import CLAIMS, ENTITIES
from matrices.sources import Sources
from matrices.voices import undecided, voices

__all__ = [
    "Row",
    "contradictions",
    "keep",
    "kinds",
    "laws",
    "main",
    "oldest",
    "relations",
    "renewed",
    "statistics",
    "summary",
    "table",
    "total",
]

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Row:
    """The claims of one relation, by the strongest evidence each has; the other figures count among them.

    Attributes:
        bound: where only the side is known (`or-earlier`), not the place.
        stale: of which all evidence should be looked up again.
    """

    relation: str
    claims: int
    measured: int
    documented: int
    reported: int
    bound: int
    stale: int
    uncertain: int
    deprecated: int


_FIGURES = tuple(field.name for field in fields(Row) if field.name != "relation")


def statistics(catalogue: Catalogue) -> list[Row]:
    """A row for each relation that has claims, by name."""
    sources = Sources(catalogue)
    counted: dict[str, Counter[str]] = {}
    for claim in catalogue.by_id.values():
        figures = counted.setdefault(claim.relation, Counter())
        figures.update(("claims", strongest(claim)))
        figures["bound"] += getattr(claim, "bound", "exact") != "exact"
        figures["stale"] += sources.stale(claim)
        figures["uncertain"] += claim.uncertain is not None
        figures["deprecated"] += claim.standing == "deprecated"
    return [
        Row(relation, **{name: figures[name] for name in _FIGURES}) for relation, figures in sorted(counted.items())
    ]


def total(rows: Iterable[Row]) -> Row:
    """All rows as one."""
    counted = list(rows)
    return Row("all", **{name: sum(getattr(row, name) for row in counted) for name in _FIGURES})


def oldest(catalogue: Catalogue) -> tuple[str, date] | None:
    """The claim that nobody has looked at for longest, and the day of its newest evidence; None where there is none."""
    days = ((max(piece.on for piece in claim.evidence), claim.id) for claim in catalogue.by_id.values())
    found = min(days, default=None)
    return None if found is None else (found[1], found[0])


def contradictions(catalogue: Catalogue) -> list[str]:
    """Questions on which voices differ that nobody has set a standing for: all of them count, none is preferred."""
    return sorted(question for question, claims in voices(catalogue.by_id.values()).items() if undecided(claims))


def table(catalogue: Catalogue) -> str:
    """The statistics by relation as a Markdown table with a line of totals."""
    rows = statistics(catalogue)
    lines = [f"| relation | {' | '.join(_FIGURES)} |", "|---|" + "---:|" * len(_FIGURES)]
    lines += [
        f"| {row.relation if row.relation == 'all' else f'`{row.relation}`'} "
        f"| {' | '.join(str(getattr(row, name)) for name in _FIGURES)} |"
        for row in (*rows, total(rows))
    ]
    return "\n".join(lines)


def summary(catalogue: Catalogue) -> str:
    """The figures that tell most, as a Markdown table."""
    rows = statistics(catalogue)
    sums, last = total(rows), oldest(catalogue)
    lines = [f"Data version {catalogue.data_version}.", "", "| figure | claims | share |", "|---|---:|---:|"]
    for name, says in (
        ("claims", f"all, of {len(rows)} relations"),
        ("measured", "measured in the artefact itself"),
        ("documented", "documented by a source"),
        ("reported", "reported by somebody"),
        ("bound", "with a bound only (`<=`)"),
        ("stale", "stale: to be looked up again"),
        ("uncertain", "uncertain: doubted by their own source"),
        ("deprecated", "deprecated: lost to a better voice"),
    ):
        number = getattr(sums, name)
        lines.append(f"| {says} | {number} | {100 * number / max(sums.claims, 1):.1f} % |")
    lines += ["", f"Open contradictions: {len(contradictions(catalogue))}."]
    if last is not None:
        lines.append(f"Looked at longest ago: `{last[0]}`, on {last[1]}.")
    return "\n".join(lines)


def kinds() -> str:
    """Every kind of entity with its meaning and the attributes that claims about it are written under, as a Markdown table."""
    lines = ["| kind | meaning | claims about it |", "|---|---|---|"]
    for name, cls in sorted(ENTITIES.items()):
        written = ", ".join(f"`{claim.attribute}`" for claim in CLAIMS.values() if claim.within == name)
        lines.append(f"| `[[{name}]]` | {' '.join((cls.__doc__ or '').split())} | {written} |")
    return "\n".join(lines)


def relations() -> str:
    """Every relation with its place in the TOML and its meaning, as a Markdown table."""
    lines = ["| relation | written as | meaning |", "|---|---|---|"]
    for name, cls in sorted(CLAIMS.items()):
        meaning = " ".join((cls.__doc__ or "").split())
        lines.append(f"| `{name}` | `[[{cls.within}]]` `{cls.attribute}` | {meaning} |")
    return "\n".join(lines)


def laws() -> str:
    """Every check of the linter with its law and what to do about a breach, as a Markdown table."""
    from matrices.lint import CHECKS

    lines = ["| check | scope | law | level | what to do |", "|---|---|---|---|---|"]
    lines += [f"| `{check.name}` | {check.scope} | {check.law} | {check.level} | {check.fix} |" for check in CHECKS]
    return "\n".join(lines)


def renewed(page: str, parts: Mapping[str, str]) -> str:
    """`page` with its generated parts replaced by the texts of their names.

    Raises:
        ValueError: when the page has no such part.
    """
    for name, text in parts.items():
        begin, end = f"<!-- {name}: generated by `make data` -->", f"<!-- end of {name} -->"
        before, found, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise ValueError(f"no generated part called {name}")
        page = f"{before}{begin}\n{text}\n{end}{after}"
    return page


def keep(root: Path, pages: Mapping[str, Callable[[str], str]], *, write: bool) -> int:
    """Bring pages below `root` to what is made of each: written, or only compared; 1 where one that is compared is stale."""
    stale = 0
    for name, made in pages.items():
        page = (root / name).read_text(encoding="utf-8")
        fresh = made(page)
        if write:
            (root / name).write_text(fresh, encoding="utf-8")
        elif page != fresh:
            stale = 1
            print(f"a generated part of {name} is stale: run `make data`", file=sys.stderr)
    return stale


def main(arguments: list[str], root: Path = ROOT, catalogue: Catalogue | None = None) -> int:
    """Print the count, or renew (`--write`) or compare (`--check`) the documents; 0 when all is well."""
    known = catalogue or Catalogue.load()
    if not {"--write", "--check"} & set(arguments):
        print(summary(known), table(known), sep="\n\n")
        return 0
    parts = {"kinds": kinds(), "relations": relations(), "laws": laws(), "claims": table(known)}
    pages = {
        "README.md": lambda page: renewed(page, {"statistics": summary(known)}),
        "docs/data.md": lambda page: renewed(page, parts),
    }
    return keep(root, pages, write="--write" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
