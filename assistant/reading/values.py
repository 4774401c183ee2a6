"""From matched characters to typed values; what cannot be one is None, never an exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assistant.reading.facts import TorchBuild
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion, InvalidVersion, PythonVersion

__all__ = [
    "ALIASES",
    "CONVERTERS",
    "SHAPES",
    "arch_target",
    "capability",
    "cuda",
    "cuda_number",
    "cuda_tag",
    "driver",
    "flag",
    "python",
    "torch",
    "windows_driver",
]

_MOST_CUDA = 20  # a higher major version is something else
_FEWEST_CUDA = 5
_MOST_CAPABILITY = 20


def driver(text: str) -> DriverVersion | None:
    """A driver version or a bare branch.

    >>> print(driver("535.104.05"), driver("12.2"))
    535.104.05 None
    """
    try:
        version = DriverVersion.parse(text)
    except InvalidVersion:
        return None
    return version if version.major >= 100 or (version.major > 60 and len(version.parts) == 2) else None


def windows_driver(text: str) -> DriverVersion | None:
    """The driver version in the file version that Windows shows: its last five digits.

    >>> print(windows_driver("31.0.15.3699"))
    536.99
    """
    parts = text.split(".")
    digits = (parts[-2][-1:] + parts[-1].zfill(4)) if len(parts) == 4 else ""
    return driver(f"{digits[:3]}.{digits[3:]}") if len(digits) == 5 else None


def cuda(text: str) -> CudaVersion | None:
    """A CUDA version of a plausible size."""
    try:
        version = CudaVersion.parse(text)
    except InvalidVersion:
        return None
    return version if _FEWEST_CUDA <= version.major < _MOST_CUDA else None


def cuda_number(text: str) -> CudaVersion | None:
    """A CUDA version as the runtime counts: 12020 is 12.2; three digits as bitsandbytes does: 121 is 12.1.

    >>> print(cuda_number("11040"), cuda_number("121"))
    11.4 12.1
    """
    number = int(text)
    if len(text) > 3:
        return cuda(f"{number // 1000}.{number % 1000 // 10}")
    return cuda(f"{number // 10}.{number % 10}")


def cuda_tag(text: str) -> CudaVersion | None:
    """The CUDA version in a tag such as `cu118`."""
    return cuda_number(text.lower().removeprefix("cu"))


def torch(text: str) -> TorchBuild:
    """A torch version with or without a local tag."""
    version, _, local = text.partition("+")
    return TorchBuild(version.rstrip("."), local.lower().strip(".") or None)


def python(text: str) -> PythonVersion | None:
    """`3.10.12`, `3.10` or, as in wheel tags, `310` and `313t`."""
    digits = text.rstrip("t")
    if "." not in digits:
        digits = f"{digits[:1]}.{digits[1:]}"
    try:
        return PythonVersion.parse(".".join(digits.split(".")[:2]) + text[len(text.rstrip("t")) :])
    except InvalidVersion:
        return None


def capability(text: str) -> ComputeCapability | None:
    """`8.6`, `sm_86`, `86`."""
    target = arch_target(text)
    return None if target is None else target.capability


def arch_target(text: str) -> ArchTarget | None:
    """`sm_90a`, `compute_90`, `9.0`, `90`."""
    text = text.strip().lower()
    if "." not in text and "_" not in text:
        text = f"sm_{text.removeprefix('sm').removeprefix('compute')}"
    try:
        target = ArchTarget.parse(text)
    except InvalidVersion:
        return None
    return target if target.capability.major <= _MOST_CAPABILITY else None


def flag(text: str) -> bool:
    """True or False as Python prints it."""
    return text.lower() == "true"


_DRIVER_SHAPE = r"\d{3}\.\d{1,3}(?:\.\d{1,3}){0,2}(?!\d)"
_CUDA_SHAPE = r"\d{1,2}\.\d{1,2}(?:\.\d{1,3})?(?!\d)"
_TORCH_SHAPE = (
    r"[0-3]\.\d{1,2}(?:\.\d{1,2})?(?:[ab]\d{1,2})?(?:\.(?:dev|post)\d{0,8})?(?:\+[a-z0-9][a-z0-9.]{0,40})?(?![\d])"
)
_CAPABILITY_SHAPE = r"(?:sm_\d{2,3}|\d{1,2}\.\d)[af]?(?![\d.]\d)"
_ARCH_SHAPE = r"(?:sm|compute)_\d{2,3}[af]?(?![a-z0-9])"

# what stands for `<kind>` in a rule
SHAPES: dict[str, str] = {
    "driver": _DRIVER_SHAPE,
    "driver-required": _DRIVER_SHAPE,
    "kernel-module": _DRIVER_SHAPE,
    "client-library": _DRIVER_SHAPE,
    "driver-cuda-number": r"\d{4,5}(?!\d)",
    "bnb-cuda": r"\d{3}(?![\d.])",
    "branch": r"[2-7]\d\d(?![\d.])",
    "windows-driver": r"[23]\d\.\d{1,2}\.\d{1,2}\.\d{4}(?!\d)",
    "driver-cuda": _CUDA_SHAPE,
    "toolkit": _CUDA_SHAPE,
    "cuda": _CUDA_SHAPE,
    "cuda-required": _CUDA_SHAPE,
    "torch-cuda": _CUDA_SHAPE,
    "torch": _TORCH_SHAPE,
    "torch-required": _TORCH_SHAPE,
    "torch-cpu": r"[0-3]\.\d{1,2}\.\d{1,2}",
    "gpu-capability": _CAPABILITY_SHAPE,
    "capability-required": _CAPABILITY_SHAPE,
    "requested-arch": _ARCH_SHAPE,
    "python": r"(?:3\.\d{1,2}|2\.7)(?:\.\d{1,2})?(?!\d)",
    "cuda-available": r"true|false",
    "kernel": r"\d{1,2}\.\d{1,3}(?:\.\d{1,4})?(?:[-+.][a-z0-9][\w.+~-]{0,60})?",
    "glibc": r"2\.\d{1,2}",
    "glibc-required": r"2\.\d{1,2}",
    "machine": r"x86_64|amd64|aarch64|arm64|ppc64le|x64",
}


def _machine(text: str) -> str:
    return "x86_64" if text in ("amd64", "x64") else "aarch64" if text == "arm64" else text


# shapes of their own for a kind
ALIASES = {
    "windows-driver": "driver",
    "branch": "driver",
    "torch-cpu": "torch",
    "driver-cuda-number": "driver-cuda",
    "bnb-cuda": "torch-cuda",
}

CONVERTERS: dict[str, Callable[[str], Any]] = {
    "driver": driver,
    "driver-required": driver,
    "legacy-driver": driver,
    "kernel-module": driver,
    "client-library": driver,
    "windows-driver": windows_driver,
    "branch": driver,
    "driver-cuda-number": cuda_number,
    "bnb-cuda": cuda_number,
    "driver-cuda": cuda,
    "toolkit": cuda,
    "cuda": cuda,
    "cuda-required": cuda,
    "torch-cuda": cuda,
    "torch": torch,
    "torch-required": torch,
    "gpu-capability": capability,
    "capability-required": capability,
    "requested-arch": arch_target,
    "python": python,
    "cuda-available": flag,
    "machine": lambda text: _machine(text.lower()),
    "compiler": lambda text: f"gcc {text}",
    "torch-cpu": lambda text: TorchBuild(text, "cpu"),
    "kernel": lambda text: text.rstrip(".-+"),
    "device-code": int,
    "module-flavour": lambda text: "open" if text.lower() in ("open", "dual mit/gpl") else "proprietary",
    "kernel-driver": str.lower,
}
