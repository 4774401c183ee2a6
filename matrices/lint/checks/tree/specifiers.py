"""Ranges of versions parse."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from matrices.lint.base import Check, Finding, entities
from matrices.lint.material import Material
from matrices.load import Dataset
from matrices.model import Coverage, ImageContains

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for subject, text in _written(material.dataset):
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            yield Finding(subject, f"`{text}` is not a version specifier")


def _written(dataset: Dataset) -> Iterator[tuple[str, str]]:
    for claim in dataset.claims.values():
        for key in ("versions", "specifier", "torch"):
            text = getattr(claim, key, None)
            if isinstance(text, str) and not isinstance(claim, ImageContains):
                yield claim.id, text
    for row in entities(dataset, Coverage):
        if row.torch:
            yield f"coverage:{row.id}", row.torch


CHECK = Check(
    name="specifiers",
    scope="tree",
    law="Ranges of versions parse as specifiers.",
    fix="Write it as `>=2.4,<3`.",
    run=_run,
)
