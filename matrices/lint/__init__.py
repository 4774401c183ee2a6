"""The laws that the data must obey. Each check is one small module with a name, a scope, the law it holds and what to do.

`python -m matrices.lint` prints every breach, `--fix` mends what a machine can. Known breaches stand in
`exceptions.toml` with a reason; an exception that is no longer needed is itself an error, so that debt can only shrink.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from matrices.lint.base import Check, Finding, Level
from matrices.lint.checks import CHECKS
from matrices.lint.material import Material

__all__ = ["CHECKS", "EXCEPTIONS", "Breach", "lint"]

EXCEPTIONS = Path(__file__).parent / "exceptions.toml"
_EXCEPTIONS_SHOWN = "../lint/exceptions.toml"


@dataclass(frozen=True, slots=True)
class Breach:
    """One thing the data gets wrong, with the place to mend and the way to."""

    level: Level
    check: str
    file: str
    path: str
    message: str
    fix: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = f"{self.file} · {self.path}" if self.path else self.file
        return f"{self.level}: {place}: {self.message} [{self.check}]"


def lint(material: Material, exceptions: Path = EXCEPTIONS) -> list[Breach]:
    """Every breach that no exception excuses, and every exception that excuses nothing or gives no reason.

    Files that cannot be read leave nothing to judge but their form.
    """
    rows = tomllib.loads(exceptions.read_text(encoding="utf-8"))["exception"]
    excused = {(row["check"], row["subject"]): row for row in rows}
    used: set[tuple[str, str]] = set()
    found = []
    for check in CHECKS:
        if material.faults and check.scope != "file":
            continue
        for finding in check.run(material):
            key = (check.name, finding.subject)
            if key in excused:
                used.add(key)
            else:
                found.append(_breach(material, check, finding))
    if not material.faults:
        found += [_unneeded(*key) for key in excused.keys() - used]
    found += [_unexplained(*key) for key, row in excused.items() if not row.get("reason", "").strip()]
    return sorted(found, key=lambda breach: (breach.level, breach.file, breach.path, breach.check, breach.message))


def _unneeded(check: str, subject: str) -> Breach:
    message = f"the exception for {subject} is no longer needed"
    return Breach("error", check, _EXCEPTIONS_SHOWN, subject, message, "Remove it.")


def _unexplained(check: str, subject: str) -> Breach:
    message = f"the exception for {subject} has no reason"
    return Breach("error", check, _EXCEPTIONS_SHOWN, subject, message, "Say why, with a link where there is one.")


def _breach(material: Material, check: Check, finding: Finding) -> Breach:
    if finding.subject.startswith("file:"):
        file, path = finding.subject.removeprefix("file:"), ""
    else:
        file, path = material.dataset.places.get(finding.subject, ("", finding.subject))
    line = finding.line or _line(material, file, finding.subject)
    return Breach(check.level, check.name, file, path, finding.message, check.fix, line)


def _line(material: Material, file: str, subject: str) -> int | None:
    """The line of the id of the entity that a finding is about, where it has one."""
    claim = material.dataset.claims.get(subject)
    name = claim.subject if claim is not None else subject.partition(":")[2]
    before, found, _ = material.texts.get(file, "").partition(f'\nid = "{name}"\n')
    return before.count("\n") + 2 if found else None
