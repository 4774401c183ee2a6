"""The page of the assistant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from api.bodies import AskBody
from api.page.asking import LINKED, SHOWN, Asking, parts, shown_answer
from api.page.base import Base, Shown, invalid_values
from api.page.rendering import Frame
from api.page.words import Words
from api.rendering import json_bytes
from api.settings import MAX_PASTE_BYTES
from assistant.assistant import MAX_MESSAGE

__all__ = ["TalkPages"]


class TalkPages(Base):
    """The page of `/ask`, and its answer as a stream."""

    def ask(self, asking: Asking, frame: Frame) -> Shown:
        """The page of the assistant: empty, with the answer to a message, or with what is wrong with it."""
        words = Words(frame.language)
        shown: dict[str, Any] = {"parts_shown": None, "end": "", "problem": None, "title": words("ask.title")}
        shown["reply_language"] = frame.language
        status = 200
        if asking.message:
            try:
                body = asking.body()
            except ValidationError as error:
                shown["problem"] = invalid_values(error, "/ask")
                status = shown["problem"].status
            else:
                advice = self.answers.advice(body.message, (), body.known(), body.without)
                linked = asking if len(asking.message) <= LINKED else None
                shown["reply_language"] = advice["language"]
                shown["parts_shown"] = list(parts(advice, self.templates, frame))
                shown["end"] = self.templates.piece("answer_end.html", frame, **shown_answer(advice, linked, frame))
                if advice["diagnosis"]:
                    shown["title"] = advice["diagnosis"]["title"]
        page = self.templates.page(
            "ask.html",
            frame,
            said=asking.message[:SHOWN],
            more=len(asking.message) if len(asking.message) > SHOWN else 0,
            limit=MAX_MESSAGE,
            bytes=MAX_PASTE_BYTES,
            **shown,
        )
        return Shown(page, status)

    def streamed(self, body: AskBody, frame: Frame) -> Iterator[str]:
        """The answer to a message as the data of the events of a stream: its blocks, then what stands below it."""
        advice = self.answers.advice(body.message, body.turns(), body.known(), body.without)
        for part in parts(advice, self.templates, frame):
            yield json_bytes({"part": part}).decode().rstrip()
        end = self.templates.piece("answer_end.html", frame, **shown_answer(advice, None, frame))
        facts = {name: fact["value"] for name, fact in advice["facts"].items()}
        yield (
            json_bytes({"end": end, "answer": advice["answer"], "language": advice["language"], "facts": facts})
            .decode()
            .rstrip()
        )
