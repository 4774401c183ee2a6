"""The claims, compiled for asking: every wheel is one bit, ordered by preference; constraints become masks.

Built once from a catalogue. What depends on a capability, a CUDA or a Python version is computed when first asked for and
kept. All judgements come from `resolver.rules`; this module only fetches their arguments from the claims.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from matrices.catalogue import Catalogue
from matrices.model import (
    Branch,
    BranchDrivesCc,
    BranchLifecycle,
    BranchOffersModule,
    BranchReleased,
    Capability,
    CcNeedsModule,
    Claim,
    CodeRunsOn,
    DriverRunsCuda,
    FamilyNeedsDriver,
    Gpu,
    GpuHasCc,
    GpuListedSince,
    GpuNeedsModule,
    OsNeedsCc,
    PackageNeedsCc,
    ToolkitNeedsDriver,
    ToolkitTargetsCc,
    TorchDefaultCuda,
    TorchPairsWith,
    Wheel,
    WheelBuiltWith,
    WheelEmbeds,
    WheelNeeds,
    WheelPins,
)
from matrices.versions import (
    ArchTarget,
    ComputeCapability,
    CudaVersion,
    DriverVersion,
    PythonVersion,
    TorchVersion,
)
from resolver import rules
from resolver.parts import NONE, BranchFacts, Build, Kernels, Masks, Runs, Window, standing
from resolver.releases import Releases
from resolver.rules import Driver, Verdict

__all__ = ["NONE", "BranchFacts", "Build", "Index", "Kernels", "Masks", "Runs", "Window", "standing"]

C = TypeVar("C", bound=Claim)
K = TypeVar("K")
MOST_DRIVERS = 2_000  # a bound on what strangers' driver numbers can make us keep


def _grouped(claims: Iterable[C], key: Callable[[C], K]) -> dict[K, C]:
    """The claim that counts for each key."""
    groups: dict[K, list[C]] = {}
    for claim in claims:
        groups.setdefault(key(claim), []).append(claim)
    return {name: best for name, group in groups.items() if (best := standing(group)) is not None}


class Index:
    """Everything the solver asks. Construction reads the wheels and drivers; the rest follows on demand."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.builds = self._ordered_builds()
        self.all = (1 << len(self.builds)) - 1
        self.branches: dict[int, BranchFacts] = self._branch_facts()
        self._kernel_masks: dict[ComputeCapability, tuple[Masks, Masks]] = {}
        self._fields: dict[str, dict[object, int]] = {}
        self._runs: dict[tuple[CudaVersion, str, Driver], Runs] = {}
        self._driver_masks: dict[tuple[Driver, str], tuple[Masks, Masks]] = {}

    @cached_property
    def releases(self) -> Releases:
        """The releases of packages beside torch."""
        return Releases(self.catalogue)

    # --- GPUs and capabilities ----------------------------------------------------------------------------------

    @cached_property
    def gpus(self) -> dict[str, Gpu]:
        """Products by id."""
        return self.catalogue.entities(Gpu)

    @cached_property
    def gpu_capability(self) -> dict[str, GpuHasCc]:
        """The capability claim that counts, by gpu id."""
        return _grouped(self.catalogue.claims(GpuHasCc), lambda claim: claim.subject)

    @cached_property
    def capabilities(self) -> dict[str, Capability]:
        """Capabilities by their text."""
        return self.catalogue.entities(Capability)

    @cached_property
    def _gpu_modules(self) -> dict[str, GpuNeedsModule]:
        return _grouped(self.catalogue.claims(GpuNeedsModule), lambda claim: claim.subject)

    @cached_property
    def _capability_modules(self) -> dict[str, CcNeedsModule]:
        return _grouped(self.catalogue.claims(CcNeedsModule), lambda claim: claim.subject)

    def modules(self, capability: ComputeCapability, gpu: Gpu | None) -> CcNeedsModule | GpuNeedsModule | None:
        """The claim about the kernel modules a GPU works with; the product's own comes first."""
        own = self._gpu_modules.get(gpu.id) if gpu else None
        return own or self._capability_modules.get(str(capability))

    @cached_property
    def _windows(self) -> dict[tuple[str, str], Window]:
        claims = _grouped(self.catalogue.claims(BranchDrivesCc), lambda claim: (claim.subject, claim.os))
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
        return _grouped(self.catalogue.claims(GpuListedSince), lambda claim: (claim.subject, claim.os))

    def unlisted(self, driver: Driver, gpu: Gpu, os: str) -> GpuListedSince | None:
        """The claim by which a driver is older than the first that names the product, where that list counts.

        An exact bound decides; the list of the open kernel modules only for products that need those.
        """
        claim = self.listings.get((gpu.id, os))
        if claim is None or claim.uncertain or driver.last is None or driver.last >= claim.driver:
            return None
        if claim.bound == "exact":
            return claim
        needed = self.modules(self.gpu_capability[gpu.id].compute_capability, gpu)
        return claim if needed is not None and needed.modules == ("open",) else None

    @cached_property
    def _exclusions(self) -> dict[str, list[CodeRunsOn]]:
        groups: dict[str, list[CodeRunsOn]] = {}
        for claim in self.catalogue.claims(CodeRunsOn):
            groups.setdefault(claim.subject, []).append(claim)
        return groups

    def excluded(self, target: ArchTarget, capability: ComputeCapability, cuda: CudaVersion | None) -> bool:
        """Whether machine code for a target that the plain rule lets run on a capability does not, built by a CUDA."""
        return any(
            target in claim.targets and (claim.until_cuda is None or cuda is None or cuda.release < claim.until_cuda)
            for claim in self._exclusions.get(str(capability), ())
        )

    @cached_property
    def os_needs(self) -> dict[str, OsNeedsCc]:
        """What an operating system asks of a GPU and its driver, by os id."""
        return _grouped(self.catalogue.claims(OsNeedsCc), lambda claim: claim.subject)

    # --- drivers ------------------------------------------------------------------------------------------------

    def _branch_facts(self) -> dict[int, BranchFacts]:
        """Facts by branch number, ascending. A branch whose CUDA is not known runs at least what the one before does."""
        cuda = _grouped(self.catalogue.claims(DriverRunsCuda), lambda claim: claim.subject)
        lifecycle = _grouped(self.catalogue.claims(BranchLifecycle), lambda claim: claim.subject)
        modules = _grouped(self.catalogue.claims(BranchOffersModule), lambda claim: claim.subject)
        released = _grouped(self.catalogue.claims(BranchReleased), lambda claim: (claim.subject, claim.os))
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
    def newest_cuda(self) -> CudaVersion:
        """The newest CUDA known, as a toolkit or in a build."""
        return max({*self.by_cuda, *map(CudaVersion.parse, self.toolkit_targets)})

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

    @cached_property
    def _floors(self) -> dict[tuple[str, str], FamilyNeedsDriver]:
        return _grouped(self.catalogue.claims(FamilyNeedsDriver), lambda claim: (claim.subject, claim.os))

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

    def driver_masks(self, driver: Driver, os: str) -> tuple[Masks, Masks]:
        """Builds that the driver runs, and those whose PTX it may compile because it runs their CUDA natively (kept)."""
        key = (driver, os)
        found = self._driver_masks.get(key)
        if found is None:
            if len(self._driver_masks) > MOST_DRIVERS:
                self._driver_masks.clear()
            found = self._driver_masks[key] = self._masks_of(driver, os)
        return found

    def _masks_of(self, driver: Driver, os: str) -> tuple[Masks, Masks]:
        yes = maybe = native_yes = native_maybe = 0
        for cuda, bits in self.by_cuda.items():
            runs = self.runs(driver, cuda, os)
            if runs.verdict == "yes":
                yes |= bits
            if runs.verdict != "no":
                maybe |= bits
            if runs.natively == "yes":
                native_yes |= bits
            if runs.natively != "no":
                native_maybe |= bits
        return Masks(yes, maybe), Masks(native_yes, native_maybe)

    # --- wheels -------------------------------------------------------------------------------------------------

    def _ordered_builds(self) -> tuple[Build, ...]:
        """GPU builds that pip can install, least preferred first. Of a rebuilt upload pip takes the rebuild."""
        catalogue = self.catalogue
        built = _grouped(catalogue.claims(WheelBuiltWith), lambda claim: claim.subject)
        embeds = _grouped(catalogue.claims(WheelEmbeds), lambda claim: (claim.subject, claim.library))
        needs = _grouped(catalogue.claims(WheelNeeds), lambda claim: claim.subject)
        pins = _grouped(catalogue.claims(WheelPins), lambda claim: claim.subject)
        libraries: dict[str, list[WheelEmbeds]] = {}
        for (subject, library), claim in embeds.items():
            if library != "torch":
                libraries.setdefault(subject, []).append(claim)
        newest: dict[tuple[TorchVersion, str, str, str], Build] = {}
        for wheel in catalogue.entities(Wheel).values():
            claim_built = built.get(wheel.id)
            if claim_built is None or wheel.channel == "conda":
                continue
            build = Build(
                wheel=wheel,
                cuda=claim_built.cuda,
                built_with=claim_built,
                default=self._is_default(wheel, claim_built.cuda),
                embeds=embeds.get((wheel.id, "torch")),
                needs=needs.get(wheel.id),
                pins=pins.get(wheel.id),
                libraries=tuple(libraries.get(wheel.id, ())),
            )
            key = (wheel.torch, wheel.variant, wheel.os, wheel.machine)
            known = newest.get(key)
            if known is None or _rebuild(known.wheel) < _rebuild(wheel):
                newest[key] = build
        ordered = sorted(newest.values(), key=_preference)
        for position, build in enumerate(ordered):
            build.bit = 1 << position
        return tuple(ordered)

    @cached_property
    def _default_cuda(self) -> dict[tuple[str, str], TorchDefaultCuda]:
        return _grouped(self.catalogue.claims(TorchDefaultCuda), lambda claim: (claim.subject, claim.machine))

    def _is_default(self, wheel: Wheel, cuda: CudaVersion) -> bool:
        known = self._default_cuda.get((str(wheel.torch), wheel.machine))
        return wheel.channel == "package-index" or (known is not None and known.cuda.release == cuda.release)

    def field_masks(self, name: str, read: Callable[[Build], Iterable[object]]) -> dict[object, int]:
        """Bits by the values that `read` finds in a build, kept under `name`."""
        found = self._fields.get(name)
        if found is None:
            found = {}
            for build in self.builds:
                for value in read(build):
                    found[value] = found.get(value, 0) | build.bit
            self._fields[name] = found
        return found

    @cached_property
    def by_cuda(self) -> dict[CudaVersion, int]:
        """Bits by the CUDA of the build (major.minor)."""
        found: dict[CudaVersion, int] = {}
        for build in self.builds:
            found[build.cuda.release] = found.get(build.cuda.release, 0) | build.bit
        return found

    @cached_property
    def by_torch(self) -> dict[TorchVersion, int]:
        """Bits by torch release, oldest first."""
        found: dict[TorchVersion, int] = {}
        for build in self.builds:
            found[build.wheel.torch] = found.get(build.wheel.torch, 0) | build.bit
        return found

    @cached_property
    def by_python(self) -> dict[PythonVersion, int]:
        """Bits by Python version."""
        found: dict[PythonVersion, int] = {}
        for build in self.builds:
            for python in build.needs.python if build.needs else ():
                found[python] = found.get(python, 0) | build.bit
        return dict(sorted(found.items()))

    @cached_property
    def newest_major(self) -> int:
        """The major of the newest GPUs that any build has machine code for."""
        return max(build.newest_major for build in self.builds)

    @cached_property
    def without_needs(self) -> int:
        """Bits of builds of which nobody knows the Python they install on."""
        return sum(build.bit for build in self.builds if build.needs is None)

    @cached_property
    def unpublished(self) -> int:
        """Bits of builds whose publication is in doubt."""
        return sum(build.bit for build in self.builds if build.built_with.uncertain)

    def kernel_masks(self, capability: ComputeCapability) -> tuple[Masks, Masks]:
        """Builds with machine code, and builds with machine code or PTX, for a capability.

        A build in which a library that rides along does not support the capability is in neither.
        """
        found = self._kernel_masks.get(capability)
        if found is None:
            sass_yes = any_yes = sass_maybe = any_maybe = 0
            for build in self.builds:
                kernels = self.kernels(build, capability)
                if kernels.verdict == "no":
                    continue
                any_maybe |= build.bit
                sass_maybe |= build.bit if kernels.how != "ptx" else 0
                if kernels.verdict == "yes":
                    any_yes |= build.bit
                    sass_yes |= build.bit if kernels.how == "sass" else 0
            found = Masks(sass_yes, sass_maybe), Masks(any_yes, any_maybe)
            self._kernel_masks[capability] = found
        return found

    def kernels(self, build: Build, capability: ComputeCapability) -> Kernels:
        """Whether a build has code for a capability, its libraries considered (kept in the build)."""
        found = build.kernels.get(capability)
        if found is None:
            found = self.code(build, capability)
            library = self.library(build, capability)
            if library is not None:
                verdict: Verdict = "unknown" if library.uncertain else "no"
                found = Kernels(rules.weaker(found.verdict, verdict), found.how, found.target, (library, *found.claims))
            build.kernels[capability] = found
        return found

    def code(self, build: Build, capability: ComputeCapability) -> Kernels:
        """What a build itself has for a capability, the libraries it brings left aside."""
        embeds = build.embeds
        if embeds is None:
            return self._unlooked(build, capability, build.built_with)
        how, target = self.best_target(embeds.sass, embeds.ptx or (), capability, build.cuda)
        if how == "sass":
            return Kernels("unknown" if embeds.uncertain else "yes", "sass", target, (embeds,))
        if embeds.uncertain:
            return self._unlooked(build, capability, embeds)
        if target is not None:
            return Kernels("yes", "ptx", target, (embeds,))
        if embeds.ptx is None:
            return self._perhaps_ptx(embeds, capability)
        return Kernels("no", "none", None, (embeds,))

    def best_target(
        self,
        sass: Iterable[ArchTarget],
        ptx: Iterable[ArchTarget],
        capability: ComputeCapability,
        cuda: CudaVersion | None,
    ) -> tuple[str, ArchTarget | None]:
        """What serves a capability best: machine code before PTX, the newest target first; `("none", None)` where nothing does.

        `cuda` is what the code was compiled with; None: not known, so that exceptions that end with a CUDA hold.
        """
        for target in sorted(sass, reverse=True):
            if rules.sass(target, capability, same_family=self._same_family(target.capability, capability)):
                if not self.excluded(target, capability, cuda):
                    return "sass", target
        for target in sorted(ptx, reverse=True):
            if rules.ptx(target, capability, same_family=self._same_family(target.capability, capability)):
                return "ptx", target
        return "none", None

    def _perhaps_ptx(self, embeds: WheelEmbeds, capability: ComputeCapability) -> Kernels:
        """Nobody looked for PTX. A torch build makes it only for targets that it makes machine code for as well: `+PTX`
        is said of a target of the list (torch.utils.cpp_extension, TORCH_CUDA_ARCH_LIST)."""
        if any(
            rules.ptx(target, capability, same_family=self._same_family(target.capability, capability))
            for target in embeds.sass
        ):
            return Kernels("unknown", "ptx", None, (embeds,))
        return Kernels("no", "none", None, (embeds,))

    def _unlooked(self, build: Build, capability: ComputeCapability, claim: Claim) -> Kernels:
        """Nobody knows what is inside; still it cannot hold code that its compiler does not make."""
        toolkit = self.toolkit_targets.get(str(build.cuda.release))
        if toolkit is None or toolkit.uncertain:
            return Kernels("unknown", "none", None, (claim,))
        makes_sass = any(
            rules.sass(target, capability, same_family=self._same_family(target.capability, capability))
            for target in toolkit.sass
        )
        makes_ptx = any(
            rules.ptx(target, capability, same_family=self._same_family(target.capability, capability))
            for target in toolkit.ptx or toolkit.sass
        )
        if not makes_sass and not makes_ptx:
            return Kernels("no", "none", None, (claim, toolkit))
        return Kernels("unknown", "none" if makes_sass else "ptx", None, (claim,))

    def _same_family(self, first: ComputeCapability, second: ComputeCapability) -> bool:
        families = {known.family for text in (first, second) if (known := self.capabilities.get(str(text)))}
        return len(families) == 1 and None not in families

    def library(self, build: Build, capability: ComputeCapability) -> PackageNeedsCc | None:
        """The claim by which torch or a library it brings does not support the capability, if there is one."""
        carried = [("torch", str(build.wheel.torch)), ("cuda-libraries", str(build.cuda.release))]
        if build.pins is not None and build.pins.cudnn is not None:
            carried.append(("cudnn", build.pins.cudnn))
        refusals = (self.refusal(package, version, capability) for package, version in carried)
        return min(filter(None, refusals), key=_in_doubt, default=None)

    def refusal(self, package: str, version: str, capability: ComputeCapability) -> PackageNeedsCc | None:
        """The claim by which a version of a package does not support a capability, if there is one."""
        for claim in self._library_rows(package, version):
            if capability < claim.minimum or (claim.maximum is not None and capability > claim.maximum):
                return claim
        return None

    def refuses_all(self, package: str, capabilities: Sequence[ComputeCapability]) -> bool:
        """Whether every known version of a companion surely refuses one of the capabilities."""
        versions = {claim.version for claim in self.companions.values() if claim.package == package}
        return bool(versions) and all(self.refuses(package, version, capabilities) == "no" for version in versions)

    def refuses_named(self, package: str, specifier: str, capabilities: Sequence[ComputeCapability]) -> bool:
        """Whether a specifier names just one version, which does not take the capabilities whatever torch it belongs to."""
        exact = re.fullmatch(r"==([\w.]+)", specifier)
        return exact is not None and self.refuses(package, exact[1], capabilities) == "no"

    def refuses(self, package: str, version: str, capabilities: Sequence[ComputeCapability]) -> Verdict:
        """Whether a version of a package takes all capabilities: no where one is surely refused, unknown where one may be."""
        refusals = [self.refusal(package, version, capability) for capability in capabilities]
        if any(refusal is not None and refusal.uncertain is None for refusal in refusals):
            return "no"
        return "unknown" if any(refusals) else "yes"

    @cached_property
    def _library_cache(self) -> dict[tuple[str, str], tuple[PackageNeedsCc, ...]]:
        return {}

    def _library_rows(self, package: str, version: str) -> tuple[PackageNeedsCc, ...]:
        key = (package, version)
        found = self._library_cache.get(key)
        if found is None:
            from packaging.specifiers import SpecifierSet

            rows = (
                claim
                for claim in self.catalogue.claims(PackageNeedsCc)
                if claim.subject == package
                and claim.standing != "deprecated"
                and SpecifierSet(claim.versions).contains(version)
            )
            found = self._library_cache[key] = tuple(sorted(rows, key=_in_doubt))
        return found

    @cached_property
    def toolkit_targets(self) -> dict[str, ToolkitTargetsCc]:
        """What each toolkit minor makes code for."""
        return _grouped(self.catalogue.claims(ToolkitTargetsCc), lambda claim: claim.subject)

    def makes(self, toolkit: ToolkitTargetsCc, capability: ComputeCapability) -> str:
        """What the compiler of a toolkit makes for a capability: `own` code, other code or PTX that runs there, or `none`."""
        if any(target.capability == capability for target in toolkit.sass):
            return "own"
        family = (target for target in toolkit.sass if rules.sass(target, capability))
        ptx = (target for target in toolkit.ptx or toolkit.sass if rules.ptx(target, capability))
        return "other" if any(family) or any(ptx) else "none"

    @cached_property
    def toolkit_capabilities(self) -> dict[str, frozenset[ComputeCapability]]:
        """The capabilities each toolkit minor surely makes machine code for."""
        return {
            minor: frozenset(target.capability for target in claim.sass)
            for minor, claim in self.toolkit_targets.items()
            if not claim.uncertain
        }

    @cached_property
    def companions(self) -> dict[tuple[str, str], TorchPairsWith]:
        """The companion of each package by (torch release, package)."""
        return _grouped(self.catalogue.claims(TorchPairsWith), lambda claim: (claim.subject, claim.package))

    def pick(self, bits: int) -> Build:
        """The most preferred build among `bits`, of which there must be one."""
        return self.builds[bits.bit_length() - 1]

    def picks(self, bits: int, limit: int) -> Sequence[Build]:
        """The most preferred builds among `bits`, best first."""
        chosen: list[Build] = []
        while bits and len(chosen) < limit:
            build = self.pick(bits)
            chosen.append(build)
            bits ^= build.bit
        return chosen


def _number(branch: str | None) -> int | None:
    return None if branch is None else int(branch.removeprefix("R"))


def _in_doubt(claim: Claim) -> bool:
    """For ordering: sure claims first."""
    return claim.uncertain is not None


def _rebuild(wheel: Wheel) -> tuple[int, str]:
    """The place of a build tag among its siblings: by its leading digits as a number, then by the rest (PEP 427)."""
    text = wheel.build or ""
    rest = text.lstrip("0123456789")
    return int(text[: len(text) - len(rest)] or 0), rest


def _preference(build: Build) -> tuple[TorchVersion, bool, CudaVersion, str]:
    """Newest torch, then the release's default variant, then the newest CUDA; the id breaks ties."""
    return (build.wheel.torch, build.default, build.cuda, build.wheel.id)
