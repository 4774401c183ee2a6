"""`/ask`: the assistant over HTTP, its bounds, and what is kept of a message: nothing that is logged."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from api.answers import SMALL, Answers
from api.app import create_app
from api.bodies import AskBody, AskContext
from api.schemas.assistant import AskAnswer
from api.settings import CONTEXT_KEYS, MAX_BODY_BYTES, MAX_PASTE_BYTES, Settings
from assistant.assistant import MAX_MESSAGE, Assistant, Turn
from resolver.engine import Engine
from tests.api.test_contract import is_problem

NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
MESSAGES = [
    f"{NO_KERNEL}\nRTX 5090, torch 2.6.0+cu124",
    "which CUDA for a GTX 1080 Ti?",
    "GTX 1080 Ti 该装哪个版本的 CUDA？",
    "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.",
    "torch.cuda.is_available() returns False",
    "RTX 5090",
    "my RX 7900 XTX does not work with ROCm",
    "how do I bake bread?",
    " ",
]


def body(value: dict[str, Any]) -> AskBody:
    return AskBody.model_validate(value)


@pytest.mark.parametrize("message", MESSAGES)
def test_the_answer_is_the_assistants(client: TestClient, engine: Engine, message: str) -> None:
    response = client.post("/ask", json={"message": message})
    assert response.status_code == 200, response.text
    AskAnswer.model_validate_json(response.content, strict=True)
    assert response.json() == json.loads(json.dumps(Assistant(engine).ask(message)))
    assert "etag" not in response.headers


def test_same_bytes_again_and_elsewhere(client: TestClient) -> None:
    fresh = TestClient(create_app(settings=Settings(cache_entries=0)))
    for message in MESSAGES:
        question = {"message": message, "context": {"os": "ubuntu-24.04", "gpu": "RTX 3090"}}
        turned = {"context": {"gpu": "RTX 3090", "os": "ubuntu-24.04"}, "message": message}
        first = client.post("/ask", json=question).content
        assert client.post("/ask", json=turned).content == first
        assert fresh.post("/ask", json=question).content == first


def test_context_and_history_tell_of_the_machine(client: TestClient) -> None:
    def facts(**more: Any) -> dict[str, str]:
        answer = client.post("/ask", json={"message": "which PyTorch do I need?", **more}).json()
        return {kind: fact["value"] for kind, fact in answer["facts"].items()}

    assert facts() == facts(history=None, context=None) == {}
    known = facts(context={"gpu": "3090", "driver": "535", "torch": "2.6.0+cu124", "os": "ubuntu-22.04", "cuda": None})
    assert known["gpu"] == "GeForce RTX 3090"
    assert (known["driver"], known["torch"], known["os"]) == ("535", "2.6.0+cu124", "ubuntu-22.04")
    said = facts(history=[{"role": "user", "content": "I have a 3090"}, {"role": "assistant", "content": "and a 4090"}])
    assert said == {"gpu": "GeForce RTX 3090"}


@pytest.mark.parametrize(
    ("question", "path", "words"),
    [
        ({}, "message", "is required"),
        ({"message": ""}, "message", "must not be empty"),
        ({"message": None}, "message", "must be text"),
        ({"message": ["x"]}, "message", "must be text"),
        ({"message": "x" * (MAX_MESSAGE + 1)}, "message", "at most 1000000 characters"),
        ({"message": "x", "mesage": "x"}, "mesage", "did you mean `message`?"),
        ({"message": "x", "history": "y"}, "history", 'a list of objects such as {"role": "user"'),
        ({"message": "x", "history": ["y"]}, "history[0]", 'an object such as {"role": "user"'),
        ({"message": "x", "history": [{"role": "user"}]}, "history[0].content", "is required"),
        ({"message": "x", "history": [{"role": "god", "content": "y"}]}, "history[0].role", "'user', 'assistant'"),
        ({"message": "x", "history": [{"role": "user", "content": "y"}] * 41}, "history", "at most 40 items, not 41"),
        ({"message": "x", "context": []}, "context", 'an object such as {"gpu": "rtx5090"}'),
        ({"message": "x", "context": {"gpus": "t4"}}, "context.gpus", "did you mean `gpu`?"),
        ({"message": "x", "context": {"driver": 535}}, "context.driver", 'write "535" in quotes'),
        ({"message": "x", "context": {"gpu": "x" * 301}}, "context.gpu", "at most 300 characters"),
        ({"message": "x", "context": {"gpu": "t4\nt4"}}, "context.gpu", "one line"),
        ([], "", 'must be an object such as {"message": '),
    ],
)
def test_wrong_questions(client: TestClient, question: Any, path: str, words: str) -> None:
    document = is_problem(client.post("/ask", json=question), 422, "invalid-request")
    assert [part["path"] for part in document["errors"]] == [path]
    assert words in document["errors"][0]["message"]


def test_no_body(client: TestClient) -> None:
    assert '{"message": ' in is_problem(client.post("/ask"), 422, "invalid-request")["detail"]
    is_problem(client.post("/ask", content=b'{"message": "\\ud800"}'), 422, "invalid-request")
    is_problem(client.post("/ask", content=b'{"message": '), 400, "invalid-request")


def test_large_pastes(client: TestClient) -> None:
    paste = f"{NO_KERNEL}\n" + "step 1 of 2 done\n" * ((MAX_MESSAGE - 200) // 17)
    assert MAX_MESSAGE - 200 < len(paste) <= MAX_MESSAGE
    assert client.post("/ask", json={"message": paste}).status_code == 200
    document = is_problem(client.post("/ask", content=b" " * (MAX_PASTE_BYTES + 1)), 413, "too-large")
    assert str(MAX_PASTE_BYTES) in document["detail"]
    assert MAX_BODY_BYTES < MAX_PASTE_BYTES


def test_only_small_questions_are_kept(engine: Engine) -> None:
    answers = Answers(engine, 10)
    small = {"message": "which CUDA for a T4?", "history": [{"role": "user", "content": "hello"}]}
    assert answers.ask(body(small)) is answers.ask(body(small))
    large = {"message": "which CUDA for a T4?", "history": [{"role": "user", "content": "x" * SMALL}]}
    first, second = answers.ask(body(large)), answers.ask(body(large))
    assert first is not second
    assert first == second
    assert len(answers.cache) == 1


def test_one_engine_for_all_and_no_assistant_before_it_is_needed(engine: Engine) -> None:
    answers = Answers(engine, 10)
    assert "assistant" not in vars(answers)
    assert answers.assistant is answers.assistant
    assert answers.assistant.engine is engine


class Broken(Assistant):
    """An assistant that fails with the message in its words."""

    def ask(self, message: str, history: Any = (), context: Any = None, without: Any = ()) -> dict[str, Any]:
        raise RuntimeError(f"cannot think about {message}")


def test_failures(engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("api.answers.Assistant", Broken)
    broken = TestClient(create_app(engine, Settings()), raise_server_exceptions=False)
    with caplog.at_level(logging.INFO, "whichcuda"):
        is_problem(broken.post("/ask", json={"message": "the card of jane.doe"}), 500, "internal-error")
    assert "RuntimeError in POST /ask" in caplog.text
    assert "jane" not in caplog.text
    is_problem(broken.get("/readyz"), 503, "not-ready")
    assert broken.get("/healthz").status_code == 200


def test_log_has_no_user_text(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        client.post("/ask", json={"message": "the card of jane.doe", "context": {"gpu": "jane"}})
        client.post("/ask", json={"message": 5, "jane": 1})
    assert "jane" not in caplog.text


def test_the_context_has_the_keys_of_the_command_line() -> None:
    assert tuple(AskContext.model_fields) == CONTEXT_KEYS
    question = body({"message": "x", "context": {"os": "linux", "gpu": "t4"}, "history": []})
    assert (question.known(), question.turns(), question.size) == ({"gpu": "t4", "os": "linux"}, [], 1)
    assert body({"message": "x", "history": [{"role": "user", "content": "yz"}]}).turns() == [Turn("user", "yz")]


@given(message=st.text(min_size=1, max_size=400), earlier=st.lists(st.text(max_size=100), max_size=3))
@settings(max_examples=40)
def test_any_text_is_answered(client: TestClient, message: str, earlier: list[str]) -> None:
    history = [{"role": "user", "content": text} for text in earlier]
    response = client.post("/ask", json={"message": message, "history": history})
    assert response.status_code == 200, response.text
    AskAnswer.model_validate_json(response.content, strict=True)
