"""Rows stand in one order, so that a missing one is seen and two people add it at the same place."""

from __future__ import annotations

from matrices.lint.base import Check, mended
from matrices.lint.order import rows_in_order

__all__ = ["CHECK"]


CHECK = Check(
    name="row-order",
    scope="file",
    law="Products stand by name, releases by version, wheels by release, system, machine and variant.",
    fix="`--fix` reorders them.",
    run=mended(rows_in_order, "rows are not in canonical order"),
    mend=rows_in_order,
)
