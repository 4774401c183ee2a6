"""Packages asked for beside torch: which of their releases go with a build, the GPUs, a driver and a Python.

The solver gets masks over builds; for the few builds that are shown or explained the same judgement comes with its reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from matrices.model import Claim, PackageBuiltWith, PackageEmbeds, PackageOffers
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion, PythonVersion, TorchVersion
from resolver import rules
from resolver.index import Index
from resolver.judge import Judge, Reason, driver_label, numbers, python_range, span
from resolver.parts import NONE, Build, Masks
from resolver.query import PackageWanted, Query, Subject, Wanted
from resolver.releases import Release
from resolver.rules import Driver, Verdict, weaker

__all__ = ["Code", "Packages", "Pick", "Plan"]

MOST_KEPT = 2_000  # a bound on what strangers' questions can make us keep


@dataclass(frozen=True, slots=True)
class Code:
    """Whether a release has code for a capability, as machine code, PTX or made where it runs, and which claim says so."""

    verdict: Verdict
    how: str  # "sass", "ptx", "made" or "none"
    target: ArchTarget | None
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A build of a release that can be installed on a platform; what is None is not known or plays no part."""

    os: str
    machine: str
    platform: PackageOffers | None
    built: PackageBuiltWith | None
    cuda: CudaVersion | None


@dataclass(frozen=True, slots=True)
class Pick:
    """The release chosen for one package, as which build, and everything that was judged about it."""

    wanted: PackageWanted
    release: Release
    offer: Offer
    verdict: Verdict
    reasons: tuple[Reason, ...]
    natively: bool  # its code is PTX, which the driver must compile

    @property
    def compiled(self) -> bool:
        """Whether it is compiled where it is installed."""
        return self.offer.platform is not None and self.offer.platform.form == "source"

    @property
    def options(self) -> tuple[str, ...]:
        """Options that pip needs for it."""
        return self.release.installed_by.options if self.release.installed_by else ()

    @property
    def requirement(self) -> str:
        """What pip is asked for: `jax[cuda12]==0.12.0.1`."""
        how = self.release.installed_by
        form = how.requirement if how else f"{self.release.package}=={{version}}"
        return form.replace("{version}", self.release.version)


@dataclass(frozen=True, slots=True)
class Plan:
    """The picks for all packages of a question with one build; `python` suits all of them."""

    python: PythonVersion | None
    picks: tuple[Pick, ...]
    missing: tuple[PackageWanted, ...] = ()  # none of their known releases will do


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


class Packages:
    """Judgements about packages over one index."""

    def __init__(self, index: Index, judge: Judge) -> None:
        self.index = index
        self.judge = judge
        self._terms: dict[Terms, dict[Key, Masks]] = {}
        self._torch_bits: dict[str, int] = {}
        self._allowed: dict[PackageWanted, list[Release]] = {}
        self._plans: dict[tuple[object, ...], Plan] = {}
        self._codes: dict[tuple[str, str, str, str, CudaVersion | None, ComputeCapability], Code] = {}

    def allowed(self, wanted: PackageWanted) -> list[Release]:
        """The releases that a request allows, newest first; of alternatives that for the newest CUDA."""
        found = self._allowed.get(wanted)
        if found is None:
            if len(self._allowed) > MOST_KEPT:
                self._allowed.clear()
            among = self.index.releases.among(wanted.packages)
            found = self._allowed[wanted] = [each for each in reversed(among) if wanted.allows(each.version)]
        return found

    # --- code for a GPU -----------------------------------------------------------------------------------------

    def code(self, release: Release, offer: Offer, capability: ComputeCapability) -> Code:
        """Whether a build of a release works on a capability (kept)."""
        key = (release.package, release.version, offer.os, offer.machine, offer.cuda, capability)
        found = self._codes.get(key)
        if found is None:
            found = self._codes[key] = self._code(release, offer, capability)
        return found

    def _code(self, release: Release, offer: Offer, capability: ComputeCapability) -> Code:
        refusing = [claim for claim in release.needs_cc if not _within(claim.minimum, claim.maximum, capability)]
        if refusing and not refusing[0].uncertain:
            return Code("no", "none", None, (refusing[0],))
        found = self._held(release, offer, capability)
        if refusing and found.verdict != "no":
            return Code("unknown", found.how, found.target, (refusing[0],))
        return found

    def _held(self, release: Release, offer: Offer, capability: ComputeCapability) -> Code:
        """What the libraries hold; where nobody looked, what a closed range of capabilities says."""
        rows = [row for row in release.embeds if not row.optional and _speaks_of(row, offer)]
        if rows:
            codes = [self._in_library(row, capability, offer.cuda) for row in rows]
            weakest = min(codes, key=lambda code: (_RANK[code.verdict], code.how != "ptx"))
            compiled = any(code.how == "ptx" for code in codes)  # then the driver counts, whichever library is in doubt
            return replace(weakest, how="ptx" if compiled else weakest.how)
        ranges = [claim for claim in release.needs_cc if claim.maximum is not None]
        if ranges:
            return Code("unknown" if ranges[0].uncertain else "yes", "made", None, (ranges[0],))
        return Code("unknown", "none", None, release.needs_cc[:1])

    def _in_library(self, row: PackageEmbeds, capability: ComputeCapability, cuda: CudaVersion | None) -> Code:
        verdict: Verdict = "unknown" if row.uncertain else "yes"
        how, target = self.index.targets.best(row.sass, row.ptx or (), capability, cuda)
        if target is not None:
            return Code(verdict, how, target, (row,))
        looked = row.ptx is not None or not any(rules.ptx(made, capability) for made in row.sass)
        return Code("no" if looked and not row.uncertain else "unknown", "none", None, (row,))

    # --- masks for the solver -----------------------------------------------------------------------------------

    def masks(
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
        for (cuda, ptx, floor), masks in by_key.items():
            verdict = self._runs(driver, os, cuda, ptx, floor)
            if verdict != "no":
                found = found | (masks if verdict == "yes" else Masks(0, masks.maybe))
        return found

    def _runs(
        self, driver: Driver, os: str, cuda: CudaVersion | None, ptx: bool, floor: DriverVersion | None
    ) -> Verdict:
        """Whether a driver runs a build of a package: its CUDA, the PTX in it, and the driver it asks for itself."""
        verdict: Verdict = "yes"
        if cuda is not None:
            runs = self.index.drivers.runs(driver, cuda, os)
            verdict = weaker(runs.verdict, runs.natively if ptx else "yes")
        elif ptx:
            verdict = "unknown"
        return verdict if floor is None else weaker(verdict, rules.at_least(driver, floor)[0])

    def _by_key(self, terms: Terms) -> dict[Key, Masks]:
        found = self._terms.get(terms)
        if found is None:
            if len(self._terms) > MOST_KEPT:
                self._terms.clear()
            found = self._terms[terms] = {}
            releases = self.allowed(terms.wanted)
            if not releases:  # only newer or older ones than any known are allowed
                found[None, False, None] = Masks(0, self.index.all)
            for release in releases:
                if not self._leaves(release, terms.beside):
                    continue
                for key, masks in self._release_masks(release, terms):
                    found[key] = found.get(key, NONE) | masks
        return found

    def _leaves(self, release: Release, beside: Iterable[PackageWanted]) -> bool:
        """Whether a release leaves the other packages a version that is wanted, where it names theirs itself."""
        for claim in release.names:
            for other in beside:
                if claim.package in other.packages:
                    named = replace(other, packages=(claim.package,))
                    if not any(_admits(claim.specifier, each.version) for each in self.allowed(named)):
                        return False
        return True

    def _release_masks(self, release: Release, terms: Terms) -> Iterator[tuple[Key, Masks]]:
        floor = _floor(release, terms.driver_os)
        fits = self._torch_fit(release)
        for os in ("linux", "windows"):
            for offer in self._offers(release, os):
                if not _installs(offer, terms.python, terms.glibc):
                    continue
                bits = self._platform.get((os, offer.machine), 0) & self._cuda_fit(release, offer)
                codes = [self.code(release, offer, capability) for capability in terms.capabilities]
                verdict = _all(code.verdict for code in codes)
                if bits & fits.maybe and verdict != "no":
                    sure = verdict == "yes" and _certain(release, offer)
                    ptx = any(code.how == "ptx" for code in codes)
                    yield (offer.cuda, ptx, floor), Masks(bits & fits.yes if sure else 0, bits & fits.maybe)

    def _offers(self, release: Release, os: str) -> list[Offer]:
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

    @cached_property
    def _platform(self) -> dict[tuple[str, str], int]:
        found: dict[tuple[str, str], int] = {}
        for build in self.index.builds:
            key = (build.wheel.os, build.wheel.machine)
            found[key] = found.get(key, 0) | build.bit
        return found

    def _torch_fit(self, release: Release) -> Masks:
        """Builds of the torch that a release goes with."""
        if not release.bound:
            return Masks(self.index.all, self.index.all)
        if not release.torch:
            return Masks(0, self.index.all)
        found = NONE
        for claim in release.torch:
            bits = self._bits_of_torch(claim.specifier)
            found = found | Masks(0 if claim.uncertain else bits, bits)
        return found

    def _bits_of_torch(self, specifier: str) -> int:
        if specifier not in self._torch_bits:
            fitting = (bits for torch, bits in self.index.by_torch.items() if _contains(specifier, torch))
            self._torch_bits[specifier] = sum(fitting)
        return self._torch_bits[specifier]

    def _cuda_fit(self, release: Release, offer: Offer) -> int:
        if not release.bound or offer.cuda is None or offer.built is None:
            return self.index.all
        return sum(bits for cuda, bits in self.index.by_cuda.items() if _same_cuda(offer.built, offer.cuda, cuda))

    # --- one build, with reasons --------------------------------------------------------------------------------

    def plan(self, query: Query, build: Build, driver: Driver | None, usual: PythonVersion | None) -> Plan:
        """The releases to install beside a build, with the Python they share: the usual one if it will do, else the newest (kept)."""
        key = (query.packages, build.wheel.id, driver, usual, query.subjects, query.os.id, query.python)
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) > MOST_KEPT:
                self._plans.clear()
            found = self._plans[key] = self._best_plan(query, build, driver, usual)
        return found

    def _best_plan(self, query: Query, build: Build, driver: Driver | None, usual: PythonVersion | None) -> Plan:
        pythons = self._pythons(query, build, usual)
        plans = (self._plan(query, build, driver, python) for python in pythons)
        best: Plan | None = None
        for plan in plans:
            if not plan.missing and all(pick.verdict == "yes" for pick in plan.picks):
                return plan
            if best is None or len(plan.missing) < len(best.missing):
                best = plan
        return best or Plan(None, (), query.packages)

    def _pythons(self, query: Query, build: Build, usual: PythonVersion | None) -> list[PythonVersion]:
        there = build.needs.python if build.needs else tuple(self.index.by_python)
        if query.python is not None:
            there = tuple(python for python in there if python in query.python.allowed)
        newest_first = sorted((python for python in there if not python.free_threaded), reverse=True)
        rest = [python for python in sorted(there, reverse=True) if python.free_threaded]
        first = [usual] if usual in there else []
        return list(dict.fromkeys([*first, *newest_first, *rest]))

    def _plan(self, query: Query, build: Build, driver: Driver | None, python: PythonVersion) -> Plan:
        found: dict[str, Pick] = {}
        # first those that name versions of others
        for wanted in sorted(query.packages, key=lambda wanted: not any(r.names for r in self.allowed(wanted))):
            named = [claim for pick in found.values() for claim in pick.release.names]
            specifiers = [claim.specifier for claim in named if claim.package in wanted.packages]
            narrowed = replace(wanted, specifier=",".join(filter(None, [wanted.specifier, *specifiers])))
            pick = self.pick(query, narrowed, build, driver, query.subjects, python)
            if pick is not None:
                found[wanted.text] = pick
        missing = tuple(wanted for wanted in query.packages if wanted.text not in found)
        return Plan(python, tuple(found[wanted.text] for wanted in query.packages if wanted.text in found), missing)

    def pick(
        self,
        query: Query,
        wanted: PackageWanted,
        build: Build | None,
        driver: Driver | None,
        subjects: Sequence[Subject],
        python: PythonVersion | None,
    ) -> Pick | None:
        """The newest release that surely goes with everything given, else the newest that may; what is None is not judged."""
        perhaps: Pick | None = None
        for pick in self.candidates(query, wanted, build, driver, subjects, python):
            if pick.verdict == "yes":
                return pick
            if pick.verdict == "unknown" and perhaps is None:
                perhaps = pick
        return perhaps

    def candidates(
        self,
        query: Query,
        wanted: PackageWanted,
        build: Build | None,
        driver: Driver | None,
        subjects: Sequence[Subject],
        python: PythonVersion | None,
    ) -> Iterator[Pick]:
        """Every build of every allowed release for the platform, newest first, judged."""
        os = build.wheel.os if build else query.os.family
        machine = build.wheel.machine if build else query.machine
        for release in self.allowed(wanted):
            if not self._leaves(release, query.packages):
                continue
            offers = [offer for offer in self._offers(release, os) if offer.machine == machine]
            if not offers:
                absent = self._no_platform(release, query, os, machine)
                yield Pick(wanted, release, Offer(os, machine, None, None, None), "no", (absent,), False)
            for offer in offers:
                reasons = tuple(self._reasons(release, offer, query, build, driver, subjects, python))
                ptx = any(self.code(release, offer, subject.capability).how == "ptx" for subject in subjects)
                yield Pick(wanted, release, offer, _all(reason.verdict for reason in reasons), reasons, ptx)

    def _no_platform(self, release: Release, query: Query, os: str, machine: str) -> Reason:
        values = _values(release, os=query.os.name if os == query.os.family else os, machine=machine)
        without = [row for row in release.offers if row.os == os and machine in row.machines]
        if without:
            return Reason("package-without-gpu", "platform", "no", tuple(without), values)
        has = sorted({f"{row.os} on {machine}" for row in release.offers if row.gpu for machine in row.machines})
        values["has"] = ", ".join(has)
        return Reason("package-platform-not", "platform", "no", release.offers[:1], values)

    def _reasons(
        self,
        release: Release,
        offer: Offer,
        query: Query,
        build: Build | None,
        driver: Driver | None,
        subjects: Sequence[Subject],
        python: PythonVersion | None,
    ) -> Iterator[Reason]:
        yield from self._on_platform(release, offer, query, python)
        if release.bound and build is not None:
            yield self._beside_torch(release, build)
        if release.cuda_counts:
            yield from self._for_cuda(release, offer, build)
        yield from self._under_driver(release, offer, driver, subjects, query.driver_os)
        native = self._native(driver, offer, query.driver_os)
        for subject in subjects:
            yield self._on_gpu(release, offer, subject, native)
            yield from self._lacking(release, offer, subject)
        if release.installed_by is not None and release.installed_by.needs_system_cuda and offer.cuda is not None:
            values = _values(release, cuda=str(offer.cuda))
            claims = (release.installed_by, *([offer.built] if offer.built else []))
            yield Reason("package-system-cuda", "package-pin", "yes", claims, values, condition=True)

    def _lacking(self, release: Release, offer: Offer, subject: Subject) -> Iterator[Reason]:
        """Optional libraries without code for a GPU: what needs them does not work, the rest does."""
        for row in release.embeds:
            if row.optional and _speaks_of(row, offer):
                if self._in_library(row, subject.capability, offer.cuda).verdict == "no":
                    values = _values(release, gpu=subject.name, capability=str(subject.capability), library=row.library)
                    yield Reason("package-lacks", "sass", "yes", (row,), values, condition=True)

    def _on_platform(
        self, release: Release, offer: Offer, query: Query, python: PythonVersion | None
    ) -> Iterator[Reason]:
        platform = offer.platform
        if platform is None:
            yield Reason("package-platform-unknown", "platform", "unknown", (release.released,), _values(release))
            return
        verdict: Verdict = "unknown" if platform.uncertain else "yes"
        if python is not None:
            found = python in platform.python
            values = _values(release, python=str(python), has=python_range(platform.python))
            kind = "package-python" if found else "package-python-not"
            yield Reason(kind, "python", verdict if found else "no", (platform,), values)
        has = self.judge.glibc_of(query) if self.judge.has_own_glibc(query) else None
        if has is not None and platform.glibc is not None and numbers(has) < numbers(platform.glibc):
            values = _values(release, os=query.os.name, has=has, needs=platform.glibc)
            yield Reason("package-glibc-old", "glibc", "no", (platform,), values)
        if platform.form == "source":
            yield Reason("package-compiled", "toolkit-targets", verdict, (platform,), _values(release), condition=True)

    def _beside_torch(self, release: Release, build: Build) -> Reason:
        values = _values(release, torch=str(build.wheel.torch))
        if not release.torch:
            return Reason("package-torch-unknown", "package-pin", "unknown", (release.released,), values)
        fitting = [claim for claim in release.torch if build.bit & self._bits_of_torch(claim.specifier)]
        if not fitting:
            values["needs"] = " or ".join(claim.specifier for claim in release.torch)
            return Reason("package-torch-not", "package-pin", "no", release.torch, values)
        claim = min(fitting, key=lambda claim: claim.uncertain is not None)
        return Reason("package-torch", "package-pin", "unknown" if claim.uncertain else "yes", (claim,), values)

    def _for_cuda(self, release: Release, offer: Offer, build: Build | None) -> Iterator[Reason]:
        if offer.built is None or offer.cuda is None:
            yield Reason("package-cuda-unknown", "same-cuda", "unknown", (release.released,), _values(release))
            return
        values = _values(release, cuda=str(offer.cuda))
        if release.bound and build is not None:
            values |= {"torch": build.label, "has": str(build.cuda.release)}
            if not _same_cuda(offer.built, offer.cuda, build.cuda):
                values["cuda"] = ", ".join(
                    sorted({str(cuda) for row in release.built for cuda in row.cuda}, key=numbers)
                )
                yield Reason("package-cuda-not", "same-cuda", "no", (offer.built, build.built_with), values)
                return
        verdict: Verdict = "unknown" if offer.built.uncertain else "yes"
        yield Reason("package-cuda", "same-cuda", verdict, (offer.built,), values)

    def _some_driver(self, cuda: CudaVersion, capabilities: Sequence[ComputeCapability], os: str) -> bool:
        """Whether there may be a driver branch that drives all capabilities and runs a CUDA."""
        for facts in self.index.drivers.branches.values():
            driver = facts.driver(os)
            if self.index.drivers.runs(driver, cuda, os).verdict != "no" and all(
                self.index.drivers.drives(driver, capability, os)[0] != "no" for capability in capabilities
            ):
                return True
        return False

    def _under_driver(
        self, release: Release, offer: Offer, driver: Driver | None, subjects: Sequence[Subject], os: str
    ) -> Iterator[Reason]:
        if driver is None:
            if offer.cuda is not None and not self._some_driver(
                offer.cuda, [subject.capability for subject in subjects], os
            ):
                values = {"gpu": " and ".join(subject.name for subject in subjects), "cuda": str(offer.cuda)}
                yield Reason("no-driver-for-both", "drives", "no", tuple(filter(None, (offer.built,))), values)
            return
        if offer.cuda is not None:
            yield self.judge.runs(driver, offer.cuda, os)
        for claim in release.drivers:
            if claim.os == os:
                verdict, later = rules.at_least(driver, claim.driver)
                values = _values(release, driver=driver_label(driver), floor=str(claim.driver))
                kind = "package-driver" if verdict == "yes" else "package-driver-old"
                yield Reason(kind, "driver-floor", verdict, (claim,), values, condition=later)

    def _native(self, driver: Driver | None, offer: Offer, os: str) -> Verdict:
        if driver is None:
            return "yes"
        return "unknown" if offer.cuda is None else self.index.drivers.runs(driver, offer.cuda, os).natively

    def _on_gpu(self, release: Release, offer: Offer, subject: Subject, native: Verdict) -> Reason:
        code = self.code(release, offer, subject.capability)
        values = _values(release, gpu=subject.name, capability=str(subject.capability), target=code.target)
        values["cuda"] = "its CUDA" if offer.cuda is None else f"CUDA {offer.cuda}"
        needs = next((claim for claim in release.needs_cc if claim in code.claims), None)
        if needs is not None:
            versions = release.version if needs.versions == ">=0" else needs.versions
            values |= {"versions": versions, "supported": span(needs)}
            kind = {"yes": "package-takes", "no": "package-needs-cc"}.get(code.verdict, "package-code-unknown")
            return Reason(kind, "library", code.verdict, code.claims, values)
        if code.how == "ptx" and native != "yes" and code.verdict == "yes":
            kind = "package-ptx-not-here" if native == "no" else "package-ptx-perhaps"
            return Reason(kind, "ptx", native, code.claims, values)
        if code.target is not None:
            return Reason(f"package-{code.how}", code.how, code.verdict, code.claims, values)
        held = [row for row in code.claims if isinstance(row, PackageEmbeds)]
        values["sass"] = ", ".join(map(str, held[0].sass)) if held else ""
        kind = "package-no-code" if code.verdict == "no" else "package-code-unknown"
        return Reason(kind, "sass", code.verdict, code.claims, values)

    # --- explaining a no ----------------------------------------------------------------------------------------

    def against(self, query: Query, build: Build, conflict: Sequence[str]) -> Iterator[Reason]:
        """Why no release of a package will do beside a build, as far as the constraints of a conflict are concerned."""
        subjects = [subject for subject in query.subjects if f"gpu:{subject.capability}" in conflict]
        driver = query.driver if "driver" in conflict else None
        asked = self._asked_pythons(query) if "python" in conflict else []
        pythons: list[PythonVersion | None] = list(asked) or [None]
        for wanted in query.packages:
            picks = [
                pick for python in pythons for pick in self.candidates(query, wanted, build, driver, subjects, python)
            ]
            if picks and all(pick.verdict == "no" for pick in picks):
                yield from min((_relevant(pick, conflict) for pick in picks), key=len)

    def best_reasons(
        self, query: Query, wanted: PackageWanted, build: Build | None, toolkit: Wanted | None = None
    ) -> tuple[Reason, ...]:
        """Everything judged about the release that a concrete stack means, the one that fits best where several may be it.

        `toolkit` is the CUDA of the system, where the stack names one: what brings no CUDA of its own needs that major there.
        """
        pythons: list[PythonVersion | None] = list(self._asked_pythons(query)) or [None]
        picks = [
            pick
            for python in pythons
            for pick in self.candidates(query, wanted, build, query.driver, query.subjects, python)
        ]
        if not picks:
            return (self.unknown(wanted),)
        judged = [_under_toolkit(pick.reasons, toolkit) for pick in picks]
        return max(judged, key=lambda reasons: (_RANK[_all(each.verdict for each in reasons)], -_refusals(reasons)))

    def _asked_pythons(self, query: Query) -> list[PythonVersion]:
        if query.python is None:
            return []
        return sorted((python for python in self.index.by_python if python in query.python.allowed), reverse=True)

    def unknown(self, wanted: PackageWanted) -> Reason:
        """Of a package none of the known releases will do, a later one may."""
        values = {"given": f"{wanted.name}{wanted.specifier}", "newest": f"{wanted.name} {self._newest(wanted)}"}
        return Reason("newer", "published", "unknown", (), values)

    def _newest(self, wanted: PackageWanted) -> str:
        return self.index.releases.among(wanted.packages)[-1].version

    def possible(self, query: Query, torch: TorchVersion) -> bool:
        """Whether a build of a torch that the data does not name could go with the packages, whatever its CUDA."""
        for wanted in query.packages:
            releases = self.allowed(wanted)
            if releases and not any(self._may_go(release, query, torch) for release in releases):
                return False
        return True

    def _may_go(self, release: Release, query: Query, torch: TorchVersion) -> bool:
        if release.bound and release.torch and not any(_contains(row.specifier, torch) for row in release.torch):
            return False
        offers = [offer for offer in self._offers(release, query.os.family) if offer.machine == query.machine]
        return any(self._may_run(release, offer, query) for offer in offers)

    def _may_run(self, release: Release, offer: Offer, query: Query) -> bool:
        codes = [self.code(release, offer, capability) for capability in query.capabilities]
        if any(code.verdict == "no" for code in codes):
            return False
        if query.driver is None:
            return offer.cuda is None or self._some_driver(offer.cuda, query.capabilities, query.driver_os)
        ptx, floor = any(code.how == "ptx" for code in codes), _floor(release, query.driver_os)
        return self._runs(query.driver, query.driver_os, offer.cuda, ptx, floor) != "no"


_RANK: dict[Verdict, int] = {"no": 0, "unknown": 1, "yes": 2}
_CONCERNS = {"package-pin": "torch", "python": "python", "platform": "os", "glibc": "os", "minor-version": "driver"}
_CONCERNS |= {"driver-floor": "driver", "older-runtime": "driver", "same-cuda": "cuda"}


def _under_toolkit(reasons: tuple[Reason, ...], toolkit: Wanted | None) -> tuple[Reason, ...]:
    """The reasons, with a no where a package uses the CUDA of the system and that is of another major."""
    majors = {cuda.major for cuda in toolkit.allowed if isinstance(cuda, CudaVersion)} if toolkit else set()
    if toolkit is None or not majors:
        return reasons
    return tuple(
        replace(
            reason,
            kind="package-system-cuda-not",
            verdict="no",
            condition=False,
            values={**reason.values, "has": toolkit.plain},
        )
        if reason.kind == "package-system-cuda" and CudaVersion.parse(reason.values["cuda"]).major not in majors
        else reason
        for reason in reasons
    )


def _refusals(reasons: Iterable[Reason]) -> int:
    return sum(reason.verdict == "no" for reason in reasons)


def _relevant(pick: Pick, conflict: Sequence[str]) -> list[Reason]:
    """What speaks against a release and concerns the other constraints of a conflict; all of it where nothing does."""
    refused = _refused(pick)
    names = {name.partition(":")[0] for name in conflict}
    concerned = [reason for reason in refused if _CONCERNS.get(reason.rule, "gpu") in names]
    return concerned or refused


def _refused(pick: Pick) -> list[Reason]:
    return [reason for reason in pick.reasons if reason.verdict == "no"]


def _values(release: Release, **more: Any) -> dict[str, Any]:
    return {"package": release.package, "version": release.version, **more}


def _all(verdicts: Iterable[Verdict]) -> Verdict:
    found: Verdict = "yes"
    for verdict in verdicts:
        found = weaker(found, verdict)
    return found


def _within(minimum: ComputeCapability, maximum: ComputeCapability | None, capability: ComputeCapability) -> bool:
    return minimum <= capability and (maximum is None or capability <= maximum)


def _speaks_of(row: PackageEmbeds, offer: Offer) -> bool:
    """Whether a row is about a build: one that names CUDA releases is about those only."""
    if offer.machine not in row.machines or offer.os not in row.os:
        return False
    return not row.cuda or (offer.cuda is not None and offer.cuda.release in row.cuda)


def _floor(release: Release, os: str) -> DriverVersion | None:
    return max((claim.driver for claim in release.drivers if claim.os == os), default=None)


def _installs(offer: Offer, python: PythonVersion, glibc: str | None) -> bool:
    if offer.platform is None:
        return True
    needs = offer.platform.glibc
    return python in offer.platform.python and (glibc is None or needs is None or numbers(needs) <= numbers(glibc))


def _certain(release: Release, offer: Offer) -> bool:
    """Whether platform and CUDA of a build are known beyond doubt."""
    if offer.platform is None or offer.platform.uncertain or (release.cuda_counts and offer.built is None):
        return False
    return offer.built is None or offer.built.uncertain is None


def _same_cuda(built: PackageBuiltWith, cuda: CudaVersion, torch: CudaVersion) -> bool:
    """Whether the build for `cuda` is the one that is loaded beside a torch of some CUDA: that of the same release, else the next
    lower one of the major, else the next higher one."""
    if built.exact or cuda.release == torch.release:
        return cuda.release == torch.release
    same = [made.release for made in built.cuda if made.major == torch.major]
    lower = [made for made in same if made <= torch.release]
    return bool(same) and cuda.release == (max(lower) if lower else min(same))


def _contains(specifier: str, torch: TorchVersion) -> bool:
    return _admits(specifier, str(torch))


@lru_cache(maxsize=4_096)
def _admits(specifier: str, version: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier).contains(version)
