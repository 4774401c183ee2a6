"""Popular wrong beliefs, asked as people ask: the answer says what is right and not what is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from assistant.assistant import Assistant

CASES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("checklist.toml").read_text(encoding="utf-8"))[
    "case"
]


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant.load()


def test_names_are_unique() -> None:
    names = [case["name"] for case in CASES]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_answer_is_right(case: dict[str, Any], assistant: Assistant) -> None:
    answer = assistant.ask(case["ask"])["answer"]
    assert case["says"]
    assert [words for words in case["says"] if words not in answer] == []
    assert [words for words in case.get("says_not", ()) if words in answer] == []
