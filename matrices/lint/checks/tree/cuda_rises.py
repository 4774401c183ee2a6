"""A newer branch runs at least the CUDA of an older one."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities, normal
from matrices.lint.material import Material
from matrices.model import Branch, DriverRunsCuda

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    dataset = material.dataset
    known = {claim.subject: claim for claim in normal(dataset, DriverRunsCuda)}
    highest: DriverRunsCuda | None = None
    for branch in sorted(entities(dataset, Branch), key=lambda branch: branch.number):
        claim = known.get(branch.id)
        if claim is None:
            continue
        if highest is not None and claim.cuda < highest.cuda:
            yield Finding(
                claim.id, f"runs CUDA {claim.cuda}, less than the {highest.cuda} of the older {highest.subject}"
            )
        else:
            highest = claim


CHECK = Check(
    name="cuda-rises",
    scope="tree",
    law="A newer branch runs at least the CUDA of an older one.",
    fix="Correct the CUDA of the branch; backports do not lower it.",
    run=_run,
)
