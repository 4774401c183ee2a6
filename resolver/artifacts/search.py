"""The best stack of an answer that has a base image of the wanted kind: what every file about a container starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from matrices.versions import CudaVersion
from resolver.artifacts.bases import KINDS, Base, Bases, Kind, Wish, Workload
from resolver.artifacts.beside import beside, pythons, with_python
from resolver.errors import InvalidRequest, NoStack
from resolver.packages import Plan
from resolver.parts import Build
from resolver.query import Asked, Query

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["WALK", "Found", "certain", "find"]

WALK = 10  # how many stacks are tried for one that has a base image
WALK_WITH_PACKAGES = 3  # each takes a hundred times as long to judge


@dataclass(frozen=True, slots=True)
class Found:
    """A base, what it was wanted for, the stack it is for, and the best build of all, which may have no such base."""

    wish: Wish
    stack: dict[str, Any]
    base: Base
    best: Build
    beside: Plan


def find(engine: Engine, asked: Asked, kind: Kind, workload: Workload) -> Found:
    """The best stack that has a base image of a kind.

    Raises:
        BadQuestion: when the question cannot be read, or asks for what no container can be.
        NoStack: when no stack surely works, or none that does has such an image.
    """
    if kind == "python" and workload == "build":
        message = "base `python` holds no CUDA compiler; for workload `build` take base `cuda`"
        raise InvalidRequest(message, field="base", given=kind)
    question = engine.reader.read(replace(asked, limit=WALK_WITH_PACKAGES if asked.packages else WALK))
    query = _inside_container(engine, question)
    answer = certain(engine, query)
    search = _Search(engine, query, question.os.id, workload, answer["stacks"])
    found = search.find(kind)
    if found is None:
        raise NoStack(search.nothing(kind), answer)
    return found


def certain(engine: Engine, query: Query) -> dict[str, Any]:
    """The answer to a query, which must be yes.

    Raises:
        NoStack: when it is not.
    """
    answer = engine.answer(query)
    if answer["verdict"] != "yes":
        raise NoStack(f"the verdict is {answer['verdict']}: no stack surely works, so none is written down", answer)
    if answer["stacks"][0]["cuda"]["runs_as"] == "forward":
        message = "it works with NVIDIA's cuda-compat package only, which these files do not install; a newer driver does without"
        raise NoStack(message, answer)
    if "jetpack" in answer["stacks"][0]:
        message = _on_jetson(answer["stacks"][0])
        raise NoStack(message, answer)
    return answer


def _on_jetson(stack: dict[str, Any]) -> str:
    """That there is a stack but no such file for a Jetson, and what stands in its place."""
    images = ", ".join(f"`{image['reference']}`" for image in stack["images"])
    instead = f"; an image of its stack: {images}" if images else ""
    message = "there is a stack, but no such file is made for a Jetson, which has its CUDA from JetPack"
    return f"{message}; install in JetPack {stack['jetpack']['release']} by `{stack['install']['pip']}`{instead}"


def _inside_container(engine: Engine, query: Query) -> Query:
    """The question as it stands inside a container, which brings its own glibc: only whose driver it is remains."""
    if query.os.family == "windows":
        message = "these containers are Linux: name `wsl2` for Docker on Windows, or a Linux"
        raise InvalidRequest(message, field="os", candidates=("wsl2", "linux"))
    plain = engine.reader.systems.get("linux")
    return query if plain is None or query.driver_os == "windows" else replace(query, os=plain)


class _Search:
    """Looks through the stacks of an answer, best first, for one that has a base image."""

    def __init__(
        self, engine: Engine, query: Query, distro: str, workload: Workload, stacks: list[dict[str, Any]]
    ) -> None:
        self.engine = engine
        self.query = query
        self.distro = distro
        self.workload = workload
        self.bases = Bases(engine.index, engine.images, engine.judge, engine.stacks)
        builds = engine.solver.ranked(query, engine.solver.outcome(query), query.limit)
        rows = zip(builds, stacks, strict=True)
        self.compiled = ""  # a package that only a base with a compiler can have
        self.pairs = [(build, stack) for build, stack in rows if stack["verdict"] == "yes"]

    def find(self, kind: Kind) -> Found | None:
        """The best stack with a base of a kind."""
        for build, stack in self.pairs:
            fitting = pythons(self.engine, self.query, build)
            wish = Wish(self.query, build, self.workload, self._limit(build), self.distro, fitting)
            base = self.bases.find(kind, wish)
            if base is not None:
                inside = with_python(self.query, base.python) if fitting and base.python else self.query
                found, _ = beside(self.engine, inside, build)
                if self.workload == "run" and found.compiled:
                    self.compiled = found.compiled[0].release.package
                    continue
                return Found(wish, stack, base, self.pairs[0][0], found)
        return None

    def _limit(self, build: Build) -> CudaVersion | None:
        """The highest CUDA that the stack's driver runs natively, where that is known."""
        choice = self.engine.stacks.choose(self.query, build)
        facts = self.engine.index.drivers.branches.get(choice.driver.branch) if choice.driver else None
        return facts.native if facts else None

    def nothing(self, kind: Kind) -> str:
        """Why no stack has a base of a kind, and which kinds would do."""
        wants = {
            "cuda": "that fits the driver and whose own Python is one that the wheel has and the question allows",
            "pytorch": "that holds one of the torch builds that fit",
            "ngc": "that surely takes these GPUs, this driver and the versions asked for",
            "python": "of a Python that the wheel has and the question allows",
        }
        if self.compiled:
            return f"there is a stack, but `{self.compiled}` is compiled where it is installed: take workload `build`"
        others = [f"`{other}`" for other in KINDS if other != kind and self.find(other)]
        way_out = f"; take base {' or '.join(others)}" if others else ""
        return f"there is a stack, but no `{kind}` image for workload `{self.workload}` is known {wants[kind]}{way_out}"
