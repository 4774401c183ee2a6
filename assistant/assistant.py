"""The door of the assistant: a message in, an answer out as plain data. Knows no HTTP and keeps no state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assistant.answer import Page, safe_quote
from assistant.conversation import Turn, together
from assistant.filling import values
from assistant.load import Library
from assistant.machine import Machine, machine_of
from assistant.match import Cause, Diagnosis, Matcher
from assistant.questions import ABOUT_STACKS, QUESTIONS, show_answer
from assistant.reading import Fact, Reading
from resolver.engine import Engine
from resolver.words import Language, speaking

__all__ = ["MAX_MESSAGE", "Assistant", "Turn"]

MAX_MESSAGE = 1_000_000  # characters of one message
_NAMING = 3  # words without a digit in what only names a machine: `driver 535 tesla t4 ubuntu 22.04`
_SYSTEMS = ("linux", "windows", "wsl", "container", "kubernetes", "jetson")
_SHOWN = ("gpu", "driver", "driver-cuda", "toolkit", "torch", "python", "os", "image")


class Assistant:
    """Answers messages with one library of symptoms and one resolver."""

    def __init__(self, engine: Engine, library: Library | None = None) -> None:
        self.engine = engine
        self.matcher = Matcher(library or Library.load(), engine)

    @classmethod
    def load(cls) -> Assistant:
        """The assistant over the committed data."""
        return cls(Engine.load())

    def ask(
        self,
        message: str,
        history: Sequence[Turn] = (),
        context: Mapping[str, str] | None = None,
        without: Collection[str] = (),
    ) -> dict[str, Any]:
        """The answer to a message, given what was said before and what a client knows of the machine.

        `without` names facts that the text does not tell rightly; the context may tell them instead. The same message,
        history, context and corrections give the same answer.
        """
        now, whole = together(message[:MAX_MESSAGE], history, context or {}, self.engine, without)
        diagnosis = Diagnosis(abstain="nothing-found") if _unreadable(now.text) else self.matcher.diagnose(now)
        if whole is not now and not diagnosis.decided:
            diagnosis = self._continued(diagnosis, whole)
        language = whole.language if now.language == "en" and _few_words(now.text) else now.language
        with speaking(language):
            return _Answering(self, language, whole, diagnosis).answer()

    def _continued(self, alone: Diagnosis, whole: Reading) -> Diagnosis:
        """A message that decides nothing by itself is read on top of what was said before."""
        together_ = self.matcher.diagnose(whole)
        return together_ if together_.causes or not alone.causes else alone


class _Answering:
    """One answer in the making."""

    def __init__(self, assistant: Assistant, language: Language, whole: Reading, diagnosis: Diagnosis) -> None:
        self.engine = assistant.engine
        self.language = language
        self.whole = whole
        self.diagnosis = diagnosis
        self.machine: Machine = machine_of(whole, self.engine)
        if diagnosis.decided and diagnosis.causes[0].symptom.id == "q_package":
            self.resolved = self.machine.wanted
            self.page = Page(self.language, {})  # all that it says is the resolver's
        else:
            self.resolved = self.machine.resolved
            self.page = Page(self.language, values(whole, self._stack()) | self._driver_to_reach())
        self.sources: list[str] = []

    def _stack(self) -> dict[str, Any] | None:
        """The best stack; where none has the packages asked for, the one without them: the steps of a cure name it."""
        found = self.resolved
        if self.machine.packages and (found is None or found["verdict"] != "yes"):
            found = replace(self.machine, packages=()).resolved
        return dict(found["stacks"][0]) if found is not None and found["verdict"] == "yes" else None

    def _driver_to_reach(self) -> dict[str, str]:
        """The driver that would do, where the one of the text does not."""
        answers = (self.machine.checked, self.resolved)
        for fix in (fix for answer in answers if answer is not None for fix in answer["fixes"]):
            driver = fix["change"].get("driver")
            if driver is not None and driver["minimum"] and driver["branch"]:
                return {"driver_minimum": driver["minimum"], "driver_branch": driver["branch"]}
        return {} if self._stack() is not None else self._floor()

    def _floor(self) -> dict[str, str]:
        """Without a stack, the driver that the CUDA of the text needs at least."""
        build = self.whole.first("torch")
        cuda = build.value.cuda if build is not None and build.value.cuda is not None else None
        for kind in ("torch-cuda", "cuda", "toolkit"):
            fact = self.whole.first(kind)
            cuda = cuda or (fact.value if fact is not None else None)
        if cuda is None:
            return {}
        system = "windows" if self.machine.os in ("windows", "wsl2") else "linux"
        floor = self.engine.index.drivers.floor(cuda, system)
        return {} if floor is None else {"driver_minimum": str(floor.driver)}

    def answer(self) -> dict[str, Any]:
        """The whole answer, as the contract has it."""
        self._write()
        top = self.diagnosis.causes[0] if self.diagnosis.decided else None
        asked = self.diagnosis.question
        return {
            "language": self.language,
            "answer": self.page.text(),
            "diagnosis": self._named(top) if top else None,
            "others": [self._named(cause) for cause in self._others()],
            "facts": self._facts(),
            "question": self.page.words(asked.text) if asked else None,
            "fixes": self._fixes(),
            "sources": self.sources,
            "data_version": self.engine.data_version,
        }

    # --- words --------------------------------------------------------------------------------------------------

    def _write(self) -> None:
        diagnosis = self.diagnosis
        if _unreadable(self.whole.text):
            self.page.add(self.page.phrase("nothing"))
        elif not self.whole.text.strip():
            self.page.add(self.page.phrase("empty"))
        elif diagnosis.scope is not None:
            self.page.add(self.page.words(diagnosis.scope.explanation))
        elif diagnosis.decided:
            self._write_cause(diagnosis.causes[0])
        elif self._only_a_machine():
            QUESTIONS["q_driver_cuda_compat"](self.page, self.machine)
        else:
            self._write_undecided()

    def _only_a_machine(self) -> bool:
        """Whether the text names a GPU and little but that: then its stacks are the question."""
        if not self.machine.gpus:
            return False
        causes = (*self.diagnosis.causes, *self.diagnosis.others)
        asked = all(cause.symptom.group == "F" for cause in causes)
        shown = any(proof.quote for cause in causes for proof in cause.evidence)
        return asked or (not shown and _few_words(self.whole.text))

    def _write_cause(self, cause: Cause) -> None:
        symptom = cause.symptom
        question = QUESTIONS.get(symptom.id)
        if question is not None:
            question(self.page, self.machine)
            self.page.add(self.page.words(symptom.explanation))
        else:
            self.page.cause(symptom, certain=cause.confidence == "certain")
            self.page.quotes(list(dict.fromkeys(proof.quote for proof in cause.evidence if proof.quote))[:3])
            if symptom.stacks or self.machine.installed:
                self._write_findings(every=symptom.stacks)
            if symptom.stacks and self.resolved is not None and not self._tegra():
                show_answer(self.page, self.resolved)
            self.page.fixes(symptom, self._systems())
        further = [other.symptom for other in self.diagnosis.causes[1:] if symptom.id != "q_package"]
        consequences = [self.page.words(other.title) for other in further]
        if consequences:
            joint = "；" if self.language == "zh" else "; "
            self.page.add(self.page.phrase("also", titles=joint.join(consequences)))
        self.page.closing(symptom)
        self.sources += symptom.sources

    def _write_findings(self, *, every: bool) -> None:
        """What the resolver finds wrong with the versions of the text, or only with what packages ask of torch."""
        checked = self.machine.checked
        found = checked["findings"] if checked is not None else ()
        wrong = [
            finding["text"]
            for finding in found
            if finding["severity"] == "error" and (every or finding["rule"] == "package-pin")
        ]
        if wrong:
            self.page.add("\n".join(f"- {text}" for text in wrong[:3]))

    def _write_undecided(self) -> None:
        diagnosis = self.diagnosis
        candidates = [*diagnosis.causes, *diagnosis.others][:3]
        if candidates:
            self.page.add(self.page.phrase("nearest"))
            self.page.add("\n".join(f"- {self.page.words(cause.symptom.title)}" for cause in candidates))
        else:
            self.page.add(self.page.phrase("nothing"))
        if diagnosis.question is not None:
            self.page.add(self.page.words(diagnosis.question.text))
            if diagnosis.question.command is not None:
                self.page.add(self.page.phrase("run"))
                self.page.commands([diagnosis.question.command])

    # --- data ---------------------------------------------------------------------------------------------------

    def _tegra(self) -> bool:
        return any(fact.value == "jetson" for fact in self.whole.all("platform"))

    def _systems(self) -> frozenset[str]:
        """The kinds of system the text is about; a container or WSL stands before the system around it."""
        named = {str(fact.value) for fact in self.whole.all("platform")} & set(_SYSTEMS)
        if named & {"wsl", "jetson", "kubernetes", "container"}:
            inside = {"container"} if "kubernetes" in named else set()
            host = set() if named & {"windows", "wsl", "jetson"} else {"linux"}  # a step on the host may be the cure
            return frozenset(named | inside | host)
        os = self.whole.first("os")
        if os is None:
            return frozenset()
        return frozenset({"windows"} if str(os.value).startswith("windows") else {"linux"})

    def _others(self) -> list[Cause]:
        shown = self.diagnosis.causes[1:] if self.diagnosis.decided else self.diagnosis.causes
        return [*shown, *self.diagnosis.others][:5]

    def _named(self, cause: Cause) -> dict[str, str]:
        return {
            "id": cause.symptom.id,
            "title": self.page.words(cause.symptom.title),
            "confidence": cause.confidence,
        }

    def _facts(self) -> dict[str, Any]:
        """What was understood, each with the line that says so."""
        shown = {kind: _shown(fact) for kind in _SHOWN if (fact := self.whole.first(kind)) is not None}
        named = self.machine.packages or self.machine.installed
        rows = (each for each in self.whole.all("package") if f"{each.value.name}==" in "".join(named[:1]))
        fact = self.whole.first("requirement") or next(rows, None)
        if named and fact is not None:
            shown["packages"] = {"value": safe_quote(", ".join(named)), "quote": safe_quote(fact.quote)}
        return shown

    def _fixes(self) -> list[dict[str, Any]]:
        """Stacks of the resolver where they are the cure or the answer; changes where nothing fits yet."""
        top = self.diagnosis.causes[0].symptom if self.diagnosis.decided else None
        wanted = self._only_a_machine() or (top is not None and (top.stacks or top.id in ABOUT_STACKS))
        if not wanted or self.resolved is None or self.diagnosis.scope is not None:
            return []
        if self.resolved["verdict"] == "yes":
            return [{"kind": "stack", "stack": stack} for stack in self.resolved["stacks"][:1]]
        return list(self.resolved["fixes"])


def _unreadable(text: str) -> bool:
    """Whether a text is no text: one in twenty of its characters is none that is written."""
    strange = sum(letter == "\ufffd" or not (letter.isprintable() or letter.isspace()) for letter in text)
    return strange * 20 > max(len(text), 20)


def _few_words(text: str) -> bool:
    """Whether a text is little but names and numbers; two Chinese characters count as a word."""
    words = sum(not any(map(str.isdigit, word)) for word in text.split())
    return words + sum("\u4e00" <= letter <= "\u9fff" for letter in text) // 2 <= _NAMING


def _shown(fact: Fact) -> dict[str, str]:
    value = fact.value
    text = getattr(value, "reading", None) or str(value)
    return {"value": safe_quote(str(text)), "quote": safe_quote(fact.quote)}
