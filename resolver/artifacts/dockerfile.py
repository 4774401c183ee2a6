"""A stack as a pinned Dockerfile: base image, Python, torch, a check at the start, and how to build and run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matrices.model import ImageOldKey
from matrices.versions import PythonVersion, TorchVersion
from resolver.artifacts.about import about
from resolver.artifacts.bases import Base
from resolver.artifacts.pins import pin
from resolver.artifacts.rendering import render
from resolver.artifacts.search import Found
from resolver.packages import Pick
from resolver.parts import Build

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["container", "dockerfile", "local_tag"]

_PLATFORMS = {"x86_64": "linux/amd64", "aarch64": "linux/arm64"}
_COMPILE_FROM = TorchVersion(2, 0, 0)


def dockerfile(engine: Engine, found: Found) -> str:
    """The Dockerfile for a stack and its base image."""
    return render("Dockerfile", container(engine, found))


def container(engine: Engine, found: Found) -> dict[str, Any]:
    """Everything that a template about a container may name."""
    build, base, stack = found.wish.build, found.base, found.stack
    query, workload = found.wish.query, found.wish.workload
    cuda = base.cuda if base.kind == "ngc" and base.cuda is not None else build.cuda
    return {
        **about(engine, query, stack, cuda),
        "base": base,
        "workload": workload,
        "best": None if found.best is build else found.best.label,
        "label": build.label,
        "release": str(build.wheel.torch),
        "gate": _gate(engine, base),
        "lean": base.torch is None and workload == "run" and build.wheel.torch >= _COMPILE_FROM,
        "packages": _packages(base, workload),
        "old_key": _has_old_key(engine, base),
        "tools": _tools(engine, base) if base.torch is None else None,
        "ninja": pin(engine.catalogue, "ninja", base.python or PythonVersion(3, 12)),
        "requirements": _requirements(engine, found),
        "wheels": bool(found.beside.wheels),
        "compiled": [_line(pick) for pick in found.beside.compiled],
        "apart": [_line(pick) for pick in found.beside.apart],
        "companions": [name for name, version in engine.stacks.companions(build).items() if version],
        "index_url": stack["torch"]["index_url"],
        "arch_list": stack["cuda"]["build_toolkit"]["arch_list"],
        "platform": _PLATFORMS[query.machine],
        "tag": local_tag(build, base),
        "command": "bash" if workload == "build" else "python3",
    }


def _has_old_key(engine: Engine, base: Base) -> bool:
    """Whether the image may hold a package repository whose signing key is no longer valid."""
    laws = engine.catalogue.claims(ImageOldKey)
    return base.cuda is not None and any(base.cuda.release < law.before for law in laws)


def local_tag(build: Build, base: Base) -> str:
    """A name for the image that is built."""
    if base.kind == "ngc":
        return f"whichcuda-ngc:{base.reference.rpartition(':')[2]}"
    return f"whichcuda-torch:{build.wheel.torch}-{build.wheel.variant}"


def _requirements(engine: Engine, found: Found) -> list[str]:
    """What pip installs: torch, unless the base holds it, and what belongs to it."""
    own = engine.stacks.requirements(found.wish.build)
    return found.beside.requirements(own if found.base.torch is None else own[1:])


def _line(pick: Pick) -> dict[str, Any]:
    """A package with the options that pip needs for it."""
    return {"requirement": pick.requirement, "options": pick.options}


def _tools(engine: Engine, base: Base) -> dict[str, str] | None:
    """The packaging tools for the Python of a base, where it is known."""
    if base.python is None:
        return None
    return {name: pin(engine.catalogue, name, base.python) for name in ("pip", "setuptools", "wheel")}


def _packages(base: Base, workload: str) -> list[str]:
    """The distribution's packages, pinned by a pattern that every later fix of the same version still matches."""
    if base.kind != "cuda":
        return []
    pythons = [f"{name}={base.python}.*" for name in ("python3", "python3-dev", "python3-venv")]
    return ["build-essential=12.*", *pythons] if workload == "build" else [pythons[0], pythons[2]]


def _gate(engine: Engine, base: Base) -> int | None:
    """The first branch that runs the base's CUDA natively, where container runtimes may ask for that."""
    if not base.gated or base.cuda is None:
        return None
    enough = [
        number
        for number, facts in engine.index.drivers.branches.items()
        if facts.native is not None and facts.native >= base.cuda.release
    ]
    return min(enough, default=None)
