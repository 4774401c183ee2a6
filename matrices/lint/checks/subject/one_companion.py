"""A torch release has one version of each companion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.model import TorchPairsWith

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    counted = Counter((claim.subject, claim.package) for claim in normal(material.dataset, TorchPairsWith))
    for (torch, package), count in counted.items():
        if count > 1:
            yield Finding(f"torch:{torch}", f"{count} versions of {package}")


CHECK = Check(
    name="one-companion",
    scope="subject",
    law="A torch release has one version of each companion.",
    fix="Deprecate the version that is wrong.",
    run=_run,
)
