"""Which driver goes with a build and some GPUs, on the small world (its day is 2026-01-31)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from matrices.model import OperatingSystem
from matrices.versions import CudaVersion
from resolver.driver import DriverChoice, Drivers
from resolver.query import Query, Subject
from tests.resolver.factory import Parts, World, query, small, subject

ENGINE = small()
SYSTEMS = ENGINE.catalogue.entities(OperatingSystem)
cuda = CudaVersion.parse


def gpu(name: str) -> Subject:
    found = ENGINE.index.hardware.gpus[name]
    return subject(str(ENGINE.index.hardware.gpu_capability[name].compute_capability), found)


def asked(*names: str, os: str = "linux", driver: str | None = None, **parts: Any) -> Query:
    read, text = ENGINE.reader.versions.driver(driver, SYSTEMS[os])
    subjects = tuple(gpu(name) if name in ENGINE.index.hardware.gpus else subject(name) for name in names)
    return replace(query(os=SYSTEMS[os], **parts), subjects=subjects, driver=read, driver_text=text)


def choose(wanted: Query, program: str = "12.4", natively: bool = False) -> DriverChoice:
    return Drivers(ENGINE.index).choose(wanted, cuda(program), natively)


RECOMMENDED = [
    # GPUs, system, CUDA, natively, branch
    (["tesla-t4"], "linux", "12.4", False, 580),  # long-term support that lives
    (["tesla-t4"], "linux", "11.8", False, 580),
    (["tesla-k80"], "linux", "11.8", False, 470),  # dead, but the only one
    (["tesla-k80"], "linux", "12.8", False, None),
    (["tesla-t4"], "linux", "12.8", True, 580),
    (["tesla-t4"], "linux", "13.0", True, None),  # no floor of CUDA 13 is certain
    (["tesla-t4", "tesla-v100"], "linux", "12.4", False, 580),
    (["geforce-rtx-4090"], "linux", "12.4", False, None),  # nobody is sure what drives it
    (["tesla-t4"], "windows-11", "12.8", False, 580),
    (["tesla-t4"], "wsl2", "11.8", False, 580),
    (["8.0"], "linux", "12.4", False, 580),
]


@pytest.mark.parametrize("names, os, program, natively, branch", RECOMMENDED)
def test_recommended(names: list[str], os: str, program: str, natively: bool, branch: int | None) -> None:
    choice = choose(asked(*names, os=os), program, natively)
    assert (choice.recommended.number if choice.recommended else None) == branch
    assert (choice.driver is None) == (branch is None)


MINIMUM = [
    (["tesla-t4"], "linux", "12.4", False, "535.50"),
    (["tesla-t4"], "linux", "12.8", False, "535.54.03"),
    (["gh200"], "linux", "11.8", False, "535"),
    (["geforce-rtx-3090"], "linux", "11.8", False, "470.100"),
    (["geforce-rtx-5090"], "linux", "12.4", False, "570.100"),  # the first that names it
    (["12.0"], "linux", "12.4", False, "570.86.16"),
    (["12.0"], "windows-11", "12.4", False, "572.16"),
    (["tesla-t4"], "linux", "11.8", True, "535"),  # R470 is of CUDA 11.4
    (["tesla-t4"], "linux", "14.0", True, "470"),  # no driver is that new
    (["tesla-t4"], "wsl2", "11.8", False, "535"),  # what the system asks
    (["12.1"], "linux", "9.0", False, None),
]


@pytest.mark.parametrize("names, os, program, natively, minimum", MINIMUM)
def test_minimum(names: list[str], os: str, program: str, natively: bool, minimum: str | None) -> None:
    found = choose(asked(*names, os=os), program, natively).minimum
    assert (str(found) if found else None) == minimum


def test_the_installed_driver_stays() -> None:
    wanted = asked("tesla-t4", driver="570")
    choice = choose(wanted)
    assert choice.driver == wanted.driver
    assert choice.recommended is not None
    assert choice.recommended.number == 580


def test_a_branch_of_a_system_that_asks_for_more() -> None:
    world = World().entity("os", "picky", name="Picky", family="linux")
    world.claim("os-needs-cc", "picky", minimum="5.0", branch="R590").claim("branch-drives-cc", "7.5", added="R470")
    for number in (470, 590):
        world.entity("branch", f"R{number}", number=number).claim("driver-runs-cuda", f"R{number}", cuda="12.4")
    parts = Parts(world.catalogue())
    picky = parts.catalogue.entities(OperatingSystem)["picky"]
    choice = Drivers(parts.index).choose(query("7.5", os=picky), cuda("12.4"), False)
    assert choice.recommended is not None
    assert (choice.recommended.number, str(choice.minimum)) == (590, "590")


FLAVOURS = [
    (["tesla-t4"], None, "linux", "either"),
    (["tesla-v100"], None, "linux", "proprietary"),
    (["geforce-rtx-5090"], None, "linux", "open"),
    (["geforce-rtx-5090", "tesla-t4"], None, "linux", "open"),
    (["geforce-rtx-5090", "tesla-v100"], None, "linux", "mixed"),
    (["tesla-t4"], "470", "linux", "proprietary"),
    (["tesla-v100"], "590", "linux", "mixed"),  # the branch has nothing for it
    (["12.1"], "570", "linux", None),  # nothing is known
    (["tesla-t4"], "650.10", "linux", None),
    (["tesla-t4"], None, "windows-11", None),
    (["tesla-t4"], None, "wsl2", None),
    (["geforce-rtx-4090"], None, "linux", None),  # no branch at all
]


@pytest.mark.parametrize("names, driver, os, flavour", FLAVOURS)
def test_flavour(names: list[str], driver: str | None, os: str, flavour: str | None) -> None:
    assert choose(asked(*names, os=os, driver=driver)).flavour == flavour


def test_last_branch() -> None:
    drivers = Drivers(ENGINE.index)
    last = [
        drivers.last_branch(asked(*names))
        for names in (["tesla-t4"], ["tesla-v100"], ["tesla-v100", "tesla-k80"], ["12.1"])
    ]
    assert last == [None, 580, 470, None]


INSTALL = [
    (["tesla-t4"], "ubuntu-24.04", "open", ["apt install nvidia-driver-580-open"]),  # the default of the branch
    (["geforce-rtx-5090"], "ubuntu-24.04", "open", ["apt install nvidia-driver-580-open"]),
    (["tesla-v100"], "ubuntu-24.04", "proprietary", ["apt install nvidia-driver-580"]),
    (["tesla-k80"], "ubuntu-24.04", "proprietary", ["apt install nvidia-driver-470"]),
    (["tesla-v100", "geforce-rtx-5090"], "ubuntu-24.04", None, None),  # nothing fits both
    (["geforce-rtx-4090"], "ubuntu-24.04", None, None),
    (["tesla-t4"], "rhel-7", None, None),
    (["tesla-t4"], "windows-11", None, None),
]


@pytest.mark.parametrize("names, os, module, commands", INSTALL)
def test_install(names: list[str], os: str, module: str | None, commands: list[str] | None) -> None:
    wanted = asked(*names, os=os)
    program = "11.8" if "tesla-k80" in names else "12.4"
    found = ENGINE.drivers.install(wanted, choose(wanted, program))
    if module is None:
        assert found == {}
    else:
        assert (found["os"], found["module"], found["commands"]) == (os, module, commands)
        assert found["claim"] in ENGINE.catalogue.by_id


def test_no_command_for_that_branch() -> None:
    """The open modules are packaged for R570 and R580 only; the one for others is the proprietary flavour."""
    wanted = asked("tesla-t4", os="ubuntu-24.04")
    choice = replace(choose(wanted), recommended=ENGINE.index.drivers.branches[590])
    assert ENGINE.drivers.install(wanted, choice) == {}


def test_a_branch_without_known_modules_takes_the_open_ones() -> None:
    wanted = asked("tesla-t4", os="ubuntu-24.04")
    silent = replace(ENGINE.index.drivers.branches[580], modules=None)
    assert ENGINE.drivers.install(wanted, replace(choose(wanted), recommended=silent))["module"] == "open"


def test_choices_are_kept_and_bounded() -> None:
    drivers = Drivers(ENGINE.index)
    wanted = asked("tesla-t4")
    first = drivers.choose(wanted, cuda("12.4"), False)
    assert drivers.choose(wanted, cuda("12.4.1"), False) is first
    assert drivers.choose(wanted, cuda("12.4"), True) is not first
    for number in range(5_001):
        drivers._choices[number,] = first
    drivers.choose(asked("tesla-v100"), cuda("12.4"), False)
    assert len(drivers._choices) == 1
