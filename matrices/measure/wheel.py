"""Measure a torch wheel without a GPU and without installing it: which GPUs it holds code for.

Two readings that do not depend on each other: the list of architectures that the build wrote into
the Python extension (what `torch._C._cuda_getArchFlags()` returns), and the fat binaries in the
libraries (what a GPU is really given). Where a wheel has no list the fat binaries decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from matrices.measure.fatbin import FatbinCensus, TargetSet, take_census
from matrices.measure.remote_zip import RemoteZip
from matrices.versions import ArchTarget, PythonVersion, TorchVersion

__all__ = [
    "TORCH_SYMBOLS",
    "WheelName",
    "find_arch_flags",
    "is_own_library",
    "measure_wheel",
    "python_tags",
    "read_built_cuda",
]

TORCH_SYMBOLS = (b"caffe2", b"2at6native", b"at4cuda", b"THCState", b"THCDeviceT", b"THCNumerics")
"""Parts of names that occur in torch's own GPU code and not in cuDNN, cuBLAS, MAGMA or NCCL."""

_TOOL = "whichcuda measure wheel"
_TOOL_VERSION = "1"  # raise it when a reading changes, so that old observations can be told apart
_FLAG = rb"(?:sm|compute)_\d{2,3}[af]?"
_FLAGS = re.compile(rb"(?<=\0)" + _FLAG + rb"(?: " + _FLAG + rb")*(?=\0)")
_OWN_LIBRARY = re.compile(r"(?:.*/)?(lib(?:torch|caffe2|ATen|c10)[\w.-]*\.so(?:\.\d+)*)")
_BUILT_CUDA = re.compile(r"^cuda\b[^=\n]*=\s*['\"](\d+)\.(\d+)[\d.]*['\"]", re.MULTILINE)
_PLATFORM = re.compile(r"(?P<os>manylinux(?P<old>1|2010|2014)|manylinux_(?P<glibc>\d+_\d+)|linux|win)_(?P<machine>\w+)")
_GLIBC_OF_OLD = {"1": "2.5", "2010": "2.12", "2014": "2.17"}
_MACHINES = {"amd64": "x86_64"}
_NOTHING = TargetSet(frozenset(), frozenset())
_PYTHON_TAG = re.compile(r"cp([23])(\d+)")

_METHOD = {
    "arch_flags": "the text of sm_ and compute_ names between two zero bytes in libtorch_python.so,"
    " which torch._C._cuda_getArchFlags() returns",
    "fatbins": "the headers of every container in torch's own libraries, all bytes read; own code"
    " is what names torch's symbols, or all code where compression hides the names; the commonest"
    " set of targets counts",
    "result": "arch_flags where the wheel has them, else fatbins",
}


@dataclass(frozen=True, slots=True)
class WheelName:
    """What the file name of a wheel says; `glibc` is the floor that its platform tag promises."""

    file: str
    torch: TorchVersion
    local: str | None
    build: int | None
    python: PythonVersion
    os: str
    machine: str
    glibc: str | None

    @classmethod
    def parse(cls, file: str) -> WheelName:
        """Read a file name. Raises `ValueError` for what is not a CPython wheel of torch."""
        try:
            name, version, build, tags = parse_wheel_filename(file)
        except InvalidWheelFilename as error:
            raise ValueError(f"not a wheel's file name: {file!r}") from error
        # a file may carry several platform tags; the lowest in text order is enough to tell
        tag = min(tags, key=str)
        python = _PYTHON_TAG.fullmatch(tag.interpreter)
        platform = _PLATFORM.fullmatch(tag.platform)
        if name != "torch" or python is None or platform is None:
            raise ValueError(f"not a CPython wheel of torch for Linux or Windows: {file!r}")
        glibc = platform["glibc"]
        return cls(
            file=file,
            torch=TorchVersion.parse(version.base_version),
            local=version.local,
            build=build[0] if build else None,
            python=PythonVersion(int(python[1]), int(python[2]), tag.abi.endswith("t")),
            os="windows" if platform["os"] == "win" else "linux",
            machine=_MACHINES.get(platform["machine"], platform["machine"]),
            glibc=glibc.replace("_", ".") if glibc else _GLIBC_OF_OLD.get(platform["old"]),
        )


def python_tags(files: Iterable[str], like: WheelName) -> list[str]:
    """The Pythons, in order, that `files` hold a wheel for of the release and platform of `like`.

    Files that are not wheels of torch are passed over: an index also lists source archives.
    """
    found: set[PythonVersion] = set()
    for file in files:
        try:
            name = WheelName.parse(file)
        except ValueError:
            continue
        if _release(name) == _release(like):
            found.add(name.python)
    return [str(python) for python in sorted(found)]


def _release(name: WheelName) -> tuple[TorchVersion, str | None, str, str]:
    return name.torch, name.local, name.os, name.machine


def is_own_library(member: str) -> str | None:
    """The base name of `member` if it is one of torch's own shared libraries, else None."""
    found = _OWN_LIBRARY.fullmatch(member)
    return found[1] if found else None


def find_arch_flags(library: bytes) -> list[str] | None:
    """The architecture flags compiled into `library`, such as `["sm_50", "compute_50"]`.

    None when there is no such text. Raises `ValueError` when there are several different ones,
    since then none can be called the build's.
    """
    texts = {found[0].decode("ascii") for found in _FLAGS.finditer(library)}
    if len(texts) > 1:
        raise ValueError(f"several lists of architectures: {sorted(texts)}")
    return texts.pop().split(" ") if texts else None


def read_built_cuda(version_file: str) -> str | None:
    """The CUDA release, such as `"12.4"`, that `torch/version.py` names; None for a CPU build."""
    found = _BUILT_CUDA.search(version_file)
    return f"{found[1]}.{found[2]}" if found else None


def measure_wheel(
    archive: RemoteZip,
    name: WheelName,
    *,
    sha256: str,
    files: Iterable[str] | None,
    measured_on: str,
) -> dict[str, Any]:
    """The observation of one wheel, ready to be written as JSON.

    `archive` is the wheel and `name` its file name; `sha256` is what the index states; `files` are
    the names of all files that the index lists for torch, or None when no index was read;
    `measured_on` is a date, as a clock is the caller's business. Sizes are bytes. Raises
    `BadArchive`, `KeyError` when the wheel lacks `torch/version.py`, and `ValueError` for
    contradicting lists of architectures and for a CUDA build in which no GPU code is found.
    """
    cuda = read_built_cuda(archive.read("torch/version.py").decode("utf-8"))
    variant = "cpu" if cuda is None else "cu" + cuda.replace(".", "")
    flags: list[str] | None = None
    censuses: dict[str, FatbinCensus] = {}
    for member in sorted(archive.members):
        library = is_own_library(member)
        if library is None:
            continue
        censuses[library] = take_census(archive.stream(member), TORCH_SYMBOLS)
        if library == "libtorch_python.so":
            flags = find_arch_flags(archive.read(member))
    listed = None if flags is None else _flag_set(flags)
    main = _main_set(censuses.values())
    decided = listed or (main[0] if main else _NOTHING)
    if (cuda is None) != (decided == _NOTHING):
        # finding nothing is not the same as nothing being there
        raise ValueError(f"{name.file}: built for {variant}, GPU code found: {_texts(decided)}")
    build = "" if name.build is None else f"-{name.build}"
    return {
        "arch_flags": flags,
        "artefact": name.file,
        "cuda": cuda,
        "fatbin_reading": _shown_reading(main, listed),
        "glibc_of_tag": name.glibc,
        "id": f"torch-{name.torch}{build}+{variant}-{name.os}-{name.machine}",
        "index": "package index",
        "kind": "wheel",
        "libraries": {lib: _shown_census(found) for lib, found in censuses.items() if found.fatbins},
        "machine": name.machine,
        "measured_on": measured_on,
        "method": dict(_METHOD),
        "no_gpu": True,
        "os": name.os,
        "python_tags": None if files is None else python_tags(files, name),
        "result": _shown_set(decided),
        "sha256": sha256,
        "size": archive.size,
        "tool": _TOOL,
        "tool_version": _TOOL_VERSION,
        "torch": str(name.torch),
        "variant": variant,
    }


def _main_set(censuses: Iterable[FatbinCensus]) -> tuple[TargetSet, int, int, bool] | None:
    """The commonest set of targets, its count, the count of all, and whether only own code counted.

    None when there is no fat binary at all.
    """
    own: Counter[TargetSet] = Counter()
    every: Counter[TargetSet] = Counter()
    for census in censuses:
        own += census.own
        every += census.sets
    counted = own or every
    if not counted:
        return None
    # a tie goes to the larger set, then to text order, so that the answer never depends on order
    main = max(counted, key=lambda targets: (counted[targets], len(targets.sass), _texts(targets)))
    return main, counted[main], counted.total(), bool(own)


def _texts(targets: TargetSet) -> tuple[list[str], list[str]]:
    return _sorted_texts(targets.sass), _sorted_texts(targets.ptx)


def _sorted_texts(targets: Iterable[ArchTarget]) -> list[str]:
    return [str(target) for target in sorted(targets)]


def _shown_set(targets: TargetSet) -> dict[str, list[str]]:
    return {"ptx": _sorted_texts(targets.ptx), "sass": _sorted_texts(targets.sass)}


def _flag_set(flags: Iterable[str]) -> TargetSet:
    """The architecture flags as targets: `sm_` is machine code, `compute_` is PTX."""
    sass = frozenset(ArchTarget.parse(flag) for flag in flags if flag.startswith("sm_"))
    ptx = frozenset(ArchTarget.parse(flag) for flag in flags if flag.startswith("compute_"))
    return TargetSet(sass, ptx)


def _shown_census(census: FatbinCensus) -> dict[str, Any]:
    commonest_first = sorted(census.sets, key=lambda targets: (-census.sets[targets], _texts(targets)))
    return {
        "complete": True,
        "fatbins": census.fatbins,
        "own_fatbins": census.own.total(),
        "ptx": _sorted_texts(census.ptx),
        "sass": _sorted_texts(census.sass),
        "sets": [
            {"count": census.sets[targets], "own": census.own[targets], **_shown_set(targets)}
            for targets in commonest_first
        ],
    }


def _shown_reading(main: tuple[TargetSet, int, int, bool] | None, listed: TargetSet | None) -> dict[str, Any] | None:
    """What the fat binaries say, and whether the flags say the same (None without flags)."""
    if main is None:
        return None
    targets, count, total, own = main
    return {
        "agrees_with_arch_flags": None if listed is None else targets == listed,
        "count": count,
        "counted": "torch's own" if own else "all",
        "of": total,
        **_shown_set(targets),
    }
