"""The options of `refresh`. What it does is in `refresh.py`, which costs more to import."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

__all__ = ["DESCRIPTION", "EXIT_STATUS", "add_arguments"]

DESCRIPTION = "for those who keep the data: what its sources say today"
EXIT_STATUS = "exit status: 0 every source was read, 1 one yielded nothing or could not be written, 2 bad use"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the command its options."""
    parser.add_argument("source", nargs="?", help="one source, by the name that --list shows (all)")
    parser.add_argument(
        "--list", action="store_true", help="show the sources, how often they change, and how old they are"
    )
    parser.add_argument(
        "--saved", type=Path, metavar="PATH", help="read saved pages instead of the network: a folder, or one page"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep a copy of every page, as --saved reads them")
    parser.add_argument("--apply", action="store_true", help="write what is new into the data; never what changed")
    parser.add_argument(
        "--output", type=Path, default=Path("proposals"), metavar="FOLDER", help="where proposals go (proposals)"
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the data, where not that of this installation")
    parser.add_argument("--today", type=_day, metavar="YYYY-MM-DD", help="the day to write (today, in UTC)")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a day, as 2026-11-30") from None
