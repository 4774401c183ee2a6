"""A stack as a pinned Dockerfile: base image, Python, torch, a check at the start, and how to build and run it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from matrices.model import FamilyNeedsDriver
from matrices.versions import CudaVersion, PythonVersion, TorchVersion
from resolver.artifacts.bases import KINDS, Base, Bases, Kind, Wish, Workload
from resolver.artifacts.patterns import checked, shell
from resolver.artifacts.pins import pin
from resolver.errors import InvalidRequest, NoStack
from resolver.index import Build
from resolver.query import Asked, Query

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["WALK", "dockerfile"]

WALK = 10  # how many stacks are tried for one that has a base image
_PLATFORMS = {"x86_64": "linux/amd64", "aarch64": "linux/arm64"}
_COMPILE_FROM = TorchVersion(2, 0, 0)
_OLD_KEY_BEFORE = CudaVersion(11, 7)  # images of older releases may hold the signing key of before 2022-04-28


def dockerfile(engine: Engine, asked: Asked, base: str = "cuda", workload: str = "run") -> str:
    """A Dockerfile for the best stack that has a base image of the wanted kind.

    Raises:
        BadQuestion: when the question cannot be read, or asks for what no container can be.
        NoStack: when no stack surely works, or none that does has such an image.
    """
    kind, work = _kind(base), _workload(workload)
    if kind == "python" and work == "build":
        message = "base `python` holds no CUDA compiler; for workload `build` take base `cuda`"
        raise InvalidRequest(message, field="base", given=base)
    question = engine.reader.read(replace(asked, limit=WALK))
    query = _inside_container(engine, question)
    answer = engine.answer(query)
    if answer["verdict"] != "yes":
        raise NoStack(f"the verdict is {answer['verdict']}: no stack surely works, so none is written down", answer)
    search = _Search(engine, query, question.os.id, work, answer["stacks"])
    found = search.find(kind)
    if found is None:
        raise NoStack(search.nothing(kind), answer)
    return _render(_values(engine, found, search.pairs[0][0]))


def _kind(base: str) -> Kind:
    if base not in KINDS:
        raise InvalidRequest("`base` is one of " + ", ".join(KINDS), field="base", given=base, candidates=KINDS)
    return base


def _workload(workload: str) -> Workload:
    if workload not in ("run", "build"):
        candidates = ("run", "build")
        raise InvalidRequest("`workload` is `run` or `build`", field="workload", given=workload, candidates=candidates)
    return cast(Workload, workload)


def _inside_container(engine: Engine, query: Query) -> Query:
    """The question as it stands inside a container, which brings its own glibc: only whose driver it is remains."""
    if query.os.family == "windows":
        message = "these containers are Linux: name `wsl2` for Docker on Windows, or a Linux"
        raise InvalidRequest(message, field="os", candidates=("wsl2", "linux"))
    plain = engine.reader.systems.get("linux")
    return query if plain is None or query.driver_os == "windows" else replace(query, os=plain)


# --- the stack with a base image ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """A base, what it was wanted for and the stack it is for."""

    wish: Wish
    stack: dict[str, Any]
    base: Base


class _Search:
    """Looks through the stacks of an answer, best first, for one that has a base image."""

    def __init__(
        self, engine: Engine, query: Query, distro: str, workload: Workload, stacks: list[dict[str, Any]]
    ) -> None:
        self.engine = engine
        self.query = query
        self.distro = distro
        self.workload = workload
        self.bases = Bases(engine.catalogue, engine.index, engine.images, engine.judge, engine.stacks)
        builds = engine.solver.ranked(query, engine.solver.outcome(query), query.limit)
        rows = zip(builds, stacks, strict=True)
        self.pairs = [(build, stack) for build, stack in rows if stack["verdict"] == "yes"]

    def find(self, kind: Kind) -> _Found | None:
        """The best stack with a base of a kind."""
        for build, stack in self.pairs:
            wish = Wish(self.query, build, self.workload, self._limit(build, stack), self.distro)
            base = self.bases.find(kind, wish)
            if base is not None:
                return _Found(wish, stack, base)
        return None

    def _limit(self, build: Build, stack: dict[str, Any]) -> CudaVersion | None:
        """The highest CUDA that the stack's driver runs natively, where that is known."""
        choice = self.engine.drivers.choose(self.query, build.cuda, stack["torch"]["kernels"] == "ptx")
        facts = self.engine.index.branches.get(choice.driver.branch) if choice.driver else None
        return facts.native if facts else None

    def nothing(self, kind: Kind) -> str:
        """Why no stack has a base of a kind, and which kinds would do."""
        wants = {
            "cuda": "that fits the driver and whose own Python is one that the wheel has and the question allows",
            "pytorch": "that holds one of the torch builds that fit",
            "ngc": "that surely takes these GPUs, this driver and the versions asked for",
            "python": "of a Python that the wheel has and the question allows",
        }
        others = [f"`{other}`" for other in KINDS if other != kind and self.find(other)]
        way_out = f"; take base {' or '.join(others)}" if others else ""
        return f"no `{kind}` image for workload `{self.workload}` is known {wants[kind]}{way_out}"


# --- what the template is filled with -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Driver:
    """What the host's driver must be: the CUDA it must run, and the range of versions in words."""

    cuda: CudaVersion
    phrase: str


def _values(engine: Engine, found: _Found, best: Build) -> dict[str, Any]:
    """Everything the template names."""
    build, base, stack = found.wish.build, found.base, found.stack
    query, workload = found.wish.query, found.wish.workload
    return {
        "base": base,
        "workload": workload,
        "best": None if best is build else best.label,
        "label": build.label,
        "release": str(build.wheel.torch),
        "gpus": [_title(gpu) for gpu in stack["gpus"]],
        "driver": _driver(engine, found),
        "gate": _gate(engine, base),
        "module": stack["driver"]["kernel_module"],
        "windows": query.driver_os == "windows",
        "ptx": stack["torch"]["kernels"] == "ptx",
        "lean": base.torch is None and workload == "run" and build.wheel.torch >= _COMPILE_FROM,
        "data_version": engine.data_version,
        "packages": _packages(base, workload),
        "old_key": base.cuda is not None and base.cuda.release < _OLD_KEY_BEFORE,
        "tools": _tools(engine, base) if base.torch is None else None,
        "ninja": pin(engine.catalogue, "ninja", base.python or PythonVersion(3, 12)),
        "requirements": _requirements(engine, build, base),
        "companions": [name for name, version in engine.stacks.companions(build).items() if version],
        "index_url": stack["torch"]["index_url"],
        "arch_list": stack["cuda"]["build_toolkit"]["arch_list"],
        "platform": _PLATFORMS[query.machine],
        "tag": _tag(build, base),
        "command": "bash" if workload == "build" else "python3",
    }


def _title(gpu: dict[str, Any]) -> str:
    """A GPU with its capability, which is its whole name where only that was asked for."""
    title = f"compute capability {gpu['compute_capability']}"
    return title if gpu["name"] == title else f"{gpu['name']} ({title})"


def _requirements(engine: Engine, build: Build, base: Base) -> list[str]:
    """What pip installs: torch, unless the base holds it, and what belongs to it."""
    found: list[str] = engine.stacks.requirements(build)
    return found if base.torch is None else found[1:]


def _tools(engine: Engine, base: Base) -> dict[str, str] | None:
    """The packaging tools for the Python of a base, where it is known."""
    if base.python is None:
        return None
    return {name: pin(engine.catalogue, name, base.python) for name in ("pip", "setuptools", "wheel")}


def _packages(base: Base, workload: Workload) -> list[str]:
    """The distribution's packages, pinned by a pattern that every later fix of the same version still matches."""
    if base.kind != "cuda":
        return []
    pythons = [f"{name}={base.python}.*" for name in ("python3", "python3-dev", "python3-venv")]
    return ["build-essential=12.*", *pythons] if workload == "build" else [pythons[0], pythons[2]]


def _tag(build: Build, base: Base) -> str:
    """A name for the image that is built."""
    if base.kind == "ngc":
        return f"whichcuda-ngc:{base.reference.rpartition(':')[2]}"
    return f"whichcuda-torch:{build.wheel.torch}-{build.wheel.variant}"


def _driver(engine: Engine, found: _Found) -> _Driver:
    """What the driver must be: enough for the CUDA inside and for the GPUs, and not past the last that drives them."""
    base, query, stack = found.base, found.wish.query, found.stack
    cuda = base.cuda if base.kind == "ngc" and base.cuda is not None else found.wish.build.cuda
    natively = stack["torch"]["kernels"] == "ptx"
    least = engine.drivers.choose(query, cuda, natively).minimum
    words = f"{least} or newer" if least else "one that drives this hardware"
    last = stack["driver"]["maximum_branch"]
    if last is not None:
        words += f", up to branch {last}, the last for this hardware"
    by_major = isinstance(engine.index.floor(cuda, query.driver_os), FamilyNeedsDriver) and not natively
    return _Driver(CudaVersion(cuda.major, 0) if by_major else cuda.release, words)


def _gate(engine: Engine, base: Base) -> int | None:
    """The first branch that runs the base's CUDA natively, where container runtimes may ask for that."""
    if not base.gated or base.cuda is None:
        return None
    enough = [
        number
        for number, facts in engine.index.branches.items()
        if facts.native is not None and facts.native >= base.cuda.release
    ]
    return min(enough, default=None)


# --- rendering --------------------------------------------------------------------------------------------------


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates", encoding="utf-8"),
        autoescape=False,  # noqa: S701 - a Dockerfile is not HTML; every value passes `checked` or `shell`
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(checked=checked, shell=shell)
    return environment


def _render(values: dict[str, Any]) -> str:
    return _environment().get_template("Dockerfile.j2").render(values)
