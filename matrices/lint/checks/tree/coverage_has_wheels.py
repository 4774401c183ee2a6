"""Where absence means no, something is present."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from matrices.lint.base import Check, Finding, entities
from matrices.lint.material import Material
from matrices.model import Coverage, Torch, Wheel

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    wheels = list(entities(dataset, Wheel))
    for row in entities(dataset, Coverage):
        if row.table != "wheel" or not row.torch or not valid(row.torch):
            continue
        inside = SpecifierSet(row.torch)
        for torch in entities(dataset, Torch):
            if inside.contains(torch.id) and not any(str(wheel.torch) == torch.id for wheel in wheels):
                yield Finding(f"coverage:{row.id}", f"torch {torch.id} is covered, but has no wheel")


def valid(text: str) -> bool:
    """Whether a range parses; `specifiers` reports those that do not."""
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return False
    return True


CHECK = Check(
    name="coverage-has-wheels",
    scope="tree",
    law="Every torch release inside a declared coverage of wheels has a wheel.",
    fix="Add the wheels, or narrow the coverage.",
    run=_run,
)
