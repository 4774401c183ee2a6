"""Calls that chat programs make by themselves, as ordinary chats: a title, tags, follow-up questions, a completion.

Recognised by the openings of the prompts that Open WebUI, LibreChat and NextChat send, and answered with the tiny text or JSON
that they wait for: else the program would show a diagnosis where a title belongs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assistant.assistant import Turn

__all__ = ["Background", "background", "follow_ups", "unwrapped"]

Kind = Literal["title", "tags", "follow_ups", "text", "queries", "prompt", "emoji"]

_TASK = "### task:"
# what the first paragraph of an Open WebUI task speaks of; the kind is also the key of the JSON that it wants
_TASKS: tuple[tuple[str, Kind], ...] = (
    ("follow-up", "follow_ups"),
    ("autocompletion", "text"),
    ("search queries", "queries"),
    ("broad tags", "tags"),
    ("image generation", "prompt"),
    ("title", "title"),
)
_OPENINGS: tuple[tuple[str, Kind], ...] = (
    ("create a concise, 3-5 word title", "title"),  # Open WebUI before 0.5
    ("your task is to reflect the speaker's likely facial expression", "emoji"),  # Open WebUI
    ("provide a concise, 5-word-or-less title", "title"),  # LibreChat
    ("analyze this conversation and provide:\n1. the detected language", "title"),  # LibreChat
    ("please generate a concise title", "title"),  # LibreChat
    ("please generate a four to five word title", "title"),  # NextChat
    ("使用四到五个字直接返回这句话的简要主题", "title"),  # NextChat
)
_BEGIN, _END = "<chat_history>", "</chat_history>"
_SPEAKER = re.compile(r"^(?:(user)|assistant|ai): ?", re.IGNORECASE | re.MULTILINE)
_FILE = re.compile(r"</?(?:source|user_query)(?: [^<>]{0,300})?>")

_TITLES = {"en": "GPU question", "zh": "显卡问题"}
_FOLLOW_UPS = {
    "en": (
        "Do I need to install the CUDA toolkit?",
        "Why do nvidia-smi and nvcc show different CUDA versions?",
    ),
    "zh": ("我需要单独安装 CUDA Toolkit 吗？", "nvidia-smi 和 nvcc 显示的 CUDA 版本为什么不一样？"),
}
_FOLLOW_UP_ON = {
    "en": ("Which PyTorch fits a {gpu}?", "Which CUDA fits my GPU?"),
    "zh": ("{gpu} 该装哪个版本的 PyTorch？", "我的显卡该装哪个版本的 CUDA？"),
}


@dataclass(frozen=True, slots=True)
class Background:
    """A call that nobody typed.

    Attributes:
        kind: what is wanted.
        turns: the conversation it is about.
        shape: the members of the JSON that is wanted; empty for plain text.
    """

    kind: Kind
    turns: Sequence[Turn]
    shape: tuple[str, ...]

    @property
    def question(self) -> tuple[str, list[Turn]]:
        """What the user said last, and what was said before it."""
        spoken = [number for number, turn in enumerate(self.turns) if turn.role == "user"]
        return (self.turns[spoken[-1]].content, list(self.turns[: spoken[-1]])) if spoken else ("", [])

    def reply(self, advice: Mapping[str, Any]) -> str:
        """The text for the program, given the assistant's answer to the conversation."""
        value = self._value(advice)
        if not self.shape:
            return str(value)
        language = {"en": "English", "zh": "Chinese"}[advice["language"]]
        members = {name: language if name == "language" else value for name in self.shape}
        return json.dumps(members, ensure_ascii=False)

    def _value(self, advice: Mapping[str, Any]) -> str | list[str]:
        language, diagnosis = advice["language"], advice["diagnosis"]
        gpu = advice["facts"].get("gpu", {}).get("value")
        match self.kind:
            case "title":
                return str(diagnosis["title"] if diagnosis else gpu or _TITLES[language])
            case "tags":
                return ["GPU", "CUDA", *([gpu] if gpu else [])] if diagnosis or gpu else ["General"]
            case "follow_ups":
                return follow_ups(advice)
            case "queries":
                return []  # nothing is searched for while answering
            case "emoji":
                return "🙂"
            case _:
                return ""


def follow_ups(advice: Mapping[str, Any]) -> list[str]:
    """What may be asked next after an answer."""
    language, gpu = advice["language"], advice["facts"].get("gpu", {}).get("value")
    on_gpu, on_any = _FOLLOW_UP_ON[language]
    return [on_gpu.format(gpu=gpu) if gpu else on_any, *_FOLLOW_UPS[language]]


def background(message: str, history: Sequence[Turn]) -> Background | None:
    """The call behind a message, where it is one that a program makes by itself."""
    start = message[:400].lstrip().lower()
    kind = _task(message) if start.startswith(_TASK) else _opened(start)
    if kind is None:
        return None
    wants_json = f'"{kind}"' in message
    shape = ("language", "title") if start.startswith("analyze this") else (kind,) if wants_json else ()
    return Background(kind, _turns(message, history), shape)


def _opened(start: str) -> Kind | None:
    return next((kind for opening, kind in _OPENINGS if start.startswith(opening)), None)


def _task(message: str) -> Kind | None:
    """The kind of a task with a `### Task:` heading; a question with attached files has one too, and is none."""
    paragraph = message.lstrip()[len(_TASK) :][:600].partition("\n###")[0].lower()
    if "### output" not in message.lower() and "<text>" not in message:
        return None
    return next((kind for word, kind in _TASKS if word in paragraph), None)


def _turns(message: str, history: Sequence[Turn]) -> list[Turn]:
    """The conversation quoted in a prompt; where there is none, the one before it."""
    begin, end = message.find(_BEGIN), message.rfind(_END)
    if 0 <= begin < end:
        quoted = message[begin + len(_BEGIN) : end]
    else:
        quoted = message.lstrip().partition("\n\n")[2]
    if not quoted.strip():
        return list(history)
    found: list[Turn] = []
    marks = list(_SPEAKER.finditer(quoted))
    if not marks:
        return [Turn("user", quoted.strip())]
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        said = quoted[mark.end() : following.start() if following else len(quoted)].strip()
        found.append(Turn("user" if mark[1] else "assistant", said))
    return found


def unwrapped(message: str) -> str:
    """A question with the files attached to it, out of the prompt that Open WebUI wraps around both.

    >>> unwrapped("### Task:\\nRespond ...\\n<context>\\n<source id=\\"1\\">Xid 79</source>\\n</context>\\n\\nwhat is this?")
    'what is this?\\n\\nXid 79'
    """
    begin, end = message.find("<context>"), message.rfind("</context>")
    if not message[:100].lstrip().lower().startswith(_TASK) or not 0 <= begin < end:
        return message
    question = _FILE.sub("", message[end + len("</context>") :]).strip()
    files = _FILE.sub("", message[begin + len("<context>") : end]).strip()
    return f"{question}\n\n{files}".strip()
