"""The answers below `/v1/` described: the form of the OpenAI interface."""

from __future__ import annotations

from typing import Literal

from api.schemas.assistant import Advice
from api.schemas.base import Described

__all__ = [
    "ChatAnswer",
    "ChatChoice",
    "ChatError",
    "ChatErrorPart",
    "ChatMessage",
    "ChatUsage",
    "ModelAnswer",
    "ModelsAnswer",
]


class ModelAnswer(Described):
    """The answer of `/v1/models/{id}`."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    data_version: str


class ModelsAnswer(Described):
    """The answer of `/v1/models`."""

    object: Literal["list"]
    data: list[ModelAnswer]


class ChatMessage(Described):
    """The message of a chat answer: Markdown for people, the same as data under `whichcuda`."""

    role: Literal["assistant"]
    content: str
    whichcuda: Advice | None = None


class ChatChoice(Described):
    """The only choice there is."""

    index: Literal[0]
    message: ChatMessage
    finish_reason: Literal["stop"]


class ChatUsage(Described):
    """A token is counted for every four bytes of text in UTF-8."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatAnswer(Described):
    """The answer of `/v1/chat/completions` where no stream is asked for."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    system_fingerprint: str
    choices: list[ChatChoice]
    usage: ChatUsage


class ChatErrorPart(Described):
    """What went wrong, in the form of the OpenAI interface."""

    message: str
    type: str
    param: str | None
    code: str | None


class ChatError(Described):
    """The errors of the addresses below `/v1/`."""

    error: ChatErrorPart
