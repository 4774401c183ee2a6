"""What the file name of a wheel says: which project, for which Pythons, systems and machines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from matrices.versions import PythonVersion

__all__ = ["WheelName", "preference", "python_tags"]

_PLATFORM = re.compile(r"(?P<os>manylinux(?P<old>1|2010|2014)|manylinux_(?P<glibc>\d+_\d+)|linux|win)_(?P<machine>\w+)")
_GLIBC_OF_OLD = {"1": "2.5", "2010": "2.12", "2014": "2.17"}
_MACHINES = {"amd64": "x86_64"}
_INTERPRETER = re.compile(r"(?P<kind>cp|py)(?P<major>[23])(?P<minor>\d+)")
_SPELLING = re.compile(r"(\d)\.(\d+)t?\+?")
_ANY = "any"


@dataclass(frozen=True, slots=True)
class WheelName:
    """What the file name of a wheel says.

    `python` is `3.12` or `3.13t` for one Python, `3.9+` for that one and newer ones (stable ABI),
    `py3` for all of them. `os` and `machine` are `any` for a wheel without compiled code; `glibc`
    is the floor that the platform tag promises.
    """

    file: str
    project: str
    version: Version
    build: int | None
    python: str
    os: str
    machine: str
    glibc: str | None

    @classmethod
    def parse(cls, file: str) -> WheelName:
        """Read a file name. Raises `ValueError` for what is not a wheel for glibc Linux, Windows or any system."""
        try:
            project, version, build, tags = parse_wheel_filename(file)
        except InvalidWheelFilename as error:
            raise ValueError(f"not a wheel's file name: {file!r}") from error
        platforms = sorted({tag.platform for tag in tags})
        if any(platform.startswith("musllinux") for platform in platforms):
            raise ValueError(f"a wheel for musl: CUDA exists for glibc only: {file!r}")
        os, machine, glibc = _ANY, _ANY, None
        if platforms != [_ANY]:
            found = [match for platform in platforms if (match := _PLATFORM.fullmatch(platform))]
            if not found:
                raise ValueError(f"not a wheel for Linux or Windows: {file!r}")
            os = "windows" if found[0]["os"] == "win" else "linux"
            machine = _MACHINES.get(found[0]["machine"], found[0]["machine"])
            glibc = _lowest_glibc(found)
        python = max((_python(tag.interpreter, tag.abi) for tag in tags), key=preference)
        return cls(file, project, version, build[0] if build else None, python, os, machine, glibc)

    def fits(self, os: str, machine: str, python: str | None = None) -> bool:
        """Whether the wheel is for a system, a machine and (where given) a Python such as `3.12` or `3.13t`."""
        placed = self.os in (os, _ANY) and self.machine in (machine, _ANY)
        if not placed or python is None or self.python in (python, "py3"):
            return placed
        if not self.python.endswith("+"):
            return False
        wanted, lowest = PythonVersion.parse(python), PythonVersion.parse(self.python[:-1])
        return wanted.free_threaded == lowest.free_threaded and lowest <= wanted


def python_tags(files: Iterable[str], like: WheelName) -> list[str]:
    """The Pythons, in order, that `files` hold a wheel for of the release and platform of `like`.

    Files that are not such wheels are passed over: an index also lists source archives.
    """
    found: set[str] = set()
    for file in files:
        try:
            name = WheelName.parse(file)
        except ValueError:
            continue
        if (name.project, name.version, name.os, name.machine) == (like.project, like.version, like.os, like.machine):
            found.add(name.python)
    return sorted(found, key=lambda python: (preference(python)[1:], python))


def preference(python: str) -> tuple[bool, int, int]:
    """An order of Pythons as `WheelName` spells them: the newest is the highest, free-threaded ones are below all."""
    found = _SPELLING.fullmatch(python)
    return ("t" not in python, int(found[1]), int(found[2])) if found else (True, 0, 0)


def _python(interpreter: str, abi: str) -> str:
    """The spelling of one tag; Python 2 and others than CPython count like any Python 3."""
    found = _INTERPRETER.fullmatch(interpreter)
    if found is None:
        return "py3"
    threads = "t" if abi.endswith("t") else ""
    newer = "+" if found["kind"] == "py" or abi.startswith("abi3") else ""
    return f"{found['major']}.{found['minor']}{threads}{newer}"


def _lowest_glibc(platforms: Iterable[re.Match[str]]) -> str | None:
    floors = [p["glibc"].replace("_", ".") if p["glibc"] else _GLIBC_OF_OLD.get(p["old"]) for p in platforms]
    return min((floor for floor in floors if floor), key=Version, default=None)
