"""The OpenAI-style chat as data: what its clients send, read leniently; what they expect back. Knows no HTTP.

A token is counted for every four bytes of text in UTF-8, begun ones too: simple, and near what tokenisers make of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from api import VERSION
from api.problems import Problem
from assistant.assistant import MAX_MESSAGE, Turn

__all__ = ["MODEL", "ChatBody", "Conversation", "Reply", "conversation", "error_of", "is_openai", "model", "models"]

MODEL = "whichcuda"
BYTES_PER_TOKEN = 4


# --- what is asked ----------------------------------------------------------------------------------------------------


def _text(content: object) -> object:
    """The text of a message's content: a text, parts of which those of text are read, or nothing."""
    if content is None:
        return ""
    if not isinstance(content, list):
        return content
    texts = []
    for part in content:
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            raise ValueError('must be text or a list of parts such as {"type": "text", "text": "..."}')
        if part["type"] == "text":
            if not isinstance(part.get("text"), str):
                raise ValueError("has a part of type `text` without its text")
            texts.append(part["text"])
    return "\n".join(texts)


_PART = {"type": "object", "properties": {"type": {"type": "string"}, "text": {"type": "string"}}, "required": ["type"]}
_CONTENT = {"anyOf": [{"type": "string"}, {"type": "array", "items": _PART}, {"type": "null"}]}


class _Lenient(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class ChatTurn(_Lenient):
    """One message. Of the roles `user` and `assistant` are the conversation, `system` and `developer` tell of the machine."""

    role: str
    content: Annotated[str, BeforeValidator(_text), WithJsonSchema(_CONTENT)] = ""


class StreamOptions(_Lenient):
    """How to stream."""

    include_usage: bool | None = None


class ChatBody(_Lenient):
    """The question of `/v1/chat/completions`. Whatever else clients send is accepted and has no effect."""

    model: str | None = Field(None, description=f"`{MODEL}`, which is the only one.")
    messages: Annotated[
        tuple[ChatTurn, ...],
        Field(min_length=1),
        BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value),
    ]
    stream: bool | None = None
    stream_options: StreamOptions | None = None

    @property
    def with_usage(self) -> bool:
        """Whether a stream shall end with the usage."""
        return bool(self.stream_options and self.stream_options.include_usage)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages sorted.

    Attributes:
        message: the last that the user said.
        history: what was said before it.
        told: all that system and developer say: read for facts of the machine, never obeyed.
    """

    message: str
    history: list[Turn]
    told: str


def conversation(body: ChatBody) -> Conversation | None:
    """The conversation of a request; None where the user says nothing in it."""
    spoken = [number for number, turn in enumerate(body.messages) if turn.role == "user"]
    if not spoken:
        return None
    history = [
        Turn(turn.role, turn.content)
        for turn in body.messages[: spoken[-1]]
        if turn.role in ("user", "assistant") and turn.content
    ]
    told = "\n".join(turn.content for turn in body.messages if turn.role in ("system", "developer"))
    return Conversation(body.messages[spoken[-1]].content, history, told[:MAX_MESSAGE])


# --- what is answered -------------------------------------------------------------------------------------------------


def model(data_version: str) -> dict[str, Any]:
    """The model; it was made when its data was."""
    year, month, day = map(int, data_version.split("."))
    created = int(datetime(year, month, day, tzinfo=UTC).timestamp())
    return {"id": MODEL, "object": "model", "created": created, "owned_by": MODEL, "data_version": data_version}


def models(data_version: str) -> dict[str, Any]:
    """The list of models."""
    return {"object": "list", "data": [model(data_version)]}


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer in the two forms it can be sent in.

    Attributes:
        body: what was asked.
        content: the answer in Markdown.
        data: the same for programs, where there is more to say than the content.
        data_version: of the engine.
        created: the only clock: the second of the answer.
    """

    body: ChatBody
    content: str
    data: Mapping[str, Any] | None
    data_version: str
    created: int

    def whole(self) -> dict[str, Any]:
        """The answer at once."""
        message = {"role": "assistant", "content": self.content, **self._extra()}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        return {**self._head("chat.completion"), "choices": choices, "usage": self._usage()}

    def chunks(self) -> Iterator[str]:
        """The answer as the data of the events of a stream."""
        head = self._head("chat.completion.chunk")
        *pieces, last = _paragraphs(self.content)
        deltas: list[dict[str, Any]] = [
            {"role": "assistant", "content": ""},
            *({"content": piece} for piece in pieces),
            {"content": last, **self._extra()},
            {},
        ]
        usage = {"usage": None} if self.body.with_usage else {}
        for delta in deltas:
            choices = [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}]
            yield _compact({**head, "choices": choices, **usage})
        if self.body.with_usage:
            yield _compact({**head, "choices": [], "usage": self._usage()})
        yield "[DONE]"

    def _extra(self) -> dict[str, Any]:
        return {} if self.data is None else {MODEL: dict(self.data)}

    def _head(self, kind: str) -> dict[str, Any]:
        fingerprint = f"{MODEL}-{VERSION}-{self.data_version}"
        said = _compact([fingerprint, *((turn.role, turn.content) for turn in self.body.messages)])
        return {
            "id": "chatcmpl-" + blake2b(said.encode(), digest_size=12).hexdigest(),
            "object": kind,
            "created": self.created,
            "model": MODEL,
            "system_fingerprint": fingerprint,
        }

    def _usage(self) -> dict[str, int]:
        prompt = sum(_tokens(turn.content) for turn in self.body.messages)
        completion = _tokens(self.content)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }


def _tokens(text: str) -> int:
    """
    >>> _tokens("sm_120!"), _tokens("显卡"), _tokens("")
    (2, 2, 0)
    """
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def _paragraphs(text: str) -> list[str]:
    """The text in pieces that add up to it.

    >>> _paragraphs("a\\n\\nb\\n"), _paragraphs("")
    (['a\\n\\n', 'b\\n'], [''])
    """
    *pieces, last = text.split("\n\n")
    return [*(piece + "\n\n" for piece in pieces), last]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


# --- what goes wrong --------------------------------------------------------------------------------------------------

# problem: HTTP status, type and code as clients of the interface know them
_ERRORS: dict[str, tuple[int, str, str | None]] = {
    "invalid-request": (400, "invalid_request_error", None),
    "too-large": (400, "invalid_request_error", "context_length_exceeded"),
    "unauthorized": (401, "invalid_request_error", "invalid_api_key"),
    "not-found": (404, "invalid_request_error", "model_not_found"),
    "method-not-allowed": (405, "invalid_request_error", "method_not_allowed"),
    "too-many-requests": (429, "rate_limit_error", "rate_limit_exceeded"),
    "not-ready": (503, "server_error", None),
    "internal-error": (500, "server_error", None),
}


def is_openai(path: str) -> bool:
    """Whether errors at an address take the form of the OpenAI interface."""
    return path in ("/v1/models", "/v1/chat/completions") or path.startswith("/v1/models/")


def error_of(problem: Problem) -> tuple[int, dict[str, Any]]:
    """The status and the document for a problem."""
    status, kind, code = _ERRORS.get(problem.type, _ERRORS["internal-error"])
    param = next((part["path"] for part in problem.errors if part["path"]), None)
    return status, {"error": {"message": problem.detail, "type": kind, "param": param, "code": code}}
