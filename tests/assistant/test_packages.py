"""Questions about packages beside torch: the resolver answers them, and nothing else is taken for one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from assistant.assistant import Assistant, Turn
from assistant.reading import read

CASES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("packages.toml").read_text(encoding="utf-8"))[
    "case"
]


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant.load()


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_answer_is_right(case: dict[str, Any], assistant: Assistant) -> None:
    found = assistant.ask(case["ask"])
    diagnosis = found["diagnosis"]["id"] if found["diagnosis"] else ""
    assert diagnosis == case.get("cause", "q_package")
    assert found["facts"].get("packages", {}).get("value") == case.get("read")
    answer = found["answer"]
    assert case.get("verdict", "") in answer.splitlines()[0]
    assert [words for words in case["says"] if words not in answer] == []
    assert [words for words in case.get("says_not", ()) if words in answer] == []


# text -> the requirements read from it
SAID = {
    "flash_attn 2.8.3 RTX 5090": ["flash-attn==2.8.3"],
    "FlashAttention2 on T4": ["flashattention==2.*"],
    "flash-attn v2 or vllm-0.6.3": ["flash-attn==2.*", "vllm==0.6.3"],
    "flash-attn 2.x on it": ["flash-attn==2.*"],
    "vLLM 版本 0.9.1": ["vllm==0.9.1"],
    "with tensorflow-gpu 2.10": ["tensorflow==2.10.*"],
    "tensorflow gpu": ["tensorflow"],
    "tensorflow < 2.11": ["tensorflow<2.11"],
    "is tensorflow = 2.10 good": ["tensorflow==2.10"],
    "jax[cpu] 0.4.30": ["jax==0.4.30"],
    "TF2.10": ["tf==2.10.*"],
    "TF2 on a 3090": ["tf==2.*"],
    "vllm 2 gpus, tensorflow 2 cards": ["vllm", "tensorflow"],
    "bitsandbytes 4bit": ["bitsandbytes"],
    "vllm 4090": ["vllm"],
    "安装了vLLM之后": ["vllm"],
    "tf32 on A100": [],
    "TensorRT-LLM, tensorrt llm": [],
    "instead of xformers, 不用 vllm": [],
    "https://github.com/vllm-project/vllm": [],
    "import flash_attn": [],
    "ImportError: flash_attn is missing": [],
    "vllm 0.33.0": [],  # the row of a list
}


@pytest.mark.parametrize(("text", "requirements"), SAID.items(), ids=list(SAID))
def test_what_is_asked_for(text: str, requirements: list[str], assistant: Assistant) -> None:
    engine = assistant.engine
    found = read(text, engine.names, engine.index.releases.spoken).all("requirement")
    wanted = [each.replace("flashattention", "flash-attention") for each in requirements]
    assert [fact.value for fact in found] == wanted


def test_every_name_of_the_data_is_read_and_can_be_asked(assistant: Assistant) -> None:
    engine = assistant.engine
    for name in engine.index.releases.spoken:
        found = read(f"does {name} work on a T4?", engine.names, engine.index.releases.spoken).all("requirement")
        assert [fact.value.replace("-", "") for fact in found] == [name.replace("-", "")]


def test_a_package_is_carried_on_and_replaced(assistant: Assistant) -> None:
    history = [Turn("user", "Does vLLM work on a V100?"), Turn("assistant", "Yes.")]
    other = assistant.ask("and flash-attn?", history)
    assert other["facts"]["packages"]["value"] == "flash-attn"
    card = assistant.ask("and on an A100?", history)
    assert card["facts"]["packages"]["value"] == "vllm"
    assert "vllm==0.33.0" in card["answer"]


def test_a_package_that_was_read_wrongly_is_left_out(assistant: Assistant) -> None:
    found = assistant.ask("Which CUDA for vLLM on a V100?", without=["packages"])
    assert "packages" not in found["facts"]
    assert "vllm" not in found["answer"]


def test_a_gpu_is_asked_for_where_nothing_else_is_named(assistant: Assistant) -> None:
    found = assistant.ask("RTX 50 series with torch 2.6, does vllm work?")
    assert found["diagnosis"]["id"] == "q_package"
    assert "goes with torch" in found["answer"]
