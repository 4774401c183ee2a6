"""A conversation as one text to read: what was said last counts first, facts said earlier are carried forward.

The client keeps the state; the server has none. Only what the asker said is read, never the assistant's own turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.reading import Reading, read
from resolver.names import Names

__all__ = ["MAX_TURNS", "Turn", "together"]

MAX_TURNS = 40  # earlier ones are forgotten
_ONE_EACH = (
    "gpu",
    "gpu-capability",
    "driver",
    "torch",
    "python",
    "os",
    "image",
    "cuda",
    "toolkit",
    "driver-cuda",
    "torch-cuda",
)
_MORE = re.compile(r"\b(?:also|too|as well|second|another|both|besides)\b|也有|还有|另外|另一|第二|同时", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: str
    content: str


def together(
    message: str, history: Sequence[Turn], context: Mapping[str, str], names: Names
) -> tuple[Reading, Reading]:
    """The reading of the last message alone, and that of everything the asker said, the newest first.

    `context` is what a client knows of the machine (`{"gpu": "rtx 3090"}`): it counts after the message and before
    what was said earlier.
    """
    told = [f"{name}: {value}" for name, value in context.items() if value]
    earlier = [turn.content for turn in list(history)[-MAX_TURNS:] if turn.role == "user" and turn.content]
    now = read(message, names)
    if not told and not earlier:
        return now, now
    whole = read("\n\n".join([message, *told, *reversed(earlier)]), names)
    return now, _corrected(now, whole)


def _corrected(now: Reading, whole: Reading) -> Reading:
    """What was said of the machine last replaces what was said of it before, unless it is named as one more."""
    if _MORE.search(now.text):
        return whole
    replaced = {kind for kind in _ONE_EACH if now.has(kind)}
    last = len(now.lines)
    return replace(whole, facts=tuple(f for f in whole.facts if f.kind not in replaced or f.line < last))
