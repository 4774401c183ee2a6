"""`changes`: the release notes of the data, from two catalogues."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from api.commands.answers import BAD_USE, print_json
from api.console import Console
from matrices.catalogue import CATALOGUE, Catalogue
from resolver.changes import Changes, notes
from resolver.changes import changes as differences

__all__ = ["changes"]


def changes(options: argparse.Namespace) -> int:
    """Print what changed; 0 when nothing did, 1 when something did."""
    try:
        before, after = _catalogue(options.old), _catalogue(options.new or str(CATALOGUE))
        found = differences(before, after)
    except (OSError, ValueError, LookupError, TypeError) as error:
        said = error.strerror if isinstance(error, OSError) else f"not a catalogue of this schema ({error})"
        Console(sys.stderr).wrapped(f"{options.old} {options.new or ''}: {said}", first="whichcuda: ", rest="  ")
        return BAD_USE
    if options.json:
        print_json(_plain(found))
    else:
        print(notes(found), end="")
    return 1 if found.verdicts or found.added or found.changed or found.withdrawn else 0


def _catalogue(path: str) -> Catalogue:
    return Catalogue(json.loads(sys.stdin.read() if path == "-" else Path(path).read_bytes()))


def _plain(found: Changes) -> dict[str, Any]:
    return {
        "before": found.before.data_version,
        "after": found.after.data_version,
        "claims": {
            "added": found.added,
            "changed": found.changed,
            "looked_up": found.looked_up,
            "withdrawn": found.withdrawn,
        },
        "verdicts": [
            {"table": one.table, "question": one.question, "before": one.before, "after": one.after}
            for one in found.verdicts
        ],
    }
