"""Stacks without a container: what pip, uv, conda and pixi read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from resolver.artifacts.about import about
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
    python = engine.stacks.python_for(build, query)
    place = (query.os.family, query.machine)
    values = {
        **about(engine, query, stack, build.cuda),
        "base": None,
        "label": build.label,
        "name": name,
        "python": python.removesuffix("t"),
        "free_threaded": python.endswith("t"),
        "requirements": _split(engine.stacks.requirements(build)),
        "indexed": ["torch", *(name for name, version in engine.stacks.companions(build).items() if version)],
        "index_url": stack["torch"]["index_url"],
        "index_name": f"{'pytorch-lts' if build.wheel.channel == 'pytorch-lts' else 'pytorch'}-{build.wheel.variant}",
        "subdir": _SUBDIRS[place],
        "marker": _MARKERS[place],
    }
    return render(template, values)


def _split(requirements: list[str]) -> list[dict[str, Any]]:
    """Names and specifiers of requirements.

    >>> _split(["torch==2.7.1", "numpy<2"])
    [{'name': 'torch', 'specifier': '==2.7.1'}, {'name': 'numpy', 'specifier': '<2'}]
    """
    found = [re.split(r"(?=[=<])", requirement, maxsplit=1) for requirement in requirements]
    return [{"name": name, "specifier": specifier} for name, specifier in found]
