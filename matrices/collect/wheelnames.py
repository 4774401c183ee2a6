"""Torch wheels by their file names, gathered: which Pythons and which C library each build of a release has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from packaging.version import Version

from matrices.measure.names import WheelName
from matrices.versions import PythonVersion

__all__ = ["Build", "gather"]

_PYTHON = re.compile(r"[23]\.\d{1,2}t?")
_CUDA = re.compile(r"cu(\d+)(\d)")


@dataclass(slots=True)
class Build:
    """All wheels of one release, variant, system, machine and rebuild. `local` is None on the package index."""

    torch: str
    local: str | None
    os: str
    machine: str
    number: int | None
    pythons: set[str] = field(default_factory=set)
    glibcs: set[str] = field(default_factory=set)
    files: list[str] = field(default_factory=list)

    @property
    def cuda(self) -> str | None:
        """The CUDA that the local tag names: 13.0 of cu130, None of cpu."""
        found = _CUDA.fullmatch(self.local or "")
        return f"{found[1]}.{found[2]}" if found else None

    @property
    def needs(self) -> dict[str, object]:
        """What `wheel-needs` holds, in the catalogue's order."""
        needs: dict[str, object] = {
            "python": [str(python) for python in sorted(map(PythonVersion.parse, self.pythons))]
        }
        if self.glibcs:
            needs["glibc"] = min(self.glibcs, key=Version)
        return needs


def gather(files: Iterable[str]) -> tuple[list[Build], list[str]]:
    """The builds, in the order of first sight, and in words what is no torch wheel for Linux or Windows."""
    builds: dict[tuple[object, ...], Build] = {}
    others: Counter[str] = Counter()
    for file in files:
        try:
            name = WheelName.parse(file)
        except ValueError:
            others["source archives" if file.endswith(".tar.gz") else "wheels for other systems"] += 1
            continue
        kind = _other(name)
        if kind is not None:
            others[kind] += 1
            continue
        torch = name.version.base_version
        key = (torch, name.version.local, name.os, name.machine, name.build)
        build = builds.setdefault(key, Build(torch, name.version.local, name.os, name.machine, name.build))
        build.pythons.add(name.python)
        build.files.append(file)
        if name.glibc and "-manylinux_" in file:  # the older tags promised less than their wheels ask for
            build.glibcs.add(name.glibc)
    return list(builds.values()), [f"{kind}: {count} files" for kind, count in sorted(others.items())]


def _other(name: WheelName) -> str | None:
    """What a wheel is when it is no release of torch for one Python on a known machine; None when it is one."""
    if name.project != "torch":
        return f"wheels of {name.project}"
    if name.version.is_prerelease:
        return "pre-releases"
    if not _PYTHON.fullmatch(name.python):
        return f"wheels for Python {name.python}"
    return None if name.machine in ("x86_64", "aarch64") else f"wheels for {name.machine}"
