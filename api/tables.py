"""The tables of `/matrix` as plain data, with the address that explains each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from resolver.engine import Asked, Engine
from resolver.matrix import DriverCell, DriverRow, TorchCell, TorchRow

__all__ = ["Tables"]


class Tables:
    """Tables of one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def torch(self, asked: Asked, variant: str | None = None) -> dict[str, Any]:
        """GPU x torch x variant.

        Raises:
            BadQuestion: when a part cannot be read.
        """
        table = self.engine.matrix.torch(asked, variant)
        return {
            "torch": [str(torch) for torch in table.torches],
            "counts": _counts(cell.verdict for row in table.rows for cell in row.cells),
            "rows": [self._torch_row(row) for row in table.rows],
            "data_version": self.engine.data_version,
        }

    def _torch_row(self, row: TorchRow) -> dict[str, Any]:
        return {
            "gpu": self.engine.understood(row.query, 0),
            "examples": list(row.examples),
            "machine": row.query.machine,
            "cells": [_torch_cell(cell) for cell in row.cells],
        }

    def drivers(self, os: str = "linux") -> dict[str, Any]:
        """Driver branch x CUDA.

        Raises:
            BadQuestion: for an operating system that is not known.
        """
        rows = self.engine.matrix.drivers(os)
        return {
            "cuda": [str(cell.cuda) for cell in rows[0].cells],
            "counts": _counts(cell.how for row in rows for cell in row.cells),
            "rows": [_driver_row(row) for row in rows],
            "data_version": self.engine.data_version,
        }


def _torch_cell(cell: TorchCell) -> dict[str, Any]:
    return {
        "torch": str(cell.torch),
        "verdict": cell.verdict,
        "variant": cell.best.wheel.variant if cell.best else None,
        "cuda": str(cell.best.cuda.release) if cell.best else None,
        "kernels": cell.kernels,
        "variants": dict(cell.variants),
        "why": _address(cell.asks, cell.question),
    }


def _driver_row(row: DriverRow) -> dict[str, Any]:
    life = row.facts.lifecycle
    return {
        "branch": str(row.facts.number),
        "type": life.type if life else None,
        "until": str(life.until) if life and life.until else None,
        "cells": [_driver_cell(cell) for cell in row.cells],
    }


def _driver_cell(cell: DriverCell) -> dict[str, Any]:
    return {
        "cuda": str(cell.cuda),
        "how": cell.how,
        "verdict": cell.verdict,
        "later_only": cell.later_only,
        "claim": cell.claim,
        "why": _address("check", cell.question),
    }


def _counts(values: Any) -> dict[str, int]:
    """How often each value stands in the table."""
    return dict(sorted(Counter(values).items()))


def _address(asks: str, question: Mapping[str, str]) -> str:
    return f"/{asks}?{urlencode(question)}"
