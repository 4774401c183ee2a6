"""`refresh`: what the sources say today, beside the catalogue; a proposal each, and with `--apply` what is new, written.

This is the one command that goes out to the network, and it is for those who keep the data.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from matrices.build import compiled, serialised
from matrices.catalogue import Catalogue
from matrices.collect.collectors import COLLECTORS, Collector
from matrices.collect.compare import Comparison, compare
from matrices.collect.door import Kept, Network, Pages, Saved
from matrices.collect.proposal import proposal, summary, write_proposal
from matrices.collect.writing import NotWritten, apply
from matrices.lint import lint
from matrices.lint.material import Material
from matrices.load import DATA, DataFaults, load
from matrices.model import Source
from resolver.grid import answers, differences

__all__ = ["refresh"]


def refresh(options: argparse.Namespace, pages: Pages | None = None) -> int:
    """Run the command; 0, 1 when a source yields nothing or cannot be written, 2 for a source that is not known."""
    today = options.today or datetime.now(UTC).date()
    folder = options.data or DATA
    if options.source is not None and options.source not in COLLECTORS:
        print(f"whichcuda: no source is called {options.source}; there are {', '.join(COLLECTORS)}", file=sys.stderr)
        return 2
    try:
        if options.list:
            for line in listed(_compiled(folder), today):
                print(line)
            return 0
        chosen = list(COLLECTORS.values()) if options.source is None else [COLLECTORS[options.source]]
        door = pages or _door(options)
        return max([_one(collector, door, options, folder, today) for collector in chosen])
    except DataFaults as error:
        print(f"whichcuda: the data cannot be read: {error.faults[0]}", file=sys.stderr)
        return 1


def _door(options: argparse.Namespace) -> Pages:
    door: Pages = Network() if options.saved is None else Saved(options.saved)
    return door if options.keep is None else Kept(door, options.keep)


def _compiled(folder: Path) -> Catalogue:
    return Catalogue(json.loads(serialised(compiled(load(folder)))))


def _one(collector: Collector, pages: Pages, options: argparse.Namespace, folder: Path, today: date) -> int:
    """One source from its pages to its proposal, and into the data where that was asked for."""
    catalogue = _compiled(folder)  # the source before may have written
    try:
        parsed = collector.collect(pages, catalogue)
        if not parsed.rows and not parsed.unmatched:
            raise ValueError("it says nothing")
    except (OSError, ValueError) as error:
        print(f"whichcuda: {collector.name}: {error}", file=sys.stderr)
        return 1
    comparison = compare(parsed, catalogue, collector.expected(catalogue, parsed))
    plain = proposal(collector, comparison, catalogue, today)
    for line in summary(plain):
        print(line)
    try:
        for line in _effect(collector, comparison, folder, options.apply, today):
            print(line)
    except NotWritten as error:
        print(f"whichcuda: {collector.name}: not written: {error}", file=sys.stderr)
        return 1
    print(f"  {write_proposal(plain, collector.name, options.output)}")
    return 0


def _effect(collector: Collector, comparison: Comparison, folder: Path, keep: bool, today: date) -> Iterator[str]:
    """What the new rows do to the data and to the verdicts; they are written into a copy first. `keep` keeps them."""
    if not comparison.new and not comparison.grown:
        return
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "data"
        shutil.copytree(folder, copy)
        touched = apply(comparison, copy, lambda row: collector.evidence(row, today), today)
        before, after = answers(_compiled(folder)), answers(_compiled(copy))
        yield from (f"  verdicts  {line}" for line in differences(before, after))
        known = {str(breach) for breach in lint(Material.read(folder))}
        yield from (f"  lint      {breach}" for breach in lint(Material.read(copy)) if str(breach) not in known)
        if keep:
            for name in touched:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(copy / name, folder / name)
                yield f"  written   {name}"
            target = folder.parent / "catalogue.json"
            target.write_text(serialised(compiled(load(folder))), encoding="utf-8")


def listed(catalogue: Catalogue, today: date) -> Iterator[str]:
    """A line a source: its name, how long its evidence keeps, and how old the newest of it is."""
    sources = catalogue.entities(Source)
    for collector in COLLECTORS.values():
        keeps = sources[collector.source].stale_after_days
        newest = max(
            (piece.on for claim in catalogue.by_id.values() for piece in claim.evidence if collector.is_own(piece)),
            default=None,
        )
        age = "no evidence yet" if newest is None else f"newest evidence {newest}, {_days(today - newest)} old"
        stale = ", stale" if newest is not None and keeps is not None and (today - newest).days > keeps else ""
        yield f"{collector.name:<18} every {keeps} days  {age}{stale}"


def _days(age: timedelta) -> str:
    return f"{age.days} day{'' if age.days == 1 else 's'}"
