"""Reads requirements: companions of torch, packages with releases of their own, those not judged, torch itself."""

from __future__ import annotations

from collections.abc import Sequence

from matrices.model import Package
from resolver.errors import InvalidRequest, UnknownVersion
from resolver.index import Index
from resolver.query import COMPANIONS, PINNED, Companion, PackageWanted, Requested
from resolver.specifiers import may_be_newer, may_be_older, near

__all__ = ["RequirementReader"]


class RequirementReader:
    """Reads requirements against one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        libraries = index.catalogue.entities(Package)
        self._pinned = {name: each for each in PINNED if each in libraries for name in (each, *libraries[each].aliases)}

    def read(self, texts: Sequence[str]) -> Requested:
        """Requirements sorted out: companions of torch, packages with releases of their own, those not judged, torch itself."""
        if not texts:
            return Requested()
        from packaging.requirements import InvalidRequirement, Requirement
        from packaging.utils import canonicalize_name

        companions: list[Companion] = []
        packages: list[PackageWanted] = []
        unjudged: list[str] = []
        torch: str | None = None
        for text in texts:
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                raise InvalidRequest(
                    "a package is a requirement such as `torchvision==0.21.0`", field="packages", given=text
                ) from None
            name, specifier = canonicalize_name(requirement.name), str(requirement.specifier)
            known = self.index.releases.named(name, requirement.extras)
            if requirement.url or requirement.marker or (requirement.extras and not known):
                raise InvalidRequest(
                    "a package is a name with versions, without URL or marker, and an extra is one that is known",
                    field="packages",
                    given=text,
                )
            if name == "torch":
                torch = specifier.removeprefix("==") or torch
            elif name in COMPANIONS or name in self._pinned:
                companions.append(Companion(self._pinned.get(name, name), text, specifier))
            elif known:
                packages.append(self._package(PackageWanted(name, known, text, specifier)))
            else:
                unjudged.append(name)
        return Requested(tuple(companions), tuple(packages), tuple(unjudged), torch)

    def _package(self, wanted: PackageWanted) -> PackageWanted:
        """The same, if a release is known that it allows or a later one may be."""
        releases = self.index.releases.among(wanted.packages)
        known = [release.version for release in releases]
        older = releases[0].released.older and may_be_older(wanted.specifier, known[0])
        if not any(map(wanted.allows, known)) and not older and not may_be_newer(wanted.specifier, known[-1]):
            raise UnknownVersion(
                f"no such release of {wanted.name}; the newest known is {known[-1]}",
                field="packages",
                given=wanted.text,
                candidates=[
                    f"{wanted.name}=={version}"
                    for version in dict.fromkeys(near(wanted.specifier.lstrip("=~"), list(dict.fromkeys(known))))
                ],
            )
        return wanted
