"""What is known of each release of a package, put together from the claims about ranges of versions. Read when first asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from matrices.catalogue import Catalogue
from matrices.model import (
    Claim,
    Package,
    PackageBuiltWith,
    PackageEmbeds,
    PackageInstalledBy,
    PackageNeedsCc,
    PackageNeedsDriver,
    PackageNeedsPackage,
    PackageOffers,
    PackageReleased,
)

__all__ = ["Release", "Releases"]

C = TypeVar("C", bound=Claim)


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """One version of a package with the claims that cover it.

    `bound`: the package is loaded into torch; then `torch` says with which, empty where nobody knows. `cuda_counts`: its builds are for
    a CUDA; then an empty `built` means that nobody knows for which.
    """

    package: str
    version: str
    released: PackageReleased
    bound: bool
    cuda_counts: bool
    torch: tuple[PackageNeedsPackage, ...]
    names: tuple[PackageNeedsPackage, ...]  # other packages of which it chooses the version itself
    offers: tuple[PackageOffers, ...]
    built: tuple[PackageBuiltWith, ...]
    embeds: tuple[PackageEmbeds, ...]
    needs_cc: tuple[PackageNeedsCc, ...]
    drivers: tuple[PackageNeedsDriver, ...]
    installed_by: PackageInstalledBy | None


class Releases:
    """The releases of every package of a catalogue that has any."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._known: dict[str, tuple[Release, ...]] = {}
        self._alternatives: dict[tuple[str, ...], tuple[Release, ...]] = {}

    @cached_property
    def _lists(self) -> dict[str, PackageReleased]:
        return {claim.subject: claim for claim in self.catalogue.claims(PackageReleased)}

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        """Packages with releases by every name for them."""
        found: dict[str, list[str]] = {}
        for package in self.catalogue.entities(Package).values():
            if package.id in self._lists:
                for name in (package.id, *package.aliases):
                    found.setdefault(name, []).append(package.id)
        return {name: tuple(packages) for name, packages in found.items()}

    @cached_property
    def spoken(self) -> dict[str, frozenset[int]]:
        """Every name by which packages with releases are asked for, with the first numbers of their versions."""
        majors = {
            package: frozenset(int(version.split(".")[0]) for version in claim.versions)
            for package, claim in self._lists.items()
        }
        return {
            name: frozenset[int]().union(*(majors[package] for package in packages))
            for name, packages in self._names.items()
        }

    @cached_property
    def _with_choosing_extras(self) -> frozenset[str]:
        """Names of which an extra chooses the package."""
        return frozenset(name.partition("[")[0] for name in self._names if "[" in name)

    def named(self, name: str, extras: Iterable[str]) -> tuple[str, ...]:
        """The packages that a requirement may mean, by its normal name and its extras; none where it is not known."""
        for extra in sorted(extras):
            if f"{name}[{extra}]" in self._names:
                return self._names[f"{name}[{extra}]"]
            if name in self._with_choosing_extras:
                return ()
        return self._names.get(name, ())

    def of(self, package: str) -> tuple[Release, ...]:
        """The releases of a package, oldest first."""
        found = self._known.get(package)
        if found is None:
            found = self._known[package] = tuple(self._read(package))
        return found

    def without_gpu(self, package: str, minor: str, os: str) -> bool:
        """Whether the releases of a minor version (`2.16`) install on an operating system, and none of them with CUDA."""
        of_minor = (each for each in self.of(package) if f"{each.version}.".startswith(f"{minor}."))
        offers = [offer.gpu for each in of_minor for offer in each.offers if offer.os == os]
        return bool(offers) and not any(offers)

    def among(self, packages: tuple[str, ...]) -> tuple[Release, ...]:
        """The releases of packages that are alternatives, oldest first (kept)."""
        from packaging.version import Version

        if packages not in self._alternatives:
            found = (release for package in packages for release in self.of(package))
            ordered = sorted(found, key=lambda release: (Version(release.version), release.package))
            self._alternatives[packages] = tuple(ordered)
        return self._alternatives[packages]

    def _read(self, package: str) -> Iterable[Release]:
        from packaging.specifiers import SpecifierSet
        from packaging.version import Version

        def about(cls: type[C]) -> list[tuple[C, SpecifierSet]]:
            rows = (claim for claim in self.catalogue.claims(cls) if claim.subject == package)
            return [(row, SpecifierSet(row.versions)) for row in rows if row.standing != "deprecated"]  # type: ignore[attr-defined]  # every relation given here has `versions`

        needs = about(PackageNeedsPackage)
        torch = [row for row in needs if row[0].package == "torch"]
        others = [row for row in needs if row[0].package != "torch"]
        offers, built, embeds = about(PackageOffers), about(PackageBuiltWith), about(PackageEmbeds)
        needs_cc, drivers, installed = about(PackageNeedsCc), about(PackageNeedsDriver), about(PackageInstalledBy)
        released = self._lists[package]
        for text in released.versions:
            version = Version(text)

            def covering(rows: list[tuple[C, SpecifierSet]], version: Version = version) -> tuple[C, ...]:
                return tuple(row for row, specifier in rows if specifier.contains(version, prereleases=True))

            yield Release(
                package=package,
                version=text,
                released=released,
                bound=bool(torch),
                cuda_counts=bool(built),
                torch=covering(torch),
                names=covering(others),
                offers=covering(offers),
                built=covering(built),
                embeds=covering(embeds),
                needs_cc=tuple(sorted(covering(needs_cc), key=lambda claim: claim.uncertain is not None)),
                drivers=covering(drivers),
                installed_by=next(iter(covering(installed)), None),
            )
