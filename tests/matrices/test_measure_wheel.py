"""Measuring wheels: zip archives through ranges, fat binaries, names, the index, the command."""

from __future__ import annotations

import io
import json
import struct
import threading
import zipfile
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices.measure import __main__ as command
from matrices.measure import door
from matrices.measure.builds import read_build_records, read_metadata, stated_cuda
from matrices.measure.fatbin import FatbinCensus, FatbinScanner, TargetSet, take_census
from matrices.measure.index import (
    BadIndex,
    IndexFile,
    NoWheel,
    choose_wheel,
    find_source,
    index_url,
    parse_project_page,
    pip_default,
    project_url,
)
from matrices.measure.names import WheelName, python_tags
from matrices.measure.remote_zip import BadArchive, Member, RemoteZip
from matrices.measure.wheel import find_arch_flags, is_gpu_library, measure_wheel
from matrices.versions import ArchTarget

NAME = "torch-2.6.0-cp312-cp312-manylinux1_x86_64.whl"
HASH = "ab" * 32
DATE = "2026-11-30"
METADATA = b"""Metadata-Version: 2.4
Name: torch
Requires-Python: >=3.9
Requires-Dist: triton==3.2.0; platform_system == "Linux"
Requires-Dist: nvidia-cudnn-cu12==9.1.0.70;
 platform_system == "Linux"

Requires-Dist: in the text, not a header
"""


# --- builders -------------------------------------------------------------------------------


def entry(kind: int, arch: int, flags: int = 0, payload: bytes = b"x" * 40, extra: int = 0) -> bytes:
    header = struct.pack(
        "<HHIQIIHHIIIQQQ",
        *(kind, 0x101, 64 + extra, len(payload), 0, 0, 8, 1, arch, 0, 0, flags, 0, len(payload)),
    )
    return header + b"\0" * extra + payload


def fatbin(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def targets(sass: str = "", ptx: str = "") -> TargetSet:
    def read(text: str) -> frozenset[ArchTarget]:
        return frozenset(map(ArchTarget.parse, text.split()))

    return TargetSet(read(sass), read(ptx))


def pack(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def opened(data: bytes, step: int = 1 << 20) -> RemoteZip:
    return RemoteZip("wheel", len(data), lambda _url, start, end: data[start:end], step)


def wheel_bytes(
    cuda: str | None = "12.4",
    flags: bytes = b"sm_50 sm_90",
    libraries: dict[str, bytes] | None = None,
) -> bytes:
    members = {
        "torch-2.6.0.dist-info/METADATA": METADATA,
        "torch/version.py": f"__version__ = '2.6.0'\ncuda: Optional[str] = {cuda!r}\n".encode(),
        "torch/lib/libtorch_python.so": b"\x7fELF\0" + flags + b"\0tail",
        "torch/lib/libcudnn.so.9": fatbin(entry(2, 53)),
    }
    for library, data in (libraries or {}).items():
        members[f"torch/lib/{library}"] = data
    return pack(members)


def measured(data: bytes, files: list[str] | None = None, name: str = NAME) -> dict[str, Any]:
    return measure_wheel(opened(data), WheelName.parse(name), sha256=HASH, files=files, measured_on=DATE)


# --- the zip archive ------------------------------------------------------------------------


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("step", [1, 7, 1 << 20])
def test_members_come_out_as_they_went_in(method: int, step: int) -> None:
    members = {"a/é.txt": b"hello " * 50, "empty": b"", "zeros": bytes(5000)}
    archive = opened(pack(members, method), step)
    assert {name: archive.read(name) for name in archive.members} == members


@given(st.dictionaries(st.text("abc/", min_size=1), st.binary(max_size=300), max_size=4))
def test_any_archive_is_read_as_the_standard_library_reads_it(members: dict[str, bytes]) -> None:
    archive = opened(pack(members), step=13)
    assert {name: archive.read(name) for name in archive.members} == members


def test_a_piece_is_never_larger_than_the_step() -> None:
    archive = opened(pack({"zeros": bytes(1 << 20)}), step=4096)
    assert max(map(len, archive.stream("zeros"))) <= 4096


def test_only_the_wanted_ranges_are_fetched() -> None:
    data = pack({"big": bytes(range(256)) * 1000, "small": b"s"}, zipfile.ZIP_STORED)
    asked: list[tuple[int, int]] = []

    def fetch(_url: str, start: int, end: int) -> bytes:
        asked.append((start, end))
        return data[start:end]

    archive = RemoteZip("wheel", len(data), fetch)
    asked.clear()
    assert archive.read("small") == b"s"
    assert sum(end - start for start, end in asked) < 40


def zip64(data: bytes, size: int, *, field_kind: int = 1, locator: bytes = b"PK\x06\x07") -> bytes:
    """A stored one-member archive whose sizes and places are all in zip64 records."""
    full = 0xFFFF_FFFF
    local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 45, 0, 0, 0, 0, crc(data), full, full, 1, 0)
    body = local + b"m" + data
    large = struct.pack("<2H4s", 7, 4, b"skip") + struct.pack("<2H3Q", field_kind, 24, size, size, 0)
    directory = struct.pack(
        "<4s6H3I5H2I",
        *(b"PK\x01\x02", 45, 45, 0, 0, 0, 0, crc(data), full, full),
        *(1, len(large), 0, 0, 0, 0, full),
    )
    directory += b"m" + large
    place = len(body)
    end64 = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(directory), place)
    found = struct.pack("<4sIQI", locator, 0, place + len(directory), 1)
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, full, full, 0)
    return body + directory + end64 + found + end


def crc(data: bytes) -> int:
    return zlib.crc32(data)


def test_zip64_records_are_followed() -> None:
    archive = opened(zip64(b"data", 4))
    assert archive.members == {"m": Member("m", 0, 4, 4, 0, crc(b"data"))}
    assert archive.read("m") == b"data"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no end-of-central-directory"),
        (b"PK\x05\x06", "cut off"),
        (zip64(b"data", 4, locator=b"nope"), "starts with b'nope'"),
        (zip64(b"data", 4, field_kind=2), "zip64 field that is not there"),
        (struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, 90, 5, 0), "outside the archive"),
        (b"x" * 46 + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, 46, 0, 0), "starts with"),
    ],
)
def test_what_is_no_archive_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(BadArchive, match=message):
        opened(data)


def test_a_short_answer_is_refused() -> None:
    data = pack({"a": b"1"})
    with pytest.raises(BadArchive, match="asked for bytes"):
        RemoteZip("wheel", len(data), lambda _url, start, end: data[start : end - 1])


def test_an_unknown_compression_is_refused() -> None:
    archive = opened(pack({"a": b"1" * 100}, zipfile.ZIP_BZIP2))
    with pytest.raises(BadArchive, match="compression method 12"):
        archive.read("a")


def test_bytes_that_do_not_inflate_are_refused() -> None:
    data = bytearray(pack({"a": b"1" * 100}))
    data[31] = 0xFF
    with pytest.raises(BadArchive, match="a: Error"):
        opened(bytes(data)).read("a")


def test_a_wrong_checksum_is_refused() -> None:
    data = pack({"a": b"right"}, zipfile.ZIP_STORED).replace(b"right", b"wrong", 1)
    with pytest.raises(BadArchive, match="checksum"):
        opened(data).read("a")


# --- fat binaries ---------------------------------------------------------------------------


def test_kinds_suffixes_and_longer_headers_are_read() -> None:
    library = fatbin(
        entry(2, 90),
        entry(2, 90, 0x10_0000),
        entry(2, 103, 0x20_0000, extra=40),
        entry(1, 120),
        entry(4, 70),  # relocatable code: runs nowhere
    )
    census = take_census([b"\0" * 64 + library + b"\0" * 9])
    assert census.sets == {targets("9.0 9.0a 10.3f", "12.0"): 1}
    assert census.fatbins == 1
    assert (census.sass, census.ptx) == (
        targets("9.0 9.0a 10.3f").sass,
        targets("", "12.0").ptx,
    )


def test_own_code_is_told_by_the_names_in_it() -> None:
    own = fatbin(entry(2, 70, payload=b"..caffe2.kernel."))
    linked = fatbin(entry(2, 35))
    census = take_census([own + linked + own], [b"caffe2"])
    assert census.sets == {targets("7.0"): 2, targets("3.5"): 1}
    assert census.own == {targets("7.0"): 2}


@pytest.mark.parametrize("size", [1, 3, 8, 17, 500])
def test_pieces_of_any_size_give_the_same_census(size: int) -> None:
    library = b"\0" * 8 + fatbin(entry(2, 80), entry(1, 80)) * 3 + b"tail" + fatbin(entry(2, 86))
    whole = take_census([library])
    pieces = [library[at : at + size] for at in range(0, len(library), size)]
    assert take_census(pieces).sets == whole.sets
    assert whole.fatbins == 3  # the last one is not aligned


@pytest.mark.parametrize(
    "chance",
    [
        struct.pack("<IHHQ", 0xBA55ED50, 2, 16, 64) + bytes(64),
        struct.pack("<IHHQ", 0xBA55ED50, 1, 24, 64) + bytes(64),
        struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 0) + bytes(64),
        struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 40) + bytes(64),
        struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 64) + bytes(64),  # the entry's version is wrong
        fatbin(entry(2, 80), b"rest too short to be an entry.  "),
        fatbin(entry(2, 5)),
        fatbin(entry(2, 1000)),
        fatbin(entry(2, 80)[:16] + bytes(48)),
        fatbin(struct.pack("<HHI", 2, 0x101, 8) + entry(2, 80)[8:]),
        fatbin(struct.pack("<HHIQ", 2, 0x101, 64, 4000) + entry(2, 80)[16:]),
    ],
    ids=str,
)
def test_the_magic_number_by_chance_is_passed_over(chance: bytes) -> None:
    chance += bytes(-len(chance) % 8)
    census = take_census([chance + fatbin(entry(2, 75))])
    assert targets("7.5") in census.sets


def test_a_container_without_an_end_hides_nothing_after_it() -> None:
    endless = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 20)
    scanner = FatbinScanner()
    scanner.feed(fatbin(entry(2, 80)) + endless + fatbin(entry(2, 90)))
    assert scanner.census.sets == {targets("8.0"): 1}
    scanner.close()
    assert scanner.census.sets == {targets("8.0"): 1, targets("9.0"): 1}


def test_an_empty_census_has_no_targets() -> None:
    census = FatbinCensus()
    assert (census.fatbins, census.sass, census.ptx) == (0, frozenset(), frozenset())


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_any_bytes_are_scanned_without_a_fault(pieces: list[bytes]) -> None:
    magic = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 64)
    assert take_census([magic + piece for piece in pieces]).fatbins >= 0


# --- names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        (NAME, ("torch", "2.6.0", None, "3.12", "linux", "x86_64", "2.5")),
        (
            "torch-2.10.0-3-cp314-cp314t-manylinux_2_28_x86_64.whl",
            ("torch", "2.10.0", 3, "3.14t", "linux", "x86_64", "2.28"),
        ),
        (
            "torch-1.8.0-cp36-cp36m-manylinux2014_aarch64.whl",
            ("torch", "1.8.0", None, "3.6", "linux", "aarch64", "2.17"),
        ),
        (
            "torch-1.0.0-cp27-cp27mu-manylinux1_x86_64.whl",
            ("torch", "1.0.0", None, "2.7", "linux", "x86_64", "2.5"),
        ),
        (
            "torch-2.6.0+cu124-cp39-cp39-win_amd64.whl",
            ("torch", "2.6.0+cu124", None, "3.9", "windows", "x86_64", None),
        ),
        (
            "torch-2.13.0-cp311-cp311-linux_x86_64.whl",
            ("torch", "2.13.0", None, "3.11", "linux", "x86_64", None),
        ),
        (
            "vllm-0.9.2-cp38-abi3-manylinux1_x86_64.whl",
            ("vllm", "0.9.2", None, "3.8+", "linux", "x86_64", "2.5"),
        ),
        (
            "pkg-1-cp315-abi3t-manylinux_2_28_x86_64.whl",
            ("pkg", "1", None, "3.15t+", "linux", "x86_64", "2.28"),
        ),
        (
            "xformers-0.0.35-py39-none-manylinux_2_28_x86_64.whl",
            ("xformers", "0.0.35", None, "3.9+", "linux", "x86_64", "2.28"),
        ),
        (
            "triton-3.8.0-cp313-cp313-manylinux_2_28_x86_64.manylinux_2_27_x86_64.whl",
            ("triton", "3.8.0", None, "3.13", "linux", "x86_64", "2.27"),
        ),
        (
            "nvidia_cuda_nvcc_cu12-12.0.76-py2.py3-none-manylinux2014_x86_64.whl",
            ("nvidia-cuda-nvcc-cu12", "12.0.76", None, "py3", "linux", "x86_64", "2.17"),
        ),
        ("jax-0.9.2-py3-none-any.whl", ("jax", "0.9.2", None, "py3", "any", "any", None)),
    ],
)
def test_a_file_name_is_read(file: str, shown: tuple[object, ...]) -> None:
    name = WheelName.parse(file)
    read = (name.project, str(name.version), name.build, name.python, name.os, name.machine, name.glibc)
    assert read == shown
    assert name.file == file


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("torch-2.6.0.tar.gz", "not a wheel's file name"),
        ("torch-2.6.0-cp312-none-macosx_11_0_arm64.whl", "not a wheel for Linux or Windows"),
        ("pkg-1.0-cp312-cp312-musllinux_1_2_x86_64.whl", "a wheel for musl"),
    ],
)
def test_what_is_no_wheel_for_linux_or_windows_is_refused(file: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WheelName.parse(file)


@pytest.mark.parametrize(
    ("file", "fitting", "others"),
    [
        (NAME, ["3.12"], ["3.11", "3.13", "3.12t"]),
        ("vllm-1-cp38-abi3-manylinux1_x86_64.whl", ["3.8", "3.14"], ["3.7", "3.14t"]),
        ("pkg-1-cp315-abi3t-manylinux1_x86_64.whl", ["3.15t", "3.16t"], ["3.15", "3.14t"]),
        ("pkg-1-py3-none-manylinux1_x86_64.whl", ["3.8", "3.14t"], []),
        ("pkg-1-py3-none-any.whl", ["3.8", "3.14t"], []),
    ],
)
def test_a_wheel_fits_the_pythons_that_its_tag_promises(file: str, fitting: list[str], others: list[str]) -> None:
    name = WheelName.parse(file)
    assert [python for python in fitting + others if name.fits("linux", "x86_64", python)] == fitting
    assert name.fits("linux", "x86_64")
    assert name.fits("windows", "aarch64", fitting[0]) is (name.os == "any")


def test_python_tags_are_those_of_the_same_release_and_platform() -> None:
    files = [
        NAME,
        "torch-2.6.0-cp39-cp39-manylinux1_x86_64.whl",
        "torch-2.6.0-cp313-cp313t-manylinux1_x86_64.whl",
        "torch-2.6.0+cpu-cp310-cp310-manylinux1_x86_64.whl",
        "torch-2.6.0-cp38-cp38-win_amd64.whl",
        "torch-2.6.0-cp37-cp37m-manylinux2014_aarch64.whl",
        "torch-2.6.1-cp36-cp36m-manylinux1_x86_64.whl",
        "torch-2.6.0.tar.gz",
    ]
    assert python_tags(files, WheelName.parse(NAME)) == ["3.9", "3.12", "3.13t"]


@pytest.mark.parametrize(
    ("library", "vendor"),
    [
        ("libcudnn.so.9", True),
        ("libcudnn_cnn_infer.so.8", True),
        ("libcudart-1b201d85.so.10.1", True),
        ("libcuda.so.1", True),
        ("libcublasLt.so.13", True),
        ("libnvrtc-builtins.so.12.8", True),
        ("cudart64_12.dll", True),
        ("cudnn64_9.dll", True),
        ("libtorch_cuda.so", False),
        ("libcaffe2_nvrtc.so", False),
        ("libtorch_nvshmem.so", False),
        ("libbitsandbytes_cuda128.so", False),
        ("xla_cuda_plugin.so", False),
        ("cuda_plugin_extension.so", False),
        ("libonnxruntime_providers_cuda.so", False),
    ],
)
def test_the_vendors_libraries_are_told_from_a_wheels_own(library: str, vendor: bool) -> None:
    assert is_gpu_library(library) is vendor


# --- readings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (b"\0sm_50 sm_90a compute_120\0", ["sm_50", "sm_90a", "compute_120"]),
        (b"\0sm_90\0", ["sm_90"]),
        (b"\0sm_50 sm_60\0 \0sm_50 sm_60\0", ["sm_50", "sm_60"]),
        (b"\0sm_50 sm_60 or later\0", None),
        (b"use sm_50\0", None),
        (b"", None),
    ],
)
def test_flags_are_a_whole_text(text: bytes, flags: list[str] | None) -> None:
    assert find_arch_flags(text) == flags


def test_two_different_lists_are_not_chosen_between() -> None:
    with pytest.raises(ValueError, match="several lists"):
        find_arch_flags(b"\0sm_50\0\0sm_60\0")


RECORDS = [
    ("torch/version.py", "debug = False\ncuda = '9.0.176'\n", "9.0"),
    ("torch/version.py", "cuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n", "12.4"),
    ("torch/version.py", "__all__ = ['debug', 'cuda', 'git_version']\ncuda = '13.0'\n", "13.0"),
    ("torch/version.py", "cuda = None\n", None),
    ("torch/version.py", "# cuda = '12.4'\n", None),
    ("torchvision/version.py", "__version__ = '0.29.1+cu130'\ncuda = _check_cuda_version()\n", "13.0"),
    ("torchvision/version.py", "__version__ = '0.8.0+cu92'\n", "9.2"),
    ("xformers/cpp_lib.json", '{"version": {"cuda": 1208, "hip": null, "torch": "2.10.0+cu128"}}', "12.8"),
    ("a/b/build_info.py", "x([('cuda_version', '12.5.1'), ('cudnn_version', '9')])", "12.5"),
    ("onnxruntime/capi/build_and_package_info.py", "cuda_version = '13.0'\n", "13.0"),
    ("version.py", "cuda = 'unknown'\ncuda_version = ''\n", None),
    ("a/other.py", "cuda = '12.4'\n", None),
]


@pytest.mark.parametrize(("member", "text", "cuda"), RECORDS)
def test_the_cuda_of_the_build_is_read(member: str, text: str, cuda: str | None) -> None:
    stated = stated_cuda(read_build_records(opened(pack({member: text.encode()}))))
    assert stated == (None if cuda is None else (cuda, member))


def test_build_records_keep_what_they_say_of_cuda() -> None:
    text = b"build([('is_cuda_build', True), ('cuda_compute_capabilities', ['sm_60', 'compute_90']), ('cudnn_version', '9')])"
    records = read_build_records(opened(pack({"t/build_info.py": text, "t/version.py": b"x = 1"})))
    assert records == {"t/build_info.py": {"cuda_compute_capabilities": "sm_60 compute_90", "cudnn_version": "9"}}


def test_records_that_differ_are_not_chosen_between() -> None:
    with pytest.raises(ValueError, match="several CUDA releases"):
        stated_cuda({"a/version.py": {"cuda": "12.4"}, "b/version.py": {"__version__": "1.0+cu126"}})


def test_requirements_are_read_from_the_headers() -> None:
    archive = opened(pack({"torch-2.6.0.dist-info/METADATA": METADATA}))
    assert read_metadata(archive) == {
        "requires": [
            'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"',
            'triton==3.2.0; platform_system == "Linux"',
        ],
        "requires_python": ">=3.9",
    }
    with pytest.raises(KeyError, match="no METADATA"):
        read_metadata(opened(pack({"a/METADATA": b""})))


def test_flags_decide_and_fat_binaries_confirm() -> None:
    library = fatbin(entry(2, 50), entry(2, 90)) * 2 + fatbin(entry(2, 90, 0x10_0000))
    found = measured(wheel_bytes(libraries={"libtorch_cuda.so": library}), [NAME])
    assert found["id"] == "torch-2.6.0+cu124-linux-x86_64"
    assert found["arch_flags"] == ["sm_50", "sm_90"]
    assert found["result"] == {"sass": ["5.0", "9.0"], "ptx": []}
    assert found["fatbin_reading"] == {
        "agrees_with_arch_flags": True,
        "count": 2,
        "counted": "all",
        "of": 3,
        "ptx": [],
        "sass": ["5.0", "9.0"],
    }
    assert found["libraries"] == {
        "libtorch_cuda.so": {
            "complete": True,
            "fatbins": 3,
            "glibc": None,
            "needs": [],
            "own_fatbins": 0,
            "ptx": [],
            "sass": ["5.0", "9.0", "9.0a"],
            "sets": [
                {"count": 2, "own": 0, "ptx": [], "sass": ["5.0", "9.0"]},
                {"count": 1, "own": 0, "ptx": [], "sass": ["9.0a"]},
            ],
        }
    }
    assert found["python_tags"] == ["3.12"]
    assert found["bundled"] == ["libcudnn.so.9"]
    assert (found["project"], found["version"]) == ("torch", "2.6.0")
    assert (found["cuda"], found["cuda_from"]) == ("12.4", "torch/version.py")
    assert len(found["requires"]) == 2
    assert (found["sha256"], found["measured_on"], found["glibc_of_tag"]) == (HASH, DATE, "2.5")
    assert found == json.loads(json.dumps(found))


def test_a_disagreement_is_said_and_flags_still_decide() -> None:
    data = wheel_bytes(libraries={"libtorch_cuda.so": fatbin(entry(2, 50), entry(1, 50))})
    found = measured(data)
    assert found["fatbin_reading"]["agrees_with_arch_flags"] is False
    assert found["result"]["sass"] == ["5.0", "9.0"]
    assert found["python_tags"] is None


def test_without_flags_the_commonest_own_set_decides() -> None:
    own = fatbin(entry(2, 35, payload=b"x.caffe2"), entry(1, 50))
    linked = fatbin(entry(2, 61))
    data = wheel_bytes("9.0.176", b"none", {"libcaffe2_gpu.so": own + linked * 3})
    found = measured(data, name="torch-1.0.0-cp35-cp35m-manylinux1_x86_64.whl")
    assert found["id"] == "torch-1.0.0+cu90-linux-x86_64"
    assert found["arch_flags"] is None
    assert found["result"] == {"sass": ["3.5"], "ptx": ["5.0"]}
    assert found["fatbin_reading"]["agrees_with_arch_flags"] is None
    assert found["fatbin_reading"]["counted"] == "torch's own"


def test_a_tie_goes_to_the_larger_set_whatever_the_order() -> None:
    few, many = fatbin(entry(2, 90)), fatbin(entry(2, 50), entry(2, 60))
    results = [
        measured(wheel_bytes(flags=b"none", libraries={"libtorch_cuda.so": library}))["result"]
        for library in (few + many, many + few)
    ]
    assert results == [{"sass": ["5.0", "6.0"], "ptx": []}] * 2


def test_a_rebuilt_wheel_and_a_cpu_wheel_have_ids_of_their_own() -> None:
    rebuilt = measured(wheel_bytes(), name="torch-2.10.0-3-cp312-cp312-manylinux_2_28_x86_64.whl")
    assert rebuilt["id"] == "torch-2.10.0-3+cu124-linux-x86_64"
    assert rebuilt["fatbin_reading"] is None  # flags alone
    plain = measured(wheel_bytes(None, b"none"), name="torch-2.6.0-cp312-cp312-win_amd64.whl")
    assert plain["id"] == "torch-2.6.0+cpu-windows-x86_64"
    assert plain["result"] == {"sass": [], "ptx": []}


def test_a_wheel_of_another_project_is_measured_per_library() -> None:
    members = {
        "vllm-0.9.2.dist-info/METADATA": b"Name: vllm\nRequires-Dist: torch==2.7.0\n\n",
        "vllm/_C.abi3.so": fatbin(entry(2, 80), entry(1, 90)),
        "vllm/extra/_C.abi3.so": fatbin(entry(2, 90, 0x10_0000)),
        "vllm/plain.so": b"no code for GPUs",
        "vllm/bin/ptxas": b"\0Cuda compilation tools, release 12.8, V12.8.93\nBuild",
    }
    found = measured(pack(members), name="vllm-0.9.2-cp38-abi3-manylinux1_x86_64.whl")
    assert found["id"] == "vllm-0.9.2-linux-x86_64"
    assert found["requires"] == ["torch==2.7.0"]
    assert found["compilers"] == {"vllm/bin/ptxas": ["12.8.93"]}
    assert (found["result"], found["fatbin_reading"], found["cuda"], found["cuda_from"]) == (None,) * 4
    assert {library: (read["sass"], read["ptx"]) for library, read in found["libraries"].items()} == {
        "vllm/_C.abi3.so": (["8.0"], ["9.0"]),
        "vllm/extra/_C.abi3.so": (["9.0a"], []),
    }


def test_a_wheel_without_gpu_code_is_an_observation_too() -> None:
    found = measured(pack({"jax-1.dist-info/METADATA": b"Name: jax\n\n"}), name="jax-1-py3-none-any.whl")
    assert (found["id"], found["libraries"], found["requires"]) == ("jax-1-any-any", {}, [])


@pytest.mark.parametrize(("cuda", "flags"), [("12.4", b"none"), (None, b"sm_50")])
def test_finding_nothing_in_a_cuda_build_is_an_error_not_an_answer(cuda: str | None, flags: bytes) -> None:
    with pytest.raises(ValueError, match="GPU code found"):
        measured(wheel_bytes(cuda, flags))


# --- the index ------------------------------------------------------------------------------


def page(*files: str, hashes: dict[str, str] | None = None) -> bytes:
    stated = {"sha256": HASH} if hashes is None else hashes
    listed = [{"filename": file, "url": f"../files/{file}", "hashes": stated} for file in files]
    return json.dumps({"meta": {"api-version": "1.1"}, "files": listed}).encode()


def test_pip_is_asked_which_index_it_would_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://mirror.example/simple")
    assert pip_default() == "http://mirror.example/simple"


def test_without_pip_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(BadIndex, match="--index-url"):
        pip_default()


@pytest.mark.parametrize(
    ("help", "message"),
    [
        ("  -i, --index-url <url>  Base URL (default http://user:****@a/simple). This", "shows no password"),
        ("  --index-url <url>  Base URL. This", "pip names no index"),
        ("", "pip names no index"),
    ],
)
def test_an_index_that_cannot_be_used_is_said(help: str, message: str) -> None:
    with pytest.raises(BadIndex, match=message):
        index_url(help)


def test_a_project_page_is_read() -> None:
    assert project_url("http://a/simple/", "torch") == "http://a/simple/torch/"
    assert project_url("http://a", "Flash_Attn") == "http://a/flash-attn/"
    (file,) = parse_project_page(page(NAME), "http://a/simple/torch/")
    assert file == IndexFile(NAME, f"http://a/simple/files/{NAME}", HASH)


@pytest.mark.parametrize(
    "answer", [b"<html>", b"[]", b"{}", b'{"files": [{}]}', page(), page(NAME, hashes={"md5": "0"})]
)
def test_any_other_page_is_refused(answer: bytes) -> None:
    with pytest.raises(BadIndex):
        parse_project_page(answer, "http://a/")


def test_the_highest_build_is_chosen() -> None:
    files = [
        IndexFile(file, "u", HASH)
        for file in (
            "torch-2.10.0.tar.gz",
            "torch-2.10.0+cpu-cp312-cp312-manylinux_2_28_x86_64.whl",
            "torch-2.10.0-3-cp312-cp312-manylinux_2_28_x86_64.whl",
            "torch-2.10.0-cp312-cp312-manylinux_2_28_x86_64.whl",
        )
    ]
    wanted = {"version": "2.10.0", "os": "linux", "machine": "x86_64"}
    file, name = choose_wheel(files, python="3.12", **wanted)
    assert (name.build, file.file) == (3, files[2].file)
    with pytest.raises(NoWheel, match=r"there are: \['3.12 linux x86_64', 'torch-2.10.0.tar.gz'\]"):
        choose_wheel(files, python="3.9", **wanted)


def test_without_a_wish_the_newest_ordinary_python_is_chosen() -> None:
    tags = ("cp39-cp39", "cp313-cp313", "cp314-cp314t", "py3-none")
    files = [IndexFile(f"pkg-1-{tag}-manylinux_2_28_x86_64.whl", "u", HASH) for tag in tags]
    _, name = choose_wheel(files, version="1", python=None, os="linux", machine="x86_64")
    assert name.python == "3.13"


def test_a_source_archive_counts_where_there_is_no_wheel_at_all() -> None:
    listed = [
        IndexFile(file, "u", HASH)
        for file in ("pkg-1.0.tar.gz", "pkg-1-py3-none-win_amd64.whl", "pkg-2.0.tar.gz", "pkg.tar.gz", "pkg-2.0.zip")
    ]
    found = find_source(listed, "2")
    assert found is not None
    assert found.file == "pkg-2.0.tar.gz"
    assert find_source(listed, "1") is None
    assert find_source(listed, "3") is None


# --- the doors and the command --------------------------------------------------------------


class Index(BaseHTTPRequestHandler):
    """A package index on this machine; `parts` tells how it treats a request for a range."""

    wheel: ClassVar[bytes] = wheel_bytes()
    parts: ClassVar[str] = "yes"
    accepted: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:  # the name is the standard library's
        if self.path == "/simple/torch/":
            self.accepted.append(self.headers["Accept"])
            self._answer(200, page(NAME, "torch-2.6.0-cp39-cp39-manylinux1_x86_64.whl"))
        elif not self.path.endswith(".whl"):
            self._answer(404, b"")
        elif self.parts == "no":
            self._answer(200, self.wheel)
        else:
            first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
            place = f"bytes {first}-{last}/{len(self.wheel)}" if self.parts == "yes" else "nonsense"
            self._answer(206, self.wheel[first : last + 1], {"Content-Range": place})

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_ranges_come_over_http(index: str) -> None:
    url = f"{index}/{NAME}"
    assert door.fetch_size(url) == len(Index.wheel)
    assert door.fetch_range(url, 3, 9) == Index.wheel[3:9]
    assert door.fetch_range(url, 3, 3) == b""


@pytest.mark.parametrize(("parts", "message"), [("no", "ignores byte ranges"), ("odd", "without its place")])
def test_a_server_without_ranges_is_refused(
    index: str, monkeypatch: pytest.MonkeyPatch, parts: str, message: str
) -> None:
    monkeypatch.setattr(Index, "parts", parts)
    with pytest.raises(door.DoorError, match=message):
        door.fetch_size(f"{index}/{NAME}")
    with pytest.raises(door.DoorError, match=message):
        door.fetch_range(f"{index}/{NAME}", 0, 4)


def test_other_schemes_are_refused() -> None:
    with pytest.raises(door.DoorError, match="only http"):
        door.fetch_page("file:///etc/hostname")


def run(*arguments: str) -> int:
    return command.main(["wheel", *arguments], today=DATE)


def test_the_command_measures_through_the_index(
    index: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("matrices.measure.index.pip_default", lambda: f"{index}/simple")
    assert run("torch==2.6.0") == 0
    shown = capsys.readouterr().out
    found = json.loads(shown)
    assert (found["artefact"], found["python_tags"]) == (NAME, ["3.9", "3.12"])
    assert "127.0.0.1" not in shown
    assert Index.accepted[-1] == "application/vnd.pypi.simple.v1+json"


def test_the_command_writes_an_observation_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = tmp_path / NAME
    wheel.write_bytes(wheel_bytes())
    arguments = ("--file", str(wheel), "--output", str(tmp_path / "observations"))
    assert (run(*arguments), run(*arguments)) == (0, 0)
    path = tmp_path / "observations/2026/11/torch-2.6.0+cu124-linux-x86_64.json"
    text = path.read_text(encoding="utf-8")
    assert capsys.readouterr().out.splitlines() == [str(path)] * 2
    assert text.startswith('{\n "arch_flags": [\n  "sm_50"')
    assert text.endswith("}\n")
    assert str(tmp_path) not in text
    wheel.write_bytes(wheel_bytes(flags=b"sm_60"))
    assert run(*arguments) == 1
    assert "observed before" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("torch",), "PROJECT==VERSION"),
        (("torch==9.9.9", "--index-url", "{}/simple"), "measure: no 9.9.9"),
        (("torch==2.6.0", "--index-url", "{}/nowhere"), "the package index answers 404"),
        (("torch==2.6.0", "--index-url", "http://127.0.0.1:1"), "cannot be reached"),
        (("--file", "missing.whl"), "missing.whl: No such file"),
    ],
)
def test_the_command_says_what_went_wrong_in_one_line(
    index: str, arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*(argument.format(index) for argument in arguments)) == (2 if message == "PROJECT==VERSION" else 1)
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_the_date_is_todays_by_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = tmp_path / NAME
    wheel.write_bytes(wheel_bytes())
    assert command.main(["wheel", "--file", str(wheel)]) == 0
    assert len(json.loads(capsys.readouterr().out)["measured_on"]) == len(DATE)
