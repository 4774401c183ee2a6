"""Scenario files: a question and what the answer must hold, one table a case, judged on the real data.

`ask` is a resolve body, `check` a check body, `build` a build body. `expect` maps a path into the answer to what stands there: a text or number must be equal, a
list means one of these, `>= 570.86` compares versions, `~ words` must occur (case does not matter), `never words` must not. A path may
use `*` for any member of a list (one must fit; with `never`, none may).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from resolver.engine import Asked, Checked, Engine
from resolver.errors import BadQuestion, NoStack

FOLDER = Path(__file__).parent.parent / "scenarios"
CASES = [
    pytest.param(case, id=f"{path.stem}-{case['name']}")
    for path in sorted(FOLDER.glob("*.toml"))
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]


@pytest.mark.parametrize("case", CASES)
def test_scenario(engine: Engine, case: dict[str, Any]) -> None:
    answer = _answer(engine, case)
    for path, wanted in case["expect"].items():
        found = list(_walk(answer, path.split(".")))
        assert _fits(found, wanted), f"{path}: wanted {wanted!r}, found {found[:8]!r}\n{_text(answer)}"


def test_there_are_scenarios() -> None:
    assert len(CASES) >= 30


def _answer(engine: Engine, case: dict[str, Any]) -> dict[str, Any]:
    try:
        if "check" in case:
            return engine.check(Checked(**_gpus(case["check"], "gpu")))
        if "build" in case:
            body = dict(case["build"])
            compiler = body.pop("compiler", None)
            return engine.build(Asked(**_gpus(body, "gpus")), compiler)
        if "dockerfile" in case:
            body = dict(case["dockerfile"])
            base, workload = body.pop("base", "cuda"), body.pop("workload", "run")
            return {"dockerfile": engine.dockerfile(Asked(**_gpus(body, "gpus")), base, workload)}
        return engine.resolve(Asked(**_gpus(case["ask"], "gpus")))
    except NoStack as error:
        return {"error": "no-stack", "detail": str(error)}
    except BadQuestion as error:
        return {"error": error.type, "detail": str(error), "field": error.field, "candidates": list(error.candidates)}


def _gpus(body: dict[str, Any], name: str) -> dict[str, Any]:
    body = dict(body)
    gpu = body.pop("gpu", [])
    return {**body, name: [gpu] if isinstance(gpu, str) else gpu}


def _walk(value: Any, keys: list[str]) -> Iterator[Any]:
    """What stands at a path; a list is entered by number or, with `*`, member by member."""
    if not keys:
        yield value
        return
    key, rest = keys[0], keys[1:]
    if key == "*":
        for item in value.values() if isinstance(value, dict) else value:
            yield from _walk(item, rest)
    elif isinstance(value, list):
        if key == "length":
            yield len(value)
        elif int(key) < len(value):
            yield from _walk(value[int(key)], rest)
    elif isinstance(value, dict) and key in value:
        yield from _walk(value[key], rest)


def _fits(found: list[Any], wanted: Any) -> bool:
    if isinstance(wanted, str) and wanted.startswith("never "):
        return not any(wanted.removeprefix("never ").lower() in _text(item).lower() for item in found)
    return any(_matches(item, wanted) for item in found)


def _matches(item: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return any(_matches(item, option) for option in wanted)
    if isinstance(wanted, str) and wanted.startswith(">= "):
        return item is not None and _numbers(item) >= _numbers(wanted)
    if isinstance(wanted, str) and wanted.startswith("< "):
        return item is not None and _numbers(item) < _numbers(wanted)
    if isinstance(wanted, str) and wanted.startswith("~ "):
        return wanted.removeprefix("~ ").lower() in _text(item).lower()
    if wanted == "null":
        return item is None
    return bool(item == wanted)


def _numbers(text: object) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", str(text)))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
