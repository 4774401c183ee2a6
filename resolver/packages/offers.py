"""The builds of a release: on which platform, for which CUDA, beside which torch and driver."""

from __future__ import annotations

from dataclasses import dataclass

from matrices.model import PackageBuiltWith, PackageOffers
from matrices.versions import CudaVersion, DriverVersion, PythonVersion
from resolver.releases import Release
from resolver.specifiers import numbers

__all__ = ["Offer", "certain", "floor", "installs", "offers", "same_cuda"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A build of a release that can be installed on a platform; what is None is not known or plays no part."""

    os: str
    machine: str
    platform: PackageOffers | None
    built: PackageBuiltWith | None
    cuda: CudaVersion | None


def offers(release: Release, os: str) -> list[Offer]:
    """Every build of a release for an operating system, by machine and CUDA; those without CUDA left out."""
    rows: list[tuple[str, PackageOffers | None]] = [
        (machine, row) for row in release.offers if row.os == os and row.gpu for machine in row.machines
    ]
    if not release.offers:  # nobody knows for what there are builds
        rows = [("x86_64", None), ("aarch64", None)]
    found = []
    for machine, platform in rows:
        built = [row for row in release.built if machine in row.machines and os in row.os]
        found += [Offer(os, machine, platform, row, cuda) for row in built for cuda in row.cuda]
        if not built:
            found.append(Offer(os, machine, platform, None, None))
    return found


def floor(release: Release, os: str) -> DriverVersion | None:
    """The least driver that a release asks for itself, where it does."""
    return max((claim.driver for claim in release.drivers if claim.os == os), default=None)


def installs(offer: Offer, python: PythonVersion, glibc: str | None) -> bool:
    """Whether pip takes a build on a Python and a C library, as far as those are known."""
    if offer.platform is None:
        return True
    needs = offer.platform.glibc
    return python in offer.platform.python and (glibc is None or needs is None or numbers(needs) <= numbers(glibc))


def certain(release: Release, offer: Offer) -> bool:
    """Whether platform and CUDA of a build are known beyond doubt."""
    if offer.platform is None or offer.platform.uncertain or (release.cuda_counts and offer.built is None):
        return False
    return offer.built is None or offer.built.uncertain is None


def same_cuda(built: PackageBuiltWith, cuda: CudaVersion, torch: CudaVersion) -> bool:
    """Whether the build for `cuda` is the one that is loaded beside a torch of some CUDA: that of the same release, else the next
    lower one of the major, else the next higher one."""
    if built.exact or cuda.release == torch.release:
        return cuda.release == torch.release
    same = [made.release for made in built.cuda if made.major == torch.major]
    lower = [made for made in same if made <= torch.release]
    return bool(same) and cuda.release == (max(lower) if lower else min(same))
