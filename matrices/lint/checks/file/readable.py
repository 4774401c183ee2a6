"""The files are TOML that the model understands: known keys, typed values, evidence everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    for fault in material.faults:
        yield Finding(f"file:{fault.file}", f"{fault.path}: {fault.message}" if fault.path else fault.message)


CHECK = Check(
    name="readable",
    scope="file",
    law="Files are TOML of known kinds and keys with typed values; every claim has evidence.",
    fix="Correct the key or value at the place named; a version is text in quotes, evidence a name of the file or a table.",
    run=_run,
)
