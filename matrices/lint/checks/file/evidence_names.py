"""Evidence is named in plain ASCII and used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.lint.outline import outline

__all__ = ["CHECK"]


_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")


def _run(material: Material) -> Iterator[Finding]:
    for name, text in material.texts.items():
        sections = outline(text)
        values = "".join(statement.text for section in sections for statement in section.statements)
        for section in sections:
            kind, _, label = section.header.partition(".")
            if kind != "evidence":
                continue
            if not _NAME.fullmatch(label):
                yield Finding(f"file:{name}", f"evidence `{label}` is not named in lower-case ASCII with hyphens")
            elif f'"{label}"' not in values:
                yield Finding(f"file:{name}", f"nothing rests on the evidence `{label}`")


CHECK = Check(
    name="evidence-names",
    scope="file",
    law="Named evidence has a lower-case ASCII name with hyphens, and some row uses it.",
    fix="Rename it, or remove it if nothing rests on it.",
    run=_run,
)
