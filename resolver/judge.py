"""One question, one reason: each method judges one pair of parts and names the rule and the claims it used.

The solver's masks are made from the same rules; this module is asked for the few builds that are shown or explained.
A `Reason` holds no sentence: `resolver.words` says it, in the language wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from matrices.model import Claim
from matrices.versions import CudaVersion
from resolver import rules
from resolver.index import Index
from resolver.labels import driver_label, python_range, span
from resolver.parts import BranchFacts, Build
from resolver.query import PINNED, Query, Subject, Wanted
from resolver.rules import Driver, Verdict
from resolver.specifiers import numbers

__all__ = ["Judge", "Reason"]


@dataclass(frozen=True, slots=True)
class Reason:
    """A typed reason: `kind` chooses the words, `values` fill them."""

    kind: str
    rule: str
    verdict: Verdict
    claims: tuple[Claim, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    condition: bool = False  # it holds, under the condition that the words name


class Judge:
    """Judgements over one index."""

    def __init__(self, index: Index) -> None:
        self.index = index

    # --- GPU and driver -----------------------------------------------------------------------------------------

    def capability(self, subject: Subject) -> Reason:
        """What the GPU is."""
        values = {"gpu": subject.name, "capability": str(subject.capability)}
        if not subject.gpus:
            return Reason("capability-asked", "every-gpu", "yes", (), values)
        claim = self.index.hardware.gpu_capability[subject.gpus[0].id]
        verdict: Verdict = "unknown" if claim.uncertain else "yes"
        return Reason("capability", "every-gpu", verdict, (claim,), values)

    def drives(self, driver: Driver, subject: Subject, os: str) -> Reason:
        """Whether the driver drives the GPU."""
        window = self.index.drivers.window(subject.capability, os)
        verdict, later = self.index.drivers.drives(driver, subject.capability, os)
        listing = (
            self.index.drivers.unlisted(driver, subject.gpus[0], os) if subject.gpus and verdict == "yes" else None
        )
        if listing is not None:
            named = {"gpu": subject.name, "driver": driver_label(driver), "listed": str(listing.driver)}
            return Reason("unlisted-yet", "drives", "unknown", (listing,), named)
        values: dict[str, Any] = {
            "gpu": subject.name,
            "driver": driver_label(driver),
            "capability": str(subject.capability),
        }
        claims: tuple[Claim, ...] = ()
        kind = "drives-unknown"
        if window is not None:
            claims = (window.claim,)
            values |= {"added": window.added_driver or window.added, "last": window.last}
            if verdict == "no":
                kind = "dropped" if window.last is not None and driver.branch > window.last else "too-old-for-gpu"
            elif verdict == "yes":
                kind = "drives-from" if later else "drives"
        return Reason(kind, "drives", verdict, claims, values, condition=later)

    def host(self, subject: Subject, machine: str) -> Reason | None:
        """Whether the GPU goes into that kind of machine; nothing to say where only a capability is known."""
        if not subject.gpus or machine in subject.gpus[0].machines:
            return None
        values = {"gpu": subject.name, "machine": machine, "machines": " or ".join(subject.gpus[0].machines)}
        return Reason("machine-not", "platform", "no", (), values)

    def system(self, subject: Subject, query: Query) -> Reason | None:
        """Whether CUDA works for the GPU and driver on that operating system, where the system itself has a say."""
        claim = self.index.hardware.os_needs.get(query.os.id)
        if claim is None:
            return None
        branch = None if claim.branch is None else int(claim.branch.removeprefix("R"))
        values = {"os": query.os.name, "gpu": subject.name, "capability": str(subject.capability)}
        values |= {"minimum": str(claim.minimum), "branch": str(claim.branch)}
        if subject.capability < claim.minimum:
            return Reason("os-needs-newer-gpu", "wsl", "no", (claim,), values)
        if query.driver is not None and branch is not None and query.driver.branch < branch:
            return Reason("os-needs-newer-driver", "wsl", "no", (claim,), values)
        if any(gpu.family in claim.other_by_default for gpu in subject.gpus):
            values["model"] = str(claim.driver_model)
            return Reason("os-takes-model", "wsl", "yes", (claim,), values, condition=True)
        return Reason("os-takes", "wsl", "yes", (claim,), values)

    def module(self, facts: BranchFacts, subject: Subject) -> Reason:
        """Which kernel module flavour the GPU and the branch have in common (Linux)."""
        needed = self.index.hardware.modules(subject.capability, subject.gpus[0] if subject.gpus else None)
        values: dict[str, Any] = {"gpu": subject.name, "branch": facts.number}
        if needed is None or facts.modules is None:
            return Reason(
                "module-unknown", "kernel-module", "unknown", tuple(filter(None, (needed, facts.modules))), values
            )
        flavours = rules.kernel_modules(needed.modules, facts.modules.modules)
        one = f"the {flavours[0]} kernel modules" if flavours else "no kernel module"
        values |= {
            "needed": ", ".join(needed.modules),
            "flavour": "either flavour of the kernel modules" if len(flavours) > 1 else one,
        }
        claims = (needed, facts.modules)
        return Reason(
            "module" if flavours else "module-none", "kernel-module", "yes" if flavours else "no", claims, values
        )

    def one_host(self, query: Query) -> list[Reason]:
        """Why the GPUs cannot share one host: no branch drives them all (no), or on Linux no module flavour (a condition)."""
        apart = self.drives_apart(query.subjects, query.driver_os) if query.driver is None else None
        if apart is not None:
            return [apart]
        if query.driver_os != "linux":
            return []
        needed = [(s, self.index.hardware.modules(s.capability, s.gpus[0] if s.gpus else None)) for s in query.subjects]
        known = [(subject, claim) for subject, claim in needed if claim is not None]
        for (first, one), (second, other) in combinations(known, 2):
            if not set(one.modules) & set(other.modules):
                values = {
                    "first": first.name,
                    "first_module": " or ".join(one.modules),
                    "second": second.name,
                    "second_module": " or ".join(other.modules),
                }
                return [Reason("module-apart", "kernel-module", "yes", (one, other), values, condition=True)]
        return []

    def drives_apart(self, subjects: Sequence[Subject], os: str) -> Reason | None:
        """That no driver branch drives all the GPUs: the one dropped first and the one known last."""
        windows = [(subject, self.index.drivers.window(subject.capability, os)) for subject in subjects]
        ended = [(window.last, s, window) for s, window in windows if window and window.last is not None]
        begun = [(window.added, s, window) for s, window in windows if window and window.added is not None]
        if not ended or not begun:
            return None
        last, first, old = min(ended, key=lambda each: each[0])
        added, second, new = max(begun, key=lambda each: each[0])
        if added <= last:
            return None
        values = {"gpu": first.name, "last": last, "other": second.name, "added": new.added_driver or added}
        return Reason("drives-apart", "drives", "no", (old.claim, new.claim), values)

    # --- CUDA ---------------------------------------------------------------------------------------------------

    def runs(self, driver: Driver, cuda: CudaVersion, os: str) -> Reason:
        """Whether and how the driver runs a CUDA."""
        runs = self.index.drivers.runs(driver, cuda, os)
        facts = self.index.drivers.facts(driver)
        native = facts.native if facts else None
        values: dict[str, Any] = {
            "driver": driver_label(driver),
            "cuda": str(cuda.release),
            "native": None if native is None else str(native),
            "floor": None if runs.floor is None else str(runs.floor),
        }
        if runs.verdict == "no":
            return Reason(
                "driver-too-old", "minor-version" if cuda.major >= 11 else "driver-floor", "no", runs.claims[:1], values
            )
        if runs.verdict == "unknown":
            return Reason("runs-unknown", "older-runtime", "unknown", runs.claims, values)
        kind, rule = ("runs-native", "older-runtime") if runs.runs_as == "native" else ("runs-minor", "minor-version")
        if runs.later_only and runs.runs_as == "native":
            kind = "runs-native-from"
        return Reason(kind, rule, "yes", runs.claims, values, condition=runs.later_only)

    def targets(self, cuda: CudaVersion, subject: Subject) -> Reason:
        """Whether the compiler of a toolkit makes code for the GPU."""
        claim = self.index.targets.toolkits.get(str(cuda.release))
        values = {"gpu": subject.name, "capability": str(subject.capability), "cuda": str(cuda.release)}
        if claim is None:
            return Reason("targets-unknown", "toolkit-targets", "unknown", (), values)
        found = any(target.capability == subject.capability for target in claim.sass)
        verdict: Verdict = "unknown" if claim.uncertain else "yes" if found else "no"
        return Reason("targets" if found else "targets-not", "toolkit-targets", verdict, (claim,), values)

    # --- wheel --------------------------------------------------------------------------------------------------

    def kernels(self, build: Build, subject: Subject, native: Verdict | None) -> Reason:
        """Whether the wheel has code for the GPU; PTX counts only where the driver may compile it (`native`; None: not asked)."""
        kernels = self.index.kernels(build, subject.capability)
        values: dict[str, Any] = {
            "torch": build.label,
            "gpu": subject.name,
            "capability": str(subject.capability),
            "target": kernels.target,
            "sass": ", ".join(map(str, build.embeds.sass)) if build.embeds else "nothing known",
            "cuda": str(build.cuda.release),
        }
        library = self.index.library(build, subject.capability)
        if library is not None and kernels.verdict != "yes":
            values |= {"package": library.subject, "versions": library.versions, "supported": span(library)}
            if library.subject == "torch" or self.index.code(build, subject.capability).verdict != "no":
                return Reason("library", "library", kernels.verdict, kernels.claims, values)
        if kernels.how == "ptx" and native == "no":
            kind = "kernels-none" if kernels.target is None else "kernels-ptx-not-here"
            return Reason(kind, "ptx", "no", kernels.claims, values)
        if kernels.how == "ptx" and native == "unknown" and kernels.target is not None:
            return Reason("kernels-ptx-perhaps", "ptx", "unknown", kernels.claims, values)
        if kernels.target is not None:
            return Reason(f"kernels-{kernels.how}", kernels.how, kernels.verdict, kernels.claims, values)
        kind = "kernels-none" if kernels.verdict == "no" else "kernels-unknown"
        return Reason(kind, "sass", kernels.verdict, kernels.claims, values)

    def partial_libraries(self, build: Build, subject: Subject) -> list[Reason]:
        """Libraries of the wheel that lack code which the main one has."""
        found = []
        for embeds in build.libraries:
            how, _ = self.index.targets.best(embeds.sass, embeds.ptx or (), subject.capability, build.cuda)
            if how == "none":
                values = {
                    "library": embeds.library,
                    "gpu": subject.name,
                    "capability": str(subject.capability),
                    "torch": build.label,
                }
                found.append(Reason("library-lacks-code", "sass", "unknown", (embeds,), values))
        return found

    def published(self, build: Build) -> Reason:
        """Whether the build is known to exist."""
        doubt = build.built_with.uncertain
        values = {"torch": build.label, "doubt": doubt, "os": build.wheel.os, "machine": build.wheel.machine}
        kind = "published-unknown" if doubt else "published"
        return Reason(kind, "published", "unknown" if doubt else "yes", (build.built_with,), values)

    def python(self, build: Build, wanted: Wanted | None) -> Reason | None:
        """Whether the wheel installs on a Python asked for."""
        if wanted is None:
            return None
        if build.needs is None:
            return Reason("python-unknown", "python", "unknown", (), {"torch": build.label})
        matching = [python for python in build.needs.python if python in wanted.allowed]
        values = {
            "torch": build.label,
            "python": wanted.plain,
            "has": python_range(build.needs.python),
        }
        kind = "python" if matching else "python-not"
        return Reason(kind, "python", "yes" if matching else "no", (build.needs,), values)

    def companions(self, build: Build, query: Query) -> list[Reason]:
        """Whether the companions asked for are those of the build's torch."""
        found = []
        for wanted in query.companions:
            claim, has = self._companion(build, wanted.package)
            values = {
                "torch": str(build.wheel.torch),
                "package": wanted.package,
                "wanted": wanted.specifier,
                "has": has,
            }
            if claim is None or claim.uncertain or has is None:
                found.append(Reason("companion-unknown", "published", "unknown", (claim,) if claim else (), values))
                continue
            fits = wanted.allows(has)
            if fits and wanted.package == "triton":
                found += self._triton(build, has, query)
            kind = "companion" if fits else "companion-not"
            found.append(Reason(kind, "published", "yes" if fits else "no", (claim,), values))
        return found

    def _companion(self, build: Build, package: str) -> tuple[Claim | None, str | None]:
        """The claim about the companion of a build, and its version."""
        if package in PINNED:
            has: str | None = getattr(build.pins, package) if build.pins else None
            return build.pins, has
        claim = self.index.libraries.companions.get((str(build.wheel.torch), package))
        return claim, claim.version if claim else None

    def glibc(self, build: Build, query: Query) -> Reason | None:
        """Whether the operating system's glibc is new enough; not judged where either is not known."""
        if not self.has_own_glibc(query) or build.needs is None or build.needs.glibc is None:
            return None
        ships = self.index.hardware.os_ships.get(query.os.id)
        if ships is None or ships.glibc is None:
            unknown = {"torch": build.label, "os": query.os.name, "needs": build.needs.glibc}
            return Reason("glibc-unknown", "glibc", "unknown", (build.needs,), unknown)
        enough = numbers(ships.glibc) >= numbers(build.needs.glibc)
        values = {"torch": build.label, "os": query.os.name, "has": ships.glibc, "needs": build.needs.glibc}
        return Reason(
            "glibc" if enough else "glibc-old", "glibc", "yes" if enough else "no", (build.needs, ships), values
        )

    def _triton(self, build: Build, version: str, query: Query) -> list[Reason]:
        """Triton against the GPUs, and whether it is there at all: its own wheels are for Linux."""
        if build.wheel.os != "linux":
            return [Reason("package-unjudged", "published", "unknown", (), {"package": "triton"})]
        found = []
        for subject in query.subjects:
            refusal = self.index.libraries.refusal("triton", version, subject.capability)
            if refusal is not None:
                values = {"torch": build.label, "gpu": subject.name, "capability": str(subject.capability)}
                values |= {"package": "triton", "versions": refusal.versions, "supported": span(refusal)}
                verdict: Verdict = "unknown" if refusal.uncertain else "no"
                found.append(Reason("library", "library", verdict, (refusal,), values))
        return found

    @staticmethod
    def has_own_glibc(query: Query) -> bool:
        """Whether the system asked for is one whose C library could be known; `linux` and `wsl2` are any distribution."""
        return query.os.family == "linux" and query.os.id != "linux" and query.driver_os == "linux"

    def glibc_of(self, query: Query) -> str | None:
        """The glibc of the operating system asked for, where known."""
        ships = self.index.hardware.os_ships.get(query.os.id)
        return ships.glibc if ships else None
