"""What a file says for all its rows stands before them."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.lint.outline import outline
from matrices.model import ENTITIES

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for name, text in material.texts.items():
        rows = False
        for section in outline(text):
            kind = section.header.split(".")[0]
            if rows and kind in ("evidence", "defaults"):
                yield Finding(f"file:{name}", f"[{section.header}] stands behind the first row")
            rows = rows or kind in ENTITIES


CHECK = Check(
    name="head-first",
    scope="file",
    law="Named evidence and defaults stand before the rows that use them.",
    fix="Move `[evidence.NAME]` and `[defaults]` to the head of the file.",
    run=_run,
)
