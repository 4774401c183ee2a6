"""The solver against an independent brute-force judge: on small random worlds, and on the real data."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrices import model
from matrices.catalogue import Catalogue
from matrices.versions import CudaVersion, DriverVersion, PythonVersion, TorchVersion
from resolver.conflict import minimal_conflict, relaxations
from resolver.errors import BadQuestion
from resolver.query import Companion, PackageWanted, Query, Wanted
from tests.resolver.factory import LINUX, WINDOWS, WSL, Parts, World, subject
from tests.resolver.oracle import Oracle, Question

CAPABILITIES = ["7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "12.0"]
FAMILIES = {"10.0": "10", "10.3": "10", "12.0": "12"}
BRANCHES = [450, 470, 525, 535, 550, 570, 580, 590]
CUDAS = ["10.2", "11.4", "11.8", "12.2", "12.4", "12.8", "13.0"]
TARGETS = [*CAPABILITIES, "9.0a", "10.0f", "10.3a", "10.3f"]
TORCHES = ["1.13.1", "2.5.0", "2.6.0", "2.6.1", "2.7.0"]
PYTHONS = ["3.9", "3.12", "3.13", "3.13t"]
OSES, MACHINES = ["linux", "linux", "linux", "windows"], ["x86_64", "x86_64", "x86_64", "aarch64"]
OLD = model.OperatingSystem(id="old", name="Old", family="linux")
STRANGE = model.OperatingSystem(id="strange", name="Strange", family="linux")  # nobody knows its C library
ASKED = [
    (("torchvision", "==0.21.0"),),
    (("torchvision", ""), ("torchaudio", ">=2")),
    (("triton", ""),),
    (("triton", ">3"),),
]
VERSIONS = ["1.0", "1.1", "2.0"]
RANGES = [">=0", "<2", ">=1.1", "==1.0", "==2.0"]
PACKAGES = ["alpha", "beta", "gamma"]  # `alpha` and `beta` are alternatives of one name
BESIDE = [
    (("gamma",), ""),
    (("gamma",), ">=1.1"),
    (("gamma",), "==3.0"),  # newer than any known
    (("alpha", "beta"), ""),
    (("alpha", "beta"), "<2"),
    (("alpha",), "==2.0"),
]
SYSTEMS = [LINUX, WINDOWS, WSL, OLD, STRANGE]


def builds(number: int) -> list[str]:
    """Driver versions of a branch, as they may be floors, firsts and latests."""
    return [f"{number}", f"{number}.10", f"{number}.51.06", f"{number}.80.02", f"{number + 2}.39", f"{number}.300"]


class Chance:
    """Choices from a seed and a name, so that leaving one thing out leaves the others as they are."""

    def __init__(self, *seed: object) -> None:
        self.random = random.Random(repr(seed))

    def some(self, values: Sequence[Any]) -> Any:
        """One of the values."""
        return self.random.choice(values)

    def happens(self, share: float) -> bool:
        """True in that share of cases."""
        return self.random.random() < share

    def subset(self, values: Sequence[Any], least: int = 0, most: int = 99) -> list[Any]:
        """Some of the values, in their order."""
        size = self.random.randint(least, min(most, len(values)))
        return sorted(self.random.sample(values, size), key=values.index)

    def interval(self, versions: Sequence[str]) -> tuple[str | None, str | None]:
        """A first and a latest of some driver versions, either of them perhaps not known."""
        first, latest = sorted(self.random.sample(versions, 2), key=DriverVersion.parse)
        return self.some([None, first]), self.some([None, latest, latest])


class Drawn(World):
    """A small catalogue in which things can be missing, doubtful or contradicted: `gaps` is the share of them that are."""

    def __init__(self, seed: int, branches: int, wheels: int) -> None:
        super().__init__()
        self.chance = Chance(seed)
        self.gaps = self.chance.some([0.0, 0.05, 0.3])
        self.branches = self.chance.subset(BRANCHES, branches, branches)
        self.made: dict[str, list[str]] = {}
        for part in (
            self.draw_systems,
            self.draw_capabilities,
            self.draw_drivers,
            self.draw_toolkits,
            self.draw_companions,
            self.draw_packages,
        ):
            self.chance = Chance(seed, part.__name__)
            part()
        for number in range(wheels):
            self.chance = Chance(seed, "wheel", number)
            self.draw_wheel(number)

    def missing(self) -> bool:
        """Whether nobody has written something down."""
        return self.chance.happens(self.gaps)

    def voice(self, relation: str, subject: str, /, **values: Any) -> None:
        """A claim, at times doubtful; at times beside one that does not count."""
        if self.missing():
            self.claim(relation, subject, **values, standing="deprecated", because="it was wrong")
        self.claim(relation, subject, **values, uncertain="somebody said so" if self.missing() else None)

    def draw_systems(self) -> None:
        for system in SYSTEMS:
            self.entity("os", system.id, name=system.name, family=system.family)
        self.claim("os-ships", "old", glibc=self.chance.some(["2.9", "2.17"]))
        if self.chance.happens(0.5):
            # the least branch of a system is no newer than the first that any of its GPUs could need
            self.claim("os-needs-cc", "wsl2", minimum="7.5", branch=self.chance.some([None, f"R{self.branches[0]}"]))

    def draw_capabilities(self) -> None:
        some, named = self.chance.some, [f"R{number}" for number in self.branches]
        for name in CAPABILITIES:
            self.entity("capability", name, architecture="", family=FAMILIES.get(name))
            for os in ("linux", "windows"):
                if not self.missing():
                    added = None if self.missing() else some(named[:2])
                    exact = some([None, *builds(int(added[1:]))]) if added else None
                    last = some([None, None, None, *named])
                    self.voice("branch-drives-cc", name, os=os, added=added, added_driver=exact, last=last)
            modules = some([["open"], ["open", "proprietary"]])
            self.voice("cc-needs-module", name, modules=modules)
            if not self.missing():
                self.draw_product(name)
        for name in self.chance.subset(["8.7", "8.9", "10.3"]):
            targets = self.chance.subset(["8.0", "8.6", "10.0", "10.0f"], least=1)
            self.claim("code-excludes-cc", name, targets=targets, until_cuda=some([None, "12.4"]))

    def draw_product(self, capability: str) -> None:
        some, name = self.chance.some, f"gpu-{capability}"
        self.entity("gpu", name, name=name, marketing_name=name, machines=some([None, None, ["aarch64"]]))
        self.claim("gpu-has-cc", name, compute_capability=capability)
        if self.chance.happens(0.3):
            os, driver = some(["linux", "windows"]), some(builds(some(self.branches)))
            self.voice("gpu-listed-since", name, os=os, driver=driver, bound=some(["exact", "or-earlier"]))
        if self.chance.happens(0.2):
            self.claim("gpu-needs-module", name, modules=some([["open"], ["proprietary"]]))

    def draw_drivers(self) -> None:
        cudas = sorted((self.chance.some(CUDAS) for _ in self.branches), key=float)
        for number, cuda in zip(self.branches, cudas, strict=True):
            self.entity("branch", f"R{number}", number=number)
            if not self.missing():
                self.voice("driver-runs-cuda", f"R{number}", cuda=cuda)
            for os in ("linux", "windows"):
                if not self.missing():
                    first, latest = self.chance.interval(builds(number))
                    self.voice("branch-released", f"R{number}", os=os, first=first, latest=latest)

    def draw_toolkits(self) -> None:
        some, floors = self.chance.some, [build for number in self.branches for build in builds(number)]
        for major in ("11", "12", "13"):
            self.entity("cuda-family", major)
            for os in ("linux", "windows"):
                if not self.missing():
                    self.voice("toolkit-needs-driver", major, os=os, driver=some(floors))
        for minor in CUDAS:
            self.entity("toolkit", minor)
            for release in self.chance.subset([f"{minor}.0", f"{minor}.1"], most=some([0, 0, 1, 2])):
                os = some(["linux", "windows"])
                self.voice("toolkit-needs-driver-natively", minor, release=release, os=os, driver=some(floors))
            if not self.missing():
                sass = self.made[minor] = self.chance.subset(TARGETS, least=4)
                self.voice("toolkit-targets-cc", minor, sass=sass, ptx=some([None, sass]))

    def draw_companions(self) -> None:
        some = self.chance.some
        for package, versions in (
            ("torch", ">=2.6"),
            ("cudnn", ">=9.1"),
            ("cudnn", "<9"),
            ("cuda-libraries", ">=12.2,<13"),
            ("triton", ">=3.1"),
        ):
            if self.chance.happens(0.25):
                least, most = some(["7.5", "8.6"]), some([None, "9.0"])
                self.voice("package-needs-cc", package, versions=versions, minimum=least, maximum=most)
        for torch in TORCHES:
            self.entity("torch", torch)
            if not self.missing():
                self.voice("torch-pairs-with", torch, package="torchvision", version=some(["0.20.0", "0.21.0"]))
                self.voice("torch-pairs-with", torch, package="triton", version=some(["3.0.0", "3.2.0"]))
            if self.chance.happens(0.25):
                self.claim("torch-default-cuda", torch, machine="x86_64", cuda=some(CUDAS))

    def draw_packages(self) -> None:
        """Packages of whose releases anything may be known, missing or in doubt."""
        chance, some = self.chance, self.chance.some
        for package in PACKAGES:
            self.entity("package", package, aliases=["either"] if package != "gamma" else None)
            self.claim("package-released", package, versions=chance.subset(VERSIONS, least=1))
            for _ in range(some([0, 1, 2, 3])):
                pythons = chance.subset(PYTHONS, least=3)
                where = {"os": some(OSES), "machines": some([["x86_64"], ["x86_64", "aarch64"]])}
                what = {"glibc": some([None, "2.17", "2.28"]), "form": some([None, "source"])}
                gpu = False if chance.happens(0.15) else None
                self.voice("package-offers", package, versions=some(RANGES), python=pythons, gpu=gpu, **where, **what)
            for _ in range(some([0, 0, 1, 2])):
                torch = some(["==2.6.0", ">=2.5", "<2.6"])
                self.voice("package-needs-package", package, versions=some(RANGES), package="torch", specifier=torch)
            if chance.happens(0.3):
                other, wanted = some([name for name in PACKAGES if name != package]), some(["==1.0", ">=1.1", "<2"])
                self.voice("package-needs-package", package, versions=some(RANGES), package=other, specifier=wanted)
            for _ in range(some([0, 0, 1, 2])):
                cudas, exact = chance.subset(CUDAS, least=1, most=3), some([None, True])
                machines = some([None, ["x86_64"]])
                self.voice(
                    "package-built-with", package, versions=some(RANGES), cuda=cudas, exact=exact, machines=machines
                )
            for _ in range(some([0, 1, 2])):
                held = {
                    "sass": chance.subset(TARGETS, least=8),
                    "ptx": some([None, [], chance.subset(TARGETS, most=2)]),
                }
                named = {"library": some(["one", "two"]), "cuda": some([None, None, chance.subset(CUDAS, least=1)])}
                optional = some([None, None, True])
                self.voice("package-embeds", package, versions=some(RANGES), optional=optional, **held, **named)
            for _ in range(some([0, 0, 1, 2])):
                least, most = some(["7.0", "8.0"]), some([None, "9.0", "12.0"])
                self.voice("package-needs-cc", package, versions=some(RANGES), minimum=least, maximum=most)
            if chance.happens(0.3):
                driver = some(builds(some(self.branches)))
                self.claim("package-needs-driver", package, versions=some(RANGES), os="linux", driver=driver)

    def draw_wheel(self, number: int) -> None:
        chance, some, torch, cuda = self.chance, self.chance.some, self.chance.some(TORCHES), self.chance.some(CUDAS)
        variant, os, machine = "cu" + cuda.replace(".", ""), some(OSES), some(MACHINES)
        channel = some(["package-index", "pytorch-index", "pytorch-lts", "conda"])
        build = some([None, None, "2", "10"])
        name = f"{torch}-{variant}-{os}-{machine}-{number}"
        self.entity("wheel", name, torch=torch, variant=variant, os=os, machine=machine, channel=channel, build=build)
        if not self.missing():
            self.voice("wheel-built-with", name, cuda=some([cuda, cuda, f"{cuda}.1"]))
        if not self.missing():
            targets = self.made.get(cuda, TARGETS)
            ptx = None if chance.happens(0.2) else chance.subset(targets, most=2)
            self.voice("wheel-embeds", name, sass=chance.subset(targets), ptx=ptx)
        if chance.happens(0.1):
            self.claim("wheel-embeds", name, library="libextra", sass=["7.0"])
        if not self.missing():
            self.claim("wheel-needs", name, python=chance.subset(PYTHONS, least=1), glibc=some([None, "2.17", "2.28"]))
        if chance.happens(0.5):
            self.claim("wheel-pins", name, cudnn=some([None, "8.9.7", "9.1.0.70"]))


def question(parts: Parts, seed: int, number: int) -> tuple[Query, Question]:
    """A question for a world, in the words of the solver and of the oracle."""
    chance = Chance(seed, "question", number)
    some, capabilities = chance.some, chance.subset(CAPABILITIES, 1, chance.some([1, 1, 2, 3]))
    system = some([LINUX, LINUX, LINUX, *SYSTEMS])
    known = list(parts.index.drivers.branches)
    inside = [f"{branch + 2}" for branch in known]
    driver = some(
        [None, *map(str, known), *inside, *(build for branch in known for build in builds(branch)), "612.3", "650"]
    )
    try:
        read, text = parts.reader.versions.driver(driver, system)
    except BadQuestion:  # between two branches, where only Windows has numbers
        driver, read, text = None, None, ""
    wanted = [
        None if chance.happens(0.8) else Wanted("asked", frozenset(map(kind.parse, chance.subset(values, least=1))))
        for kind, values in ((PythonVersion, PYTHONS), (TorchVersion, TORCHES), (CudaVersion, CUDAS))
    ]
    python, torch, cuda = (None if value is None else value for value in wanted)
    asked = some([()] * 12 + ASKED)
    beside = some([()] * 6 + [(one,) for one in BESIDE] + [(BESIDE[0], BESIDE[3]), (BESIDE[1], BESIDE[5])])
    query = Query(
        tuple(
            subject(name, parts.index.hardware.gpus.get(f"gpu-{name}") if chance.happens(0.3) else None)
            for name in capabilities
        ),
        system,
        some(MACHINES),
        chance.happens(0.7),
        read,
        text,
        python,
        torch,
        cuda,
        some([None, None, "cu128"]) if torch else None,
        tuple(Companion(package, package, specifier) for package, specifier in asked),
        tuple(PackageWanted("+".join(names), names, f"{names}{spec}", spec) for names, spec in beside),
    )
    if beside and chance.happens(0.7):  # little else, so that something is left to answer with
        driver = None
        query = replace(
            query,
            subjects=query.subjects[:1],
            os=LINUX,
            machine="x86_64",
            driver=None,
            driver_text="",
            python=None,
            torch=None,
            cuda=None,
            variant=None,
            companions=(),
        )
    return query, restated(query, parts, driver)


def restated(query: Query, parts: Parts, driver: str | None) -> Question:
    """A query read by the reader, in the oracle's plain values; the driver as it was written."""
    ships = {claim.subject: claim.glibc for claim in parts.catalogue.claims(model.OsShips)}
    pythons, torches, cudas = (
        None if wanted is None else frozenset(map(str, wanted.allowed))
        for wanted in (query.python, query.torch, query.cuda)
    )
    products = tuple((str(one.capability), gpu.id) for one in query.subjects for gpu in one.gpus[:1])
    return Question(
        capabilities=tuple(map(str, query.capabilities)),
        driver=driver,
        os=query.os.family,
        driver_os="windows" if query.os.id == "wsl2" else query.os.family,
        asked_on=(query.os.family, "windows" if query.os.id == "wsl2" else query.os.family),
        system=query.os.id,
        machine=query.machine,
        machine_given=query.machine_asked
        or any(query.machine not in gpu.machines for one in query.subjects for gpu in one.gpus[:1]),
        products=products,
        glibc=ships.get(query.os.id),
        pythons=pythons,
        torches=torches,
        cudas=cudas,
        variant=query.variant,
        companions=tuple((wanted.package, wanted.specifier) for wanted in query.companions),
        packages=tuple((wanted.packages, wanted.specifier) for wanted in query.packages),
    )


def assert_same(parts: Parts, oracle: Oracle, query: Query, question: Question) -> str:
    """The solver's answer is the oracle's: sure builds, possible builds and the best one. Gives the verdict."""
    outcome, judged = parts.solver.outcome(query), oracle.judge(question)
    assert parts.ids(outcome.masks.yes) == judged.yes
    assert parts.ids(outcome.masks.maybe) == judged.maybe
    assert outcome.verdict == ("yes" if judged.yes else "unknown" if judged.maybe else "no")
    ranked = parts.solver.ranked(query, outcome, 3)
    if judged.yes:
        assert ranked[0].wheel.id == judged.best
    return outcome.verdict


def assert_explained(parts: Parts, oracle: Oracle, query: Query, question: Question) -> None:
    """The conflict of a no cannot hold and each part of it can; the relaxations are just those that make a sure answer."""
    outcome = parts.solver.outcome(query)
    names = parts.solver.constraints(query)
    assert names == question.names()
    if outcome.verdict == "no" and foreseen(parts, query):
        conflict = minimal_conflict(names, lambda without: bool(parts.solver.outcome(query, without).masks.maybe))
        assert oracle.is_minimal_conflict(question, conflict), conflict
    if outcome.verdict != "yes":
        found = relaxations(names, lambda without: bool(parts.solver.outcome(query, without).masks.yes))
        assert set(found) == oracle.relaxations(question)


def foreseen(parts: Parts, query: Query) -> bool:
    """Whether leaving the driver out can only widen the answer: it is one that a free choice of branches includes."""
    if query.driver is None:
        return True
    facts = parts.index.drivers.branches.get(query.driver.branch)
    if facts is None:
        return False
    if query.driver == facts.driver(query.driver_os):
        return True
    last = query.driver.last
    ends = {facts.driver(os).last for os in ("linux", "windows")}
    return last is not None and all(end is None or last <= end for end in ends)


@settings(max_examples=120, derandomize=True, database=None)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(0, 12))
def test_small_worlds(seed: int, branches: int, wheels: int) -> None:
    catalogue = Drawn(seed, branches, wheels).catalogue()
    parts, oracle = Parts(catalogue), Oracle(catalogue)
    for number in range(6):
        asked = question(parts, seed, number)
        assert_same(parts, oracle, *asked)
        assert_explained(parts, oracle, *asked)


# --- the real data ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(catalogue: Catalogue) -> tuple[Parts, Oracle]:
    return Parts(catalogue), Oracle(catalogue)


def drivers(catalogue: Catalogue) -> list[str]:
    """Branches, every version that some claim turns on, its neighbours below, and numbers of Windows and of the future."""
    turning = {claim.driver for claim in catalogue.claims(model.FamilyNeedsDriver)}
    turning |= {claim.driver for claim in catalogue.claims(model.ToolkitNeedsDriver)}
    turning |= {claim.added_driver for claim in catalogue.claims(model.BranchDrivesCc) if claim.added_driver}
    seen = {build for claim in catalogue.claims(model.BranchReleased) for build in (claim.first, claim.latest) if build}
    below = {".".join([*str(version).split(".")[:-1], "0"]) for version in turning if len(version.parts) > 1}
    branches = [str(branch.number) for branch in catalogue.entities(model.Branch).values()]
    return [*branches, *sorted({*map(str, turning | seen), *below}), "528", "566.36", "581.15", "650.10", "650"]


class RealQuestions:
    """Questions about the real data, the same ones every time."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.chance = Chance("real")
        catalogue = parts.catalogue
        self.capabilities = list(catalogue.entities(model.Capability))
        self.common = [name for name in self.capabilities if name >= "5.0" or name[:2] in ("10", "12")]
        self.systems = list(catalogue.entities(model.OperatingSystem).values())
        self.usual = [system for system in self.systems if system.id in ("linux", "windows-11", "wsl2", "ubuntu-24.04")]
        self.drivers = drivers(catalogue)
        self.labels = [build.label for build in parts.index.builds]
        self.torches = [*map(str, parts.index.by_torch), "2.7", ">=2.6", "<2", ">=2.4,<2.9", "!=2.7.0,>=2", "2.*"]
        self.cudas = [*map(str, parts.index.by_cuda), "cu118", "12", ">=12,<13", ">=13", "12.6.3"]
        self.pythons = [
            "3.7",
            "3.8",
            "3.9",
            "3.10",
            "3.11",
            "3.12",
            "3.12.4",
            "3.13",
            "3.13t",
            "3.14",
            ">=3.9,<3.11",
            "2.7",
        ]
        self.by_capability: dict[str, list[model.Gpu]] = {}
        for gpu, claim in parts.index.hardware.gpu_capability.items():
            self.by_capability.setdefault(str(claim.compute_capability), []).append(parts.index.hardware.gpus[gpu])

    def next(self) -> tuple[Query, Question]:
        """One more question."""
        chance, some, reader = self.chance, self.chance.some, self.parts.reader
        pool = self.common if chance.happens(0.8) else self.capabilities
        capabilities = chance.subset(pool, 1, some([1, 1, 1, 2, 3]))
        system = some(self.usual if chance.happens(0.8) else self.systems)
        text = some(self.drivers) if chance.happens(0.6) else None
        try:
            driver, driver_text = reader.versions.driver(text, system)
        except BadQuestion:
            text, driver, driver_text = None, None, ""
        asked = some([*self.torches, *self.labels]) if chance.happens(0.35) else None
        torch, variant = reader.versions.torch(asked)
        try:
            python = reader.versions.python(some(self.pythons)) if chance.happens(0.3) else None
        except BadQuestion:
            python = None
        query = Query(
            tuple(subject(name, self.product(name)) for name in capabilities),
            system,
            some(MACHINES),
            chance.happens(0.7),
            driver,
            driver_text,
            python,
            torch,
            reader.versions.cuda(some(self.cudas)) if chance.happens(0.2) else None,
            variant,
        )
        return query, restated(query, self.parts, text)

    def product(self, capability: str) -> model.Gpu | None:
        """A product of the capability, or none: the capability alone."""
        return self.chance.some([None, *self.by_capability.get(capability, [])])


def test_real_data(real: tuple[Parts, Oracle]) -> None:
    parts, oracle = real
    questions = RealQuestions(parts)
    verdicts: Counter[str] = Counter()
    for number in range(1_500):
        asked = questions.next()
        verdicts[assert_same(parts, oracle, *asked)] += 1
        if number % 6 == 0:
            assert_explained(parts, oracle, *asked)
    assert min(verdicts.values()) >= 80, verdicts  # the sample says something about every kind of answer
