"""Measure a wheel without a GPU and without installing it: which GPUs it holds code for, and what it needs.

Every library is read once: its fat binaries (what a GPU is really given), the libraries it needs and
the glibc it asks for. For torch there is a second reading that does not depend on the first: the list
of architectures that the build wrote into the Python extension (what `torch._C._cuda_getArchFlags()`
returns). Where a torch wheel has no such list the fat binaries decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from packaging.version import Version

from matrices.measure.builds import read_build_records, read_metadata, stated_cuda
from matrices.measure.elf import ElfReader
from matrices.measure.fatbin import FatbinCensus, FatbinScanner, TargetSet
from matrices.measure.names import WheelName, python_tags
from matrices.measure.remote_zip import RemoteZip
from matrices.versions import ArchTarget

__all__ = ["TORCH_SYMBOLS", "Library", "find_arch_flags", "is_gpu_library", "measure_wheel", "read_libraries"]

TORCH_SYMBOLS = (b"caffe2", b"2at6native", b"at4cuda", b"THCState", b"THCDeviceT", b"THCNumerics")
"""Parts of names that occur in torch's own GPU code and not in cuDNN, cuBLAS, MAGMA or NCCL."""

_TOOL = "whichcuda measure wheel"
_TOOL_VERSION = "2"  # raise it when a reading changes, so that old observations can be told apart
_FLAG = rb"(?:sm|compute)_\d{2,3}[af]?"
_FLAGS = re.compile(rb"(?<=\0)" + _FLAG + rb"(?: " + _FLAG + rb")*(?=\0)")
_LIBRARY = re.compile(r"(?:.*/)?([^/]+\.(?:so(?:\.[\w.]+)?|pyd|dll))")
_COMPILER = re.compile(r"(?:.*/)?(?:ptxas|nvcc|nvlink)[\w-]*")
_GPU_LIBRARY = re.compile(
    r"(?:lib)?(?:cuda(?:rt)?|cublas(?:Lt|Mp)?|cudnn\w*?|cudss\w*|cufft\w*?|cufile\w*|cupti|curand|cusolver\w*?|cusparse(?:Lt)?"
    r"|cutensor\w*?|nccl|nvrtc\w*?|nvJitLink|nvToolsExt|nvblas|nvperf_\w+|nvshmem\w*?|nvinfer\w*?|nvptxcompiler\w*"
    r"|nvvm|checkpoint|pcsamplingutil)(?:64_\d+)?(?:-[\w.-]+)?\.(?:so|dll)(?:\.[\w.]+)?"
)
_NOTHING = TargetSet(frozenset(), frozenset())
_METHOD = {
    "arch_flags": "torch only: the text of sm_ and compute_ names between two zero bytes in libtorch_python.so,"
    " which torch._C._cuda_getArchFlags() returns",
    "cuda": "the release that a build record of the wheel states; null where none does",
    "fatbins": "the headers of every container in the wheel's libraries, all bytes read; the vendor's own"
    " libraries are only named (bundled); for torch own code is what names torch's symbols, or all code where"
    " compression hides the names, and the commonest set of targets counts",
    "glibc": "the newest version of glibc that the library names",
    "needs": "the dynamic section of each library; only libraries of the GPU stack are listed",
    "result": "torch only: arch_flags where the wheel has them, else fatbins",
}


@dataclass(frozen=True, slots=True)
class Library:
    """What one pass over a library found; `flags` is torch's list of architectures."""

    census: FatbinCensus
    needed: tuple[str, ...]
    glibc: str | None
    compilers: tuple[str, ...]
    flags: tuple[str, ...] | None = None


def is_gpu_library(name: str) -> bool:
    """Whether a library of that base name is the vendor's: `libcudart.so.12`, `libcudnn-1a2b.so.7`, `cudart64_12.dll`."""
    return _GPU_LIBRARY.fullmatch(name) is not None


def find_arch_flags(library: bytes) -> list[str] | None:
    """The architecture flags compiled into `library`, such as `["sm_50", "compute_50"]`.

    None when there is no such text. Raises `ValueError` when there are several different ones,
    since then none can be called the build's.
    """
    texts = {found[0].decode("ascii") for found in _FLAGS.finditer(library)}
    if len(texts) > 1:
        raise ValueError(f"several lists of architectures: {sorted(texts)}")
    return texts.pop().split(" ") if texts else None


def read_libraries(archive: RemoteZip, symbols: Iterable[bytes] = ()) -> dict[str, Library]:
    """Every library and compiler of a wheel that is not the vendor's library, by member.

    `symbols` mark code as the wheel's own. Raises `BadArchive`, and `ValueError` for contradicting
    lists of architectures.
    """
    marks = tuple(symbols)
    found = {}
    for member in sorted(archive.members):
        name = _LIBRARY.fullmatch(member)
        if (name and not is_gpu_library(name[1])) or _COMPILER.fullmatch(member):
            found[member] = _read_library(archive.stream(member), marks)
            if member.endswith("/libtorch_python.so"):
                flags = find_arch_flags(archive.read(member))
                found[member] = replace(found[member], flags=tuple(flags) if flags else None)
    return found


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
    the names of all files that the index lists for the project, or None when no index was read;
    `measured_on` is a date, as a clock is the caller's business. Sizes are bytes. Raises
    `BadArchive`, `KeyError` when the wheel lacks METADATA, and `ValueError` for contradicting
    build records or lists of architectures and for a CUDA build of torch in which no GPU code is found.
    """
    torch = name.project == "torch"
    records = read_build_records(archive)
    stated = stated_cuda(records)
    cuda = stated[0] if stated else None
    libraries = read_libraries(archive, TORCH_SYMBOLS if torch else ())
    flags = next((found.flags for found in libraries.values() if found.flags), None)
    listed = None if flags is None else _flag_set(flags)
    main = _main_set(found.census for found in libraries.values())
    decided = listed or (main[0] if main else _NOTHING)
    if torch and (cuda is None) != (decided == _NOTHING):
        # finding nothing is not the same as nothing being there
        raise ValueError(f"{name.file}: built for CUDA {cuda}, GPU code found: {_texts(decided)}")
    return {
        "arch_flags": None if flags is None else list(flags),
        "artefact": name.file,
        "build_records": records,
        "bundled": sorted(
            found[1] for member in archive.members if (found := _LIBRARY.fullmatch(member)) and is_gpu_library(found[1])
        ),
        "compilers": {member: list(found.compilers) for member, found in libraries.items() if found.compilers},
        "cuda": cuda,
        "cuda_from": stated[1] if stated else None,
        "fatbin_reading": _shown_reading(main, listed) if torch else None,
        "glibc_of_tag": name.glibc,
        "id": _id(name, cuda),
        "index": "package index",
        "kind": "wheel",
        "libraries": dict(_shown_libraries(libraries)),
        "machine": name.machine,
        "measured_on": measured_on,
        "method": dict(_METHOD),
        "no_gpu": True,
        "os": name.os,
        "project": name.project,
        "python_tags": None if files is None else python_tags(files, name),
        "result": _shown_set(decided) if torch else None,
        "sha256": sha256,
        "size": archive.size,
        "tool": _TOOL,
        "tool_version": _TOOL_VERSION,
        "version": str(name.version),
        **read_metadata(archive),
    }


def _id(name: WheelName, cuda: str | None) -> str:
    """The name of an observation: project, version, build, CUDA where it is known, system and machine."""
    build = "" if name.build is None else f"-{name.build}"
    variant = f"+cu{cuda.replace('.', '')}" if cuda else "+cpu" if name.project == "torch" else ""
    return f"{name.project}-{name.version.public}{build}{variant}-{name.os}-{name.machine}"


def _read_library(pieces: Iterable[bytes], symbols: tuple[bytes, ...]) -> Library:
    scanner, reader = FatbinScanner(symbols), ElfReader()
    for piece in pieces:
        scanner.feed(piece)
        reader.feed(piece)
    scanner.close()
    needed = tuple(filter(is_gpu_library, reader.needed))
    return Library(scanner.census, needed, reader.glibc, tuple(sorted(reader.compilers, key=Version)))


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


def _shown_libraries(libraries: dict[str, Library]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Those with GPU code or a need of the GPU stack: by base name, by path where that is not enough."""
    bases = Counter(member.rpartition("/")[2] for member in libraries)
    for member, found in libraries.items():
        if found.census.fatbins or found.needed:
            base = member.rpartition("/")[2]
            yield (
                base if bases[base] == 1 else member,
                {
                    **_shown_census(found.census),
                    "glibc": found.glibc,
                    "needs": list(found.needed),
                },
            )


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
