"""What every judgement on a machine is made with: the resolver's verdicts and the cures of the symptom files, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from api.doctor.facts import Facts
from api.doctor.judging.findings import Finding, Verdict
from assistant.answer import Page
from assistant.assistant import Assistant
from assistant.filling import fill
from resolver.engine import Checked, Engine
from resolver.errors import BadQuestion

__all__ = ["Judging", "one_line"]

_STEPS = 4  # of a symptom's steps, the first ones: the rest is in `whichcuda ask`


@dataclass
class Judging:
    """A machine while it is judged: its facts, who judges, and the findings so far.

    Attributes:
        page: fills the sentences of the symptom files with the versions that fit the machine.
    """

    facts: Facts
    assistant: Assistant
    page: Page
    findings: list[Finding] = field(default_factory=list)

    @property
    def engine(self) -> Engine:
        """The resolver."""
        return self.assistant.engine

    def add(self, id: str, verdict: Verdict, text: str, steps: Iterable[str] = (), **more: Any) -> None:
        """One more finding."""
        self.findings.append(Finding(id, verdict, text, tuple(steps), **more))

    def diagnosed(self, id: str, text: str, what: str) -> bool:
        """Adds what the assistant makes of an error text; False where it makes nothing of it."""
        diagnosis = self.assistant.ask(text)["diagnosis"]
        if diagnosis is None:
            if text:
                self.add(id, "error", f"{what}: {one_line(text)}", ("$ whichcuda ask < the whole text",))
            return bool(text)
        self.symptom(id, diagnosis["id"], said=one_line(text))
        return True

    def symptom(self, id: str, name: str, *, said: str = "", instead: Sequence[str] = ()) -> None:
        """A cause of the symptom files with its steps; `instead` are better ones, made for this very machine."""
        symptom = self.assistant.matcher.library.symptoms[name]
        steps = [*instead]
        for step in symptom.fix if not instead else ():
            if not step.os or set(step.os) & self._places():
                steps += [
                    self.page.words(step.text),
                    *(f"$ {fill(command, self.page.known)}" for command in step.commands),
                ]
        because = f" (`{said}`)" if said else ""
        title = f"{self.page.words(symptom.title)}{because}."
        self.add(id, "error", title, _whole(steps, _STEPS), symptom=name)

    def _places(self) -> set[str]:
        facts = self.facts
        if facts.wsl:
            return {"wsl"}
        if (facts.os or "").startswith("windows"):
            return {"windows"}
        return {"container"} if facts.container else {"linux"}

    def checked(self, id: str, stack: Checked) -> bool:
        """The resolver's findings on a stack that are not plainly well; True where all are."""
        try:
            found = self.engine.check(stack)
        except BadQuestion as error:
            self.add(id, "unknown", f"It cannot be judged: {error}")
            return False
        wrong = [each for each in found["findings"] if each["severity"] not in ("ok", "info")]
        fixes = [fix["text"] for fix in found["fixes"]]
        for number, each in enumerate(wrong):
            last = number == len(wrong) - 1
            verdict: Verdict = each["severity"]
            self.add(id, verdict, each["text"], fixes if last else (), because=tuple(each["because"]))
        return not wrong


def _whole(steps: Sequence[str], most: int) -> tuple[str, ...]:
    """The first `most` sentences with all their commands."""
    found: list[str] = []
    sentences = 0
    for step in steps:
        sentences += not step.startswith("$ ")
        if sentences > most:
            break
        found.append(step)
    return tuple(found)


def one_line(text: str) -> str:
    """The last line that says something, cut to what fits; no backtick gets out."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].replace("`", "'")[:160] if lines else ""
