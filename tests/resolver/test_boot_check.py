"""The check that a generated image makes before its command: run for real, with a made-up driver and torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from resolver.engine import Asked, Engine

# Loaded by Python itself at its start: what the container would find, as the plan in the environment says.
SITECUSTOMIZE = """
import builtins, ctypes, io, json, os
plan = json.loads(os.environ["PLAN"])
real_open, real_exists = builtins.open, os.path.exists

class Driver:
    def cuDriverGetVersion(self, pointer):
        pointer._obj.value = plan["cuda"]
        return 0
    def cuInit(self, flags):
        return plan.get("init", 0)

def library(name, *rest, **more):
    if name != "libcuda.so.1" or "cuda" not in plan:
        raise OSError(name + ": cannot open shared object file")
    return Driver()

def opened(path, *rest, **more):
    if path != "/proc/driver/nvidia/version":
        return real_open(path, *rest, **more)
    if "driver" not in plan:
        raise FileNotFoundError(path)
    return io.StringIO(plan["driver"])

ctypes.CDLL = library
builtins.open = opened
os.path.exists = lambda path: path in plan.get("devices", []) if str(path).startswith("/dev/") else real_exists(path)
"""

TORCH = """
import json, os
plan = json.loads(os.environ["PLAN"])["torch"]
if "broken" in plan:
    raise OSError(plan["broken"])
__version__ = "2.15.0+cu132"

class version:
    cuda = plan.get("built", "13.2")

class cuda:
    is_available = staticmethod(lambda: plan.get("available", True))
    device_count = staticmethod(lambda: len(plan["gpus"]))
    get_device_name = staticmethod(lambda number: plan["gpus"][number][0])
    get_device_capability = staticmethod(lambda number: plan["gpus"][number][1])
    if "targets" in plan:
        get_arch_list = staticmethod(lambda: plan["targets"])

class ones:
    def __init__(self, size, device):
        assert device == "cuda"
    def __add__(self, other):
        if "kernel" in plan:
            raise RuntimeError(plan["kernel"])
        return self
    def sum(self):
        return self
    def item(self):
        return 4
"""
MODULE = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  Release Build  (dvs-builder)\nGCC version:  gcc 13.3.0\n"
TARGETS = ["sm_75", "sm_80", "sm_90a", "sm_100", "sm_120", "compute_120"]
BLACKWELL = ["NVIDIA GeForce RTX 5090", [12, 0]]
GOOD: dict[str, Any] = {
    "cuda": 13000,
    "driver": MODULE.format("580.95.05"),
    "torch": {"gpus": [BLACKWELL], "targets": TARGETS},
}


@pytest.fixture(scope="module")
def script(engine: Engine) -> str:
    """The check as it stands in the Dockerfile for an RTX 5090: it needs CUDA 13.0."""
    text = engine.dockerfile(Asked(gpus=["rtx5090"], cuda="13.0"))
    return text.split("<<'WHICHCUDA' /usr/local/bin/whichcuda-boot-check\n")[1].split("\nWHICHCUDA\n")[0]


class Container:
    """A folder that plays the container."""

    def __init__(self, folder: Path, script: str) -> None:
        self.folder = folder
        (folder / "whichcuda-boot-check").write_text(script)
        (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
        (folder / "torch.py").write_text(TORCH)

    def start(self, plan: dict[str, Any], *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(self.folder), "PLAN": json.dumps(plan), **environment}
        started = [sys.executable, str(self.folder / "whichcuda-boot-check"), *command]
        return subprocess.run(started, env=variables, capture_output=True, text=True, timeout=60, check=False)

    def refuses(self, plan: dict[str, Any], **environment: str) -> str:
        """The one line it says when it does not start the command."""
        done = self.start(plan, "echo", "started", **environment)
        assert done.returncode == 1
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        assert line.startswith("whichcuda: ")
        assert "Fix: " in line
        return line


@pytest.fixture
def container(tmp_path: Path, script: str) -> Container:
    return Container(tmp_path, script)


def test_a_good_container_starts_its_command(container: Container) -> None:
    done = container.start(GOOD, "sh", "-c", "echo started; exit 7")
    assert done.returncode == 7
    assert done.stdout == "started\n"
    expected = "whichcuda: torch 2.15.0+cu132 runs on NVIDIA GeForce RTX 5090 (12.0) with driver 580.95.05\n"
    assert done.stderr == expected


def test_without_a_command_it_only_checks(container: Container) -> None:
    assert container.start(GOOD).returncode == 0


def test_a_command_that_is_not_there(container: Container) -> None:
    done = container.start(GOOD, "no-such-command")
    assert done.returncode == 1
    assert "cannot start 'no-such-command': No such file or directory" in done.stderr


def test_the_check_can_be_skipped(container: Container) -> None:
    done = container.start({}, "echo", "started", WHICHCUDA_SKIP_CHECK="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "started\n", "")


def test_no_driver(container: Container) -> None:
    line = container.refuses({})
    assert "no NVIDIA driver in this container" in line
    assert "docker run --gpus all" in line
    assert "Container Toolkit" in line


@pytest.mark.parametrize("device", ["/dev/nvidiactl", "/dev/dxg"])
def test_the_device_without_the_library(container: Container, device: str) -> None:
    assert "NVIDIA_DRIVER_CAPABILITIES=compute,utility" in container.refuses({"devices": [device]})


def test_a_driver_that_is_too_old(container: Container) -> None:
    line = container.refuses({**GOOD, "cuda": 12080, "driver": MODULE.format("570.124.06")})
    assert "driver 570.124.06 runs CUDA up to 12.8, needed is 13.0" in line
    assert "install on the host driver 580 or newer" in line


def test_a_driver_whose_version_is_not_shown(container: Container) -> None:
    plan = {name: value for name, value in GOOD.items() if name != "driver"}
    assert "its driver runs CUDA up to 12.8" in container.refuses({**plan, "cuda": 12080})
    assert container.start({**plan, "driver": "no number"}).stderr.endswith("with its driver\n")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (34, "stub"),
        (100, "sees no GPU"),
        (802, "fabricmanager"),
        (803, "restart the host"),
        (804, "cuda-compat"),
        (999, "CUDA error 999"),
    ],
)
def test_a_driver_that_does_not_start(container: Container, code: int, words: str) -> None:
    assert words in container.refuses({**GOOD, "init": code})


def with_torch(**changed: Any) -> dict[str, Any]:
    return {**GOOD, "torch": {**GOOD["torch"], **changed}}


def test_torch_that_cannot_be_loaded(container: Container) -> None:
    line = container.refuses(with_torch(broken="libcudart.so.13: cannot open shared object file\nmore"))
    assert "torch cannot be loaded: libcudart.so.13: cannot open shared object file. Fix:" in line


def test_torch_without_cuda(container: Container) -> None:
    assert "the build without CUDA" in container.refuses(with_torch(built=None))


def test_torch_that_is_shown_no_gpu(container: Container) -> None:
    line = container.refuses(with_torch(available=False), CUDA_VISIBLE_DEVICES="7")
    assert "CUDA_VISIBLE_DEVICES, now '7'" in line


@pytest.mark.parametrize(
    ("capability", "targets", "runs"),
    [
        ([12, 0], ["sm_120"], True),
        ([8, 6], ["sm_80"], True),
        ([8, 0], ["sm_86"], False),
        ([9, 0], ["sm_80"], False),
        ([9, 0], ["sm_90a"], True),
        ([10, 3], ["sm_100a"], False),
        ([10, 3], ["sm_100f"], True),
        ([12, 0], ["compute_90"], True),
        ([7, 0], ["sm_75", "compute_120"], False),
        ([7, 0], [], True),  # a torch that does not say: the first kernel will
    ],
)
def test_whether_torch_has_code_for_the_gpu(
    container: Container, capability: list[int], targets: list[str], runs: bool
) -> None:
    plan = with_torch(gpus=[["This GPU", capability]], targets=targets)
    if runs:
        assert container.start(plan).returncode == 0
    else:
        named = f"GPU 0 is This GPU ({capability[0]}.{capability[1]}), but torch 2.15.0+cu132 has code for "
        assert named in container.refuses(plan)


def test_every_gpu_is_looked_at(container: Container) -> None:
    assert "GPU 1 is Tesla V100" in container.refuses(with_torch(gpus=[BLACKWELL, ["Tesla V100", [7, 0]]]))


def test_an_old_torch_has_no_list_of_targets(container: Container) -> None:
    plan = {**GOOD, "torch": {"gpus": [BLACKWELL]}}
    assert container.start(plan).returncode == 0


def test_a_first_kernel_that_fails(container: Container) -> None:
    line = container.refuses(with_torch(kernel="CUDA error: no kernel image is available\nCompile with ..."))
    assert (
        "a first kernel on NVIDIA GeForce RTX 5090 (12.0) fails: CUDA error: no kernel image is available. Fix:" in line
    )
