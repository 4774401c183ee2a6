"""The answers of `/matrix` described."""

from __future__ import annotations

from typing import Literal

from api.schemas.base import Described, Verdict
from api.schemas.stacks import Understood

__all__ = ["DriverMatrixAnswer", "TorchMatrixAnswer"]

How = Literal["native", "minor-version", "forward", "no", "unknown"]


class TorchCell(Described):
    """One GPU with one torch release: the build proposed first (null where none is), and every build by variant.

    `why` is the question whose answer explains the verdict.
    """

    torch: str
    verdict: Verdict
    variant: str | None
    cuda: str | None
    kernels: Literal["sass", "ptx"] | None
    variants: dict[str, Verdict]
    why: str


class TorchRow(Described):
    """One GPU with each torch release. Of a capability that nobody asked for by product `examples` names some."""

    gpu: Understood
    examples: list[str]
    machine: Literal["x86_64", "aarch64"]
    cells: list[TorchCell]


class TorchMatrixAnswer(Described):
    """The answer of `/matrix/torch`: `torch` names the columns, newest first; `counts` are cells by verdict."""

    torch: list[str]
    counts: dict[Verdict, int]
    rows: list[TorchRow]
    data_version: str


class DriverCell(Described):
    """One driver branch with one CUDA.

    `forward` runs only with the cuda-compat package (`claim`), on data-center GPUs; `later_only`: with the later point
    releases of the branch; `why` is the question whose answer explains the verdict.
    """

    cuda: str
    how: How
    verdict: Verdict
    later_only: bool
    claim: str | None
    why: str


class DriverRow(Described):
    """One driver branch with each CUDA; `until` is the day or month its maker stops mending it."""

    branch: str
    type: Literal["lts", "production", "new-feature", "legacy", "beta"] | None
    until: str | None
    cells: list[DriverCell]


class DriverMatrixAnswer(Described):
    """The answer of `/matrix/drivers`: `cuda` names the columns, newest first; `counts` are cells by `how`."""

    cuda: list[str]
    counts: dict[How, int]
    rows: list[DriverRow]
    data_version: str
