"""What all descriptions share."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["Described", "Evidence", "Verdict"]

Verdict = Literal["yes", "no", "unknown"]
Evidence = Literal["measured", "documented", "reported"]


class Described(BaseModel):
    """A part of an answer that has these members and no others."""

    model_config = ConfigDict(extra="forbid")
