"""Drivers: their branches, which GPUs a driver drives and which CUDA it runs."""

from __future__ import annotations

from functools import cached_property

from matrices.catalogue import Catalogue
from matrices.model import (
    Branch,
    BranchDrivesCc,
    BranchLifecycle,
    BranchOffersModule,
    BranchReleased,
    Claim,
    DriverRunsCuda,
    FamilyNeedsDriver,
    Gpu,
    GpuListedSince,
    ToolkitForwardOn,
    ToolkitNeedsDriver,
)
from matrices.versions import ComputeCapability, CudaVersion, DriverVersion
from resolver import rules
from resolver.hardware import Hardware
from resolver.parts import BranchFacts, Runs, Window, grouped
from resolver.rules import Driver, Verdict

__all__ = ["MOST_DRIVERS", "DriverFacts"]

MOST_DRIVERS = 2_000  # a bound on what strangers' driver numbers can make us keep


class DriverFacts:
    """The facts about drivers in one catalogue; every judgement comes from `resolver.rules`."""

    def __init__(self, catalogue: Catalogue, hardware: Hardware) -> None:
        self.catalogue = catalogue
        self.hardware = hardware
        self.branches: dict[int, BranchFacts] = self._branch_facts()
        self._runs: dict[tuple[CudaVersion, str, Driver], Runs] = {}

    # --- branches -----------------------------------------------------------------------------------------------

    def _branch_facts(self) -> dict[int, BranchFacts]:
        """Facts by branch number, ascending. A branch whose CUDA is not known runs at least what the one before does."""
        cuda = grouped(self.catalogue.claims(DriverRunsCuda), lambda claim: claim.subject)
        lifecycle = grouped(self.catalogue.claims(BranchLifecycle), lambda claim: claim.subject)
        modules = grouped(self.catalogue.claims(BranchOffersModule), lambda claim: claim.subject)
        released = grouped(self.catalogue.claims(BranchReleased), lambda claim: (claim.subject, claim.os))
        found: dict[int, BranchFacts] = {}
        branches = sorted(self.catalogue.entities(Branch).values(), key=lambda branch: branch.number)
        sure = {
            branch.number: cuda[branch.id] for branch in branches if branch.id in cuda and not cuda[branch.id].uncertain
        }
        native: DriverRunsCuda | None = None
        for branch in branches:
            native = sure.get(branch.number, native)
            most = next((claim for number, claim in sure.items() if number >= branch.number), None)
            found[branch.number] = BranchFacts(
                number=branch.number,
                released={os: builds for (subject, os), builds in released.items() if subject == branch.id},
                native=native.cuda.release if native else None,
                native_most=most.cuda.release if most else None,
                native_claims=(native,) if native else (),
                lifecycle=lifecycle.get(branch.id),
                modules=modules.get(branch.id),
            )
        return found

    @cached_property
    def newest_branch(self) -> int:
        """The highest branch number known."""
        return max(self.branches)

    def branch_of(self, version: DriverVersion) -> BranchFacts | None:
        """The branch a driver belongs to: the one with the greatest number not above its own (Windows counts on)."""
        below = [number for number in self.branches if number <= version.major]
        return self.branches[max(below)] if below else None

    def facts(self, driver: Driver) -> BranchFacts | None:
        """What is known of a driver's branch; one beyond all known runs at least what the newest of them does."""
        return self.branches.get(min(driver.branch, self.newest_branch))

    # --- GPUs ---------------------------------------------------------------------------------------------------

    @cached_property
    def _windows(self) -> dict[tuple[str, str], Window]:
        claims = grouped(self.catalogue.claims(BranchDrivesCc), lambda claim: (claim.subject, claim.os))
        return {
            key: Window(_number(claim.added), claim.added_driver, _number(claim.last), claim)
            for key, claim in claims.items()
        }

    def window(self, capability: ComputeCapability, os: str) -> Window | None:
        """The branches that drive a capability; the branch numbers of Linux hold elsewhere, its builds do not."""
        found = self._windows.get((str(capability), os))
        if found is not None and found.added is not None:
            return found
        linux = self._windows.get((str(capability), "linux"))
        return Window(linux.added, None, linux.last, linux.claim) if linux else found

    def drives(self, driver: Driver, capability: ComputeCapability, os: str) -> tuple[Verdict, bool]:
        """Rule `drives` with the facts filled in."""
        window = self.window(capability, os)
        if window is None or window.claim.uncertain:
            return "unknown", False
        verdict, later = rules.drives(driver, window.added, window.added_driver, window.last)
        if verdict == "yes" and driver.branch > self.newest_branch:  # nobody knows what a later branch drops
            return "unknown", False
        return verdict, later

    @cached_property
    def listings(self) -> dict[tuple[str, str], GpuListedSince]:
        """The first driver whose own list names a product, by gpu id and operating system."""
        return grouped(self.catalogue.claims(GpuListedSince), lambda claim: (claim.subject, claim.os))

    def unlisted(self, driver: Driver, gpu: Gpu, os: str) -> GpuListedSince | None:
        """The claim by which a driver is older than the first that names the product, where that list counts.

        An exact bound decides; the list of the open kernel modules only for products that need those.
        """
        claim = self.listings.get((gpu.id, os))
        if claim is None or claim.uncertain or driver.last is None or driver.last >= claim.driver:
            return None
        if claim.bound == "exact":
            return claim
        needed = self.hardware.modules(self.hardware.gpu_capability[gpu.id].compute_capability, gpu)
        return claim if needed is not None and needed.modules == ("open",) else None

    # --- CUDA ---------------------------------------------------------------------------------------------------

    @cached_property
    def _floors(self) -> dict[tuple[str, str], FamilyNeedsDriver]:
        return grouped(self.catalogue.claims(FamilyNeedsDriver), lambda claim: (claim.subject, claim.os))

    @cached_property
    def _native_needs(self) -> dict[tuple[str, str], ToolkitNeedsDriver]:
        """The least driver among the updates of each toolkit minor, per operating system."""
        least: dict[tuple[str, str], ToolkitNeedsDriver] = {}
        for claim in self.catalogue.claims(ToolkitNeedsDriver):
            known = least.get((claim.subject, claim.os))
            if claim.standing != "deprecated" and (known is None or claim.driver < known.driver):
                least[claim.subject, claim.os] = claim
        return least

    def floor(self, cuda: CudaVersion, os: str) -> FamilyNeedsDriver | ToolkitNeedsDriver | None:
        """The claim about the least driver for programs of a CUDA: that of its major, or its own where that is lower."""
        family = self._floors.get((str(cuda.major), os))
        own = self._native_needs.get((str(cuda.release), os))
        if family is None or own is None:
            return family or own
        return own if own.driver < family.driver else family

    def runs(self, driver: Driver, cuda: CudaVersion, os: str) -> Runs:
        """Whether and how a driver runs a CUDA (kept per CUDA: many wheels share one)."""
        key = (cuda, os, driver)
        found = self._runs.get(key)
        if found is None:
            floor = self.floor(cuda, os)
            facts = self.facts(driver)
            least = floor.driver if floor else None
            native = facts.native if facts else None
            most = facts.native_most if facts and driver.branch <= self.newest_branch else None
            verdict, how, later = rules.runs_cuda(driver, cuda, least, native)
            if floor is not None and floor.uncertain:
                verdict = "unknown"
            claims: tuple[Claim, ...] = (floor,) if floor else ()
            claims += facts.native_claims if facts else ()
            found = Runs(verdict, how, rules.natively(cuda, native, most), later, least, claims)
            if len(self._runs) > 20 * MOST_DRIVERS:
                self._runs.clear()
            self._runs[key] = found
        return found

    @cached_property
    def compat(self) -> dict[str, ToolkitForwardOn]:
        """The branches on which the cuda-compat package of a CUDA works, by that CUDA."""
        return grouped(self.catalogue.claims(ToolkitForwardOn), lambda claim: claim.subject)


def _number(branch: str | None) -> int | None:
    return None if branch is None else int(branch.removeprefix("R"))
