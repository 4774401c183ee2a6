"""What every file says of its stack: for which GPUs it is, what the host's driver must be, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matrices.model import FamilyNeedsDriver
from matrices.versions import CudaVersion
from resolver.query import Query

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["DriverNeeds", "about"]


@dataclass(frozen=True, slots=True)
class DriverNeeds:
    """What the host's driver must be: the CUDA it must run, and the range of versions in words."""

    cuda: CudaVersion
    phrase: str


def about(engine: Engine, query: Query, stack: dict[str, Any], cuda: CudaVersion) -> dict[str, Any]:
    """The values of the lines at the head of a file; `cuda` is the one that the driver must run."""
    return {
        "gpus": [_title(gpu) for gpu in stack["gpus"]],
        "driver": _driver(engine, query, stack, cuda),
        "windows": query.driver_os == "windows",
        "module": stack["driver"]["kernel_module"],
        "ptx": stack["torch"]["kernels"] == "ptx",
        "verdict": stack["verdict"],
        "evidence": stack["evidence"],
        "data_version": engine.data_version,
    }


def _title(gpu: dict[str, Any]) -> str:
    """A GPU with its capability, which is its whole name where only that was asked for."""
    title = f"compute capability {gpu['compute_capability']}"
    return title if gpu["name"] == title else f"{gpu['name']} ({title})"


def _driver(engine: Engine, query: Query, stack: dict[str, Any], cuda: CudaVersion) -> DriverNeeds:
    """What the driver must be: enough for the CUDA inside and for the GPUs, and not past the last that drives them."""
    natively = stack["torch"]["kernels"] == "ptx"
    # the stack's own counts the packages too; an image with another CUDA than the wheel's has no others in it
    least = stack["driver"]["minimum"] if query.packages else engine.drivers.choose(query, cuda, natively).minimum
    words = f"{least} or newer" if least else "one that drives this hardware"
    last = stack["driver"]["maximum_branch"]
    if last is not None:
        words += f", up to branch {last}, the last for this hardware"
    by_major = isinstance(engine.index.drivers.floor(cuda, query.driver_os), FamilyNeedsDriver) and not natively
    return DriverNeeds(CudaVersion(cuda.major, 0) if by_major else cuda.release, words)
