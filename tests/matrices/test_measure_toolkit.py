"""Measuring compilers: what their help lists, the checks of their header, the command."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from matrices.measure import __main__ as command
from matrices.measure import door
from matrices.measure.index import IndexFile, NoWheel
from matrices.measure.names import WheelName
from matrices.measure.remote_zip import RemoteZip
from matrices.measure.toolkit import (
    CompilerWheel,
    NoCompiler,
    compiler_projects,
    measure_toolkit,
    newest_compiler,
    read_host_compilers,
    read_ptx_isa,
    read_targets,
)

DATE = "2026-11-30"
HELP = """--gpu-name <gpu name>  (-arch)
        Allowed values for this option:  'compute_90','compute_90a','lto_90','sm_90',
        'sm_120','sm_90a','sm_100f'.
"""
HEADER = b"""#if defined(__GNUC__)
#if __GNUC__ > 14
#error -- unsupported GNU version! gcc versions later than 14 are not supported!
#endif
#if (__clang_major__ >= 21) || (__clang_major__ < 3)
#error -- unsupported HOS clang version! The version must be less than 21
#endif
#if (__clang_major__ >= 20) || (__clang_major__ < 3)
#error -- unsupported clang version! clang version must be less than 20
#endif
#if _MSC_VER < 1910 || _MSC_VER >= 1950
#error -- unsupported Microsoft Visual Studio version! Only the versions between 2017 and 2022 (inclusive) are supported!
"""
NAME = "nvidia_cuda_nvcc-13.0.48-py3-none-manylinux2014_x86_64.whl"


def wheel(members: dict[str, bytes], file: str = NAME) -> CompilerWheel:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    data = buffer.getvalue()
    listed = IndexFile(file, "u", hashlib.sha256(data).hexdigest())
    return CompilerWheel(
        listed, WheelName.parse(file), RemoteZip("u", len(data), lambda _url, start, end: data[start:end])
    )


def answer(command: Sequence[str]) -> str:
    """A compiler as NVIDIA's answers."""
    program = Path(command[0])
    assert program.stat().st_mode & stat.S_IXUSR
    if command[1:] == ["--help"]:
        return HELP
    if command[1:] == ["--version"]:
        return "ptxas\nCuda compilation tools, release 13.0, V13.0.48\nBuild"
    if command[1].startswith("--list-gpu-"):
        return "sm_90\nsm_120\n" if command[1].endswith("code") else "compute_90\n"
    assert ".version 99.9" in Path(command[1]).read_text(encoding="ascii")
    return "fatal : Unsupported .version 99.9; current version is '9.0'"


def test_a_compiler_is_measured() -> None:
    compiler = wheel({"nvidia/cu13/bin/ptxas": b"program", "nvidia/cu13/bin/nvcc": b"program"})
    headers = wheel({"nvidia/cu13/include/crt/host_config.h": HEADER}, NAME.replace("nvcc", "crt"))
    found = measure_toolkit([compiler, headers], answer, measured_on=DATE)
    assert found["id"] == "cuda-compiler-13.0.48-linux-x86_64"
    assert (found["cuda"], found["compiler"], found["ptx_isa"]) == ("13.0", "13.0.48", "9.0")
    assert found["targets"] == {"sass": ["9.0", "9.0a", "10.0f", "12.0"], "ptx": ["9.0", "9.0a"]}
    assert found["nvcc"] == {"arch": ["compute_90"], "code": ["sm_90", "sm_120"]}
    assert found["host_compilers"]["gcc"] == "14"
    assert [each["artefact"] for each in found["artefacts"]] == [compiler.name.file, headers.name.file]
    assert found == json.loads(json.dumps(found))


def test_what_a_wheel_lacks_is_left_open() -> None:
    found = measure_toolkit([wheel({"bin/ptxas": b""})], answer, measured_on=DATE)
    assert (found["nvcc"], found["host_compilers"]) == (None, None)


def test_a_wheel_without_a_compiler_is_refused() -> None:
    with pytest.raises(NoCompiler, match="no ptxas"):
        measure_toolkit([wheel({"bin/cicc": b""})], answer, measured_on=DATE)


def test_a_compiler_without_a_version_is_refused() -> None:
    with pytest.raises(NoCompiler, match="its version"):
        measure_toolkit(
            [wheel({"bin/ptxas": b""})],
            lambda command: "" if command[1:] == ["--version"] else answer(command),
            measured_on=DATE,
        )


def test_another_programs_answers_are_refused() -> None:
    with pytest.raises(NoCompiler, match="no targets"):
        read_targets("usage: ptxas")
    with pytest.raises(NoCompiler, match="which PTX"):
        read_ptx_isa("usage: ptxas")


def test_host_compilers_are_read_from_the_conditions() -> None:
    msvc = {"from": "1910", "below": "1950", "studio": ["2017", "2022"]}
    assert read_host_compilers(HEADER.decode()) == {"gcc": "14", "clang": "19", "msvc": msvc}
    assert read_host_compilers("#if _MSC_VER < 1910 || _MSC_VER >= 1930\n") == {
        "msvc": {"from": "1910", "below": "1930", "studio": None}
    }
    assert read_host_compilers("nothing is checked") == {}


def test_the_wheels_of_a_release_are_named() -> None:
    assert compiler_projects("11.8") == ("nvidia-cuda-nvcc-cu11",)
    assert compiler_projects("12.8.61") == ("nvidia-cuda-nvcc-cu12",)
    assert compiler_projects("13.0") == ("nvidia-cuda-nvcc", "nvidia-cuda-crt")


def listed(*versions: str) -> list[IndexFile]:
    files = [f"nvidia_cuda_nvcc-{version}-py3-none-manylinux2014_x86_64.whl" for version in versions]
    return [IndexFile(file, "u", "0") for file in [*files, "nvidia-cuda-nvcc-0.0.1.tar.gz"]]


@pytest.mark.parametrize(("cuda", "version"), [("13.0", "13.0.88"), ("13.0.48", "13.0.48"), ("13", "13.1.2")])
def test_the_newest_build_of_a_release_is_taken(cuda: str, version: str) -> None:
    files = listed("13.0.88", "13.0.48", "13.0.99rc1", "13.1.2")
    _, name = newest_compiler(files, cuda, "linux", "x86_64")
    assert str(name.version) == version


def test_a_release_without_wheels_is_said() -> None:
    with pytest.raises(NoWheel, match=r"no compiler 13\.2 for linux, x86_64; there are: 13\.0\.48, 13\.0\.88"):
        newest_compiler(listed("13.0.88", "13.0.48"), "13.2", "linux", "x86_64")


def test_the_command_measures_a_compiler(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    compiler = wheel({"bin/ptxas": b"program", "include/crt/host_config.h": HEADER})
    data = compiler.archive._range(0, compiler.archive.size)

    def page(url: str) -> bytes:
        project = url.rstrip("/").rpartition("/")[2].replace("-", "_")
        files = [f"{project}-{build}-py3-none-manylinux2014_x86_64.whl" for build in ("13.0.48", "13.0.88")]
        return json.dumps({"files": [{"filename": f, "url": f, "hashes": {"sha256": "0"}} for f in files]}).encode()

    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(door, "fetch_page", page)
    monkeypatch.setattr(door, "fetch_size", lambda _url: len(data))
    monkeypatch.setattr(door, "fetch_range", lambda _url, start, end: data[start:end])
    monkeypatch.setattr(door, "run_program", answer)
    assert command.main(["toolkit", "13.0.48", "--index-url", "http://a/simple"], today=DATE) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["artefact"].split("-")[:2] for each in found["artefacts"]] == [
        ["nvidia_cuda_nvcc", "13.0.48"],
        ["nvidia_cuda_crt", "13.0.48"],
    ]


def test_a_program_is_run_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert door.run_program(["sh", "-c", "echo out; echo err >&2; exit 3"]) == "out\nerr\n"

    def slow(*_arguments: object, **_keywords: object) -> None:
        raise subprocess.TimeoutExpired("ptxas", 1)

    monkeypatch.setattr(subprocess, "run", slow)
    with pytest.raises(door.DoorError, match="in time"):
        door.run_program(["ptxas"])
