"""Ids that moved lead somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    living = {name for by_id in dataset.entities.values() for name in by_id}
    for old, new in dataset.moved.items():
        if old in living:
            yield Finding(f"moved:{old}", "an id that has moved is used again")
        if new not in living and new not in dataset.moved:
            yield Finding(f"moved:{old}", f"moved to `{new}`, which does not exist")


CHECK = Check(
    name="moved",
    scope="tree",
    law="Ids that moved lead somewhere and are not used again.",
    fix="Correct the new id in `moved.toml`.",
    run=_run,
)
