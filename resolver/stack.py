"""The answer as data: a build, a driver, images and commands, with the reasons for each."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import Any

from matrices.model import FeatureNeedsCc, PackageNeedsPackage
from matrices.versions import ComputeCapability, PythonVersion
from resolver.building import Building
from resolver.cite import Citer
from resolver.driver import DriverChoice, Drivers
from resolver.forward import Forward
from resolver.images import Images
from resolver.index import Index
from resolver.judge import Judge, Reason
from resolver.packages import Packages, Pick, Plan
from resolver.parts import Build
from resolver.query import Query
from resolver.rules import Driver, Verdict, weakest, within
from resolver.specifiers import admits, numbers

__all__ = ["Stacks", "index_url"]

PYTORCH_INDEX = "https://download.pytorch.org/whl"


def index_url(build: Build) -> str | None:
    """The index that serves a build; None where the package index itself does."""
    if build.wheel.channel == "package-index":
        return None
    if build.wheel.channel == "pytorch-lts":
        return f"{PYTORCH_INDEX}/lts/{build.wheel.torch.major}.{build.wheel.torch.minor}/{build.wheel.variant}"
    return f"{PYTORCH_INDEX}/{build.wheel.variant}"


class Stacks:
    """Makes stacks for builds over one index."""

    def __init__(
        self, index: Index, judge: Judge, drivers: Drivers, images: Images, citer: Citer, packages: Packages
    ) -> None:
        self.index = index
        self.judge = judge
        self.drivers = drivers
        self.images = images
        self.citer = citer
        self.packages = packages
        self._features: dict[tuple[object, ...], dict[str, str]] = {}
        self.building = Building(index)
        self.forward = Forward(index)
        self._torches: dict[tuple[str, bool], dict[str, Any]] = {}
        self._pythons: dict[str, str] = {}
        self._installs: dict[tuple[str, str], dict[str, str]] = {}

    def reasons(self, query: Query, build: Build, choice: DriverChoice) -> list[Reason]:
        """Everything that was judged for a build with a driver, in the order GPU, driver, CUDA, wheel."""
        found = [self.judge.capability(subject) for subject in query.subjects]
        native: Verdict | None = None
        if choice.driver is not None:
            found += [self.judge.drives(choice.driver, subject, query.driver_os) for subject in query.subjects]
            found += self._modules(query, choice)
            ways = self.forward.ways(query, build.cuda) if query.forward else []
            native = "yes" if ways else self.index.drivers.runs(choice.driver, build.cuda, query.driver_os).natively
            found += ways or [self.judge.runs(choice.driver, build.cuda, query.driver_os)]
        found.append(self.judge.published(build))
        found += [self.judge.kernels(build, subject, native) for subject in query.subjects]
        found += [
            reason for reason in (self.judge.python(build, query.python), self.judge.glibc(build, query)) if reason
        ]
        found += filter(None, (self.judge.system(subject, query) for subject in query.subjects))
        found += self.judge.companions(build, query)
        if query.packages:
            plan = self.plan(query, build, choice.driver)
            found += [reason for pick in plan.picks for reason in pick.reasons]
            found += [self.packages.refusals.unknown(wanted) for wanted in plan.missing]
        return found

    def plan(self, query: Query, build: Build, driver: Driver | None) -> Plan:
        """The packages of a question beside a build, with a Python that all of them have."""
        usual = PythonVersion.parse(self.python_for(build, query)) if build.needs else None
        return self.packages.plans.plan(query, build, driver, usual)

    def python_beside(self, query: Query, build: Build) -> str:
        """A Python for a build and the packages of a question."""
        plan = self.plan(query, build, self.choose(query, build).driver) if query.packages else None
        return str(plan.python) if plan and plan.python else self.python_for(build)

    def glibc_needed(self, query: Query, build: Build) -> str | None:
        """The C library that a build and the packages beside it need."""
        picks = self.plan(query, build, None).picks if query.packages else ()
        needed = [build.needs.glibc if build.needs else None]
        needed += [pick.offer.platform.glibc for pick in picks if pick.offer.platform]
        return max(filter(None, needed), key=numbers, default=None)

    def choose(self, query: Query, build: Build) -> DriverChoice:
        """The driver for a build and the packages beside it: where it is free, one for the newest releases that some driver runs."""
        natively = self.from_ptx(query, build)
        choice = self.drivers.choose(query, build.cuda, natively)
        if not query.packages:
            return choice
        for driver in (query.driver, choice.driver):
            picks = self.plan(query, build, driver).picks
            newest = max([build.cuda, *(pick.offer.cuda for pick in picks if pick.offer.cuda is not None)])
            found = self.drivers.choose(query, newest, natively or any(pick.natively for pick in picks))
            if found.recommended is not None:
                return found
        return choice

    def _modules(self, query: Query, choice: DriverChoice) -> list[Reason]:
        assert choice.driver is not None  # noqa: S101 - the caller has one
        facts = self.index.drivers.branches.get(choice.driver.branch)
        if facts is None or query.driver_os != "linux":
            return []
        return [self.judge.module(facts, subject) for subject in query.subjects]

    def from_ptx(self, query: Query, build: Build) -> bool:
        """Whether the driver must compile PTX for one of the GPUs, so that it must run the CUDA natively."""
        return any(self.index.kernels(build, cc).how == "ptx" for cc in query.capabilities)

    def judged(self, query: Query, build: Build) -> tuple[DriverChoice, list[Reason], Verdict]:
        """The driver for a build, everything that was judged, and the verdict of the weakest of it."""
        choice = self.choose(query, build)
        reasons = self.reasons(query, build, choice)
        # a flavour not known does not make the stack unknown
        return choice, reasons, weakest(reason.verdict for reason in reasons if reason.rule != "kernel-module")

    def stack(self, query: Query, build: Build) -> dict[str, Any]:
        """The stack for one build, as the contract has it."""
        gpus = [self.gpu(query, number) for number in range(len(query.subjects))]
        natively = self.from_ptx(query, build)
        choice, reasons, verdict = self.judged(query, build)
        plan = self.plan(query, build, choice.driver) if query.packages else None
        return {
            "verdict": verdict,
            "gpus": gpus,
            "driver": self._driver(query, choice),
            "cuda": self._cuda(query, build, choice),
            "torch": self.torch_part(build, natively),
            "images": self.images.for_build(query, build, choice),
            "install": self.install(build, query) if plan is None else self._together(build, plan),
            "packages": {} if plan is None else {pick.wanted.name: self._package(build, pick) for pick in plan.picks},
            "features": self.features(query, build),
            "evidence": self.citer.weakest(reasons),
            "because": [self.citer.because(reason) for reason in reasons],
        }

    def gpu(self, query: Query, number: int) -> dict[str, Any]:
        """One GPU of the question as data."""
        subject = query.subjects[number]
        known = self.index.hardware.capabilities.get(str(subject.capability))
        gpu = subject.gpus[0] if subject.gpus else None
        return {
            "id": gpu.id if gpu else f"cc-{subject.capability}",
            "name": subject.name,
            "compute_capability": str(subject.capability),
            "architecture": (gpu.architecture if gpu else "") or (known.architecture if known else None),
        }

    def _driver(self, query: Query, choice: DriverChoice) -> dict[str, Any]:
        recommended = choice.recommended
        life = recommended.lifecycle if recommended else None
        last = self.drivers.last_branch(query)
        return {
            "installed": query.driver_text or None,
            "minimum": str(choice.minimum) if choice.minimum else None,
            "maximum_branch": str(last) if last is not None else None,
            "recommended_branch": str(recommended.number) if recommended else None,
            "supported_until": str(life.until) if life and life.until else None,
            "kernel_module": choice.flavour,
            "install": self.drivers.install(query, choice),
        }

    def _cuda(self, query: Query, build: Build, choice: DriverChoice) -> dict[str, Any]:
        runs_as = None
        if choice.driver is not None:
            runs = self.index.drivers.runs(choice.driver, build.cuda, query.driver_os)
            runs_as = "forward" if query.forward else runs.runs_as
        return {
            "runtime": str(build.cuda.release),
            "runs_as": runs_as,
            "build_toolkit": self.building.toolkit(query, build.cuda),
        }

    def _targets_all(self, toolkit: str, query: Query) -> bool:
        made = self.index.targets.toolkit_capabilities.get(toolkit, frozenset())
        return made.issuperset(query.capabilities)

    def torch_part(self, build: Build, natively: bool) -> dict[str, Any]:
        """The wheel part of a stack; it depends on nothing else, so it is kept (and not to be changed)."""
        key = (build.wheel.id, natively)
        found = self._torches.get(key)
        if found is None:
            found = self._torches[key] = self._described(build, natively)
        return found

    def _described(self, build: Build, natively: bool) -> dict[str, Any]:
        return {
            "version": str(build.wheel.torch),
            "variant": build.wheel.variant,
            "python": [str(python) for python in build.needs.python] if build.needs else [],
            "glibc": build.needs.glibc if build.needs else None,
            "index_url": index_url(build),
            "companions": self.companions(build),
            "kernels": "ptx" if natively else "sass",
        }

    def companions(self, build: Build) -> dict[str, str | None]:
        """The torchvision and torchaudio that belong to a build, by name; None where none is known."""
        release = str(build.wheel.torch)
        pairs = {name: self.index.libraries.companions.get((release, name)) for name in ("torchvision", "torchaudio")}
        return {name: claim.version if claim else None for name, claim in pairs.items()}

    def install(self, build: Build, query: Query | None = None) -> dict[str, str]:
        """The commands that install a build: pip, uv, and conda as the home of Python with pip inside."""
        python = self.python_for(build, query)
        key = (build.wheel.id, python)
        found = self._installs.get(key)
        if found is None:
            found = self._installs[key] = self._commands(build, python, Plan(None, ()))
        return found

    def _commands(self, build: Build, python: str, beside: Plan) -> dict[str, str]:
        """The commands for a build and for what is loaded into its torch: wheels together with it, what is compiled after it."""
        wheels = beside.wheels
        packages = " ".join(map(quote, dict.fromkeys(beside.requirements(self.requirements(build)))))
        url = index_url(build)
        # only an extra index lets pip find both torch's build and packages of the package index
        option = f" --{'extra-' if wheels else ''}index-url {url}" if url else ""
        options = "".join(f" {option}" for pick in wheels for option in pick.options)
        steps = [f"install {packages}{option}{options}"]
        afterwards = [[quote(pick.requirement), *pick.options] for pick in beside.compiled]
        steps += [f"install {' '.join(words)}" for words in afterwards]
        return {
            "pip": " && ".join(f"pip {step}" for step in steps),
            "uv": " && ".join(f"uv pip {step}" for step in steps),
            "conda": f"conda create -n torch -y {_conda_python(python)} && "
            + " && ".join(f"conda run -n torch pip {step}" for step in steps),
        }

    def _together(self, build: Build, plan: Plan) -> dict[str, str]:
        """The commands that install a build and the packages that are loaded into it."""
        return self._commands(build, str(plan.python or self.python_for(build)), plan)

    def _package(self, build: Build, pick: Pick) -> dict[str, Any]:
        """One package of a stack; one that is not loaded into torch has a command of its own."""
        served = pick.offer.built.index if pick.offer.built else None
        options = "".join(f" {option}" for option in pick.options)
        alone = None if pick.release.bound else f"pip install {quote(pick.requirement)}{options}"
        return {
            "version": pick.release.version,
            "package": pick.release.package,
            "requirement": pick.requirement,
            "cuda": None if pick.offer.cuda is None else str(pick.offer.cuda),
            "compiled": pick.compiled,
            "index_url": served.replace("{variant}", build.wheel.variant) if served else None,
            "install": alone,
            "verdict": pick.verdict,
        }

    def requirements(self, build: Build) -> list[str]:
        """Pinned requirements: torch with its companions."""
        pins = [f"torch=={build.wheel.torch}"]
        pins += [f"{name}=={version}" for name, version in self.companions(build).items() if version]
        return pins + self._held_back(build)

    def _held_back(self, build: Build) -> list[str]:
        """Packages that the companions would bring too new for this torch."""
        brought = {"torch": str(build.wheel.torch), **self.companions(build)}
        return [
            f"{claim.package}{claim.specifier}"
            for claim in self.index.catalogue.claims(PackageNeedsPackage)
            if (version := brought.get(claim.subject)) and admits(claim.versions, version)
        ]

    def python_for(self, build: Build, query: Query | None = None) -> str:
        """A Python for the build: the newest asked for that it has, else one before its newest (packages lag)."""
        if query is not None and query.python is not None and build.needs is not None:
            wanted = sorted(python for python in build.needs.python if python in query.python.allowed)
            if wanted:
                return str(wanted[-1])
        if build.wheel.id not in self._pythons:
            self._pythons[build.wheel.id] = self._usual_python(build)
        return self._pythons[build.wheel.id]

    @staticmethod
    def _usual_python(build: Build) -> str:
        plain = sorted(python for python in (build.needs.python if build.needs else ()) if not python.free_threaded)
        return str(plain[-2] if len(plain) > 2 else plain[-1]) if plain else "3"

    def features(self, query: Query, build: Build) -> dict[str, str]:
        """What every one of the GPUs can do with a build, by feature: native, emulated, absent or unknown."""
        compiled = self._targets_all(str(build.cuda.release), query)
        key = (query.capabilities, build.wheel.torch, build.wheel.os, compiled)
        found = self._features.get(key)
        if found is None:
            found = self._features[key] = {
                claim.subject: _able(claim, query.capabilities, build, compiled=compiled)
                for claim in self.index.catalogue.claims(FeatureNeedsCc)
                if claim.standing != "deprecated" and not claim.uncertain
            }
        return found


def _conda_python(python: str) -> str:
    """A Python as conda knows it: the free-threaded build is a package of its own, which not every channel has.

    >>> _conda_python("3.12"), _conda_python("3.13t")
    ('python=3.12', '--channel conda-forge python-freethreading=3.13')
    """
    if python.endswith("t"):
        return f"--channel conda-forge python-freethreading={python.removesuffix('t')}"
    return f"python={python}"


def _able(claim: FeatureNeedsCc, capabilities: Sequence[ComputeCapability], build: Build, *, compiled: bool) -> str:
    """One feature with a build: what compiles at run time needs a torch that has it and a compiler that knows the GPU."""
    if not all(within(claim.minimum, claim.maximum, capability) for capability in capabilities):
        return claim.below
    if claim.torch is not None and not admits(claim.torch, str(build.wheel.torch)):
        return "absent"
    if (claim.os and build.wheel.os not in claim.os) or (claim.compiles and not compiled):
        return "unknown"
    return "native"
