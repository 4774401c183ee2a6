"""The answer as data: one stack for one build, on the small world."""

from __future__ import annotations

from typing import Any

import pytest

from matrices.catalogue import EVIDENCE_RANK
from matrices.model import FeatureNeedsCc
from resolver.parts import Build
from resolver.query import Query
from resolver.stack import _able, index_url
from tests.resolver.factory import Parts, World, small
from tests.resolver.test_solve import asked

ENGINE = small()
STACKS = ENGINE.stacks


def build(label: str, os: str = "linux", machine: str = "x86_64") -> Build:
    return next(b for b in ENGINE.index.builds if (b.label, b.wheel.os, b.wheel.machine) == (label, os, machine))


def stack(wanted: Query, label: str, os: str = "linux") -> dict[str, Any]:
    return STACKS.stack(wanted, build(label, os))


def test_a_whole_stack() -> None:
    found = stack(asked("tesla-t4", os="ubuntu-24.04", driver="570", python="3.12"), "2.6.0+cu124")
    because = found.pop("because")
    images = found.pop("images")
    assert found == {
        "verdict": "yes",
        "gpus": [{"id": "tesla-t4", "name": "Tesla T4", "compute_capability": "7.5", "architecture": "Turing"}],
        "driver": {
            "installed": "570",
            "minimum": "535.50",
            "maximum_branch": None,
            "recommended_branch": "580",
            "supported_until": "2028-08",
            "kernel_module": "either",
            "install": {
                "os": "ubuntu-24.04",
                "module": "open",
                "commands": ["apt install nvidia-driver-580-open"],
                "claim": "os-installs-driver:ubuntu-24.04:open:570,580",
            },
        },
        "cuda": {
            "runtime": "12.4",
            "runs_as": "native",
            "build_toolkit": {
                "minimum": "11.8",
                "maximum": None,
                "recommended": "12.4",
                "arch_list": "7.5",
                "arch_list_specific": None,
                "cmake": "75-real",
                "gencode": ["-gencode=arch=compute_75,code=sm_75"],
                "host_compiler": {
                    "gcc": None,
                    "clang": None,
                    "msvc": None,
                    "yours": None,
                    "fits": None,
                    "advice": None,
                },
            },
        },
        "torch": {
            "version": "2.6.0",
            "variant": "cu124",
            "python": ["3.9", "3.10", "3.12", "3.13", "3.13t"],
            "glibc": "2.28",
            "index_url": None,
            "companions": {"torchvision": "0.21.0", "torchaudio": "2.6.0"},
            "kernels": "sass",
        },
        "install": {
            "pip": "pip install torch==2.6.0 torchvision==0.21.0 torchaudio==2.6.0",
            "uv": "uv pip install torch==2.6.0 torchvision==0.21.0 torchaudio==2.6.0",
            "conda": "conda create -n torch -y python=3.12 && conda run -n torch pip install"
            " torch==2.6.0 torchvision==0.21.0 torchaudio==2.6.0",
        },
        "packages": {},
        "features": {"fp8": "emulated", "old-trick": "native"},
        "evidence": "documented",
    }
    assert [row["kind"] for row in images] == ["cuda", "pytorch"]  # of the NGC image no Python is known
    assert [row["rule"] for row in because] == [
        "every-gpu", "drives", "kernel-module", "older-runtime", "published", "sass", "python", "glibc",
    ]  # fmt: skip


VERDICTS = [
    (asked("tesla-t4"), "2.6.0+cu124", "yes"),
    (asked("tesla-t4", driver="650.10"), "2.6.0+cu124", "unknown"),
    (asked("geforce-rtx-4090"), "2.6.0+cu124", "unknown"),
    (asked("tesla-t4"), "2.8.0+cu130", "unknown"),
    (asked("tesla-t4", driver="470"), "2.6.0+cu124", "no"),
    (asked("12.0"), "2.6.0+cu124", "no"),
    (asked("tesla-v100", "geforce-rtx-5090"), "2.4.0+cu118", "yes"),  # which modules a host has does not count
    (asked("8.7", "7.5"), "2.6.0+cu118", "unknown"),
    (asked("tesla-t4", packages=["torchvision==0.21.0"]), "2.6.0+cu124", "yes"),
    (asked("tesla-t4", packages=["torchvision==0.22.0"]), "2.6.0+cu124", "no"),
    (asked("tesla-t4", os="wsl2"), "2.6.0+cu118", "yes"),
]


@pytest.mark.parametrize("wanted, label, verdict", VERDICTS)
def test_verdict_is_that_of_the_weakest_reason(wanted: Query, label: str, verdict: str) -> None:
    assert stack(wanted, label)["verdict"] == verdict


def test_evidence_is_that_of_the_weakest_claim() -> None:
    wanted = asked("tesla-t4", os="ubuntu-24.04")
    found = stack(wanted, "2.6.0+cu124")
    kinds = [row["evidence"] for row in found["because"] if row["evidence"]]
    assert found["evidence"] == min(kinds, key=EVIDENCE_RANK.__getitem__)


def test_ptx_needs_a_driver_of_that_cuda() -> None:
    found = stack(asked("12.0"), "2.4.0+cu118")
    assert (found["torch"]["kernels"], found["cuda"]["runs_as"], found["verdict"]) == ("ptx", "native", "yes")
    toolkit = found["cuda"]["build_toolkit"]
    assert (toolkit["minimum"], toolkit["recommended"], toolkit["arch_list"]) == ("12.8", "11.8", "9.0+PTX")


def test_a_dropped_gpu_has_a_last_branch() -> None:
    driver = stack(asked("tesla-k80", "tesla-v100"), "1.8.2+cu102")["driver"]
    assert (driver["maximum_branch"], driver["recommended_branch"], driver["installed"]) == ("470", "470", None)
    assert driver["minimum"] == "470.50"


def test_no_driver_is_known_to_fit() -> None:
    found = stack(asked("geforce-rtx-4090"), "2.6.0+cu124")
    assert found["driver"]["recommended_branch"] is None
    assert found["driver"]["supported_until"] is None
    assert found["driver"]["install"] == {}
    assert found["cuda"]["runs_as"] is None
    assert "drives" not in [row["rule"] for row in found["because"]]


def test_windows_has_no_kernel_modules_and_no_images() -> None:
    found = stack(asked("tesla-t4", os="windows-11", driver="572.60"), "2.6.0+cu124", "windows")
    assert (found["driver"]["kernel_module"], found["images"], found["driver"]["installed"]) == (None, [], "572.60")
    assert "kernel-module" not in [row["rule"] for row in found["because"]]
    assert "--index-url https://download.pytorch.org/whl/cu124" in found["install"]["pip"]


GPUS = [
    (
        asked("tesla-v100"),
        {"id": "tesla-v100", "name": "Tesla V100", "compute_capability": "7.0", "architecture": "Volta"},
    ),
    (asked("tesla-t4"), {"id": "tesla-t4", "name": "Tesla T4", "compute_capability": "7.5", "architecture": "Turing"}),
    (
        asked("9.0"),
        {"id": "cc-9.0", "name": "compute capability 9.0", "compute_capability": "9.0", "architecture": "Hopper"},
    ),
    (
        asked("5.2"),
        {"id": "cc-5.2", "name": "compute capability 5.2", "compute_capability": "5.2", "architecture": None},
    ),
]


@pytest.mark.parametrize("wanted, shown", GPUS)
def test_gpu(wanted: Query, shown: dict[str, str | None]) -> None:
    assert STACKS.gpu(wanted, 0) == shown


URLS = [
    ("2.6.0+cu124", "linux", None),
    ("2.6.0+cu118", "linux", "https://download.pytorch.org/whl/cu118"),
    ("1.8.2+cu102", "linux", "https://download.pytorch.org/whl/lts/1.8/cu102"),
]


@pytest.mark.parametrize("label, os, url", URLS)
def test_index_url(label: str, os: str, url: str | None) -> None:
    assert index_url(build(label, os)) == url


PYTHONS = [
    ("2.6.0+cu124", None, "3.12"),  # one before the newest: packages lag
    ("2.7.0+cu128", None, "3.13"),
    ("1.8.2+cu102", None, "3.8"),
    ("2.8.0+cu130", None, "3"),  # nobody knows
    ("2.6.0+cu124", "3.9", "3.9"),
    ("2.6.0+cu124", ">=3.9", "3.13"),
    ("2.6.0+cu124", "3.8", "3.12"),  # it has none of those asked for
    ("2.8.0+cu130", "3.12", "3"),
]


@pytest.mark.parametrize("label, python, wanted", PYTHONS)
def test_python_for(label: str, python: str | None, wanted: str) -> None:
    for _ in range(2):
        assert STACKS.python_for(build(label), asked("7.5", python=python) if python else None) == wanted


def test_install() -> None:
    old = STACKS.install(build("2.4.0+cu118"))
    assert old["uv"] == "uv pip install torch==2.4.0 'numpy<2' --index-url https://download.pytorch.org/whl/cu118"
    assert STACKS.install(build("2.4.0+cu118")) is old
    assert STACKS.requirements(build("2.7.0+cu128")) == ["torch==2.7.0", "torchvision==0.22.0"]
    assert STACKS.companions(build("2.4.0+cu118")) == {"torchvision": None, "torchaudio": None}
    assert "python=3.13" in STACKS.install(build("2.7.0+cu128"))["conda"]


FEATURES = [
    (["7.5"], {"fp8": "emulated", "old-trick": "native"}),
    (["9.0"], {"fp8": "native", "old-trick": "absent"}),
    (["7.5", "9.0"], {"fp8": "emulated", "old-trick": "absent"}),
    (["8.9"], {"fp8": "native", "old-trick": "absent"}),
]


@pytest.mark.parametrize("names, features", FEATURES)
def test_features(names: list[str], features: dict[str, str]) -> None:
    for _ in range(2):
        assert STACKS.features(asked(*names), build("2.6.0+cu124")) == features


def test_a_feature_that_does_not_count() -> None:
    world = World().entity("branch", "R570", number=570)
    world.claim("feature-needs-cc", "fp8", minimum="9.0", standing="deprecated", because="wrong")
    parts = Parts(world.catalogue())
    made = type(STACKS)(parts.index, parts.judge, ENGINE.drivers, ENGINE.images, ENGINE.citer, parts.solver.packages)
    assert made.features(asked("9.0"), build("2.6.0+cu124")) == {}


COMPILING = [
    ("7.5", "2.6.0+cu124", "native"),
    ("6.1", "2.6.0+cu124", "absent"),
    ("12.0", "2.4.0+cu118", "unknown"),  # CUDA 11.8 does not know it
    ("7.5", "2.4.0+cu118", "absent"),  # of a torch before
]


@pytest.mark.parametrize("name, label, wanted", COMPILING)
def test_a_feature_that_compiles_at_run_time(name: str, label: str, wanted: str) -> None:
    world = World().claim("feature-needs-cc", "c", minimum="7.0", torch=">=2.5", os=["linux"], compiles=True)
    if name == "12.0":
        world = World().claim("feature-needs-cc", "c", minimum="7.0", os=["linux"], compiles=True)
    claim = next(iter(world.catalogue().claims(FeatureNeedsCc)))
    compiled = name != "12.0"
    assert _able(claim, asked(name).capabilities, build(label), compiled=compiled) == wanted
