"""Builds that no row names: inside declared coverage they do not exist, outside it they may."""

from __future__ import annotations

from typing import Any

import pytest

from matrices.versions import CudaVersion, TorchVersion
from resolver.closure import Closure
from tests.resolver.factory import Parts, World, query, small
from tests.resolver.test_solve import asked

CLOSURE = Closure(small().index, small().solver.packages)
cuda, torch = CudaVersion.parse, TorchVersion.parse


def closure_of(world: World) -> Closure:
    parts = Parts(world.catalogue())
    return Closure(parts.index, parts.solver.packages)


CLOSED = [
    ("2.7.0", "12.8", "linux", "x86_64", True),
    ("1.8.2", "9.0", "linux", "x86_64", True),
    ("2.7.0", "12.8", "linux", "aarch64", True),
    ("2.7.0", "12.4", "linux", "aarch64", False),  # covered for CUDA 12.8 only
    ("2.6.0", "12.8", "linux", "aarch64", False),  # covered for 2.7 only
    ("2.7.0", "12.8", "windows", "x86_64", False),
]


@pytest.mark.parametrize("release, toolkit, os, machine, closed", CLOSED)
def test_closed(release: str, toolkit: str, os: str, machine: str, closed: bool) -> None:
    for _ in range(2):  # the second time from what is kept
        assert CLOSURE.closed(torch(release), cuda(toolkit), os, machine) is closed


def test_only_the_coverage_of_the_pytorch_index_counts() -> None:
    world = World().entity("branch", "R570", number=570)
    row = {"complete_for": "", "evidence": [], "os": ["linux"], "machine": ["x86_64"]}
    world.entity("coverage", "a", table="wheel", channel=["conda"], **row)
    world.entity("coverage", "b", table="image", channel=["pytorch-index"], **row)
    assert not closure_of(world).closed(torch("2.7.0"), cuda("12.8"), "linux", "x86_64")


OPEN = [
    # question, builds that may exist
    (asked("7.5"), []),  # all is known there
    (asked("7.5", machine="aarch64", torch="2.7"), ["2.7.0+cu118", "2.7.0+cu124", "2.7.0+cu130"]),
    (asked("7.5", machine="aarch64", torch="1.8.2"), ["1.8.2+cu102"]),
    (asked("7.5", machine="aarch64", torch="2.4"), ["2.4.0+cu118"]),
    (asked("7.5", machine="aarch64", torch="2.7", cuda="12.4"), ["2.7.0+cu124"]),
    (asked("7.5", machine="aarch64", torch="2.7.0+cu118"), ["2.7.0+cu118"]),
    (asked("7.5", machine="aarch64", torch="2.7.0+cu128"), []),
    (asked("7.5", machine="aarch64", torch="2.7", driver="470"), ["2.7.0+cu118", "2.7.0+cu130"]),  # CUDA 13 is in doubt
    (asked("7.5", machine="aarch64", torch="2.7", python="3.13"), ["2.7.0+cu118", "2.7.0+cu124", "2.7.0+cu130"]),
    (asked("7.5", machine="aarch64", torch="2.7", python="3.8"), []),  # no build of it is for that Python
    (
        asked("12.0", machine="aarch64", torch="2.7"),
        ["2.7.0+cu118", "2.7.0+cu124", "2.7.0+cu130"],
    ),  # PTX, with a new driver
    (
        asked("7.0", machine="aarch64", torch="2.7"),
        ["2.7.0+cu118", "2.7.0+cu124"],
    ),  # that compiler makes nothing for it
    (asked("3.7", machine="aarch64", torch="2.7"), ["2.7.0+cu118"]),
    (asked("9.0", machine="aarch64", torch="2.7", driver="590"), ["2.7.0+cu118", "2.7.0+cu124", "2.7.0+cu130"]),
    (asked("7.0", machine="aarch64", torch="2.7", driver="590"), []),  # dropped
    (asked("7.5", os="windows-11", torch="2.6"), ["2.6.0+cu118", "2.6.0+cu128"]),
    (asked("7.5", os="windows-11", torch="2.6", packages=["torchvision==0.21.0"]), ["2.6.0+cu118", "2.6.0+cu128"]),
    (asked("7.5", os="windows-11", torch="2.6", packages=["torchvision==0.20.0"]), []),
    (asked("7.5", os="windows-11", torch="2.7", packages=["torchvision==0.21.0"]), []),  # that is the one of 2.6
    (
        asked("7.5", os="windows-11", torch="2.4", packages=["torchvision==0.19.0"]),
        ["2.4.0+cu118"],
    ),  # nobody knows whose
]


@pytest.mark.parametrize("wanted, labels", OPEN)
def test_open_builds(wanted: Any, labels: list[str]) -> None:
    assert CLOSURE.open_builds(wanted) == labels


def test_a_driver_too_old_for_ptx() -> None:
    """9.0 needs PTX of CUDA 12.0 here; R535 is of CUDA 11.8, so its drivers cannot compile it although they run 12.0."""
    world = World().entity("branch", "R535", number=535).claim("driver-runs-cuda", "R535", cuda="11.8")
    world.claim("toolkit-needs-driver", "12", os="linux", driver="535").claim("branch-drives-cc", "9.0", added="R535")
    world.claim("toolkit-targets-cc", "12.0", sass=["8.0"])
    world.entity("wheel", "w", torch="2.0.0", variant="cu120", os="windows", machine="x86_64", channel="pytorch-index")
    world.claim("wheel-built-with", "w", cuda="12.0")
    closure = closure_of(world)
    assert closure.open_builds(query("9.0")) == []
    assert closure.open_builds(query("8.0")) == ["2.0.0+cu120"]  # what drives it is not known


def test_a_compiler_of_which_nothing_is_known() -> None:
    world = (
        World().entity("branch", "R535", number=535).claim("package-needs-cc", "torch", versions=">=2.0", minimum="7.0")
    )
    world.entity("wheel", "w", torch="2.0.0", variant="cu120", os="windows", machine="x86_64", channel="pytorch-index")
    world.claim("wheel-built-with", "w", cuda="12.0")
    closure = closure_of(world)
    assert closure.open_builds(query("9.0")) == ["2.0.0+cu120"]
    assert closure.open_builds(query("3.5")) == []  # torch itself refuses it
