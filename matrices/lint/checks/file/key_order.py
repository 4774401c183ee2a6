"""Keys stand in one order everywhere, so that rows can be compared by eye."""

from __future__ import annotations

from matrices.lint.base import Check, mended
from matrices.lint.order import keys_in_order

__all__ = ["CHECK"]


CHECK = Check(
    name="key-order",
    scope="file",
    law="Keys of a table stand in the order of the model: identity, own fields, claims; reasons and evidence last.",
    fix="`--fix` reorders them.",
    run=mended(keys_in_order, "keys are not in canonical order"),
    mend=keys_in_order,
)
