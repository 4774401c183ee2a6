"""`python -m matrices.lint`: 0 when the data obeys its laws, 1 with every breach otherwise."""

from __future__ import annotations

import argparse
import json
import posixpath
import sys
from dataclasses import asdict
from datetime import date
from pathlib import Path

from matrices.catalogue import CATALOGUE
from matrices.lint import EXCEPTIONS, Breach, lint
from matrices.lint.fixing import fix
from matrices.lint.material import Material
from matrices.load import DATA
from matrices.reconcile.observed import OBSERVATIONS

__all__ = ["main"]


def main(
    arguments: list[str],
    folder: Path = DATA,
    exceptions: Path = EXCEPTIONS,
    catalogue: Path | None = None,
    observed: Path | None = None,
) -> int:
    """Lint the data below `folder` and print what is wrong."""
    options = _options(arguments)
    if options.fix:
        for name in fix(folder):
            print(f"mended {name}", file=sys.stderr)
    breaches = lint(Material.read(folder, catalogue, options.today, observed), exceptions)
    if options.format == "json":
        print(json.dumps([asdict(breach) for breach in breaches], indent=1))
    elif options.format == "github":
        for breach in breaches:
            print(_annotation(breach))
    else:
        for breach in breaches:
            print(breach)
        for check, remedy in sorted({(breach.check, breach.fix) for breach in breaches}):
            print(f"{check}: {remedy}", file=sys.stderr)
    errors = sum(breach.level == "error" for breach in breaches)
    print(f"{errors} errors, {len(breaches) - errors} warnings", file=sys.stderr)
    return 1 if errors else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="matrices.lint", description="Hold the data to its laws.")
    parser.add_argument("--format", choices=("text", "json", "github"), default="text", help="how breaches are printed")
    parser.add_argument("--fix", action="store_true", help="mend first what a machine can: order, spaces, copies")
    parser.add_argument("--today", type=date.fromisoformat, help="judge ages by this day, not by the data version")
    return parser.parse_args(arguments)


def _annotation(breach: Breach) -> str:
    """A workflow command that shows a breach beside its line in a pull request."""
    file = posixpath.normpath(f"matrices/data/{breach.file}")
    line = f",line={breach.line}" if breach.line else ""
    text = f"{breach.path}: {breach.message}. {breach.fix}" if breach.path else f"{breach.message}. {breach.fix}"
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{breach.level} file={file}{line},title={breach.check}::{text}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], catalogue=CATALOGUE, observed=OBSERVATIONS))
