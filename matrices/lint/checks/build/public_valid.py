"""The public catalogue is what its schema promises to readers."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.build import compiled
from matrices.catalogue import Catalogue
from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.public import SCHEMA, json_schema, public, schema_text

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    if material.catalogue is None:
        return
    from jsonschema import Draft202012Validator  # a development tool: who only reads data does without

    if not SCHEMA.exists() or SCHEMA.read_text(encoding="utf-8") != schema_text():
        yield Finding("public schema", "the committed schema is not the one of the model")
    validator = Draft202012Validator(json_schema())
    for error in validator.iter_errors(public(Catalogue(compiled(material.dataset)))):
        yield Finding("public catalogue", f"{error.json_path}: {error.message[:200]}")


CHECK = Check(
    name="public-valid",
    scope="build",
    law="The public catalogue keeps to its schema, and the committed schema is that of the model.",
    fix="Run `make data`; where a row breaks the schema, mend the row or raise the version of the schema.",
    run=_run,
)
