"""What is asked, normalised: names become products, texts become versions and the sets of versions they allow.

Everything that can be wrong with a question is found here and raised as a `BadQuestion`; the solver sees only types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeVar, cast

from matrices.model import ContainerRuntime, Gpu, Machine, OperatingSystem, Package
from matrices.versions import (
    ComputeCapability,
    CudaVersion,
    DriverVersion,
    InvalidVersion,
    PythonVersion,
    TorchVersion,
)
from resolver.errors import AmbiguousGpu, InvalidRequest, NotNvidia, UnknownGpu, UnknownVersion
from resolver.index import Index
from resolver.names import BareCapability, Names, Products, common_name
from resolver.names import NotNvidia as NotNvidiaName
from resolver.rules import Driver
from resolver.specifiers import admits, allowed, may_be_newer, may_be_older, near

__all__ = [
    "MAX_GPUS",
    "PINNED",
    "Asked",
    "Companion",
    "PackageWanted",
    "Query",
    "Reader",
    "Requested",
    "Subject",
    "Wanted",
]

MAX_GPUS = 64
COMPANIONS = ("torchvision", "torchaudio", "triton")  # released in step with torch
PINNED = ("cudnn", "nccl")  # which a build of torch brings or pins
Prefer = Literal["newest", "conservative"]
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Subject:
    """One GPU of the question: what was written, the products it may be, their one capability."""

    asked: str
    gpus: tuple[Gpu, ...]  # empty where only a capability was named
    capability: ComputeCapability
    certain: bool
    reading: str

    @property
    def tegra(self) -> bool:
        """Whether it is a Tegra chip, which has stacks of its own."""
        return any(gpu.platform == "tegra" for gpu in self.gpus)

    @property
    def name(self) -> str:
        """The product's name, what the names of several have in common, or the capability where only that was said."""
        if not self.gpus:
            return f"compute capability {self.capability}"
        return common_name(self.gpus)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A version or specifier as asked, and the known versions it allows."""

    text: str
    allowed: frozenset[object]
    beyond: bool = False  # it may allow versions newer than any known

    @property
    def plain(self) -> str:
        """What was asked for, as it may stand in a sentence."""
        if len(self.allowed) == 1:
            return str(next(iter(self.allowed)))
        return "".join(letter for letter in self.text if letter.isalnum() or letter in ".,<>=!~* ")[:60]


@dataclass(frozen=True, slots=True)
class Companion:
    """A package released beside torch, with the versions asked for."""

    package: str
    text: str
    specifier: str

    def allows(self, version: str) -> bool:
        """Whether a version is among those asked for."""
        return not self.specifier or admits(self.specifier, version)


@dataclass(frozen=True, slots=True)
class PackageWanted:
    """A package that has releases of its own, with the versions asked for; `packages` are alternatives."""

    name: str
    packages: tuple[str, ...]
    text: str
    specifier: str

    def allows(self, version: str) -> bool:
        """Whether a version is among those asked for."""
        return not self.specifier or admits(self.specifier, version)


@dataclass(frozen=True, slots=True)
class Requested:
    """The packages of a question, sorted out."""

    companions: tuple[Companion, ...] = ()
    packages: tuple[PackageWanted, ...] = ()
    unjudged: tuple[str, ...] = ()
    torch: str | None = None  # what is asked of torch itself


@dataclass(frozen=True)
class Query:
    """A question in the solver's terms. What is None was left open."""

    subjects: tuple[Subject, ...]
    os: OperatingSystem
    machine: Machine
    machine_asked: bool
    driver: Driver | None = None
    driver_text: str = ""
    python: Wanted | None = None
    torch: Wanted | None = None
    cuda: Wanted | None = None
    variant: str | None = None
    companions: tuple[Companion, ...] = ()
    packages: tuple[PackageWanted, ...] = ()
    unjudged: tuple[str, ...] = ()  # packages about which the data says nothing
    prefer: Prefer = "newest"
    limit: int = 5
    container_runtime: str | None = None  # how a container gets its GPUs, by id
    forward: bool = False  # a CUDA too new for the driver counts as run where cuda-compat makes it run

    @cached_property
    def capabilities(self) -> tuple[ComputeCapability, ...]:
        """Each distinct capability once, lowest first: a host must satisfy every one."""
        return tuple(sorted({subject.capability for subject in self.subjects}))

    @property
    def driver_os(self) -> str:
        """Whose driver counts: under WSL2 it is that of Windows."""
        return "windows" if self.os.id == "wsl2" else self.os.family


@dataclass(slots=True)
class Asked:
    """A question as it came in, in plain texts."""

    gpus: Sequence[str]
    os: str = "linux"
    machine: str | None = None
    driver: str | None = None
    python: str | None = None
    torch: str | None = None
    cuda: str | None = None
    packages: Sequence[str] = field(default_factory=tuple)
    prefer: str = "newest"
    limit: int = 5
    container_runtime: str | None = None


def _plain(text: str) -> str:
    return re.sub(r"[\s_]+", "-", text.strip().lower())


class Reader:
    """Reads questions against one index.

    Args:
        index: the compiled claims.
        names: the recogniser of GPU names over the same claims.
    """

    def __init__(self, index: Index, names: Names) -> None:
        self.index = index
        self.names = names
        self._toolkits = tuple(sorted(map(CudaVersion.parse, index.targets.toolkits)))
        self._variants = frozenset(build.wheel.variant for build in index.builds)
        libraries = index.catalogue.entities(Package)
        self._pinned = {name: each for each in PINNED if each in libraries for name in (each, *libraries[each].aliases)}
        self.systems: dict[str, OperatingSystem] = {}
        for system in index.catalogue.entities(OperatingSystem).values():
            for spelling in (system.id, system.name, *system.aliases):
                self.systems.setdefault(_plain(spelling), system)

    def read(self, asked: Asked, *, gpus_needed: bool = True) -> Query:
        """The query for a question; `gpus_needed` False lets it name none.

        Raises:
            BadQuestion: of the kind that fits, naming the field and what may have been meant.
        """
        if not asked.gpus and gpus_needed:
            raise InvalidRequest("name at least one GPU", field="gpu")
        if len(asked.gpus) > MAX_GPUS:
            raise InvalidRequest(f"at most {MAX_GPUS} GPUs at once", field="gpu", given=str(len(asked.gpus)))
        if asked.limit < 1:
            raise InvalidRequest("`limit` is at least 1", field="limit", given=str(asked.limit))
        subjects = tuple(self.subject(text) for text in dict.fromkeys(asked.gpus))
        system = self.system(asked.os)
        machine = self.machine(asked.machine, subjects)
        driver, driver_text = self.driver(asked.driver, system)
        requested = self.packages(asked.packages)
        if requested.torch and asked.torch:
            raise InvalidRequest(
                "torch is asked for twice: in `torch` and in `packages`", field="packages", given=requested.torch
            )
        torch, variant = self.torch(asked.torch or requested.torch)
        return Query(
            subjects=subjects,
            os=system,
            machine=machine,
            machine_asked=asked.machine is not None,
            driver=driver,
            driver_text=driver_text,
            python=self.python(asked.python),
            torch=torch,
            cuda=self.cuda(asked.cuda),
            variant=variant,
            companions=requested.companions,
            packages=requested.packages,
            unjudged=requested.unjudged,
            prefer=self.prefer(asked.prefer),
            limit=asked.limit,
            container_runtime=self.container_runtime(asked.container_runtime),
        )

    # --- GPU ----------------------------------------------------------------------------------------------------

    def subject(self, text: str) -> Subject:
        """The product or products that a name means, if they share one capability."""
        found = self.names.recognise(text)
        if isinstance(found, BareCapability):
            if str(found.compute_capability) not in self.index.hardware.capabilities:
                known = ", ".join(self.index.hardware.capabilities)
                raise UnknownGpu(
                    f"no GPU has compute capability {found.compute_capability}; known: {known}", field="gpu", given=text
                )
            return Subject(text, (), found.compute_capability, True, f"compute capability {found.compute_capability}")
        if isinstance(found, NotNvidiaName):
            raise NotNvidia(
                f"`{found.reading}` is not an NVIDIA GPU; CUDA runs on NVIDIA GPUs only", field="gpu", given=text
            )
        if not isinstance(found, Products):
            names = [gpu.name for gpu in found.candidates]
            hint = f"; did you mean {', '.join(names)}?" if names else "; give the model name, such as `RTX 4090`"
            raise UnknownGpu(f"no GPU is known by that name{hint}", field="gpu", given=text, candidates=names)
        kinds = {(self._capability(gpu), gpu.platform) for gpu in found.gpus}
        if len(kinds) > 1:
            labels = [f"{gpu.name} ({self._capability(gpu)})" for gpu in found.gpus]
            raise AmbiguousGpu(
                "that name covers GPUs that differ in what they can run; which one is it: " + ", ".join(labels) + "?",
                field="gpu",
                given=text,
                candidates=[gpu.name for gpu in found.gpus],
            )
        capability = self._capability(found.gpus[0])
        return Subject(text, found.gpus, capability, found.certain, found.reading)

    def _capability(self, gpu: Gpu) -> ComputeCapability:
        return self.index.hardware.gpu_capability[gpu.id].compute_capability

    # --- operating system and machine ---------------------------------------------------------------------------

    def system(self, text: str) -> OperatingSystem:
        """The operating system that a text names."""
        found = self.systems.get(_plain(text))
        if found is None:
            if _plain(text).startswith(("mac", "darwin", "osx")):
                raise InvalidRequest("CUDA has no macOS builds", field="os", given=text)
            ids = sorted({system.id for system in self.systems.values()})
            raise InvalidRequest(
                "operating system not known; one of " + ", ".join(ids), field="os", given=text, candidates=ids
            )
        return found

    def machine(self, text: str | None, subjects: Iterable[Subject]) -> Machine:
        """The machine asked for, or the one that the GPUs are built into."""
        spellings = {
            "x86_64": "x86_64",
            "amd64": "x86_64",
            "x64": "x86_64",
            "aarch64": "aarch64",
            "arm64": "aarch64",
            "sbsa": "aarch64",
        }
        if text is not None:
            known = spellings.get(_plain(text).replace("x86-64", "x86_64"))
            if known is None:
                raise InvalidRequest(
                    "machine is `x86_64` or `aarch64`", field="machine", given=text, candidates=["x86_64", "aarch64"]
                )
            return cast(Machine, known)
        bound = [gpu.machines for subject in subjects for gpu in subject.gpus[:1]]
        only_arm = bool(bound) and all(machines == ("aarch64",) for machines in bound)
        return "aarch64" if only_arm else "x86_64"

    def container_runtime(self, text: str | None) -> str | None:
        """The container runtime that a text names, by id."""
        if text is None:
            return None
        known = self.index.catalogue.entities(ContainerRuntime).values()
        for runtime in known:
            if _plain(text) in (runtime.id, *map(_plain, runtime.aliases)):
                return runtime.id
        ids = [runtime.id for runtime in known]
        raise InvalidRequest(
            "`container_runtime` is one of " + ", ".join(ids), field="container_runtime", given=text, candidates=ids
        )

    # --- versions -----------------------------------------------------------------------------------------------

    def driver(self, text: str | None, system: OperatingSystem) -> tuple[Driver | None, str]:
        """The driver installed: a bare branch, or an exact version in the branch it belongs to."""
        if text is None:
            return None, ""
        given = text.strip().removeprefix("R").removeprefix("r").removeprefix("v")
        device_manager = re.fullmatch(r"3\d\.0\.1(\d)\.(\d{2})(\d{2})", given)
        if device_manager:  # 32.0.15.6109 in the Device Manager is 561.09: the last five digits
            given = f"{device_manager[1]}{device_manager[2]}.{device_manager[3]}"
        try:
            version = DriverVersion.parse(given)
        except InvalidVersion:
            hint = " (that looks like a CUDA version; the driver's own is on the left in the head of `nvidia-smi`)"
            shown = hint if re.fullmatch(r"\d{1,2}\.\d{1,2}", given) else ""
            raise UnknownVersion(
                f"a driver is a branch like `570` or a version like `570.124.06`{shown}", field="driver", given=text
            ) from None
        if version.major < 100:
            raise UnknownVersion(
                "that looks like a CUDA version; the driver's own is on the left in the head of `nvidia-smi`",
                field="driver",
                given=text,
            )
        windows = system.id == "wsl2" or system.family == "windows"
        facts = self.index.drivers.branch_of(version)
        if facts is None:
            branches = [f"R{number}" for number in self.index.drivers.branches]
            raise UnknownVersion(
                f"older than any driver known; the oldest is {branches[0]}",
                field="driver",
                given=text,
                candidates=branches[:3],
            )
        beyond = version.major > self.index.drivers.newest_branch
        if version.is_branch:
            if facts.number != version.major and not beyond and not windows:
                near = sorted(self.index.drivers.branches, key=lambda number: abs(number - version.major))[:3]
                raise UnknownVersion(
                    "no such driver branch",
                    field="driver",
                    given=text,
                    candidates=[f"R{number}" for number in sorted(near)],
                )
            if facts.number == version.major and not beyond:
                return facts.driver("windows" if windows else "linux"), given
        if not windows and not beyond and facts.number != version.major:
            raise UnknownVersion(
                f"Linux drivers of that time are {facts.number}.x: `{version}` is a Windows number; say `os`: `windows-11` or `wsl2`",
                field="driver",
                given=text,
                candidates=[f"R{facts.number}"],
            )
        number = version.major if beyond else facts.number
        # a bare number that is no branch known: one of Windows inside a branch, or a later branch
        last = DriverVersion.parse(f"{version.major}.999") if version.is_branch else version
        return Driver(number, version, last), given

    def torch(self, text: str | None) -> tuple[Wanted | None, str | None]:
        """The torch releases that a version or specifier allows, and the variant where a local tag names one."""
        if text is None:
            return None, None
        base, _, variant = text.strip().partition("+")
        wanted = _wanted("torch", base, tuple(self.index.by_torch), TorchVersion.parse, text)
        if variant and not re.fullmatch(r"cu\d{2,3}|cpu", variant):
            raise InvalidRequest("a local tag is like `+cu126`", field="torch", given=text)
        if variant and variant != "cpu":
            self.variant(variant, "torch", text)
        if variant == "cpu":
            raise InvalidRequest(
                "`+cpu` is the build without CUDA: it runs anywhere and uses no GPU", field="torch", given=text
            )
        return wanted, variant or None

    def variant(self, text: str, field: str = "variant", given: str | None = None) -> str:
        """The variant that a text such as `cu126` names; `given` is what the asker wrote, where that was more."""
        number = re.fullmatch(r"cu(\d{2,3})", text)
        if number is None:
            raise InvalidRequest("a variant is like `cu126`", field=field, given=given or text)
        if text not in self._variants:
            near = sorted(self._variants, key=lambda known: abs(int(known[2:]) - int(number[1])))[:5]
            raise UnknownVersion(
                f"no torch was ever built as `+{text}`", field=field, given=given or text, candidates=sorted(near)
            )
        return text

    def python(self, text: str | None) -> Wanted | None:
        """The Python versions that a version or specifier allows; `3.12.4` is read as 3.12."""
        if text is None:
            return None
        given = re.sub(r"^(\s*(?:cp|python)?\s*)(?=\d)", "", text.strip(), flags=re.IGNORECASE)
        given = re.sub(r"^(3)(\d{1,2}t?)$", r"\1.\2", given)  # cp312
        exact = re.fullmatch(r"(3\.\d{1,2})(?:\.\d{1,2})?(t?)", given, re.ASCII)
        if exact:
            version = PythonVersion.parse(exact[1] + exact[2])
            return Wanted(text, frozenset({version}), version > max(self.index.by_python))
        known = tuple(python for python in self.index.by_python if not python.free_threaded)
        return _wanted("python", given, known, PythonVersion.parse, text)

    def cuda(self, text: str | None) -> Wanted | None:
        """The CUDA releases (major.minor) that a version, specifier or tag like `cu126` allows."""
        if text is None:
            return None
        given = text.strip().lower().removeprefix("cuda").strip(" -")
        tag = re.fullmatch(r"cu(\d{2})(\d)", given) or re.fullmatch(r"cu(9|8)(\d)", given)
        given = f"{tag[1]}.{tag[2]}" if tag else given
        if re.match(r"\d{3}", given):
            raise UnknownVersion(
                "that looks like a driver version; CUDA versions are like `12.6`", field="cuda", given=text
            )
        exact = re.fullmatch(r"(\d{1,2}\.\d{1,2})(\.\d{1,3})?", given)
        known = self._toolkits
        return _wanted("cuda", exact[1] if exact else given, known, CudaVersion.parse, text)

    def packages(self, texts: Sequence[str]) -> Requested:
        """Requirements sorted out: companions of torch, packages with releases of their own, those not judged, torch itself."""
        if not texts:
            return Requested()
        from packaging.requirements import InvalidRequirement, Requirement
        from packaging.utils import canonicalize_name

        companions: list[Companion] = []
        packages: list[PackageWanted] = []
        unjudged: list[str] = []
        torch: str | None = None
        for text in texts:
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                raise InvalidRequest(
                    "a package is a requirement such as `torchvision==0.21.0`", field="packages", given=text
                ) from None
            name, specifier = canonicalize_name(requirement.name), str(requirement.specifier)
            known = self.index.releases.named(name, requirement.extras)
            if requirement.url or requirement.marker or (requirement.extras and not known):
                raise InvalidRequest(
                    "a package is a name with versions, without URL or marker, and an extra is one that is known",
                    field="packages",
                    given=text,
                )
            if name == "torch":
                torch = specifier.removeprefix("==") or torch
            elif name in COMPANIONS or name in self._pinned:
                companions.append(Companion(self._pinned.get(name, name), text, specifier))
            elif known:
                packages.append(self._package(PackageWanted(name, known, text, specifier)))
            else:
                unjudged.append(name)
        return Requested(tuple(companions), tuple(packages), tuple(unjudged), torch)

    def _package(self, wanted: PackageWanted) -> PackageWanted:
        """The same, if a release is known that it allows or a later one may be."""
        releases = self.index.releases.among(wanted.packages)
        known = [release.version for release in releases]
        older = releases[0].released.older and may_be_older(wanted.specifier, known[0])
        if not any(map(wanted.allows, known)) and not older and not may_be_newer(wanted.specifier, known[-1]):
            raise UnknownVersion(
                f"no such release of {wanted.name}; the newest known is {known[-1]}",
                field="packages",
                given=wanted.text,
                candidates=[
                    f"{wanted.name}=={version}"
                    for version in dict.fromkeys(near(wanted.specifier.lstrip("=~"), list(dict.fromkeys(known))))
                ],
            )
        return wanted

    @staticmethod
    def prefer(text: str) -> Prefer:
        """The order of preference asked for."""
        if text not in ("newest", "conservative"):
            raise InvalidRequest(
                "`prefer` is `newest` or `conservative`",
                field="prefer",
                given=text,
                candidates=["newest", "conservative"],
            )
        return cast(Prefer, text)


def _wanted(name: str, given: str, known: tuple[V, ...], parse: Callable[[object], V], text: str) -> Wanted:
    """The members of `known` (ascending) that `given` allows: an exact one, a prefix of one, or a specifier."""
    if not given or len(given) > 100:
        raise InvalidRequest(
            f"`{name}` is a version like `{known[-1]}` or a specifier like `>={known[-1]}`", field=name, given=text
        )
    fitting, beyond = allowed(given, tuple(map(str, known)), name, text)
    if not fitting and not beyond:
        closest = near(given, [str(version) for version in known])
        raise UnknownVersion(
            f"no such release of {name}; the newest known is {known[-1]}", field=name, given=text, candidates=closest
        )
    return Wanted(text, frozenset(parse(version) for version in fitting), beyond)
