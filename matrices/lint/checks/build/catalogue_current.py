"""The compiled catalogue is what the data says."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.build import compiled, serialised
from matrices.lint.base import Check, Finding
from matrices.lint.material import Material

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    if material.catalogue is None:
        return
    text = serialised(compiled(material.dataset))
    if text != serialised(compiled(material.dataset)):
        yield Finding("catalogue.json", "two compilations of the same data differ")
    if not material.catalogue.exists() or material.catalogue.read_text(encoding="utf-8") != text:
        yield Finding("catalogue.json", "the catalogue is not what the data compiles to")


CHECK = Check(
    name="catalogue-current",
    scope="build",
    law="`catalogue.json` is what the data compiles to, byte for byte and every time.",
    fix="Run `make data` and commit the catalogue.",
    run=_run,
)
