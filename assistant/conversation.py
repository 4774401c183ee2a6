"""A conversation as one text to read: what was said last counts first, facts said earlier are carried forward.

The client keeps the state; the server has none. Only what the asker said is read, never the assistant's own turns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.reading import Reading, read
from resolver.engine import Engine

__all__ = ["MAX_TURNS", "WITHOUT", "Turn", "together"]

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
    "requirement",
)
# what an asker may say was read wrongly, by the name it has among the facts of an answer: the facts that go with it
WITHOUT: dict[str, frozenset[str]] = {
    "gpu": frozenset({"gpu", "gpu-capability", "gpu-series"}),
    "driver": frozenset({"driver", "kernel-module", "client-library", "driver-cuda"}),
    "driver-cuda": frozenset({"driver-cuda"}),
    "toolkit": frozenset({"toolkit", "cuda"}),
    "torch": frozenset({"torch", "torch-cuda"}),
    "python": frozenset({"python"}),
    "os": frozenset({"os"}),
    "image": frozenset({"image"}),
    "packages": frozenset({"requirement", "package"}),
}
_MORE = re.compile(r"\b(?:also|too|as well|second|another|both|besides)\b|也有|还有|另外|另一|第二|同时", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: str
    content: str


def together(
    message: str, history: Sequence[Turn], context: Mapping[str, str], engine: Engine, without: Collection[str] = ()
) -> tuple[Reading, Reading]:
    """The reading of the last message alone, and that of everything the asker said, the newest first.

    `context` is what a client knows of the machine (`{"gpu": "rtx 3090"}`): it counts after the message and before
    what was said earlier. `without` names facts (of `WITHOUT`) that what was said does not tell rightly: only the
    context is believed on them.
    """
    told = [f"{name}: {value}" for name, value in context.items() if value]
    earlier = [turn.content for turn in list(history)[-MAX_TURNS:] if turn.role == "user" and turn.content]
    wrong = frozenset[str]().union(*(WITHOUT[name] for name in without))
    names, packages = engine.names, engine.index.releases.spoken
    now = _unsaid(read(message, names, packages), wrong, ())
    if not told and not earlier:
        return now, now
    whole = read("\n\n".join([message, *told, *reversed(earlier)]), names, packages)
    return now, _corrected(now, _unsaid(whole, wrong, told))


def _unsaid(reading: Reading, wrong: frozenset[str], told: Collection[str]) -> Reading:
    """A reading without the facts of some kinds, but for those of the lines told."""
    if not wrong:
        return reading
    kept = tuple(f for f in reading.facts if f.kind not in wrong or reading.lines[f.line] in told)
    return replace(reading, facts=kept)


def _corrected(now: Reading, whole: Reading) -> Reading:
    """What was said of the machine last replaces what was said of it before, unless it is named as one more."""
    if _MORE.search(now.text):
        return whole
    replaced = {kind for kind in _ONE_EACH if now.has(kind)}
    last = len(now.lines)
    return replace(whole, facts=tuple(f for f in whole.facts if f.kind not in replaced or f.line < last))
