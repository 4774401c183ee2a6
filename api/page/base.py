"""What all pages are made from: templates, the answers behind them, and what is wrong with a question in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from api.answers import Answers
from api.handlers import invalid
from api.page.question import Form
from api.page.rendering import Frame, Templates
from api.page.words import Words
from api.problems import Problem, shortened
from api.provenance import Provenance
from api.rendering import Rendered
from matrices.model import ContainerRuntime, OperatingSystem
from resolver.errors import BadQuestion

__all__ = ["Base", "Shown", "invalid_values", "refused"]


class Shown(NamedTuple):
    """A page and its HTTP status."""

    page: Rendered
    status: int


class Base:
    """Pages over one set of answers.

    Args:
        answers: who answers.
        provenance: what is known of products and claims.
    """

    def __init__(self, answers: Answers, provenance: Provenance) -> None:
        self.answers = answers
        self.provenance = provenance
        self.views = provenance.views
        self.templates = Templates(answers.engine.data_version)

    def shown(self, name: str, frame: Frame, **values: Any) -> Shown:
        """A page with its status, which is that of the problem where it shows one."""
        problem = values.get("problem")
        page = self.templates.page(name, frame, systems=self.systems, runtimes=self.runtimes, **values)
        return Shown(page, problem["status"] if problem else 200)

    @cached_property
    def systems(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """The operating systems to choose from: family, then id and name."""
        found: dict[str, list[tuple[str, str]]] = {"linux": [], "windows": []}
        for system in self.answers.engine.catalogue.entities(OperatingSystem).values():
            found[system.family].append((system.id, system.name))
        for family in found.values():
            family.sort(key=lambda row: (row[0] != "linux", _natural(row[1])))
        return list(found.items())

    @cached_property
    def runtimes(self) -> list[str]:
        """The ways in which a container gets its GPUs."""
        return sorted(self.answers.engine.catalogue.entities(ContainerRuntime))


def refused(error: ValidationError | BadQuestion, form: Form, frame: Frame, words: Words) -> dict[str, Any]:
    """A problem, said in the words of the page, with each candidate as the question that asks for it."""
    if isinstance(error, BadQuestion):
        problem = Problem.of_question(error)
    else:
        problem = invalid_values(error, frame.path)
    given = problem.errors[0].get("given", "") if problem.errors else ""
    wrong = problem.errors[0]["path"].partition("[")[0] if problem.errors else ""
    key = f"about.{problem.type}"
    return {
        "problem": {
            "type": problem.type,
            "status": problem.status,
            "about": words(key, given=given) if words.has(key) else problem.detail,
            "candidates": list(_meant(problem.candidates, given, wrong, form, frame)),
        },
        "wrong": wrong,
        "title": words("problem." + problem.type),
    }


def _meant(candidates: Iterable[str], given: str, wrong: str, form: Form, frame: Frame) -> Iterable[dict[str, str]]:
    for name in candidates:
        value = name
        if wrong == "gpu":
            parts = [part.strip() for part in form["gpu"].split(",")]
            value = ", ".join(name if shortened(part) == given else part for part in parts)
        yield {"name": name, "address": frame.link(frame.path, **form.changed(**{wrong: value}))}


def invalid_values(error: ValidationError, address: str) -> Problem:
    """The problem for values that cannot be read, in the words of the API."""
    return invalid(
        RequestValidationError([{**part, "loc": ("query", *part["loc"])} for part in error.errors()]), address
    )


def _natural(text: str) -> list[tuple[float, str]]:
    """A key that sorts numbers by their value, the newest first: Ubuntu 24.04 before 22.04."""
    return [
        (-float(part), "") if part[0].isdigit() else (0.0, part)
        for part in re.findall(r"\d+(?:\.\d+)?|\D+", text.casefold())
    ]
