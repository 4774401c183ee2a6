"""What can be wrong with a question. Faces map these to problem documents and exit codes; nothing else is raised to them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["AmbiguousGpu", "BadQuestion", "InvalidRequest", "NoStack", "NotNvidia", "UnknownGpu", "UnknownVersion"]


class BadQuestion(ValueError):
    """A question that cannot be judged as it stands.

    Attributes:
        type: the stable id of the problem.
        field: which part of the request.
        given: what was written there.
        candidates: what may have been meant, best first.
    """

    type = "invalid-request"

    def __init__(self, message: str, *, field: str = "", given: str = "", candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.field = field
        self.given = given
        self.candidates = tuple(candidates)


class InvalidRequest(BadQuestion):
    """Parts that are missing, of the wrong form or at odds with each other."""


class UnknownGpu(BadQuestion):
    """No product is known by that name."""

    type = "unknown-gpu"


class AmbiguousGpu(BadQuestion):
    """A name for several products that differ in what they can run."""

    type = "ambiguous-gpu"


class NotNvidia(BadQuestion):
    """A product of another maker."""

    type = "not-nvidia"


class UnknownVersion(BadQuestion):
    """A version that was never released, or of something else."""

    type = "unknown-version"


class NoStack(ValueError):
    """There is nothing to render: the answer to the question is not yes.

    Attributes:
        answer: the whole answer, with conflict and fixes.
    """

    def __init__(self, message: str, answer: dict[str, object]) -> None:
        super().__init__(message)
        self.answer = answer
