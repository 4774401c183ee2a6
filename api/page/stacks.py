"""Pages about stacks: the question with its answer, and a stack that is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from api.bodies import ArtifactQuery
from api.page.base import Base, Shown, refused
from api.page.drawing import drawing
from api.page.ladder import driver_needed, headline, pythons, reasons, shown_stack
from api.page.question import Form
from api.page.rendering import Frame, address
from api.page.words import Words
from resolver.artifacts.make import ARTIFACTS
from resolver.errors import BadQuestion, NoStack
from resolver.labels import label_of
from resolver.words import speaking

__all__ = ["StackPages"]

# questions to begin with: what each shows, and its form
EXAMPLES: tuple[tuple[str, dict[str, str]], ...] = (
    ("new", {"gpu": "RTX 5090", "os": "ubuntu-24.04"}),
    ("old", {"gpu": "GTX 1080 Ti"}),
    ("driver", {"gpu": "A100", "driver": "535.183.01"}),
    ("fleet", {"gpu": "V100, A100, RTX 5090"}),
    ("no", {"gpu": "RTX 5090", "torch": "2.6.0+cu124"}),
    ("windows", {"gpu": "RTX 4070", "os": "windows-11", "python": "3.12"}),
)


class StackPages(Base):
    """The pages of `/` and `/check`."""

    def resolve(self, form: Form, frame: Frame) -> Shown:
        """The page of a question: its answer, or what is wrong with it, below the form."""
        words = Words(frame.language)
        shown: dict[str, Any] = {"answer": None, "problem": None, "wrong": "", "title": words("tagline")}
        if not form.empty:
            try:
                question = form.question()
                with speaking(frame.language):
                    answer = self.answers.engine.resolve(question.asked())
                shown |= self._answer(answer, form, frame, words)
            except (ValidationError, BadQuestion) as error:
                shown |= refused(error, form, frame, words)
        examples = [
            {"name": name, "address": frame.link("/", **values), "text": " · ".join(values.values())}
            for name, values in EXAMPLES
        ]
        return self.shown(
            "resolve.html",
            frame,
            form=form,
            examples=examples,
            more=form.empty or bool(set(form.values) - {"gpu"}),
            data=None if form.empty else address("/resolve", form.values),
            **shown,
        )

    def _answer(self, answer: Mapping[str, Any], form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        stacks = answer["stacks"]
        conflict = answer["conflict"]
        line = headline(answer, words)
        return {
            "answer": answer,
            "title": f"{words('verdict.' + answer['verdict'])}: {line}",
            "headline": line,
            "stack": shown_stack(stacks[0], words, self.views) if stacks else None,
            "drawing": drawing(answer, form, words),
            "causes": reasons(conflict["causes"], self.views) if conflict else [],
            "fixes": [self._fix(fix, answer, form, frame) for fix in answer["fixes"]],
            "others": [self._other(stack, form, frame, words) for stack in stacks[1:]],
            "files": self._files(form, [image["kind"] for image in stacks[0]["images"]])
            if answer["verdict"] == "yes"
            else [],
        }

    @staticmethod
    def _fix(
        fix: Mapping[str, Any], answer: Mapping[str, Any], form: Form, frame: Frame, path: str = "/"
    ) -> dict[str, Any]:
        parts = [part for part in (fix.get("stack"), *fix.get("stacks", ())) if part]
        text = fix["text"]
        for part in parts:  # the command stands below
            for before in (": ", "："):
                text = text.replace(f"{before}`{part['install']['pip']}`", "")
        commands = [(", ".join(part.get("gpus", ())) or "pip", part["install"]["pip"]) for part in parts]
        again = [{"gpus": gpus, "address": frame.link(path, **values)} for gpus, values in form.mended(fix, answer)]
        return {"text": text, "commands": commands, "again": again}

    @staticmethod
    def _other(stack: Mapping[str, Any], form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        return {
            "label": label_of(stack["torch"]),
            "cuda": stack["cuda"]["runtime"],
            "driver": driver_needed(stack, words),
            "python": pythons(stack, words),
            "pip": stack["install"]["pip"],
            # a build for Jetson goes by its JetPack: no torch version asks for it
            "address": "" if "jetpack" in stack else frame.link("/", **form.changed(torch=label_of(stack["torch"]))),
        }

    def _files(self, form: Form, images: Iterable[str]) -> list[dict[str, str]]:
        """The files that can be made for a question: those about containers, and those about environments.

        Those that by themselves take an image with PyTorch inside begin with CUDA only, unless just that image is known.
        """
        ready = "pytorch" in images and not form["packages"]
        question = ArtifactQuery.model_validate(dict(form.values))
        makeable = {base: self._makeable("dockerfile" if base else "requirements", question) for base in (True, False)}
        files = []
        for name, kind in ARTIFACTS.items():
            if makeable["base" in kind.options]:
                base = {"base": "cuda"} if kind.options.get("base") == "pytorch" and not ready else {}
                values = {**form.values, **base}
                files.append({"name": kind.filename, "about": name, "address": address(f"/artifacts/{name}", values)})
        return files

    def _makeable(self, kind: str, question: ArtifactQuery) -> bool:
        try:
            self.answers.artifact(kind, question)
        except (BadQuestion, NoStack):
            return False
        return True

    def check(self, form: Form, frame: Frame) -> Shown:
        """The page of a concrete stack: every judgement on it, below the form."""
        words = Words(frame.language)
        shown: dict[str, Any] = {"answer": None, "problem": None, "wrong": "", "title": words("check.title")}
        if form.values:
            try:
                stack = form.stack()
                with speaking(frame.language):
                    answer = self.answers.engine.check(stack.checked())
                shown |= self._checked(answer, form, frame, words)
            except (ValidationError, BadQuestion) as error:
                shown |= refused(error, form, frame, words)
        data = address("/check", form.values) if form.values else None
        return self.shown("check.html", frame, form=form, data=data, **shown)

    def _checked(self, answer: Mapping[str, Any], form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        order = ("error", "unknown", "warning", "ok")
        findings = sorted(answer["findings"], key=lambda finding: order.index(finding["severity"]))
        return {
            "answer": answer,
            "title": f"{words('verdict.' + answer['verdict'])}: {words('check.' + answer['verdict'])}",
            "findings": [{**finding, "reasons": reasons(finding["because"], self.views)} for finding in findings],
            "fixes": [self._fix(fix, answer, form, frame, "/check") for fix in answer["fixes"]],
            "drawing": drawing(answer, form, words) if answer["verdict"] == "no" else None,
        }
