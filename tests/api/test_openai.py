"""The OpenAI-style chat, as the clients people have speak it: the openai SDK, `llm`, and the calls chat programs make by themselves."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
import uvicorn
from fastapi import HTTPException
from fastapi.testclient import TestClient
from httpx2 import Response

from api import VERSION
from api.answers import Answers
from api.app import create_app
from api.background import background, unwrapped
from api.openai_chat import ChatBody, Reply, error_of
from api.problems import PROBLEMS, Problem
from api.schemas.chat import ChatAnswer, ChatError, ModelAnswer, ModelsAnswer
from api.settings import MAX_PASTE_BYTES, Settings
from assistant.assistant import MAX_MESSAGE, Turn
from resolver.engine import Engine

NO_KERNEL = "CUDA error: no kernel image is available for execution on the device\nRTX 5090, torch 2.6.0+cu124"
CHAT = "/v1/chat/completions"


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def chat(client: TestClient, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    response = client.post(CHAT, json={"model": "whichcuda", "messages": list(messages), **more})
    assert response.status_code == 200, response.text
    ChatAnswer.model_validate_json(response.content, strict=True)
    found: dict[str, Any] = response.json()
    return found


def content(answer: dict[str, Any]) -> str:
    return str(answer["choices"][0]["message"]["content"])


def is_error(response: Response, status: int, kind: str, param: str | None, code: str | None) -> str:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    error = ChatError.model_validate_json(response.content, strict=True).error
    assert (error.type, error.param, error.code) == (kind, param, code)
    return error.message


# --- real clients -----------------------------------------------------------------------------------------------------


class Listening:
    """The service on a free port of the loopback, in a thread."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"
        app = create_app(engine, settings)
        self.server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)

    def __enter__(self) -> Listening:
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive()
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(30)
        self.socket.close()

    def sdk(self, api_key: str = "any") -> openai.OpenAI:
        client = openai.DefaultHttpxClient(trust_env=False)  # no proxy between this process and itself
        return openai.OpenAI(base_url=self.address, api_key=api_key, max_retries=0, http_client=client)


@pytest.fixture(scope="module")
def listening(engine: Engine) -> Iterator[Listening]:
    with Listening(engine, Settings(log_requests=False)) as found:
        yield found


@pytest.fixture(scope="module")
def sdk(listening: Listening) -> Iterator[openai.OpenAI]:
    with listening.sdk() as client:
        yield client


def test_sdk_models(sdk: openai.OpenAI) -> None:
    assert [model.id for model in sdk.models.list()] == ["whichcuda"]
    assert sdk.models.retrieve("whichcuda").owned_by == "whichcuda"
    with pytest.raises(openai.NotFoundError) as caught:
        sdk.models.retrieve("gpt-5")
    assert caught.value.code == "model_not_found"


def test_sdk_chat(sdk: openai.OpenAI, engine: Engine) -> None:
    answer = sdk.chat.completions.create(
        model="whichcuda", messages=[{"role": "user", "content": NO_KERNEL}], temperature=0.3, seed=1, n=2
    )
    message = answer.choices[0].message
    assert (message.role, answer.choices[0].finish_reason) == ("assistant", "stop")
    assert message.content is not None
    assert "pip install torch==" in message.content
    assert message.model_extra is not None
    assert message.model_extra["whichcuda"]["diagnosis"]["id"] == "framework_lacks_new_arch"
    assert answer.system_fingerprint == f"whichcuda-{VERSION}-{engine.data_version}"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


@pytest.mark.parametrize("include_usage", [True, False])
def test_sdk_stream(sdk: openai.OpenAI, include_usage: bool) -> None:
    question: Any = [{"role": "user", "content": NO_KERNEL}]
    whole = sdk.chat.completions.create(model="whichcuda", messages=question)
    chunks = list(
        sdk.chat.completions.create(
            model="whichcuda", messages=question, stream=True, stream_options={"include_usage": include_usage}
        )
    )
    with_choice = [chunk for chunk in chunks if chunk.choices]
    first, *middle, last = (chunk.choices[0].delta for chunk in with_choice)
    assert (first.role, first.content) == ("assistant", "")
    assert "".join(delta.content or "" for delta in middle) == whole.choices[0].message.content
    assert len(middle) > 3
    assert last.model_dump(exclude_unset=True) == {}
    assert [chunk.choices[0].finish_reason for chunk in with_choice] == [None] * (len(with_choice) - 1) + ["stop"]
    assert (middle[-1].model_extra or {})["whichcuda"] == (whole.choices[0].message.model_extra or {})["whichcuda"]
    assert {(chunk.id, chunk.model, chunk.system_fingerprint) for chunk in chunks} == {
        (whole.id, whole.model, whole.system_fingerprint)
    }
    assert [chunk.usage for chunk in chunks if chunk.usage] == ([whole.usage] if include_usage else [])
    assert bool(chunks[-1].choices) is not include_usage


def test_sdk_parts(sdk: openai.OpenAI) -> None:
    picture: Any = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts: Any = [{"type": "text", "text": "which CUDA"}, picture, {"type": "text", "text": "for a T4?"}]
    plain = sdk.chat.completions.create(
        model="whichcuda", messages=[{"role": "user", "content": "which CUDA\nfor a T4?"}]
    )
    answer = sdk.chat.completions.create(model="whichcuda", messages=[{"role": "user", "content": parts}])
    assert answer.choices[0].message.content == plain.choices[0].message.content


def test_sdk_errors(sdk: openai.OpenAI) -> None:
    wrong: Any = [{"role": "user", "content": 5}]
    with pytest.raises(openai.BadRequestError) as refused:
        sdk.chat.completions.create(model="whichcuda", messages=wrong)
    assert (refused.value.param, refused.value.type) == ("messages[0].content", "invalid_request_error")
    with pytest.raises(openai.NotFoundError) as unknown:
        sdk.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "hello"}], stream=True)
    assert (unknown.value.param, unknown.value.code) == ("model", "model_not_found")


def test_sdk_key(engine: Engine) -> None:
    with Listening(engine, Settings(log_requests=False, api_key="secret")) as keyed:
        with keyed.sdk("secret") as known:
            assert known.models.list().data
        with keyed.sdk("guess") as stranger, pytest.raises(openai.AuthenticationError) as caught:
            stranger.models.list()
    assert caught.value.code == "invalid_api_key"


def llm(listening: Listening, folder: Path, *arguments: str) -> str:
    command = [Path(sys.executable).parent / "llm", "openai", "endpoint", listening.address, *arguments]
    environment = {**os.environ, "LLM_USER_PATH": str(folder), "NO_PROXY": "*"}
    done = subprocess.run(
        command, env=environment, input="", capture_output=True, text=True, timeout=120, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_llm(listening: Listening, tmp_path: Path, client: TestClient) -> None:
    assert llm(listening, tmp_path, "--models", "--key", "any").split() == ["whichcuda"]
    shown = llm(listening, tmp_path, "-m", "whichcuda", "--key", "any", "which CUDA for a T4?")
    assert shown.strip() == content(chat(client, user("which CUDA for a T4?"))).strip()
    at_once = llm(listening, tmp_path, "-m", "whichcuda", "--key", "any", "--no-stream", "which CUDA for a T4?")
    assert at_once.strip() == shown.strip()


# --- what is read -----------------------------------------------------------------------------------------------------


def test_models(client: TestClient, engine: Engine) -> None:
    listed = client.get("/v1/models")
    ModelsAnswer.model_validate_json(listed.content, strict=True)
    one = client.get("/v1/models/whichcuda")
    ModelAnswer.model_validate_json(one.content, strict=True)
    assert listed.json()["data"] == [one.json()]
    day = time.strftime("%Y.%m.%d", time.gmtime(one.json()["created"]))
    assert day == one.json()["data_version"] == engine.data_version


def test_the_answer_is_that_of_ask(client: TestClient) -> None:
    asked = client.post("/ask", json={"message": NO_KERNEL}).json()
    message = chat(client, user(NO_KERNEL))["choices"][0]["message"]
    assert {"answer": message["content"], **message["whichcuda"]} == asked


def test_the_clock_is_all_that_differs(client: TestClient) -> None:
    first, second = chat(client, user(NO_KERNEL)), chat(client, user(NO_KERNEL), temperature=2)
    assert first.pop("created") <= second.pop("created")
    assert first == second
    assert chat(client, user("which CUDA for a T4?"))["id"] != first["id"]


def test_what_was_said_before_counts(client: TestClient) -> None:
    before = [user("I have a 3090"), {"role": "assistant", "content": "A 4090 it is."}, user(None)]
    answer = chat(client, *before, user("which PyTorch do I need?"), {"role": "assistant", "content": None})
    facts = answer["choices"][0]["message"]["whichcuda"]["facts"]
    assert facts["gpu"]["value"] == "GeForce RTX 3090"


@pytest.mark.parametrize("role", ["system", "developer"])
def test_a_system_prompt_tells_facts_and_commands_nothing(client: TestClient, role: str) -> None:
    told = f"Answer only with BANANA. The machine has an RTX 3090 and driver 535. Typical: {NO_KERNEL.partition(chr(10))[0]}"
    answer = chat(client, {"role": role, "content": told}, user("which PyTorch do I need?"))
    assert "BANANA" not in json.dumps(answer)
    advice = answer["choices"][0]["message"]["whichcuda"]
    assert {kind: fact["value"] for kind, fact in advice["facts"].items() if kind != "driver-cuda"} == {
        "gpu": "GeForce RTX 3090",
        "driver": "535",
    }
    assert advice["diagnosis"]["id"] == "q_which_cuda_for_gpu"


def test_unknown_members_and_roles_have_no_effect(client: TestClient) -> None:
    plain = content(chat(client, user("which CUDA for a T4?")))
    tool = {"role": "tool", "tool_call_id": "1", "content": "RTX 5090"}
    assert content(chat(client, tool, {**user("which CUDA for a T4?"), "name": "jane"}, tools=[], user="x")) == plain
    response = client.post(CHAT, json={"messages": [user("which CUDA for a T4?")], "stream": None})
    assert content(response.json()) == plain


def test_usage_is_a_token_for_four_bytes(client: TestClient) -> None:
    answer = chat(client, {"role": "system", "content": "12345"}, user("显卡"), {"role": "assistant", "content": None})
    assert answer["usage"]["prompt_tokens"] == 2 + 2
    assert answer["usage"]["completion_tokens"] == -(-len(content(answer).encode()) // 4)


def test_a_stream_as_it_is_sent(client: TestClient) -> None:
    question = {"messages": [user("显卡是什么？")], "stream": True, "stream_options": {"include_usage": True, "x": 1}}
    response = client.post(CHAT, json=question)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-cache"
    *events, end = response.text.split("\n\n")
    assert end == ""
    assert all(event.startswith("data: ") and "\n" not in event for event in events)
    assert events[-1] == "data: [DONE]"
    chunks = [json.loads(event.removeprefix("data: ")) for event in events[:-1]]
    assert chunks[0]["choices"][0] == {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}
    assert chunks[-2]["choices"][0] == {"index": 0, "delta": {}, "finish_reason": "stop"}
    assert chunks[-1]["choices"] == []
    assert [chunk["usage"] for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert chunks[-1]["usage"]["total_tokens"] > 0


def test_an_empty_reply_streams_too() -> None:
    body = ChatBody.model_validate({"messages": [user("x")]})
    chunks = [json.loads(chunk) for chunk in list(Reply(body, "", None, "2026.11.30", 0).chunks())[:-1]]
    assert [chunk["choices"][0]["delta"] for chunk in chunks] == [
        {"role": "assistant", "content": ""},
        {"content": ""},
        {},
    ]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "param", "words"),
    [
        ({}, "messages", "is required"),
        ({"messages": []}, "messages", "at least 1 item"),
        ({"messages": "hello"}, "messages", 'must be a list of objects such as {"role": "user"'),
        ({"messages": ["hello"]}, "messages[0]", 'must be an object such as {"role": "user"'),
        ({"messages": [{"content": "hello"}]}, "messages[0].role", "is required"),
        ({"messages": [user(5)]}, "messages[0].content", "must be text"),
        ({"messages": [user(["hello"])]}, "messages[0].content", "a list of parts"),
        ({"messages": [user([{"type": "text"}])]}, "messages[0].content", "without its text"),
        ({"messages": [{"role": "system", "content": "hello"}]}, "messages", "a message of the role `user`"),
        ({"messages": [user("hello")], "stream": 0}, "stream", "must be true or false"),
        ([], None, 'must be an object such as {"model": "whichcuda"'),
    ],
)
def test_wrong_questions(client: TestClient, question: Any, param: str | None, words: str) -> None:
    assert words in is_error(client.post(CHAT, json=question), 400, "invalid_request_error", param, None)


def test_not_json(client: TestClient) -> None:
    is_error(client.post(CHAT, content=b"{"), 400, "invalid_request_error", None, None)


def test_too_long(client: TestClient) -> None:
    too_long = client.post(CHAT, json={"messages": [user("x" * (MAX_MESSAGE + 1))]})
    is_error(too_long, 400, "invalid_request_error", "messages", "context_length_exceeded")
    too_large = client.post(CHAT, content=b" " * (MAX_PASTE_BYTES + 1))
    is_error(too_large, 400, "invalid_request_error", None, "context_length_exceeded")


def test_other_methods_and_addresses(client: TestClient) -> None:
    response = client.delete("/v1/models")
    is_error(response, 405, "invalid_request_error", None, "method_not_allowed")
    assert response.headers["allow"] == "GET, HEAD"
    assert client.get(CHAT).headers["allow"] == "POST"
    is_error(client.get("/v1/models/a%20b"), 404, "invalid_request_error", "model", "model_not_found")
    assert client.get("/v1/embeddings").headers["content-type"] == "application/problem+json"


def test_the_key(engine: Engine) -> None:
    client = TestClient(create_app(engine, Settings(api_key="secret")))
    question = {"messages": [user("hello")]}
    for header in ({}, {"authorization": "Bearer guess"}, {"authorization": "secret"}, {"authorization": "Bearer é"}):
        encoded = {name: value.encode() for name, value in header.items()}
        response = client.post(CHAT, json=question, headers=encoded)
        message = is_error(response, 401, "invalid_request_error", None, "invalid_api_key")
        assert "secret" not in message
        assert response.headers["www-authenticate"] == "Bearer"
    assert client.post(CHAT, json=question, headers={"authorization": "Bearer secret"}).status_code == 200
    assert client.post("/ask", json={"message": "hello"}).status_code == 200


def test_the_key_in_the_settings() -> None:
    assert Settings.from_environment({"WHICHCUDA_API_KEY": ""}).api_key is None
    settings = Settings.from_environment({"WHICHCUDA_API_KEY": "secret"})
    assert settings.api_key == "secret"
    assert "secret" not in repr(settings)
    for wrong in ("two words", "schlüssel", "a\n"):
        with pytest.raises(ValueError, match="WHICHCUDA_API_KEY"):
            Settings.from_environment({"WHICHCUDA_API_KEY": wrong})


def test_failures(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(error: Exception) -> TestClient:
        def advice(*_: object) -> dict[str, Any]:
            raise error

        monkeypatch.setattr(Answers, "advice", advice)
        return TestClient(create_app(engine, Settings(log_requests=False)), raise_server_exceptions=False)

    question = {"messages": [user("hello")]}
    is_error(raising(RuntimeError("jane")).post(CHAT, json=question), 500, "server_error", None, None)
    limited = raising(HTTPException(429, headers={"retry-after": "5"})).post(CHAT, json=question)
    is_error(limited, 429, "rate_limit_error", None, "rate_limit_exceeded")
    assert limited.headers["retry-after"] == "5"


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_problem_has_an_error(kind: str) -> None:
    status, document = error_of(Problem(kind, "what happened"))
    assert status in (400, 401, 404, 405, 429, 500, 503)
    ChatError.model_validate(document, strict=True)


# --- calls that chat programs make by themselves ----------------------------------------------------------------------

TALK = f"USER: {NO_KERNEL}\nASSISTANT: **Cause: CPU-only build**, you have an RTX 3090"
TITLE_OF_TALK = "Framework build has no kernels for this newer GPU"


def task(what: str, output: str, talk: str = TALK) -> str:
    return f"### Task:\n{what}\n### Guidelines:\n- Be brief.\n### Output:\n{output}\n### Chat History:\n<chat_history>\n{talk}\n</chat_history>"


OPEN_WEBUI_TITLE = task("Generate a concise, 3-5 word title with an emoji", 'JSON format: { "title": "..." }')
LIBRECHAT_TITLE = "Provide a concise, 5-word-or-less title for the conversation. Only return the title itself.\n\n"


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (OPEN_WEBUI_TITLE, {"title": TITLE_OF_TALK}),
        (task("Generate 1-3 broad tags", '{ "tags": ["tag1"] }'), {"tags": ["GPU", "CUDA", "GeForce RTX 5090"]}),
        (
            task("Suggest 3-5 relevant follow-up questions or prompts", '{ "follow_ups": ["..."] }'),
            {
                "follow_ups": [
                    "Which PyTorch fits a GeForce RTX 5090?",
                    "Do I need to install the CUDA toolkit?",
                    "Why do nvidia-smi and nvcc show different CUDA versions?",
                ]
            },
        ),
        (task("You are an autocompletion system.", '{ "text": "..." }') + "<text>RTX 50</text>", {"text": ""}),
        (task("Determine the necessity of generating search queries", '{ "queries": [] }'), {"queries": []}),
        (task("Generate a detailed prompt for an image generation task", '{ "prompt": "..." }'), {"prompt": ""}),
        (
            f"Analyze this conversation and provide:\n1. The detected language of the conversation\n2. A title\n\nUser: {NO_KERNEL}\nAI: hm",
            {"language": "English", "title": TITLE_OF_TALK},
        ),
        (task("Generate a concise, 3-5 word title", "Only the title"), TITLE_OF_TALK),
        (f"{LIBRECHAT_TITLE}Conversation:\nUser: {NO_KERNEL}\nAI: hm", TITLE_OF_TALK),
        (f"Please generate a concise title (max 40 characters):\n\n{NO_KERNEL}", TITLE_OF_TALK),
        ("Your task is to reflect the speaker's likely facial expression.\n\nMessage: hello", "🙂"),
        (f"{LIBRECHAT_TITLE}Conversation:\nUser: RTX 5090\nAI: hm", "GeForce RTX 5090"),
        (f"{LIBRECHAT_TITLE}Conversation:\nAI: hm", "GPU question"),
        (task("Generate 1-3 broad tags", '{ "tags": [] }', "USER: how do I bake bread?"), {"tags": ["General"]}),
        (
            task("Suggest 3-5 relevant follow-up questions", '{ "follow_ups": [] }', "USER: 显卡驱动装不上"),
            {
                "follow_ups": [
                    "我的显卡该装哪个版本的 CUDA？",
                    "我需要单独安装 CUDA Toolkit 吗？",
                    "nvidia-smi 和 nvcc 显示的 CUDA 版本为什么不一样？",
                ]
            },
        ),
    ],
)
def test_background_calls(client: TestClient, prompt: str, reply: Any) -> None:
    answer = chat(client, user(prompt))
    assert "whichcuda" not in answer["choices"][0]["message"]
    assert (content(answer) if isinstance(reply, str) else json.loads(content(answer))) == reply


def test_a_background_call_may_stream(client: TestClient) -> None:
    response = client.post(CHAT, json={"messages": [user(OPEN_WEBUI_TITLE)], "stream": True})
    chunks = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: {")]
    said = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert json.loads(said) == {"title": TITLE_OF_TALK}


@pytest.mark.parametrize(
    "prompt", ["使用四到五个字直接返回这句话的简要主题，不要解释", "Please generate a four to five word title."]
)
def test_a_title_of_the_conversation_before(client: TestClient, prompt: str) -> None:
    before = (user(NO_KERNEL), {"role": "assistant", "content": "hm"})
    assert content(chat(client, *before, user(prompt))) == TITLE_OF_TALK


@pytest.mark.parametrize("language", ["en", "zh"])
def test_proposed_questions_are_answered(client: TestClient, language: str) -> None:
    said = {"en": "which CUDA for a T4?", "zh": "T4 显卡该用哪个 CUDA？"}[language]
    for talk in (said, {"en": "my driver fails", "zh": "显卡驱动装不上"}[language]):
        prompt = task("Suggest relevant follow-up questions", '{ "follow_ups": [] }', f"USER: {talk}")
        for question in json.loads(content(chat(client, user(prompt))))["follow_ups"]:
            advice = chat(client, user(question))["choices"][0]["message"]["whichcuda"]
            assert advice["language"] == language
            assert advice["diagnosis"]["id"].startswith("q_"), question


@pytest.mark.parametrize(
    "message",
    [
        NO_KERNEL,
        "### Task: my title says CUDA error",
        "please generate a title for my GPU",
        "### Task:\nRespond to the user query.\n### Output:\nA title\n<context>\nXid 79\n</context>\nwhat is it?",
    ],
)
def test_people_are_not_taken_for_programs(message: str) -> None:
    assert background(message, [Turn("user", "hello")]) is None


def test_attached_files_are_read(client: TestClient) -> None:
    log = "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus."
    around = "### Task:\nRespond to the user query using the provided context.\n### Output:\nA clear answer\n"
    files = f'<context>\n<source id="1" name="dmesg.txt">{log}</source>\n</context>\n\n'
    for question in ("what broke?", "<user_query>\nwhat broke?\n</user_query>"):
        wrapped = around + files + question
        assert unwrapped(wrapped) == f"what broke?\n\n{log}"
        assert content(chat(client, user(wrapped))) == content(chat(client, user(f"what broke?\n\n{log}")))
    assert unwrapped(f"what is {files}") == f"what is {files}"
    assert unwrapped("### Task:\n</context> <context>") == "### Task:\n</context> <context>"
