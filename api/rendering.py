"""Answers as bytes: the same request always gives the same ones, so they are kept and told apart by their digest."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

__all__ = ["AnswerCache", "Rendered", "json_bytes", "rendered", "rendered_file", "rendered_json", "rendered_text"]

BYTES_PER_ENTRY = 16 * 1024  # on average; the bound on entries is also one on memory


@dataclass(frozen=True, slots=True)
class Rendered:
    """A response body with its media type and a strong entity tag made from the bytes themselves."""

    body: bytes
    media_type: str
    etag: str
    filename: str = ""  # under which a client may store it


def json_bytes(value: Mapping[str, Any]) -> bytes:
    """Compact JSON in the order of the members, with a closing line break."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def rendered_json(value: Mapping[str, Any]) -> Rendered:
    """An answer as JSON."""
    return rendered(json_bytes(value), "application/json")


def rendered_text(text: str) -> Rendered:
    """A file as plain text."""
    return rendered(text.encode(), "text/plain; charset=utf-8")


def rendered_file(text: str, media_type: str, filename: str) -> Rendered:
    """A file of a format of its own, with the name it usually has."""
    return replace(rendered(text.encode(), media_type), filename=filename)


def rendered(body: bytes, media_type: str) -> Rendered:
    """Any bytes with their media type."""
    return Rendered(body, media_type, f'"{blake2b(body, digest_size=16).hexdigest()}"')


class AnswerCache:
    """The answers given last, least recently used first.

    An answer depends on request, code and data only, so none ever grows stale in one process.

    Args:
        entries: how many to keep at most; 0 keeps none.
    """

    def __init__(self, entries: int) -> None:
        self.entries = entries
        self.size = 0  # in bytes
        self._kept: OrderedDict[Hashable, Rendered] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, question: Hashable, answer: Callable[[], Rendered]) -> Rendered:
        """The answer to a question, made by `answer` where it is not kept; what `answer` raises is not kept."""
        found = self._kept.get(question)
        if found is not None:
            self._kept.move_to_end(question)
            return found
        found = answer()
        self._kept[question] = found
        self.size += len(found.body)
        while len(self._kept) > self.entries or self.size > self.entries * BYTES_PER_ENTRY:
            _, dropped = self._kept.popitem(last=False)
            self.size -= len(dropped.body)
        return found
