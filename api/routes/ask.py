"""`/ask`: a message to the assistant."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from api.answers import Answers
from api.bodies import AskBody
from api.routes.responses import plain

__all__ = ["router"]


def router(answers: Answers, documents: dict[str, Any]) -> APIRouter:
    """The route over one set of answers."""
    routes = APIRouter(tags=["answers"])

    @routes.post("/ask", summary="What broke and how to mend it", responses=documents["ask"])
    async def ask(question: AskBody) -> Response:
        """The cause of a pasted error with its proof and fix, or the answer to a question, in English or Chinese.

        Where the text does not decide it, `diagnosis` is null and `question` asks for what would.
        """
        return plain(answers.ask(question))

    return routes
