"""The assistant's answer as the page shows it: blocks of HTML, what was understood as chips, what may be asked next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import QueryParams

from api.background import follow_ups
from api.bodies import AskBody
from api.page.markdown import blocks
from api.page.rendering import Frame, Templates
from api.settings import CONTEXT_KEYS
from assistant.conversation import WITHOUT

__all__ = ["LINKED", "Asking", "parts", "shown_answer"]

LINKED = 1_500  # characters of a message that fits into an address
SHOWN = 2_000  # characters of a message that are shown again
# facts that the form of a stack has a field for
_FIELDS = {"gpu": "gpu", "os": "os", "driver": "driver", "python": "python", "torch": "torch"}


@dataclass(frozen=True, slots=True)
class Asking:
    """A message as an address has it, with what is known of the machine beside it.

    Attributes:
        message: what was written.
        context: what a reader of the page put right, by the name of the fact.
        without: facts that the message does not tell rightly.
    """

    message: str
    context: Mapping[str, str]
    without: tuple[str, ...]

    @classmethod
    def of(cls, values: QueryParams | Mapping[str, str]) -> Asking:
        """The message of an address or of a form."""
        context = {name: text for name in CONTEXT_KEYS if (text := values.get(name, "").strip()[:300])}
        without = (name.strip() for name in values.get("without", "").split(","))
        return cls(values.get("q", "").strip(), context, tuple(dict.fromkeys(w for w in without if w in WITHOUT)))

    def body(self) -> AskBody:
        """The message as the API takes it.

        Raises:
            ValidationError: where it is too long, or a value is not one line.
        """
        return AskBody.model_validate(
            {"message": self.message, "context": dict(self.context), "without": list(self.without)}
        )

    def address(self, **changes: str | None) -> dict[str, str]:
        """The values of the address that asks this again, with changes."""
        values: dict[str, str | None] = {
            "q": self.message,
            **self.context,
            "without": ",".join(self.without),
            **changes,
        }
        return {name: value for name, value in values.items() if value}


def shown_answer(advice: Mapping[str, Any], asking: Asking | None, frame: Frame) -> dict[str, Any]:
    """What the end of an answer is given: chips, next questions, and the way to the stacks.

    `asking` is None where the address cannot hold the message: then the chips lead nowhere without script.
    """
    facts = advice["facts"]
    values = {field: facts[name]["value"] for name, field in _FIELDS.items() if name in facts}
    return {
        "chips": [_chip(name, fact, asking, frame) for name, fact in facts.items()],
        "next": [{"text": text, "address": frame.link("/ask", q=text)} for text in follow_ups(advice)],
        "stacks": frame.link(
            "/", **{name: values[name] for name in ("gpu", "os", "driver", "python") if name in values}
        )
        if "gpu" in values
        else "",
    }


def _chip(name: str, fact: Mapping[str, str], asking: Asking | None, frame: Frame) -> dict[str, Any]:
    """One fact: what it is, the line that says so, and how to put it right."""
    chip: dict[str, Any] = {"name": name, **fact, "editable": name in CONTEXT_KEYS, "hidden": {}, "without": ""}
    if asking is not None:
        without = ",".join(dict.fromkeys([*asking.without, name]))
        hidden = asking.address(**{name: None, "without": without})
        chip |= {"hidden": hidden, "without": frame.link("/ask", **hidden)}
    return chip


def parts(advice: Mapping[str, Any], templates: Templates, frame: Frame) -> Iterator[str]:
    """The blocks of an answer as HTML, in order."""
    for kind, content in blocks(advice["answer"]):
        yield templates.piece("code.html", frame, text=content) if kind == "code" else content
