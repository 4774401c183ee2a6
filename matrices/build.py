"""TOML to `catalogue.json`, and types to the schema of its public form: `python -m matrices.build` writes both, `--check`
fails when one is not fresh."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from matrices.catalogue import CATALOGUE
from matrices.codec import to_plain
from matrices.load import DATA, DataFaults, Dataset, load
from matrices.model import CLAIMS
from matrices.public import SCHEMA, schema_text

__all__ = ["compiled", "main", "serialised"]

SCHEMA_VERSION = 1


def compiled(dataset: Dataset) -> dict[str, Any]:
    """The catalogue as plain values: evidence once each, entities and claims in a canonical order."""
    evidence: dict[str, int] = {}

    def numbered(row: dict[str, Any]) -> dict[str, Any]:
        if "evidence" in row:
            keys = [json.dumps(piece, sort_keys=True, ensure_ascii=False) for piece in row["evidence"]]
            row["evidence"] = [evidence.setdefault(key, len(evidence)) for key in keys]
        return row

    entities = {
        kind: [numbered(to_plain(entity)) for entity in by_id.values()]
        for kind, by_id in sorted(dataset.entities.items())
        if by_id
    }
    claims: dict[str, list[Any]] = {relation: [] for relation in sorted(CLAIMS)}
    for claim in dataset.claims.values():
        claims[claim.relation].append(numbered(to_plain(claim)))
    return {
        "schema_version": SCHEMA_VERSION,
        "data_version": dataset.about["data_version"],
        "moved": dict(sorted(dataset.moved.items())),
        "entities": entities,
        "claims": {relation: rows for relation, rows in claims.items() if rows},
        "evidence": [json.loads(key) for key in evidence],
    }


def serialised(plain: dict[str, Any]) -> str:
    """One row a line, so that a change of data is a readable change of the file."""
    lines = ["{"]
    lines += [f" {json.dumps(key)}: {json.dumps(plain[key])}," for key in ("schema_version", "data_version", "moved")]
    for section in ("entities", "claims"):
        lines.append(f' "{section}": {{')
        groups = []
        for name, rows in plain[section].items():
            body = ",\n".join(f"   {json.dumps(row, ensure_ascii=False)}" for row in rows)
            groups.append(f"  {json.dumps(name)}: [\n{body}\n  ]")
        lines += [",\n".join(groups), " },"]
    body = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in plain["evidence"])
    lines += [f' "evidence": [\n{body}\n ]', "}", ""]
    return "\n".join(lines)


def main(arguments: list[str], folder: Path = DATA, target: Path = CATALOGUE, schema: Path = SCHEMA) -> int:
    """Build, or with `--check` compare; 0 when both files are (now) fresh, 1 with the reasons otherwise."""
    try:
        texts = {target: serialised(compiled(load(folder))), schema: schema_text()}
    except DataFaults as error:
        print(error, file=sys.stderr)
        print(f"{len(error.faults)} faults in the data", file=sys.stderr)
        return 1
    if "--check" in arguments:
        stale = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
        for path in stale:
            print(f"{path.name} is stale: run `make data`", file=sys.stderr)
        if not stale:
            print("catalogue.json is fresh", file=sys.stderr)
        return 1 if stale else 0
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
