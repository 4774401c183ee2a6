"""`python -m matrices.lint`: 0 when the data obeys its laws, 1 with every breach otherwise; `--json` for machines."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from matrices.lint import EXCEPTIONS, Breach, lint
from matrices.load import DATA, DataFaults, load

__all__ = ["main"]


def main(arguments: list[str], folder: Path = DATA, exceptions: Path = EXCEPTIONS) -> int:
    """Lint the data below `folder` and print what is wrong."""
    try:
        breaches = lint(load(folder), exceptions)
    except DataFaults as error:
        breaches = [Breach("error", "readable", fault.file, fault.path, fault.message) for fault in error.faults]
    if "--json" in arguments:
        print(json.dumps([asdict(breach) for breach in breaches], indent=1))
    else:
        for breach in breaches:
            print(breach)
    errors = sum(breach.level == "error" for breach in breaches)
    print(f"{errors} errors, {len(breaches) - errors} warnings", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
