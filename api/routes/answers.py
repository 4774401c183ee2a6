"""`/resolve`, `/check`, `/build` and `/dockerfile`: a body by POST, or the same fields in the query string by GET."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import PlainTextResponse

from api.answers import Answers
from api.bodies import (
    BuildBody,
    BuildQuery,
    CheckBody,
    CheckQuery,
    DockerfileBody,
    DockerfileQuery,
    ResolveBody,
    ResolveQuery,
)
from api.handlers import ProblemFound
from api.problems import Problem
from api.routes.responses import cacheable, plain

__all__ = ["router", "written_once"]

_LISTS = {"gpu", "packages"}


async def written_once(request: Request) -> None:
    """Refuse a parameter written twice: taking either would be a guess."""
    names = [name for name, _ in request.query_params.multi_items() if name not in _LISTS]
    for name in names:
        if names.count(name) > 1:
            error = {"path": name[:40], "message": "is written more than once"}
            raise ProblemFound(Problem("invalid-request", f"`{name[:40]}` is written more than once", errors=[error]))


def router(answers: Answers, documents: dict[str, Any]) -> APIRouter:
    """The routes over one set of answers; `documents` are the OpenAPI descriptions of their responses by name."""
    routes = APIRouter(tags=["answers"])
    once = [Depends(written_once)]

    @routes.post("/resolve", summary="Which stacks work", responses=documents["resolve"])
    async def resolve(request: Request, question: ResolveBody) -> Response:
        """Every stack that works for all the GPUs, best first; or why there is none and which change would make one."""
        request.state.gpus = question.gpu
        return plain(answers.resolve(question))

    @routes.get("/resolve", summary="Which stacks work", responses=documents["resolve"], dependencies=once)
    async def resolve_by_query(request: Request, question: Annotated[ResolveQuery, Query()]) -> Response:
        """The same as by POST, to be linked and cached."""
        request.state.gpus = question.gpu
        return cacheable(request, answers.resolve(question))

    @routes.post("/check", summary="Whether a stack works", responses=documents["check"])
    async def check(request: Request, stack: CheckBody) -> Response:
        """Finding by finding whether the parts named work together; a part that is not given is not judged."""
        request.state.gpus = stack.gpu
        return plain(answers.check(stack))

    @routes.get("/check", summary="Whether a stack works", responses=documents["check"], dependencies=once)
    async def check_by_query(request: Request, stack: Annotated[CheckQuery, Query()]) -> Response:
        """The same as by POST, to be linked and cached."""
        request.state.gpus = stack.gpu
        return cacheable(request, answers.check(stack), vary="Accept")

    @routes.post("/build", summary="What to compile with", responses=documents["build"])
    async def build(request: Request, question: BuildBody) -> Response:
        """The toolkit, the lists of architectures and the host compiler for code of one's own, or an extension."""
        request.state.gpus = question.gpu
        return plain(answers.build(question))

    @routes.get("/build", summary="What to compile with", responses=documents["build"], dependencies=once)
    async def build_by_query(request: Request, question: Annotated[BuildQuery, Query()]) -> Response:
        """The same as by POST, to be linked and cached."""
        request.state.gpus = question.gpu
        return cacheable(request, answers.build(question))

    @routes.post(
        "/dockerfile",
        summary="A pinned Dockerfile for the best stack",
        responses=documents["dockerfile"],
        response_class=PlainTextResponse,
    )
    async def dockerfile(request: Request, question: DockerfileBody) -> Response:
        """A Dockerfile as plain text. Where no stack works the problem `no-stack` holds the conflict and the fixes."""
        request.state.gpus = question.gpu
        return plain(answers.dockerfile(question))

    @routes.get(
        "/dockerfile",
        summary="A pinned Dockerfile for the best stack",
        responses=documents["dockerfile"],
        response_class=PlainTextResponse,
        dependencies=once,
    )
    async def dockerfile_by_query(request: Request, question: Annotated[DockerfileQuery, Query()]) -> Response:
        """The same as by POST, to be linked and cached."""
        request.state.gpus = question.gpu
        return cacheable(request, answers.dockerfile(question))

    return routes
