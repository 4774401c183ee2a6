"""Questions to rendered answers: the engine behind a cache. Every face of the service that answers goes through here."""

from __future__ import annotations

from api.bodies import CheckBody, DockerfileBody, ResolveBody
from api.rendering import AnswerCache, Rendered, rendered_json, rendered_text
from resolver.engine import Engine

__all__ = ["Answers"]


class Answers:
    """Answers of one engine.

    Args:
        engine: who answers.
        entries: how many answers are kept.
    """

    def __init__(self, engine: Engine, entries: int) -> None:
        self.engine = engine
        self.cache = AnswerCache(entries)

    def resolve(self, question: ResolveBody) -> Rendered:
        """The stacks for a question."""
        return self.cache.get(("resolve", question), lambda: rendered_json(self.engine.resolve(question.asked())))

    def check(self, stack: CheckBody) -> Rendered:
        """The findings on a stack."""
        return self.cache.get(("check", stack), lambda: rendered_json(self.engine.check(stack.checked())))

    def dockerfile(self, question: DockerfileBody) -> Rendered:
        """The Dockerfile for a question.

        Raises:
            NoStack: when there is nothing to make it for.
        """
        return self.cache.get(("dockerfile", question), lambda: rendered_text(self._dockerfile(question)))

    def _dockerfile(self, question: DockerfileBody) -> str:
        return self.engine.dockerfile(question.asked(), question.base, question.workload)
