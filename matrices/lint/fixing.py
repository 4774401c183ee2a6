"""`--fix`: what a machine can mend is mended in the files, and only if they still say the same."""

from __future__ import annotations

from pathlib import Path

from matrices.lint.checks import CHECKS
from matrices.lint.material import Material

__all__ = ["fix"]


def fix(folder: Path) -> list[str]:
    """Let every check that can mend the files below `folder`; the names of those that changed.

    Data that cannot be read stays as it is. A file whose entities or claims would change is written back as it was.
    """
    before = Material.read(folder)
    if before.faults:
        return []
    changed = []
    for name, text in before.texts.items():
        fixed = text
        for check in CHECKS:
            if check.mend is not None:
                fixed = check.mend(fixed)
        if fixed == text:
            continue
        path = folder / name
        path.write_bytes(fixed.encode())
        after = Material.read(folder)
        if after.faults or not _says_the_same(before, after):
            path.write_bytes(text.encode())
        else:
            changed.append(name)
    return changed


def _says_the_same(before: Material, after: Material) -> bool:
    return before.dataset.claims == after.dataset.claims and before.dataset.entities == after.dataset.entities
