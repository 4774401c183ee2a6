"""Measure a CUDA compiler without a GPU: which GPUs it makes code for, which PTX it writes, which host compilers it takes.

The compiler comes from the wheels that NVIDIA publishes. `ptxas` (and `nvcc`, where a wheel has it) are
asked for their lists; the checks of the host compilers are read from the header in which they stand.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import Version

from matrices.measure.index import IndexFile, NoWheel
from matrices.measure.names import WheelName
from matrices.measure.remote_zip import RemoteZip
from matrices.versions import ArchTarget

__all__ = [
    "CompilerWheel",
    "NoCompiler",
    "compiler_projects",
    "measure_toolkit",
    "newest_compiler",
    "read_host_compilers",
    "read_ptx_isa",
    "read_targets",
]

_TOOL = "whichcuda measure toolkit"
_TOOL_VERSION = "1"
_PROGRAM = re.compile(r"(?:.*/)?bin/(ptxas|nvcc)")
_HEADER = re.compile(r"(?:.*/)?crt/host_config\.h")
_TARGET = re.compile(r"'(sm|compute)_(\d+[af]?)'")
_LISTED = re.compile(r"(?:sm|compute)_\d+[af]?")
_ISA = re.compile(r"current version is '(\d+\.\d+)'")
_VERSION = re.compile(r"release \d+\.\d+, V(\d+\.\d+\.\d+)")
_GNU = re.compile(r"^#if __GNUC__ > (\d+)", re.MULTILINE)
_CLANG = re.compile(r"^#if \(__clang_major__ >= (\d+)\)[^\n]*\n#error[^\n]*unsupported clang", re.MULTILINE)
_MSVC = re.compile(r"^#if _MSC_VER < (\d+) \|\| _MSC_VER >= (\d+)", re.MULTILINE)
_STUDIO = re.compile(r"#error[^\n]*versions between (\d{4}) and (\d{4}) ")
_PROBE = ".version 99.9\n.target sm_75\n.address_size 64\n"

_METHOD = {
    "host_compilers": "the conditions before the #error lines of crt/host_config.h",
    "nvcc": "nvcc --list-gpu-code and --list-gpu-arch; null where the wheel has no nvcc",
    "ptx_isa": "what ptxas calls its current version when it is given PTX of version 99.9",
    "targets": "the values that ptxas --help allows for --gpu-name",
}

Run = Callable[[Sequence[str]], str]
"""Runs a program and gives what it printed, both streams; called with the command."""


class NoCompiler(LookupError):
    """The wheels hold no compiler, or it does not answer as a compiler does."""


@dataclass(frozen=True, slots=True)
class CompilerWheel:
    """One wheel of a compiler: what the index lists, its name, and its bytes."""

    file: IndexFile
    name: WheelName
    archive: RemoteZip


def compiler_projects(cuda: str) -> tuple[str, ...]:
    """The projects whose wheels together hold the compiler and its headers for a CUDA release such as `12.8`."""
    major = Version(cuda).major
    if major < 13:  # up to there every package carried its CUDA major in its name
        return (f"nvidia-cuda-nvcc-cu{major}",)
    return "nvidia-cuda-nvcc", "nvidia-cuda-crt"


def newest_compiler(files: Iterable[IndexFile], cuda: str, os: str, machine: str) -> tuple[IndexFile, WheelName]:
    """The newest wheel of a compiler for `cuda`: `12.8` for the newest update, `12.8.61` for that build.

    Raises `NoWheel`, naming the builds that there are.
    """
    wanted = Version(cuda).release
    found: list[tuple[IndexFile, WheelName]] = []
    others: set[Version] = set()
    for file in files:
        try:
            name = WheelName.parse(file.file)
        except ValueError:
            continue
        if name.fits(os, machine) and not name.version.is_prerelease:
            others.add(name.version)
            if name.version.release[: len(wanted)] == wanted:
                found.append((file, name))
    if not found:
        raise NoWheel(f"no compiler {cuda} for {os}, {machine}; there are: {', '.join(map(str, sorted(others)))}")
    return max(found, key=lambda pair: (pair[1].version, pair[1].build or -1, pair[0].file))


def measure_toolkit(wheels: Sequence[CompilerWheel], run: Run, *, measured_on: str) -> dict[str, Any]:
    """The observation of one compiler, ready to be written as JSON.

    `wheels` are those of one build; the first holds `ptxas` for this machine. `run` runs it from a
    temporary folder. Raises `NoCompiler`, `BadArchive` and what `run` raises.
    """
    main = wheels[0].name
    with tempfile.TemporaryDirectory() as place:
        programs = _unpack(wheels, Path(place))
        if "ptxas" not in programs:
            raise NoCompiler(f"{main.file} holds no ptxas")
        ptxas, nvcc = str(programs["ptxas"]), programs.get("nvcc")
        probe = Path(place, "probe.ptx")
        probe.write_text(_PROBE, encoding="ascii")
        sass, ptx = read_targets(run([ptxas, "--help"]))
        version = _VERSION.search(run([ptxas, "--version"]))
        isa = read_ptx_isa(run([ptxas, str(probe), "-o", str(probe.with_suffix(".cubin"))]))
        listed = (
            None
            if nvcc is None
            else {option: _LISTED.findall(run([str(nvcc), f"--list-gpu-{option}"])) for option in ("arch", "code")}
        )
    if version is None:
        raise NoCompiler("ptxas does not tell its version")
    return {
        "artefacts": [{"artefact": wheel.name.file, "sha256": wheel.file.sha256} for wheel in wheels],
        "compiler": version[1],
        "cuda": ".".join(version[1].split(".")[:2]),
        "host_compilers": read_host_compilers(_header(wheels)),
        "id": f"cuda-compiler-{version[1]}-{main.os}-{main.machine}",
        "index": "package index",
        "kind": "toolkit",
        "machine": main.machine,
        "measured_on": measured_on,
        "method": dict(_METHOD),
        "no_gpu": True,
        "nvcc": listed,
        "os": main.os,
        "ptx_isa": isa,
        "targets": {"ptx": ptx, "sass": sass},
        "tool": _TOOL,
        "tool_version": _TOOL_VERSION,
    }


def read_targets(help: str) -> tuple[list[str], list[str]]:
    """Machine code and PTX targets, in order, that the help of `ptxas` allows: `["9.0", "9.0a"]`.

    Raises `NoCompiler` when it lists none.
    """
    found: dict[str, set[ArchTarget]] = {"sm": set(), "compute": set()}
    for kind, number in _TARGET.findall(help):
        found[kind].add(ArchTarget.parse(f"{kind}_{number}"))
    if not found["sm"]:
        raise NoCompiler("ptxas lists no targets")
    return [str(target) for target in sorted(found["sm"])], [str(target) for target in sorted(found["compute"])]


def read_ptx_isa(complaint: str) -> str:
    """The PTX version that `ptxas` names when it is given a newer one. Raises `NoCompiler` when it names none."""
    found = _ISA.search(complaint)
    if found is None:
        raise NoCompiler("ptxas does not tell which PTX it reads")
    return found[1]


def read_host_compilers(header: str | None) -> dict[str, Any] | None:
    """The newest host compilers that `crt/host_config.h` lets through; None without a header.

    `gcc` and `clang` are major versions, `msvc` has the first `_MSC_VER` below and above the allowed
    ones and the years of Visual Studio in the message. What the header does not check is left out.
    """
    if header is None:
        return None
    found: dict[str, Any] = {}
    if gnu := _GNU.search(header):
        found["gcc"] = gnu[1]
    if clang := _CLANG.search(header):
        found["clang"] = str(int(clang[1]) - 1)
    if msvc := _MSVC.search(header):
        years = _STUDIO.search(header)
        found["msvc"] = {"from": msvc[1], "below": msvc[2], "studio": [years[1], years[2]] if years else None}
    return found


def _header(wheels: Iterable[CompilerWheel]) -> str | None:
    for wheel in wheels:
        for member in wheel.archive.members:
            if _HEADER.fullmatch(member):
                return wheel.archive.read(member).decode("utf-8", "replace")
    return None


def _unpack(wheels: Iterable[CompilerWheel], place: Path) -> dict[str, Path]:
    """The programs of the wheels, written into `place` under their own names."""
    programs = {}
    for wheel in wheels:
        for member in wheel.archive.members:
            found = _PROGRAM.fullmatch(member)
            if found:
                path = place / found[1]
                with path.open("wb") as file:
                    file.writelines(wheel.archive.stream(member))
                path.chmod(0o700)
                programs[found[1]] = path
    return programs
