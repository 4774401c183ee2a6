"""The form of a question and its address; a fix of an answer as the question that asks with it applied."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import QueryParams

from api.bodies import CheckQuery, ResolveQuery

__all__ = ["CHECKED", "FIELDS", "Form"]

FIELDS = ("gpu", "os", "machine", "driver", "python", "torch", "cuda", "packages", "prefer", "container_runtime")
CHECKED = ("gpu", "os", "machine", "driver", "python", "torch", "cuda", "image", "packages", "container_runtime")
_LISTS = ("gpu", "packages")
_TORCH = re.compile(r"torch(?![\w.-])", re.IGNORECASE)


@dataclass(frozen=True)
class Form:
    """What was written into a form, field by field; an empty field is not there."""

    values: Mapping[str, str] = field(default_factory=dict)
    fields: tuple[str, ...] = FIELDS

    @classmethod
    def of(cls, parameters: QueryParams, fields: tuple[str, ...] = FIELDS) -> Form:
        """The form as an address has it: of a field written twice the first counts, lists are joined."""
        values = {}
        for name in fields:
            written = [text.strip() for text in parameters.getlist(name) if text.strip()]
            if written:
                values[name] = ", ".join(written) if name in _LISTS else written[0]
        return cls(values, fields)

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    @property
    def empty(self) -> bool:
        """Whether no GPU is named: then there is nothing to answer."""
        return "gpu" not in self.values

    def question(self) -> ResolveQuery:
        """The question as the API takes it.

        Raises:
            ValidationError: where a field has a form that cannot be read.
        """
        return ResolveQuery.model_validate(dict(self.values))

    def stack(self) -> CheckQuery:
        """The stack to check as the API takes it.

        Raises:
            ValidationError: where a field has a form that cannot be read.
        """
        return CheckQuery.model_validate(dict(self.values))

    def changed(self, **changes: str | None) -> dict[str, str]:
        """The values with some of them replaced, or with None left out."""
        merged = {**self.values, **changes}
        return {name: value for name in self.fields if (value := merged.get(name))}

    def mended(self, fix: Mapping[str, Any], answer: Mapping[str, Any]) -> list[tuple[str, dict[str, str]]]:
        """The questions that a fix leads to, each with the GPUs it names where it is about some of them only."""
        if "stacks" in fix:
            return [self._part(part, answer) for part in fix["stacks"]]
        changes: dict[str, str | None] = {}
        for kind in fix["kind"].split("+"):
            changes |= self._changes(kind, fix["change"], answer)
        return [("", self.changed(**changes))] if changes else []

    def _part(self, part: Mapping[str, Any], answer: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        names = ", ".join(gpu["asked"] for gpu in answer["gpus"] if gpu["name"] in part["gpus"])
        machine = part["machine"] if "machine" in self.values else None
        return ", ".join(part["gpus"]), self.changed(gpu=names, machine=machine)

    def _changes(self, kind: str, change: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, str | None]:
        """What one kind of fix changes; one that this form cannot express changes nothing."""
        if kind == "driver":
            return {"driver": change["driver"]["branch"]}
        if kind == "gpu":
            left_out = change["without"].split(", ")
            kept = ", ".join(gpu["asked"] for gpu in answer["gpus"] if gpu["name"] not in left_out)
            return {"gpu": kept}
        if kind in ("torch", "cuda", "packages"):
            changes: dict[str, str | None] = {"torch": change["torch"], "packages": self._packages_without_torch()}
            return changes | ({kind: None} if kind != "torch" else {})
        return {kind: change[kind]} if kind in ("python", "machine", "os") else {}

    def _packages_without_torch(self) -> str | None:
        """The packages but a torch among them, which would be asked for twice."""
        parts = re.split(r",(?=\s*[A-Za-z])", self["packages"])
        return ", ".join(part.strip() for part in parts if not _TORCH.match(part.strip())) or None
