"""The releases of a toolkit are its own and follow each other."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal, numbers
from matrices.lint.material import Material
from matrices.model import ToolkitNeedsDriver, ToolkitReleased, ToolkitShipsDriver, ToolkitSupportsOs

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    for claim in dataset.claims.values():
        if isinstance(claim, (ToolkitReleased, ToolkitNeedsDriver, ToolkitShipsDriver, ToolkitSupportsOs)):
            if f"{claim.release}.".startswith(f"{claim.subject}."):
                continue
            yield Finding(claim.id, f"{claim.release} is not a release of {claim.subject}")
    latest: dict[str, ToolkitReleased] = {}
    for released in sorted(normal(dataset, ToolkitReleased), key=lambda claim: numbers(claim.release)):
        if released.on is None:
            continue
        before = latest.get(released.subject)
        if before is not None and str(released.on) < str(before.on)[: len(str(released.on))]:
            yield Finding(released.id, f"dated {released.on}, before {before.release} of {before.on}")
        latest[released.subject] = released


CHECK = Check(
    name="release-of-toolkit",
    scope="subject",
    law="The releases of a toolkit bear its number, and a later one is not dated earlier.",
    fix="Move the release to its toolkit, or correct its date.",
    run=_run,
)
