"""Measure a machine: its GPUs and driver, its system, and which kernels its torch really runs.

Every look at the machine goes through `Doors`, so that a test or a report of somebody else's machine
can take their place. What would tell whose machine it is (its name, serial numbers, identifiers of a GPU,
users, paths) is never read, or cut off.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matrices.measure import kernels

__all__ = [
    "KERNEL_SECONDS",
    "Doors",
    "cuda_of_number",
    "kernel_command",
    "measure_machine",
    "observation",
    "read_gpus",
    "read_head",
    "read_kernels",
    "read_module",
    "read_nvml",
    "read_system",
    "read_torch",
    "seen_gpu",
]

_TOOL = "whichcuda measure machine"
_TOOL_VERSION = "1"
_FIELDS = ("name", "driver_version", "memory.total", "compute_cap")  # old drivers do not know the last
_CUDA = re.compile(r"CUDA(?: UMD)? Version\s*:\s*(\d+\.\d+)")
_CAPABILITY = re.compile(r"\d+\.\d")
_QUICK = 20.0  # seconds
KERNEL_SECONDS = 180.0  # the first kernel of a process may be compiled
_METHOD = {
    "gpus": "nvidia-smi --query-gpu, or NVML where there is no nvidia-smi",
    "cuda_of_driver": "the head of nvidia-smi, or NVML: the highest CUDA that the driver runs natively",
    "torch": "one multiplication of small matrices per data type and GPU, in a process of its own",
}


def _run(command: Sequence[str], timeout: float) -> str | None:
    """What `command` prints, or None when it is not there, fails or takes longer than `timeout` seconds."""
    try:
        ran = subprocess.run(
            list(command), capture_output=True, check=True, text=True, timeout=timeout, errors="replace"
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout


def _read(path: str) -> str:
    """The text of a small file of the system; empty when it is not there."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _nvml() -> Any:
    """The NVML binding where it is installed, else None."""
    try:
        import pynvml  # type: ignore[import-untyped, import-not-found, unused-ignore]  # an extra, without types
    except ImportError:
        return None
    return pynvml


@dataclass(frozen=True, slots=True)
class Doors:
    """How the machine is looked at; each may be replaced.

    `run` gets a command and seconds and gives its output or None; `read` gives the text of a file;
    `nvml` gives the module `pynvml` or None; `system`, `release`, `machine` and `libc` are what
    `platform` says; `python` is the interpreter whose torch is asked.
    """

    run: Callable[[Sequence[str], float], str | None] = _run
    read: Callable[[str], str] = _read
    nvml: Callable[[], Any] = _nvml
    system: str = field(default_factory=platform.system)
    release: str = field(default_factory=platform.release)
    machine: str = field(default_factory=platform.machine)
    libc: tuple[str, str] = field(default_factory=platform.libc_ver)
    python: str = sys.executable


def measure_machine(doors: Doors, *, measured_on: str, probe: bool = True) -> dict[str, Any]:
    """The observation of this machine, ready to be written as JSON.

    `measured_on` is a date. With `probe` the torch of `doors.python` runs its kernels. What cannot be
    read is None: a machine without a GPU is an observation too.
    """
    smi = doors.run(["nvidia-smi"], _QUICK)
    gpus, driver = read_gpus(doors)
    cuda = read_head(smi or "")
    if not gpus:
        gpus, driver, cuda = read_nvml(doors.nvml())
    return observation(
        gpus,
        read_system(doors),
        driver=driver,
        cuda_of_driver=cuda,
        kernel_module=read_module(doors.read("/proc/driver/nvidia/version")),
        torch=read_torch(doors) if probe else None,
        measured_on=measured_on,
        tool=_TOOL,
        tool_version=_TOOL_VERSION,
    )


def observation(
    gpus: Sequence[dict[str, Any]],
    system: dict[str, Any],
    *,
    driver: str | None,
    cuda_of_driver: str | None,
    kernel_module: str | None,
    torch: dict[str, Any] | None,
    measured_on: str,
    tool: str,
    tool_version: str,
) -> dict[str, Any]:
    """The form of every observation of a machine: `gpus` as `seen_gpu` makes them, `system` as `read_system` does.

    `torch` is what the kernels said. The id is made of the names of the GPUs, the driver and the system.
    """
    names = sorted({str(gpu["name"]) for gpu in gpus}) or ["no-gpu"]
    parts = ["machine", *names, *([driver] if driver else []), system["os"]]
    return {
        "cuda_of_driver": cuda_of_driver,
        "driver": driver,
        "gpus": list(gpus),
        "id": re.sub(r"[^a-z0-9.]+", "-", "-".join(parts).lower()),
        "kernel_module": kernel_module,
        "kind": "machine",
        "measured_on": measured_on,
        "method": dict(_METHOD),
        "no_gpu": not gpus,
        "tool": tool,
        "tool_version": tool_version,
        "torch": torch,
        **system,
    }


def read_gpus(doors: Doors) -> tuple[list[dict[str, Any]], str | None]:
    """The GPUs that `nvidia-smi` lists (name, memory in MiB, capability where it tells it), and the driver."""
    for fields in (_FIELDS, _FIELDS[:-1]):
        command = ["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"]
        rows = [row.split(", ") for row in (doors.run(command, _QUICK) or "").splitlines()]
        rows = [row for row in rows if len(row) == len(fields)]
        if rows:
            return [seen_gpu(name, *rest) for name, _, *rest in rows], rows[0][1].strip()
    return [], None


def read_head(text: str) -> str | None:
    """The CUDA in the head of `nvidia-smi`, which the driver runs natively."""
    found = _CUDA.search(text)
    return found[1] if found else None


def read_nvml(nvml: Any) -> tuple[list[dict[str, Any]], str | None, str | None]:
    """GPUs, driver and CUDA of the driver as NVML tells them; nothing without the binding or a driver."""
    if nvml is None:
        return [], None, None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return [], None, None
    try:
        handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())]
        gpus = [
            seen_gpu(
                _text(nvml.nvmlDeviceGetName(handle)),
                str(nvml.nvmlDeviceGetMemoryInfo(handle).total >> 20),
                "{}.{}".format(*nvml.nvmlDeviceGetCudaComputeCapability(handle)),
            )
            for handle in handles
        ]
        cuda = cuda_of_number(nvml.nvmlSystemGetCudaDriverVersion())
        return gpus, _text(nvml.nvmlSystemGetDriverVersion()), cuda
    except nvml.NVMLError:
        return [], None, None
    finally:
        nvml.nvmlShutdown()


def read_system(doors: Doors) -> dict[str, Any]:
    """`os` (`ubuntu-24.04`, `windows`, ...), `wsl`, `machine` and `glibc`."""
    system = doors.system.lower()
    release = dict(line.split("=", 1) for line in doors.read("/etc/os-release").splitlines() if "=" in line)
    parts = [release.get(key, "").strip("\"'") for key in ("ID", "VERSION_ID")]
    named = "-".join(part for part in parts if part) if system == "linux" else ""
    return {
        "glibc": doors.libc[1] if doors.libc[0] == "glibc" else None,
        "machine": {"AMD64": "x86_64", "ARM64": "aarch64"}.get(doors.machine, doors.machine),
        "os": named or system or "unknown",
        "wsl": "microsoft" in doors.release.lower(),
    }


def read_torch(doors: Doors) -> dict[str, Any] | None:
    """What `kernels` finds with the torch of `doors.python`; None where there is none or it does not end."""
    return read_kernels(doors.run(kernel_command(doors.python), KERNEL_SECONDS) or "")


def kernel_command(python: str) -> tuple[str, str, str]:
    """The command that runs `kernels` with the torch of a Python."""
    return python, "-c", Path(kernels.__file__).read_text(encoding="utf-8")


def read_kernels(printed: str) -> dict[str, Any] | None:
    """What `kernels` printed; None where it is no such thing."""
    try:
        found = json.loads(printed.splitlines()[-1])
    except (ValueError, IndexError):
        return None
    return found if isinstance(found, dict) else None


def read_module(version: str) -> str | None:
    """Which flavour of the kernel module is loaded, by `/proc/driver/nvidia/version`; None without one."""
    if "Open Kernel Module" in version:
        return "open"
    return "proprietary" if "Kernel Module" in version else None


def cuda_of_number(number: int) -> str:
    """The CUDA version that NVML and the driver tell as a number.

    >>> cuda_of_number(13010)
    '13.1'
    """
    return f"{number // 1000}.{number % 1000 // 10}"


def seen_gpu(name: str, memory: str, capability: str = "") -> dict[str, Any]:
    """A GPU from the texts of its driver; `memory` in MiB. What is no number or no capability (`[N/A]`) is None."""
    capability = capability.strip()
    return {
        "compute_capability": capability if _CAPABILITY.fullmatch(capability) else None,
        "memory_mib": int(memory) if memory.strip().isdecimal() else None,
        "name": name.strip(),
    }


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
