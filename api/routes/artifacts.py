"""`/artifacts`: the kinds of files there are, and a file of a kind for the best stack."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from api.answers import Answers
from api.bodies import ArtifactBody, ArtifactQuery
from api.handlers import ProblemFound
from api.problems import Problem
from api.rendering import rendered_json
from api.routes.answers import written_once
from api.routes.responses import cacheable, plain
from resolver.artifacts.make import ARTIFACTS
from resolver.artifacts.options import OPTIONS

__all__ = ["router"]


def router(answers: Answers, documents: dict[str, Any]) -> APIRouter:
    """The routes over one set of answers."""
    routes = APIRouter(tags=["answers"])

    @routes.get("/artifacts", summary="The kinds of files", responses=documents["artifacts"])
    async def kinds(request: Request) -> Response:
        """Every kind of file that can be made for a stack, with its options."""
        found = {"artifacts": _listed(), "data_version": answers.engine.data_version}
        return cacheable(request, rendered_json(found))

    @routes.post(
        "/artifacts/{kind}",
        summary="A file for the best stack",
        responses=documents["artifact"],
        response_class=Response,
    )
    async def artifact(request: Request, kind: str, question: ArtifactBody) -> Response:
        """A file of a kind that `/artifacts` lists. Where no stack surely works the problem `no-stack` says why."""
        request.state.gpus = question.gpu
        return plain(answers.artifact(_known(kind), question))

    @routes.get(
        "/artifacts/{kind}",
        summary="A file for the best stack",
        responses=documents["artifact"],
        response_class=Response,
        dependencies=[Depends(written_once)],
    )
    async def artifact_by_query(request: Request, kind: str, question: Annotated[ArtifactQuery, Query()]) -> Response:
        """The same as by POST, to be linked and cached."""
        request.state.gpus = question.gpu
        return cacheable(request, answers.artifact(_known(kind), question))

    return routes


def _known(kind: str) -> str:
    if kind not in ARTIFACTS:
        raise ProblemFound(Problem("not-found", "no such kind of file; `/artifacts` lists them", tuple(ARTIFACTS)))
    return kind


def _listed() -> list[dict[str, Any]]:
    """Every kind of file with its options."""
    return [
        {
            "kind": kind,
            "about": found.about,
            "filename": found.filename,
            "media_type": found.media_type,
            "options": [
                {"name": name, "about": OPTIONS[name].about, "default": given, "choices": list(OPTIONS[name].choices)}
                for name, given in found.options.items()
            ],
            "links": {"self": f"/artifacts/{kind}"},
        }
        for kind, found in ARTIFACTS.items()
    ]
