"""The claims, compiled for asking: every wheel is one bit, ordered by preference; constraints become masks.

Built once from a catalogue. What depends on a capability, a CUDA or a Python version is computed when first asked for and
kept. All judgements come from `resolver.rules`; this module only fetches their arguments from the claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from matrices.catalogue import Catalogue
from matrices.model import (
    Claim,
    PackageNeedsCc,
    TorchDefaultCuda,
    Wheel,
    WheelBuiltWith,
    WheelEmbeds,
    WheelNeeds,
    WheelPins,
)
from matrices.versions import ComputeCapability, CudaVersion, PythonVersion, TorchVersion
from resolver import rules
from resolver.driverfacts import MOST_DRIVERS, DriverFacts
from resolver.hardware import Hardware
from resolver.libraries import Libraries
from resolver.parts import Build, Kernels, Masks, grouped, in_doubt
from resolver.releases import Releases
from resolver.rules import Driver, Verdict
from resolver.targets import Targets

__all__ = ["Index"]

V = TypeVar("V")


class Index:
    """Everything the solver asks. Construction reads the wheels and drivers; the rest follows on demand."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.hardware = Hardware(catalogue)
        self.targets = Targets(catalogue, self.hardware)
        self.drivers = DriverFacts(catalogue, self.hardware)
        self.libraries = Libraries(catalogue)
        self.builds = self._ordered_builds()
        self.all = (1 << len(self.builds)) - 1
        self._kernel_masks: dict[ComputeCapability, tuple[Masks, Masks]] = {}
        self._fields: dict[str, dict[object, int]] = {}
        self._driver_masks: dict[tuple[Driver, str], tuple[Masks, Masks]] = {}

    @cached_property
    def releases(self) -> Releases:
        """The releases of packages beside torch."""
        return Releases(self.catalogue)

    @cached_property
    def newest_cuda(self) -> CudaVersion:
        """The newest CUDA known, as a toolkit or in a build."""
        return max({*self.by_cuda, *map(CudaVersion.parse, self.targets.toolkits)})

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
            runs = self.drivers.runs(driver, cuda, os)
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
        built = grouped(catalogue.claims(WheelBuiltWith), lambda claim: claim.subject)
        embeds = grouped(catalogue.claims(WheelEmbeds), lambda claim: (claim.subject, claim.library))
        needs = grouped(catalogue.claims(WheelNeeds), lambda claim: claim.subject)
        pins = grouped(catalogue.claims(WheelPins), lambda claim: claim.subject)
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
        return grouped(self.catalogue.claims(TorchDefaultCuda), lambda claim: (claim.subject, claim.machine))

    def _is_default(self, wheel: Wheel, cuda: CudaVersion) -> bool:
        known = self._default_cuda.get((str(wheel.torch), wheel.machine))
        return wheel.channel == "package-index" or (known is not None and known.cuda.release == cuda.release)

    def field_masks(self, name: str, read: Callable[[Build], Iterable[object]]) -> dict[object, int]:
        """Bits by the values that `read` finds in a build, kept under `name`."""
        found = self._fields.get(name)
        if found is None:
            found = self._fields[name] = self._bits(read)
        return found

    def _bits(self, read: Callable[[Build], Iterable[V]]) -> dict[V, int]:
        found: dict[V, int] = {}
        for build in self.builds:
            for value in read(build):
                found[value] = found.get(value, 0) | build.bit
        return found

    @cached_property
    def by_os(self) -> dict[str, int]:
        """Bits by the operating system of the build."""
        return self._bits(lambda build: (build.wheel.os,))

    @cached_property
    def by_machine(self) -> dict[str, int]:
        """Bits by the machine of the build."""
        return self._bits(lambda build: (build.wheel.machine,))

    def on_platform(self, os: str, machine: str) -> int:
        """Bits of the builds for an operating system and a machine."""
        return self.by_os.get(os, 0) & self.by_machine.get(machine, 0)

    @cached_property
    def by_cuda(self) -> dict[CudaVersion, int]:
        """Bits by the CUDA of the build (major.minor)."""
        return self._bits(lambda build: (build.cuda.release,))

    @cached_property
    def by_torch(self) -> dict[TorchVersion, int]:
        """Bits by torch release, oldest first."""
        return self._bits(lambda build: (build.wheel.torch,))

    @cached_property
    def by_python(self) -> dict[PythonVersion, int]:
        """Bits by Python version."""
        return dict(sorted(self._bits(lambda build: build.needs.python if build.needs else ()).items()))

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
        how, target = self.targets.best(embeds.sass, embeds.ptx or (), capability, build.cuda)
        if how == "sass":
            return Kernels("unknown" if embeds.uncertain else "yes", "sass", target, (embeds,))
        if embeds.uncertain:
            return self._unlooked(build, capability, embeds)
        if target is not None:
            return Kernels("yes", "ptx", target, (embeds,))
        if embeds.ptx is None:
            return self._perhaps_ptx(embeds, capability)
        return Kernels("no", "none", None, (embeds,))

    def _perhaps_ptx(self, embeds: WheelEmbeds, capability: ComputeCapability) -> Kernels:
        """Nobody looked for PTX. A torch build makes it only for targets that it makes machine code for as well: `+PTX`
        is said of a target of the list (torch.utils.cpp_extension, TORCH_CUDA_ARCH_LIST)."""
        if any(self.targets.ptx(target, capability) for target in embeds.sass):
            return Kernels("unknown", "ptx", None, (embeds,))
        return Kernels("no", "none", None, (embeds,))

    def _unlooked(self, build: Build, capability: ComputeCapability, claim: Claim) -> Kernels:
        """Nobody knows what is inside; still it cannot hold code that its compiler does not make."""
        toolkit = self.targets.toolkits.get(str(build.cuda.release))
        if toolkit is None or toolkit.uncertain:
            return Kernels("unknown", "none", None, (claim,))
        makes_sass = self.targets.makes_sass(toolkit, capability)
        if not makes_sass and not self.targets.makes_ptx(toolkit, capability):
            return Kernels("no", "none", None, (claim, toolkit))
        return Kernels("unknown", "none" if makes_sass else "ptx", None, (claim,))

    def library(self, build: Build, capability: ComputeCapability) -> PackageNeedsCc | None:
        """The claim by which torch or a library it brings does not support the capability, if there is one."""
        carried = [("torch", str(build.wheel.torch)), ("cuda-libraries", str(build.cuda.release))]
        if build.pins is not None and build.pins.cudnn is not None:
            carried.append(("cudnn", build.pins.cudnn))
        refusals = (self.libraries.refusal(package, version, capability) for package, version in carried)
        return min(filter(None, refusals), key=in_doubt, default=None)

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


def _rebuild(wheel: Wheel) -> tuple[int, str]:
    """The place of a build tag among its siblings: by its leading digits as a number, then by the rest (PEP 427)."""
    text = wheel.build or ""
    rest = text.lstrip("0123456789")
    return int(text[: len(text) - len(rest)] or 0), rest


def _preference(build: Build) -> tuple[TorchVersion, bool, CudaVersion, str]:
    """Newest torch, then the release's default variant, then the newest CUDA; the id breaks ties."""
    return (build.wheel.torch, build.default, build.cuda, build.wheel.id)
