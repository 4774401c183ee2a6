"""`python -m matrices.reconcile`: 0 when no observation contradicts a claim that counts, 1 otherwise. The rules, which
live above this layer, are judged by `whichcuda reconcile`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from matrices.catalogue import CATALOGUE, Catalogue
from matrices.reconcile.observed import OBSERVATIONS, Observations
from matrices.reconcile.report import document, fails, lines

__all__ = ["main"]


def main(arguments: Sequence[str], catalogue: Path = CATALOGUE, observations: Path = OBSERVATIONS) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="matrices.reconcile", description="Hold the claims against the observations.")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how it is printed")
    options = parser.parse_args(arguments)
    found = document(Catalogue.load(catalogue), Observations.load(observations))
    if options.format == "json":
        print(json.dumps(found, indent=1))
    else:
        print("\n".join(lines(found)))
    return 1 if fails(found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
