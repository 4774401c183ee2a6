"""What went wrong, as RFC 9457 problem documents: plain data, the same for HTTP and for `--json` on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from resolver.errors import BadQuestion, NoStack

__all__ = ["PROBLEMS", "Problem", "shortened"]

# type: title and HTTP status. The types are part of the contract and never change their meaning.
PROBLEMS: dict[str, tuple[str, int]] = {
    "unknown-gpu": ("No GPU is known by that name", 422),
    "ambiguous-gpu": ("That name covers GPUs that differ in what they can run", 422),
    "not-nvidia": ("Not an NVIDIA GPU", 422),
    "unknown-version": ("No such version", 422),
    "invalid-request": ("The request cannot be read", 422),
    "no-stack": ("There is no stack to make a file for", 422),
    "too-large": ("The request is too large", 413),
    "unauthorized": ("The key is missing or wrong", 401),
    "too-many-requests": ("Too many requests", 429),
    "not-found": ("Nothing is found there", 404),
    "method-not-allowed": ("That method is not for this address", 405),
    "not-ready": ("The service is not ready", 503),
    "internal-error": ("The service failed", 500),
}
SHOWN_CHARACTERS = 100  # of what the asker wrote


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem; `errors` names each faulty part, `extra` are further members of the document."""

    type: str
    detail: str
    candidates: Sequence[str] = ()
    errors: Sequence[Mapping[str, str]] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    unreadable: bool = False  # not even the form could be read: 400 instead of 422

    @property
    def status(self) -> int:
        """The HTTP status."""
        return 400 if self.unreadable else PROBLEMS[self.type][1]

    @classmethod
    def of_question(cls, error: BadQuestion, gpus: Sequence[str] = ()) -> Problem:
        """The problem for a question that cannot be judged; `gpus` are the names asked, to tell which one it was."""
        path = error.field
        if path == "gpu" and len(gpus) > 1 and error.given in gpus:
            path = f"gpu[{list(gpus).index(error.given)}]"
        part = {"path": path, "message": str(error)}
        detail = str(error)
        if error.given:
            part["given"] = shortened(error.given)
            detail = f"{path} `{shortened(error.given)}`: {error}"
        return cls(error.type, detail, error.candidates, [part])

    @classmethod
    def of_no_stack(cls, error: NoStack) -> Problem:
        """The problem for a file that cannot be made: the answer's conflict and fixes stand in the document."""
        shown: tuple[str, ...] = ("verdict", "gpus", "conflict", "fixes", "warnings", "data_version")
        if error.answer.get("verdict") == "yes":  # of the stack, not of the file that there is none of
            shown = ("gpus", "warnings", "data_version")
        extra = {name: error.answer[name] for name in shown if name in error.answer}
        return cls("no-stack", str(error), extra=extra)

    def document(self, instance: str | None = None) -> dict[str, Any]:
        """The members of the document in their order."""
        return {
            "type": self.type,
            "title": PROBLEMS[self.type][0],
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
            "candidates": list(self.candidates),
            "errors": [dict(part) for part in self.errors],
            **self.extra,
        }


def shortened(text: str, length: int = SHOWN_CHARACTERS) -> str:
    """What somebody wrote, fit to be shown: one line of printable characters, not longer than `length`.

    >>> shortened("rtx\\x1b[31m 5090")
    'rtx [31m 5090'
    >>> shortened("x" * 200, 10)
    'xxxxxxx...'
    """
    clean = "".join(letter if letter.isprintable() and letter != "`" else " " for letter in text[: 4 * length])
    clean = " ".join(clean.split())
    return clean if len(clean) <= length else clean[: length - 3] + "..."
