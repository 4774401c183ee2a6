"""The problems described."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from api.schemas.base import Described

__all__ = [
    "ProblemDocument",
    "ProblemPart",
]


class ProblemPart(Described):
    """One faulty part of a request."""

    path: str
    message: str
    given: str | None = None


class ProblemDocument(BaseModel):
    """An RFC 9457 problem. `no-stack` adds the answer's conflict, fixes and more."""

    model_config = ConfigDict(extra="allow")
    type: str
    title: str
    status: int
    detail: str
    instance: str | None
    candidates: list[str]
    errors: list[ProblemPart]
