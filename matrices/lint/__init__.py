"""The laws that the data must obey. Each check is one small function with a name and the law it holds.

`python -m matrices.lint` prints every breach. Known ones stand in `exceptions.toml` with a reason; an exception that is no
longer needed is itself an error, so that debt can only shrink.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from matrices.lint import drivers, tree, wheels
from matrices.lint.base import Check, Finding, Level
from matrices.load import Dataset

__all__ = ["CHECKS", "EXCEPTIONS", "Breach", "lint"]

CHECKS: tuple[Check, ...] = (*tree.CHECKS, *drivers.CHECKS, *wheels.CHECKS)
EXCEPTIONS = Path(__file__).parent / "exceptions.toml"


@dataclass(frozen=True, slots=True)
class Breach:
    """One thing the data gets wrong, with the place to mend."""

    level: Level
    check: str
    file: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.level}: {self.file} · {self.path}: {self.message} [{self.check}]"


def lint(dataset: Dataset, exceptions: Path = EXCEPTIONS) -> list[Breach]:
    """Every breach that no exception excuses, and every exception that excuses nothing."""
    excused = {
        (row["check"], row["subject"]): row
        for row in tomllib.loads(exceptions.read_text(encoding="utf-8"))["exception"]
    }
    used: set[tuple[str, str]] = set()
    found = []
    for check in CHECKS:
        for finding in check.run(dataset):
            key = (check.name, finding.subject)
            if key in excused:
                used.add(key)
            else:
                found.append(_breach(dataset, check, finding))
    for check_name, subject in excused.keys() - used:
        message = f"the exception for {subject} is no longer needed"
        found.append(Breach("error", check_name, "../lint/exceptions.toml", subject, message))
    return sorted(found, key=lambda breach: (breach.level, breach.file, breach.path, breach.check, breach.message))


def _breach(dataset: Dataset, check: Check, finding: Finding) -> Breach:
    file, path = dataset.places.get(finding.subject, ("", finding.subject))
    return Breach(check.level, check.name, file, path, finding.message)
