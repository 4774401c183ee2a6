"""One build of a release against everything given: its reasons, its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from matrices.model import PackageEmbeds
from matrices.versions import PythonVersion
from resolver import rules
from resolver.index import Index
from resolver.judge import Judge, Reason
from resolver.labels import driver_label, python_range, span
from resolver.packages.code import Codes, speaks_of
from resolver.packages.fit import Fit
from resolver.packages.offers import Offer, offers, same_cuda
from resolver.parts import Build
from resolver.query import PackageWanted, Query, Subject
from resolver.releases import Release
from resolver.rules import Driver, Verdict, weakest
from resolver.specifiers import numbers

__all__ = ["Judging", "Pick"]


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


class Judging:
    """Judgements with reasons over one index."""

    def __init__(self, index: Index, judge: Judge, fit: Fit, codes: Codes) -> None:
        self.index = index
        self.judge = judge
        self.fit = fit
        self.codes = codes

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
        for release in self.fit.allowed(wanted):
            if not self.fit.leaves(release, query.packages):
                continue
            here = [offer for offer in offers(release, os) if offer.machine == machine]
            if not here:
                absent = self._no_platform(release, query, os, machine)
                yield Pick(wanted, release, Offer(os, machine, None, None, None), "no", (absent,), False)
            for offer in here:
                reasons = tuple(self._reasons(release, offer, query, build, driver, subjects, python))
                ptx = any(self.codes.code(release, offer, subject.capability).how == "ptx" for subject in subjects)
                yield Pick(wanted, release, offer, weakest(reason.verdict for reason in reasons), reasons, ptx)

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
            if row.optional and speaks_of(row, offer):
                if self.codes.in_library(row, subject.capability, offer.cuda).verdict == "no":
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
        fitting = [claim for claim in release.torch if build.bit & self.fit.bits_of_torch(claim.specifier)]
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
            if not same_cuda(offer.built, offer.cuda, build.cuda):
                values["cuda"] = ", ".join(
                    sorted({str(cuda) for row in release.built for cuda in row.cuda}, key=numbers)
                )
                yield Reason("package-cuda-not", "same-cuda", "no", (offer.built, build.built_with), values)
                return
        verdict: Verdict = "unknown" if offer.built.uncertain else "yes"
        yield Reason("package-cuda", "same-cuda", verdict, (offer.built,), values)

    def _under_driver(
        self, release: Release, offer: Offer, driver: Driver | None, subjects: Sequence[Subject], os: str
    ) -> Iterator[Reason]:
        if driver is None:
            if offer.cuda is not None and not self.fit.some_driver(
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
        code = self.codes.code(release, offer, subject.capability)
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


def _values(release: Release, **more: Any) -> dict[str, Any]:
    return {"package": release.package, "version": release.version, **more}
