"""A diagnosis in words: cause, proof, fix, how to verify, sources; in the asker's language, each command in a block of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assistant.filling import complete, fill
from assistant.phrases import PHRASES
from assistant.symptom import Symptom, Text
from resolver.labels import label_of

__all__ = ["Page", "safe_quote"]

_LINK = re.compile(r"(?:https?|ftp)://\S+|www\.\S+", re.IGNORECASE)
_ONLY_A_PLACE = re.compile(r"\{[a-z_]+\}")


class Page:
    """A Markdown text that grows part by part in one language."""

    def __init__(self, language: str, known: Mapping[str, str]) -> None:
        self.language = language
        self.known = known
        self.parts: list[str] = []

    def words(self, text: Text) -> str:
        """A bilingual text in this page's language, its placeholders filled."""
        return fill(text.zh if self.language == "zh" else text.en, self.known)

    def phrase(self, name: str, **values: str) -> str:
        """One of the assistant's own phrases."""
        text = PHRASES[name]
        return (text.zh if self.language == "zh" else text.en).format(**values)

    def add(self, text: str) -> None:
        """A paragraph."""
        self.parts.append(text)

    def heading(self, name: str) -> None:
        """A small heading."""
        self.add(f"**{self.phrase(name)}**")

    def commands(self, commands: Iterable[str]) -> None:
        """Each command in a fenced block of its own."""
        for command in commands:
            self.add(f"```sh\n{fill(command, self.known)}\n```")

    def quotes(self, lines: Sequence[str]) -> None:
        """Lines of the asker's text as proof; links in them are not passed on."""
        if lines:
            self.heading("proof")
            self.add("```text\n" + "\n".join(safe_quote(line) for line in lines) + "\n```")

    def cause(self, symptom: Symptom, *, certain: bool) -> None:
        """What it is and why."""
        colon = "：" if self.language == "zh" else ": "
        asked = symptom.group == "F"  # a question has an answer, not a cause
        self.add(f"**{'' if asked else self.phrase('cause') + colon}{self.words(symptom.title)}**")
        self.add(self.words(symptom.explanation))
        if not certain and not asked:
            self.add(self.phrase("likely"))

    def fixes(self, symptom: Symptom, systems: frozenset[str]) -> None:
        """The steps for the systems of the text, in order; without a system named, all of them."""
        steps = [step for step in symptom.fix if not step.os or not systems or systems & set(step.os)]
        steps = [step for step in steps if complete(step.text.en, self.known)]
        if not steps:
            return
        self.heading("fix")
        for number, step in enumerate(steps, 1):
            self.add(f"{number}. {self.words(step.text)}")
            self.commands(filter(self._known, step.commands))

    def _known(self, command: str) -> bool:
        """Whether a command says anything: one that is a single placeholder needs its value."""
        return not _ONLY_A_PLACE.fullmatch(command.strip()) or complete(command, self.known)

    def closing(self, symptom: Symptom) -> None:
        """How to verify, what is wrongly advised, where to read on."""
        if symptom.verify is not None:
            self.heading("verify")
            self.add(self.words(symptom.verify.text))
            self.commands(symptom.verify.commands)
        if symptom.wrong_advice:
            self.heading("wrong")
            self.add("\n".join(f"- {self.words(advice)}" for advice in symptom.wrong_advice))
        if symptom.sources:
            self.heading("sources")
            self.add("\n".join(f"- <{source}>" for source in symptom.sources))

    def stack(self, stack: Mapping[str, Any]) -> None:
        """The resolver's stack and what to type."""
        driver = stack["driver"]
        last = driver["maximum_branch"]
        self.add(f"**{self.phrase('for_yours', gpu=', '.join(gpu['name'] for gpu in stack['gpus']))}**")
        self.add(
            self.phrase(
                "stack",
                torch=label_of(stack["torch"]),
                driver=str(driver["minimum"]),
                limit=self.phrase("limit", last=last) if last else "",
                branch=str(driver["recommended_branch"]),
                kernels=self.phrase(stack["torch"]["kernels"]),
            )
        )
        packages = stack["packages"]
        if packages:
            self.add("\n".join(f"- {self._package(name, package)}" for name, package in packages.items()))
        self.add(f"```sh\n{stack['install']['pip']}\n```")
        for package in packages.values():
            if package["install"] is not None:  # it is not installed together with torch
                self.add(f"```sh\n{package['install']}\n```")

    def _package(self, name: str, package: Mapping[str, Any]) -> str:
        kind = "package" if package["cuda"] else "package_plain"
        return self.phrase(kind, package=name, version=package["version"], cuda=package["cuda"] or "")

    def text(self) -> str:
        """The whole page."""
        return "\n\n".join(self.parts) + "\n"


def safe_quote(line: str) -> str:
    """A line of the asker's as it may be shown: no fence, no link, no control character, at most 200 characters.

    >>> safe_quote("see https://example.org/fix.zip ```")
    "see <link> '''"
    """
    clean = "".join(letter if letter.isprintable() or letter == "\\t" else " " for letter in line)
    return _LINK.sub("<link>", clean).replace("`", "'")[:200]
