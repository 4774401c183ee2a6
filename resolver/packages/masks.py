"""Packages for the solver: the builds of torch beside which every package asked for works."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from matrices.model import PackageOffers
from matrices.versions import ComputeCapability, CudaVersion, DriverVersion, PythonVersion, TorchVersion
from resolver.index import Index
from resolver.judge import Judge
from resolver.packages.code import Codes
from resolver.packages.fit import MOST_KEPT, Fit
from resolver.packages.offers import Offer, certain, floor, installs, offers, same_cuda
from resolver.parts import NONE, Masks
from resolver.query import PackageWanted, Query
from resolver.releases import Release
from resolver.rules import Driver, weakest
from resolver.specifiers import admits

__all__ = ["PackageMasks"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a mask depends on besides the driver."""

    wanted: PackageWanted
    python: PythonVersion
    capabilities: tuple[ComputeCapability, ...]
    glibc: str | None
    driver_os: str
    beside: tuple[PackageWanted, ...]  # all packages of the question


Key = tuple[CudaVersion | None, bool, DriverVersion | None]  # CUDA, whether PTX of it counts, the least driver


class PackageMasks:
    """Masks over the builds of one index."""

    def __init__(self, index: Index, judge: Judge, fit: Fit, codes: Codes) -> None:
        self.index = index
        self.judge = judge
        self.fit = fit
        self.codes = codes
        self._terms: dict[Terms, dict[Key, Masks]] = {}

    def of(
        self, query: Query, capabilities: Sequence[ComputeCapability], os: str, without: frozenset[str]
    ) -> Callable[[Driver], Masks]:
        """Builds beside which every package works, by driver, for one Python that all of them share.

        What does not depend on the driver is put together once: a free driver is every branch in turn.
        """
        asked = query.python if "python" not in without else None
        glibc = None if "os" in without or not self.judge.has_own_glibc(query) else self.judge.glibc_of(query)
        by_python: list[tuple[int, list[dict[Key, Masks]]]] = []
        for python in self._known_pythons:
            if asked is None or python in asked.allowed:
                bits = self.index.by_python.get(python, 0) | self.index.without_needs
                terms = (
                    Terms(wanted, python, tuple(capabilities), glibc, os, query.packages) for wanted in query.packages
                )
                by_python.append((bits, [self._by_key(each) for each in terms]))

        def with_driver(driver: Driver) -> Masks:
            found = NONE
            for bits, packages in by_python:
                masks = Masks(bits, bits)
                for by_key in packages:
                    masks = masks & self._with_driver(by_key, driver, os)
                found = found | masks
            return found

        return with_driver

    @cached_property
    def _known_pythons(self) -> tuple[PythonVersion, ...]:
        """Every Python that a build of torch or of a package is known to have."""
        named = {python for claim in self.index.catalogue.claims(PackageOffers) for python in claim.python}
        return tuple(sorted(named.union(self.index.by_python)))

    def _with_driver(self, by_key: dict[Key, Masks], driver: Driver, os: str) -> Masks:
        found = NONE
        for (cuda, ptx, least), masks in by_key.items():
            verdict = self.fit.runs(driver, os, cuda, ptx, least)
            if verdict != "no":
                found = found | (masks if verdict == "yes" else Masks(0, masks.maybe))
        return found

    def _by_key(self, terms: Terms) -> dict[Key, Masks]:
        found = self._terms.get(terms)
        if found is None:
            if len(self._terms) > MOST_KEPT:
                self._terms.clear()
            found = self._terms[terms] = {}
            releases = self.fit.allowed(terms.wanted)
            if not releases:  # only newer or older ones than any known are allowed
                found[None, False, None] = Masks(0, self.index.all)
            for release in releases:
                if not self.fit.leaves(release, terms.beside):
                    continue
                for key, masks in self._release_masks(release, terms):
                    found[key] = found.get(key, NONE) | masks
        return found

    def _release_masks(self, release: Release, terms: Terms) -> Iterator[tuple[Key, Masks]]:
        least = floor(release, terms.driver_os)
        fits = self._torch_fit(release)
        for os in ("linux", "windows"):
            for offer in offers(release, os):
                if not installs(offer, terms.python, terms.glibc):
                    continue
                bits = self.index.on_platform(os, offer.machine) & self._cuda_fit(release, offer)
                codes = [self.codes.code(release, offer, capability) for capability in terms.capabilities]
                verdict = weakest(code.verdict for code in codes)
                if bits & fits.maybe and verdict != "no":
                    sure = verdict == "yes" and certain(release, offer)
                    ptx = any(code.how == "ptx" for code in codes)
                    yield (offer.cuda, ptx, least), Masks(bits & fits.yes if sure else 0, bits & fits.maybe)

    def _torch_fit(self, release: Release) -> Masks:
        """Builds of the torch that a release goes with."""
        if not release.bound:
            return Masks(self.index.all, self.index.all)
        if not release.torch:
            return Masks(0, self.index.all)
        found = NONE
        for claim in release.torch:
            bits = self.fit.bits_of_torch(claim.specifier)
            found = found | Masks(0 if claim.uncertain else bits, bits)
        return found

    def _cuda_fit(self, release: Release, offer: Offer) -> int:
        if not release.bound or offer.cuda is None or offer.built is None:
            return self.index.all
        return sum(bits for cuda, bits in self.index.by_cuda.items() if same_cuda(offer.built, offer.cuda, cuda))

    def possible(self, query: Query, torch: TorchVersion) -> bool:
        """Whether a build of a torch that the data does not name could go with the packages, whatever its CUDA."""
        for wanted in query.packages:
            releases = self.fit.allowed(wanted)
            if releases and not any(self._may_go(release, query, torch) for release in releases):
                return False
        return True

    def _may_go(self, release: Release, query: Query, torch: TorchVersion) -> bool:
        if release.bound and release.torch and not any(admits(row.specifier, str(torch)) for row in release.torch):
            return False
        here = (offer for offer in offers(release, query.os.family) if offer.machine == query.machine)
        return any(self._may_run(release, offer, query) for offer in here)

    def _may_run(self, release: Release, offer: Offer, query: Query) -> bool:
        codes = [self.codes.code(release, offer, capability) for capability in query.capabilities]
        if any(code.verdict == "no" for code in codes):
            return False
        if query.driver is None:
            return offer.cuda is None or self.fit.some_driver(offer.cuda, query.capabilities, query.driver_os)
        ptx = any(code.how == "ptx" for code in codes)
        return self.fit.runs(query.driver, query.driver_os, offer.cuda, ptx, floor(release, query.driver_os)) != "no"
