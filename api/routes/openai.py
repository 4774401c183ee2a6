"""`/v1/models` and `/v1/chat/completions`: the assistant for any client of the OpenAI interface."""

from __future__ import annotations

import hmac
import time
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.sse import EventSourceResponse, format_sse_event

from api.answers import Answers
from api.background import background, unwrapped
from api.handlers import ProblemFound
from api.openai_chat import MODEL, ChatBody, Reply, conversation, model, models
from api.problems import Problem, shortened
from api.rendering import rendered_json
from api.routes.responses import STREAM_HEADERS, plain
from api.settings import CONTEXT_KEYS
from assistant.assistant import MAX_MESSAGE

__all__ = ["router"]


def router(answers: Answers, documents: dict[str, Any], api_key: str | None) -> APIRouter:
    """The routes over one set of answers; with a key only for those who send it."""

    async def known(request: Request) -> None:
        """Refuse a request without the key."""
        given = request.headers.get("authorization", "").partition(" ")[2].strip()
        if api_key is not None and not hmac.compare_digest(given.encode(), api_key.encode()):
            raise ProblemFound(Problem("unauthorized", "send the key of this service: `Authorization: Bearer ...`"))

    routes = APIRouter(prefix="/v1", tags=["openai"], dependencies=[Depends(known)])
    data_version = answers.engine.data_version

    @routes.get("/models", summary="The only model", responses=documents["models"])
    async def all_models() -> Response:
        """The list that clients choose from."""
        return plain(rendered_json(models(data_version)))

    @routes.get("/models/{id}", summary="One model", responses=documents["model"])
    async def one_model(id: str) -> Response:
        """The model by its id."""
        _require(id)
        return plain(rendered_json(model(data_version)))

    @routes.post("/chat/completions", summary="Chat", responses=documents["chat"])
    async def chat(body: ChatBody) -> Response:
        """The last message of the user is the question, what was said before it gives facts of the machine.

        The answer is that of `/ask`: Markdown, and as data under `whichcuda` in the message. Whatever else clients send
        (`temperature`, `n`, `seed`, `tools`) is accepted and has no effect.
        """
        if body.model is not None:
            _require(body.model)
        reply = Reply(body, *_answer(answers, body), data_version, int(time.time()))
        if body.stream:
            return EventSourceResponse(_events(reply), headers=STREAM_HEADERS)
        return plain(rendered_json(reply.whole()))

    return routes


def _require(id: str) -> None:
    if id != MODEL:
        detail = f"the model `{shortened(id)}` does not exist; there is `{MODEL}`"
        raise ProblemFound(Problem("not-found", detail, errors=[{"path": "model", "message": "does not exist"}]))


def _answer(answers: Answers, body: ChatBody) -> tuple[str, dict[str, Any] | None]:
    """The text of the answer, and the same as data."""
    talk = conversation(body)
    if talk is None:
        raise _refused("invalid-request", "must hold a message of the role `user`")
    task = background(talk.message, talk.history)
    if task is not None:
        message, history = task.question
        return task.reply(answers.advice(message, history, {})), None
    message = unwrapped(talk.message)
    if len(message) > MAX_MESSAGE:
        raise _refused(
            "too-large", f"may have at most {MAX_MESSAGE} characters in the last of them, not {len(message)}"
        )
    advice = answers.advice(message, talk.history, _machine(answers, talk.told))
    return advice.pop("answer"), advice


def _machine(answers: Answers, told: str) -> dict[str, str]:
    """What a system prompt says of the machine: facts only, whatever else it tells or demands."""
    if not told.strip():
        return {}
    facts = answers.advice(told, (), {})["facts"]
    return {name: facts[name]["value"] for name in CONTEXT_KEYS if name in facts}


def _refused(kind: str, message: str) -> ProblemFound:
    error = {"path": "messages", "message": message}
    return ProblemFound(Problem(kind, f"`messages` {message}", errors=[error]))


def _events(reply: Reply) -> Iterator[bytes]:
    for data in reply.chunks():
        yield format_sse_event(data_str=data)
