"""Lists of targets ascend, each target once."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, claims
from matrices.lint.material import Material
from matrices.model import ToolkitTargetsCc

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for claim in material.dataset.claims.values():
        for key in ("sass", "ptx", "python", "deprecated"):
            values = getattr(claim, key, None)
            if isinstance(values, tuple) and list(values) != sorted(set(values)):
                yield Finding(claim.id, f"`{key}` does not ascend, or names something twice")
    for made in claims(material.dataset, ToolkitTargetsCc):
        stray = next((target for target in made.deprecated if target not in made.sass), None)
        if stray is not None:
            yield Finding(made.id, f"{stray} is deprecated, but not made")


CHECK = Check(
    name="targets-in-order",
    scope="subject",
    law="Lists of targets and of Pythons ascend, each once; deprecated targets are still made.",
    fix="Sort the list; remove what stands twice.",
    run=_run,
)
