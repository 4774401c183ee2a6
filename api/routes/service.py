"""The service about itself: `/`, `/version`, `/healthz`, `/readyz`."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, Request, Response

from api import VERSION
from api.answers import Answers
from api.handlers import ProblemFound
from api.problems import Problem
from api.rendering import Rendered, rendered_json
from api.routes.responses import cacheable, plain
from resolver.engine import Asked
from resolver.statistics import figures

__all__ = ["router"]

ADDRESSES = {
    "resolve": "/resolve?gpu=rtx5090",
    "check": "/check?gpu=rtx5090&torch=2.6.0%2Bcu124",
    "dockerfile": "/dockerfile?gpu=rtx5090",
    "artifacts": "/artifacts",
    "models": "/v1/models",
    "gpus": "/gpus",
    "matrix": "/matrix/torch",
    "version": "/version",
    "openapi": "/openapi.json",
}


def router(answers: Answers, documents: dict[str, Any]) -> APIRouter:
    """The routes over one set of answers."""
    routes = APIRouter(tags=["service"])
    engine = answers.engine
    versions = {"version": VERSION, "data_version": engine.data_version}
    catalogue = engine.catalogue

    @cache
    def versions_and_figures() -> Rendered:
        sizes = {"schema_version": catalogue.schema_version, "sizes": catalogue.sizes}
        return rendered_json({"name": "whichcuda", **versions, **sizes, "statistics": figures(engine)})

    @routes.get("/", summary="Where everything is", responses=documents["any"])
    async def root(request: Request) -> Response:
        """Name, versions and addresses."""
        answer = rendered_json({"name": "whichcuda", **versions, "try": ADDRESSES})
        return cacheable(request, answer, vary="Accept")

    @routes.get("/version", summary="Versions of code and data", responses=documents["any"])
    async def version(request: Request) -> Response:
        """The versions of code, data and schema, how much is known, and how trustworthy it is."""
        return cacheable(request, versions_and_figures())

    @routes.get("/healthz", summary="Whether the process lives", responses=documents["any"])
    async def healthz() -> Response:
        """Answers whenever the process can answer at all."""
        return plain(rendered_json({"status": "ok", "data_version": engine.data_version}))

    @routes.get("/readyz", summary="Whether questions are answered", responses=documents["ready"])
    async def readyz() -> Response:
        """Asks the engine and the assistant one question each that every catalogue can answer."""
        try:
            answer = engine.resolve(Asked(gpus=["sm_90"], limit=1))
            answers.advice("sm_90", (), {})
        except Exception as error:
            raise ProblemFound(Problem("not-ready", "the service does not answer yet")) from error
        return plain(rendered_json({"status": "ready", "data_version": answer["data_version"]}))

    return routes
