"""Questions to rendered answers: the engine behind a cache. Every face of the service that answers goes through here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from api.bodies import (
    ArtifactBody,
    AskBody,
    BuildBody,
    CheckBody,
    DockerfileBody,
    DriverMatrixQuery,
    ResolveBody,
    TorchMatrixQuery,
)
from api.rendering import AnswerCache, Rendered, rendered_file, rendered_json, rendered_text
from api.tables import Tables
from assistant.assistant import Assistant, Turn
from resolver.engine import Engine

__all__ = ["Answers"]

SMALL = 4 * 1024  # characters of what was said: longer pastes are answered anew each time, not kept


class Answers:
    """Answers of one engine.

    Args:
        engine: who answers.
        entries: how many answers are kept.
    """

    def __init__(self, engine: Engine, entries: int) -> None:
        self.engine = engine
        self.cache = AnswerCache(entries)
        self.tables = Tables(engine)

    def resolve(self, question: ResolveBody) -> Rendered:
        """The stacks for a question."""
        return self.cache.get(("resolve", question), lambda: rendered_json(self.engine.resolve(question.asked())))

    def check(self, stack: CheckBody) -> Rendered:
        """The findings on a stack."""
        return self.cache.get(("check", stack), lambda: rendered_json(self.engine.check(stack.checked())))

    def build(self, question: BuildBody) -> Rendered:
        """What to compile with."""

        def answer() -> Rendered:
            return rendered_json(self.engine.build(question.asked(), question.compiler))

        return self.cache.get(("build", question), answer)

    def dockerfile(self, question: DockerfileBody) -> Rendered:
        """The Dockerfile for a question.

        Raises:
            NoStack: when there is nothing to make it for.
        """
        return self.cache.get(("dockerfile", question), lambda: rendered_text(self._dockerfile(question)))

    def torch_matrix(self, table: TorchMatrixQuery) -> Rendered:
        """The table of GPUs and torch releases."""
        return self.cache.get(
            ("torch-matrix", table), lambda: rendered_json(self.tables.torch(table.asked(), table.variant))
        )

    def driver_matrix(self, table: DriverMatrixQuery) -> Rendered:
        """The table of driver branches and CUDA releases."""
        return self.cache.get(("driver-matrix", table), lambda: rendered_json(self.tables.drivers(table.os)))

    def artifact(self, kind: str, question: ArtifactBody) -> Rendered:
        """The file of a kind for a question.

        Raises:
            NoStack: when there is nothing to make it for.
        """
        return self.cache.get(("artifact", kind, question), lambda: self._artifact(kind, question))

    def ask(self, question: AskBody) -> Rendered:
        """The assistant's answer to a message."""

        def answer() -> Rendered:
            return rendered_json(self.advice(question.message, question.turns(), question.known(), question.without))

        return self.cache.get(("ask", question), answer) if question.size <= SMALL else answer()

    def advice(
        self, message: str, history: Sequence[Turn], context: Mapping[str, str], without: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The assistant's answer as data."""
        return self.assistant.ask(message, history, context, without)

    @cached_property
    def assistant(self) -> Assistant:
        """The assistant over the same engine, made when first needed."""
        return Assistant(self.engine)

    def _dockerfile(self, question: DockerfileBody) -> str:
        return self.engine.dockerfile(question.asked(), question.base, question.workload)

    def _artifact(self, kind: str, question: ArtifactBody) -> Rendered:
        made = self.engine.artifact(kind, question.asked(), question.options())
        return rendered_file(made.text, made.media_type, made.filename)
