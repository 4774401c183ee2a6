"""An independent judge: which wheels answer a question, found by walking every wheel and every driver branch.

It shares no code with `resolver`. Claims are read through `matrices` alone and the rules are written down a second time, in the
plainest way: no masks, no preference bits, no shortcuts. Every fact has three values, and what a wheel holds for a capability is the
set of things it may hold, so that "surely", "maybe" and "no" follow from the facts instead of being decided anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any

from packaging.specifiers import SpecifierSet

from matrices import model
from matrices.catalogue import Catalogue
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion
from tests.resolver.package_oracle import PackageOracle, least

__all__ = ["Judged", "Oracle", "Question", "subsets"]

YES, MAYBE, NO = "yes", "maybe", "no"
ENDLESS = (10**6,)
Kinds = tuple[frozenset[str], ...]  # for each capability what a wheel may hold


@dataclass(frozen=True)
class Question:
    """A question in plain values; None leaves a part open."""

    capabilities: tuple[str, ...]
    driver: str | None = None  # "570" is some build of a branch, "570.124.06" one build
    os: str = "linux"  # what the wheel is for
    driver_os: str = "linux"  # whose driver counts
    asked_on: tuple[str, str] = ("linux", "linux")  # both as the asker has them, whatever is left out
    system: str = "linux"  # the id, for what one system asks
    machine: str = "x86_64"
    machine_given: bool = True  # said, or not one that every GPU goes into
    products: tuple[tuple[str, str], ...] = ()  # capability and product, where one was named
    glibc: str | None = None  # of the operating system; None: not known, so never in the way
    pythons: frozenset[str] | None = None
    torches: frozenset[str] | None = None
    cudas: frozenset[str] | None = None
    variant: str | None = None
    companions: tuple[tuple[str, str], ...] = ()  # package and specifier
    packages: tuple[tuple[tuple[str, ...], str], ...] = ()  # alternatives and specifier

    def names(self) -> tuple[str, ...]:
        """The constraints that can be left out, as far as they were asked for."""
        given = {
            "packages": bool(self.companions or self.packages),
            "cuda": self.cudas is not None,
            "torch": self.torches is not None,
            "python": self.pythons is not None,
            "driver": self.driver is not None,
            "machine": self.machine_given,
            "os": self.system != "linux",
        }
        named = [name for name, is_given in given.items() if is_given]
        return (*named, *(f"gpu:{capability}" for capability in self.capabilities))

    def without(self, names: Iterable[str]) -> Question:
        """The question with constraints left out (`*` stands for any platform)."""
        changes: dict[str, Any] = {}
        for name in names:
            match name:
                case "packages":
                    changes |= {"companions": (), "packages": ()}
                case "cuda":
                    changes["cudas"] = None
                case "torch":
                    changes |= {"torches": None, "variant": None}
                case "python":
                    changes["pythons"] = None
                case "driver":
                    changes["driver"] = None
                case "machine":
                    changes["machine"] = "*"
                case "os":
                    changes |= {"os": "*", "system": "*", "glibc": None}
        dropped = {name.removeprefix("gpu:") for name in names if name.startswith("gpu:")}
        changes["capabilities"] = tuple(name for name in self.capabilities if name not in dropped)
        changes["products"] = tuple((name, gpu) for name, gpu in self.products if name not in dropped)
        return replace(self, **changes)


@dataclass(frozen=True)
class Judged:
    """Ids of the wheels that surely answer, of those that may (the sure ones among them), and the best sure one."""

    yes: frozenset[str]
    maybe: frozenset[str]
    best: str | None


@dataclass(frozen=True)
class Drv:
    """A driver as an interval of versions inside one branch."""

    branch: int
    low: tuple[int, ...]
    high: tuple[int, ...]


def subsets(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every subset that is not the whole."""
    return chain.from_iterable(combinations(names, size) for size in range(len(names)))


class Oracle:
    """The judge over one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.branches = sorted(row.number for row in catalogue.entities(model.Branch).values())
        self.family = {row.id: row.family for row in catalogue.entities(model.Capability).values()}
        self.built = self.voices(model.WheelBuiltWith, lambda row: row.subject)
        self.embeds = self.voices(model.WheelEmbeds, lambda row: (row.subject, row.library))
        self.needs = self.voices(model.WheelNeeds, lambda row: row.subject)
        self.pins = self.voices(model.WheelPins, lambda row: row.subject)
        self.targets = self.voices(model.ToolkitTargetsCc, lambda row: row.subject)
        self.windows = self.voices(model.BranchDrivesCc, lambda row: (row.subject, row.os))
        self.majors = self.voices(model.FamilyNeedsDriver, lambda row: (row.subject, row.os))
        self.cuda_of = self.voices(model.DriverRunsCuda, lambda row: int(row.subject[1:]))
        self.released = self.voices(model.BranchReleased, lambda row: (int(row.subject[1:]), row.os))
        self.gpus = catalogue.entities(model.Gpu)
        self.listed = self.voices(model.GpuListedSince, lambda row: (row.subject, row.os))
        self.own_modules = self.voices(model.GpuNeedsModule, lambda row: row.subject)
        self.modules = self.voices(model.CcNeedsModule, lambda row: row.subject)
        self.system_asks = self.voices(model.OsNeedsCc, lambda row: row.subject)
        self.pairs = self.voices(model.TorchPairsWith, lambda row: (row.subject, row.package))
        self.defaults = self.voices(model.TorchDefaultCuda, lambda row: (row.subject, row.machine))
        self.wheels = self.installable()
        self.texts = {wheel.id: self.spelled(wheel) for wheel in self.wheels}
        self.memory: dict[tuple[Any, ...], Any] = {}
        self.packages = PackageOracle(self)

    def voices(self, cls: type[Any], key: Callable[[Any], Any]) -> dict[Any, Any]:
        """Of several voices on one thing: the first preferred, else the first normal, never a deprecated one."""
        found: dict[Any, Any] = {}
        for wanted in ("preferred", "normal"):
            for row in self.catalogue.claims(cls):
                if row.standing == wanted:
                    found.setdefault(key(row), row)
        return found

    def remembered(self, key: tuple[Any, ...], find: Callable[[], Any]) -> Any:
        if key not in self.memory:
            self.memory[key] = find()
        return self.memory[key]

    def installable(self) -> list[model.Wheel]:
        """Wheels with a known CUDA that pip can see; of a rebuilt one only the last rebuild."""
        last: dict[tuple[object, ...], model.Wheel] = {}
        for wheel in self.catalogue.entities(model.Wheel).values():
            if wheel.id in self.built and wheel.channel != "conda":
                key = (wheel.torch, wheel.variant, wheel.os, wheel.machine)
                if key not in last or int(wheel.build or 0) > int(last[key].build or 0):
                    last[key] = wheel
        return list(last.values())

    def spelled(self, wheel: model.Wheel) -> tuple[str, str, frozenset[str]]:
        """Torch, CUDA and Pythons of a wheel as text."""
        needs = self.needs.get(wheel.id)
        pythons = frozenset(map(str, needs.python)) if needs else frozenset()
        return str(wheel.torch), str(self.built[wheel.id].cuda.release), pythons

    # --- drivers ------------------------------------------------------------------------------------------------

    def driver(self, text: str, os: str) -> Drv:
        """What a text says about the driver: one build, or some build of a branch."""
        version = DriverVersion.parse(text)
        if version.is_branch and version.major in self.branches:
            return self.some_build(version.major, os)
        branch = max(number for number in self.branches if number <= version.major)
        newer = version.major if version.major > self.branches[-1] else branch
        if version.is_branch:  # a number of Windows between two branches: any build that begins with it
            return Drv(newer, (version.major,), (version.major, *ENDLESS))
        return Drv(newer, version.key, version.key)

    def some_build(self, number: int, os: str) -> Drv:
        """Some build of a branch: from the first to the latest seen, open where the latest is not known."""
        row = self.released.get((number, os))
        low = row.first.key if row and row.first else (number,)
        known = row is not None and row.latest is not None and not row.uncertain
        return Drv(number, low, row.latest.key if known else ENDLESS)

    def drives(self, driver: Drv, capability: str, os: str) -> str:
        """Rule `drives`. Branch numbers of Linux hold for Windows where that has no row of its own, builds do not."""
        own, linux = self.windows.get((capability, os)), self.windows.get((capability, "linux"))
        row = own if own is not None and own.added else linux or own
        if row is None:
            return MAYBE
        exact = row.added_driver if row.os == os else None
        answer = self.inside(driver, row.added, exact, row.last)
        if answer == YES and driver.branch > self.branches[-1]:
            return MAYBE  # nobody knows what drivers of the future drop
        return MAYBE if row.uncertain else answer

    @staticmethod
    def inside(driver: Drv, added: str | None, exact: DriverVersion | None, last: str | None) -> str:
        if last is not None and driver.branch > int(last[1:]):
            return NO
        if added is None:
            return MAYBE
        first = int(added[1:])
        if driver.branch == first and exact is not None:
            return YES if driver.high >= exact.key else NO
        return YES if driver.branch >= first else NO

    def runs(self, driver: Drv, cuda: CudaVersion, os: str) -> str:
        """Rules `minor-version`, `driver-floor`, `older-runtime`."""
        floors = [self.majors[str(cuda.major), os]] if (str(cuda.major), os) in self.majors else []
        floors += [
            row
            for row in self.catalogue.claims(model.ToolkitNeedsDriver)
            if (row.subject, row.os) == (str(cuda.release), os) and row.standing != "deprecated"
        ]
        if not floors:
            return YES if self.natively(driver, cuda) == YES else MAYBE
        lowest = min(floors, key=lambda row: row.driver.key)
        if lowest.uncertain:
            return MAYBE
        return YES if driver.high >= lowest.driver.key else NO

    def natively(self, driver: Drv, cuda: CudaVersion) -> str:
        """Whether the driver's own CUDA is at least this one; the numbers never fall from branch to branch."""
        known = {number: row.cuda.release for number, row in self.cuda_of.items() if not row.uncertain}
        below = [version for number, version in known.items() if number <= driver.branch]
        above = [version for number, version in known.items() if number >= driver.branch]
        if below and max(below) >= cuda.release:
            return YES
        return NO if above and min(above) < cuda.release else MAYBE

    # --- wheels -------------------------------------------------------------------------------------------------

    def holds(self, wheel: model.Wheel, capability: str) -> frozenset[str]:
        """What a wheel may hold for a capability: machine code, PTX or nothing."""
        found: frozenset[str] = self.remembered(
            ("holds", wheel.id, capability), lambda: self.inside_wheel(wheel, capability)
        )
        return found

    def inside_wheel(self, wheel: model.Wheel, capability: str) -> frozenset[str]:
        found = set(self.code(wheel, ComputeCapability.parse(capability)))
        for sure in self.refusals(wheel, ComputeCapability.parse(capability)):
            found = {"none"} if sure else found | {"none"}
        return frozenset(found)

    def code(self, wheel: model.Wheel, capability: ComputeCapability) -> set[str]:
        row = self.embeds.get((wheel.id, "torch"))
        cuda = self.built[wheel.id].cuda.release
        if row is None:
            return self.makes(cuda, capability)
        said = "none"
        if any(self.sass(target, capability, cuda) for target in row.sass):
            said = "sass"
        elif any(self.ptx(target, capability) for target in row.ptx or ()):
            said = "ptx"
        if row.uncertain:
            return {said} | self.makes(cuda, capability)
        if said == "none" and row.ptx is None:  # nobody looked for PTX, which torch makes only beside machine code
            return {"none", "ptx"} if any(self.ptx(target, capability) for target in row.sass) else {"none"}
        return {said}

    def makes(self, cuda: CudaVersion, capability: ComputeCapability) -> set[str]:
        """What a wheel that nobody looked into may hold: whatever its compiler makes, or nothing."""
        toolkit = self.targets.get(str(cuda))
        if toolkit is None or toolkit.uncertain:
            return {"sass", "ptx", "none"}
        found = {"none"}
        if any(self.covers(target, capability) for target in toolkit.sass):
            found.add("sass")
        if any(self.ptx(target, capability) for target in toolkit.ptx or toolkit.sass):
            found.add("ptx")
        return found

    def covers(self, target: ArchTarget, capability: ComputeCapability) -> bool:
        """Rule `sass` by the numbers."""
        built = target.capability
        if target.suffix == "a":
            return built == capability
        if built.major != capability.major or built.minor > capability.minor:
            return False
        if target.suffix == "f":
            mine = self.family.get(str(capability))
            return mine is not None and self.family.get(str(built)) == mine
        return True

    def sass(self, target: ArchTarget, capability: ComputeCapability, cuda: CudaVersion) -> bool:
        """Rule `sass` with its exceptions."""
        excluded = any(
            row.subject == str(capability)
            and target in row.targets
            and (row.until_cuda is None or cuda < row.until_cuda)
            for row in self.catalogue.claims(model.CodeRunsOn)
        )
        return self.covers(target, capability) and not excluded

    def ptx(self, target: ArchTarget, capability: ComputeCapability) -> bool:
        """Rule `ptx`, the driver being new enough."""
        return self.covers(target, capability) if target.suffix else target.capability <= capability

    def refusals(self, wheel: model.Wheel, capability: ComputeCapability) -> Iterator[bool]:
        """For each library that does not support the capability: whether that is sure."""
        pins = self.pins.get(wheel.id)
        carried = {"torch": str(wheel.torch), "cuda-libraries": str(self.built[wheel.id].cuda.release)}
        carried |= {"cudnn": pins.cudnn} if pins else {}
        for package, version in carried.items():
            if version is not None:
                yield from self.refused(package, version, capability)

    def refused(self, package: str, version: str, capability: ComputeCapability) -> Iterator[bool]:
        """For each claim by which a version does not support the capability: whether it is sure."""
        for row in self.catalogue.claims(model.PackageNeedsCc):
            if (
                row.subject != package
                or row.standing == "deprecated"
                or not SpecifierSet(row.versions).contains(version)
            ):
                continue
            if capability < row.minimum or (row.maximum is not None and capability > row.maximum):
                yield not row.uncertain

    # --- judging ------------------------------------------------------------------------------------------------

    def with_driver(self, cuda: CudaVersion, kinds: Kinds, driver: Drv, capabilities: tuple[str, ...], os: str) -> str:
        """Whether what a wheel may hold for each capability runs with one driver."""
        answers = {self.remembered(("runs", driver, cuda, os), lambda: self.runs(driver, cuda, os))}
        native = self.remembered(("native", driver, cuda), lambda: self.natively(driver, cuda))
        works = {"sass": YES, "ptx": native, "none": NO}
        for name, held in zip(capabilities, kinds, strict=True):
            answers.add(self.remembered(("drives", driver, name, os), lambda name=name: self.drives(driver, name, os)))
            outcomes = {works[kind] for kind in held}
            answers.add(outcomes.pop() if len(outcomes) == 1 else MAYBE)
        return NO if NO in answers else MAYBE if MAYBE in answers else YES

    def driven(
        self, cuda: CudaVersion, kinds: Kinds, question: Question, os: str, wheel: model.Wheel | None = None
    ) -> str:
        """The same with the driver of the question, or with the branch that suits best; with a wheel, the packages beside it too."""
        numbers = [] if question.driver is not None else self.branches
        drivers = [self.some_build(number, os) for number in numbers] or [self.driver(str(question.driver), os)]
        answers = set()
        for driver in drivers:
            answer = self.with_driver(cuda, kinds, driver, question.capabilities, os)
            if wheel is not None and answer != NO:
                answer = least(answer, self.packages.beside(wheel, question, driver, os))
            answers.add(answer)
        return YES if YES in answers else MAYBE if MAYBE in answers else NO

    def welcome(self, question: Question) -> bool:
        """Whether the operating system takes the GPUs and the driver."""
        asks = self.system_asks.get(question.system)
        if asks is None or not question.capabilities:
            return True
        if any(ComputeCapability.parse(name) < asks.minimum for name in question.capabilities):
            return False
        if question.driver is None or asks.branch is None:
            return True
        return self.driver(question.driver, question.asked_on[1]).branch >= int(asks.branch[1:])

    def listed_later(self, question: Question, os: str) -> bool:
        """Whether the driver is older than the first known for a product; the list of the open modules counts for theirs."""
        if question.driver is None:
            return False
        for name, gpu in question.products:
            row = self.listed.get((gpu, os))
            needs = self.own_modules.get(gpu) or self.modules.get(name)
            counts = row is not None and (
                row.bound == "exact" or (needs is not None and set(needs.modules) == {"open"})
            )
            if counts and not row.uncertain:
                if self.driver(question.driver, os).high < row.driver.key:
                    return True
        return False

    def paired(self, wheel: model.Wheel, question: Question) -> str:
        """Whether the companions asked for are those of the wheel's torch."""
        answers = {YES}
        for package, specifier in question.companions:
            fitting, known = self.remembered(
                ("pairs", package, specifier), lambda p=package, s=specifier: self.fitting(p, s)
            )
            if self.texts[wheel.id][0] in fitting:
                answers |= self.triton(wheel, question) if package == "triton" else set()
                continue
            # a version that is known to belong to one release does not belong to another; without a version any may be the one
            foreign = self.texts[wheel.id][0] in known or (fitting and specifier)
            foreign = foreign or self.refused_as(package, specifier, question)
            answers.add(NO if foreign or self.no_triton(package, wheel, question) else MAYBE)
        return NO if NO in answers else MAYBE if MAYBE in answers else YES

    def refused_as(self, package: str, specifier: str, question: Question) -> bool:
        """Whether the one version that is asked for surely does not take a GPU, whatever it goes with."""
        if not specifier.startswith("==") or "," in specifier or "*" in specifier:
            return False
        gpus = [ComputeCapability.parse(name) for name in question.capabilities]
        return any(sure for gpu in gpus for sure in self.refused(package, specifier[2:], gpu))

    def no_triton(self, package: str, wheel: model.Wheel, question: Question) -> bool:
        """Whether no triton that is known at all takes the GPUs."""
        if package != "triton" or wheel.os != "linux":
            return False
        versions = {row.version for (_, name), row in self.pairs.items() if name == "triton"}
        gpus = [ComputeCapability.parse(name) for name in question.capabilities]
        return bool(versions) and all(
            any(sure for gpu in gpus for sure in self.refused("triton", version, gpu)) for version in versions
        )

    def triton(self, wheel: model.Wheel, question: Question) -> set[str]:
        """Triton has wheels for Linux only (elsewhere nobody knows), and does not take every GPU."""
        if wheel.os != "linux":
            return {MAYBE}
        version = self.pairs[self.texts[wheel.id][0], "triton"].version
        refusals = [self.refused("triton", version, ComputeCapability.parse(name)) for name in question.capabilities]
        return {NO if sure else MAYBE for found in refusals for sure in found}

    def fitting(self, package: str, specifier: str) -> tuple[set[str], set[str]]:
        """Releases of torch whose companion is of a wanted version, and those whose companion is known at all."""
        torches = {self.texts[wheel.id][0] for wheel in self.wheels}
        rows = [self.pairs[torch, package] for torch in torches if (torch, package) in self.pairs]
        known = {row.subject: row.version for row in rows if not row.uncertain}
        return {torch for torch, version in known.items() if SpecifierSet(specifier).contains(version)}, set(known)

    def fits(self, wheel: model.Wheel, question: Question) -> bool:
        """Platform, glibc and versions."""
        needs = self.needs.get(wheel.id)
        if question.os not in ("*", wheel.os) or question.machine not in ("*", wheel.machine):
            return False
        if any(wheel.machine not in self.gpus[gpu].machines for _, gpu in question.products):
            return False
        if question.glibc is not None and needs is not None and needs.glibc is not None:
            if [int(part) for part in needs.glibc.split(".")] > [int(part) for part in question.glibc.split(".")]:
                return False
        if question.pythons is not None:
            if needs is not None and not question.pythons & self.texts[wheel.id][2]:
                return False
        if question.torches is not None and self.texts[wheel.id][0] not in question.torches:
            return False
        if question.cudas is not None and self.texts[wheel.id][1] not in question.cudas:
            return False
        return question.variant is None or wheel.variant == question.variant

    def glibc_unknown(self, wheel: model.Wheel, question: Question) -> bool:
        """Whether nobody knows if the C library of a distribution asked for is new enough."""
        needs = self.needs.get(wheel.id)
        distribution = question.os == "linux" and question.system not in ("linux", "wsl2")
        return distribution and question.glibc is None and needs is not None and needs.glibc is not None

    def verdict(self, wheel: model.Wheel, question: Question) -> str:
        """yes, maybe or no for one wheel."""
        if not self.fits(wheel, question):  # the cheap part first
            return NO
        cuda = self.built[wheel.id].cuda
        kinds = tuple(self.holds(wheel, name) for name in question.capabilities)
        # for a driver, wheels of one CUDA that hold the same are the same
        hosts = {question.driver_os}  # whose driver it may be: with the system left open that of the wheel's own
        if question.os == "*":
            hosts = {wheel.os, question.asked_on[1]} if wheel.os == question.asked_on[0] else {wheel.os}
        outcomes = set()
        for os in hosts:
            if question.packages:
                outcome = self.driven(cuda, kinds, question, os, wheel)
            else:
                key = ("driven", cuda, kinds, question.capabilities, question.driver, os)
                outcome = self.remembered(key, lambda os=os: self.driven(cuda, kinds, question, os))
            outcomes.add(MAYBE if outcome == YES and self.listed_later(question, os) else outcome)
        answers = {max(outcomes, key=[NO, MAYBE, YES].index), self.paired(wheel, question)}
        unknown_python = question.pythons is not None and wheel.id not in self.needs
        if self.built[wheel.id].uncertain or unknown_python or self.glibc_unknown(wheel, question):
            answers.add(MAYBE)
        return NO if NO in answers else MAYBE if MAYBE in answers else YES

    def judge(self, question: Question) -> Judged:
        """All wheels at once."""
        welcome = self.welcome(question)
        verdicts = {wheel.id: self.verdict(wheel, question) if welcome else NO for wheel in self.wheels}
        sure = [wheel for wheel in self.wheels if verdicts[wheel.id] == YES]
        best = max(sure, key=lambda wheel: self.worth(wheel, question.capabilities), default=None)
        maybe = frozenset(name for name, answer in verdicts.items() if answer != NO)
        return Judged(frozenset(wheel.id for wheel in sure), maybe, best.id if best else None)

    def worth(self, wheel: model.Wheel, capabilities: tuple[str, ...]) -> tuple[Any, ...]:
        """Machine code for every GPU first, then the newest torch, the default variant, the newest CUDA."""
        machine_code = all(self.holds(wheel, name) == {"sass"} for name in capabilities)
        cuda = self.built[wheel.id].cuda
        default = self.defaults.get((str(wheel.torch), wheel.machine))
        served = wheel.channel == "package-index" or (default is not None and default.cuda.release == cuda.release)
        return (machine_code, wheel.torch.key, served, cuda.key, wheel.id)

    def relaxations(self, question: Question) -> set[tuple[str, ...]]:
        """Every single constraint whose leaving out makes a sure answer; where there is none, every such pair."""
        for size in (1, 2):
            groups = combinations(question.names(), size)
            found = {group for group in groups if self.judge(question.without(group)).yes}
            if found:
                return found
        return set()

    def is_minimal_conflict(self, question: Question, conflict: tuple[str, ...]) -> bool:
        """Whether these constraints together allow nothing, not even maybe, and every proper part of them allows something."""

        def possible(kept: tuple[str, ...]) -> bool:
            left_out = tuple(name for name in question.names() if name not in kept)
            return bool(self.judge(question.without(left_out)).maybe)

        return not possible(conflict) and all(possible(kept) for kept in subsets(conflict))
