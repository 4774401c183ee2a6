"""Ranges of one subject do not overlap."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from packaging.ranges import VersionRange
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from matrices.lint.base import Check, Finding, normal
from matrices.lint.material import Material
from matrices.load import Dataset
from matrices.model import ImageTagLaw, PackageNeedsCc, PackageNeedsPackage
from matrices.voices import question

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for rules in _ranges(material.dataset).values():
        for (first, one), (second, other) in combinations(rules, 2):
            same = question(first) == question(second)  # voices on one question may
            if not same and not _remainder(first, second, material.dataset) and not (one & other).is_empty:
                yield Finding(second, f"overlaps with {first}")
    laws: dict[str, ImageTagLaw] = {}
    for law in sorted(normal(material.dataset, ImageTagLaw), key=lambda law: (law.subject, law.cuda_from)):
        before = laws.get(law.subject)
        if before is not None and (before.cuda_to is None or law.cuda_from <= before.cuda_to):
            yield Finding(law.id, f"overlaps with {before.id}")
        laws[law.subject] = law


def _remainder(first: str, second: str, dataset: Dataset) -> bool:
    """Whether one of two says what surely goes together and the other what may besides: a doubt around a sure range."""
    claims = dataset.claims[first], dataset.claims[second]
    return all(isinstance(claim, PackageNeedsPackage) for claim in claims) and (
        sum(claim.uncertain is not None for claim in claims) == 1
    )


def _ranges(dataset: Dataset) -> dict[object, list[tuple[str, VersionRange]]]:
    """The ranges by what they are about; ranges that do not parse are left to `specifiers`."""
    found: dict[object, list[tuple[str, VersionRange]]] = {}
    rules: tuple[PackageNeedsCc | PackageNeedsPackage, ...]
    rules = (*normal(dataset, PackageNeedsCc), *normal(dataset, PackageNeedsPackage))
    for claim in rules:
        about = tuple(getattr(claim, key) for key in claim.keyed_by if key != "versions")
        try:
            versions = SpecifierSet(claim.versions).to_range()
        except InvalidSpecifier:
            continue
        found.setdefault((claim.relation, claim.subject, about), []).append((claim.id, versions))
    return found


CHECK = Check(
    name="no-overlap",
    scope="subject",
    law="The ranges of versions that a subject makes rules for do not overlap; what may go with a package can stand around what surely does.",
    fix="Narrow one of the ranges.",
    run=_run,
)
