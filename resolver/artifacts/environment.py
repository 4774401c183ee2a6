"""Stacks without a container: what pip, uv, conda and pixi read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from resolver.artifacts.about import about
from resolver.artifacts.beside import beside
from resolver.artifacts.rendering import render
from resolver.artifacts.search import certain
from resolver.query import Asked

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["environment"]

_SUBDIRS = {
    ("linux", "x86_64"): "linux-64",
    ("linux", "aarch64"): "linux-aarch64",
    ("windows", "x86_64"): "win-64",
    ("windows", "aarch64"): "win-arm64",
}
_MARKERS = {
    ("linux", "x86_64"): "sys_platform == 'linux' and platform_machine == 'x86_64'",
    ("linux", "aarch64"): "sys_platform == 'linux' and platform_machine == 'aarch64'",
    ("windows", "x86_64"): "sys_platform == 'win32' and platform_machine == 'AMD64'",
    ("windows", "aarch64"): "sys_platform == 'win32' and platform_machine == 'ARM64'",
}


def environment(engine: Engine, template: str, asked: Asked, name: str) -> str:
    """A file for the best stack, which must be certain.

    Args:
        template: `requirements`, `uv`, `conda` or `pixi`.
        name: of the environment or project, where the format has one.

    Raises:
        BadQuestion: when the question cannot be read.
        NoStack: when no stack surely works.
    """
    query = engine.reader.read(replace(asked, limit=1))
    stack = certain(engine, query)["stacks"][0]
    (build,) = engine.solver.ranked(query, engine.solver.outcome(query), 1)
    others, python = beside(engine, query, build)
    indexed = ["torch", *(name for name, version in engine.stacks.companions(build).items() if version)]
    indexed += [pick.release.package for pick in others.wheels if pick.offer.built and pick.offer.built.index]
    place = (query.os.family, query.machine)
    values = {
        **about(engine, query, stack, build.cuda),
        "base": None,
        "label": build.label,
        "name": name,
        "python": python.removesuffix("t"),
        "free_threaded": python.endswith("t"),
        "requirements": _split(others.requirements(engine.stacks.requirements(build))),
        "wheels": bool(others.wheels),
        "compiled": [{"requirement": pick.requirement, "options": pick.options} for pick in others.compiled],
        "apart": [{"requirement": pick.requirement, "options": pick.options} for pick in others.apart],
        "indexed": indexed,
        "index_url": stack["torch"]["index_url"],
        "index_name": f"{'pytorch-lts' if build.wheel.channel == 'pytorch-lts' else 'pytorch'}-{build.wheel.variant}",
        "subdir": _SUBDIRS[place],
        "marker": _MARKERS[place],
    }
    return render(template, values)


def _split(requirements: list[str]) -> list[dict[str, Any]]:
    """Requirements in their parts.

    >>> _split(["tensorflow[and-cuda]==2.20.0", "numpy<2"])[0]["extras"]
    ['and-cuda']
    """
    found = [re.fullmatch(r"([\w-]+)(?:\[(.+)\])?([=<].+)", requirement) for requirement in requirements]
    return [
        {"text": part[0], "name": part[1], "extras": part[2].split(",") if part[2] else [], "specifier": part[3]}
        for part in found
        if part
    ]
