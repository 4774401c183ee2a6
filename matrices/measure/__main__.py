"""`python -m matrices.measure wheel torch==2.14.1`: what `whichcuda measure` does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from matrices.measure.command import DESCRIPTION, EXIT_STATUS, add_arguments, measure

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None, today: str | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m matrices.measure", description=DESCRIPTION, epilog=EXIT_STATUS)
    add_arguments(parser)
    return measure(parser.parse_args(arguments), today)


if __name__ == "__main__":  # pragma: no cover - the way in, `main` is tested
    raise SystemExit(main())
