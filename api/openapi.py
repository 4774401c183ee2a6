"""The OpenAPI document: FastAPI's own, with problem documents for all errors and real examples."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from api.answers import Answers
from api.bodies import AskBody, BuildBody, CheckBody, DockerfileBody, ResolveBody
from api.examples import EXAMPLES
from api.problems import PROBLEMS
from api.schemas.assistant import AskAnswer
from api.schemas.chat import ChatAnswer, ChatError, ModelAnswer, ModelsAnswer
from api.schemas.files import ArtifactsAnswer
from api.schemas.knowledge import ClaimAnswer, GpuAnswer, GpusAnswer, SourceAnswer, SourcesAnswer, SuggestedAnswer
from api.schemas.matrix import DriverMatrixAnswer, TorchMatrixAnswer
from api.schemas.problems import ProblemDocument
from api.schemas.stacks import BuildAnswer, CheckAnswer, ResolveAnswer
from resolver.artifacts.make import ARTIFACTS

__all__ = ["DOCUMENTS", "install"]

MEDIA_TYPES = sorted({kind.media_type.partition(";")[0] for kind in ARTIFACTS.values()})

_PROBLEM = {"model": ProblemDocument, "description": "A problem document (RFC 9457)."}
_ERROR = {"model": ChatError, "description": "An error in the form of the OpenAI interface."}
_NOT_MODIFIED: dict[str, Any] = {"description": "The client has these bytes already."}
_ASKED: dict[int | str, Any] = {304: _NOT_MODIFIED, 400: _PROBLEM, 413: _PROBLEM, 422: _PROBLEM}

# for each route by name: what it answers, by status
DOCUMENTS: dict[str, dict[int | str, Any]] = {
    "resolve": {200: {"model": ResolveAnswer}, **_ASKED},
    "check": {200: {"model": CheckAnswer}, **_ASKED},
    "build": {200: {"model": BuildAnswer}, **_ASKED},
    "dockerfile": {200: {"description": "A Dockerfile."}, **_ASKED},
    "artifacts": {200: {"model": ArtifactsAnswer}, 304: _NOT_MODIFIED},
    "artifact": {
        200: {
            "description": "A file.",
            "content": {media_type: {"schema": {"type": "string"}} for media_type in MEDIA_TYPES},
        },
        404: _PROBLEM,
        **_ASKED,
    },
    "ask": {200: {"model": AskAnswer}, 400: _PROBLEM, 413: _PROBLEM, 422: _PROBLEM},
    "models": {200: {"model": ModelsAnswer}, 401: _ERROR},
    "model": {200: {"model": ModelAnswer}, 401: _ERROR, 404: _ERROR},
    "chat": {
        200: {"model": ChatAnswer, "content": {"text/event-stream": {}}, "description": "At once, or as a stream."},
        400: _ERROR,
        401: _ERROR,
        404: _ERROR,
    },
    "gpus": {200: {"model": GpusAnswer}, 304: _NOT_MODIFIED, 422: _PROBLEM},
    "suggested": {200: {"model": SuggestedAnswer}, 304: _NOT_MODIFIED, 422: _PROBLEM},
    "gpu": {200: {"model": GpuAnswer}, 304: _NOT_MODIFIED, 308: {"description": "The id has moved."}, 404: _PROBLEM},
    "claim": {
        200: {"model": ClaimAnswer},
        304: _NOT_MODIFIED,
        308: {"description": "The id has moved."},
        404: _PROBLEM,
    },
    "sources": {200: {"model": SourcesAnswer}, 304: _NOT_MODIFIED, 422: _PROBLEM},
    "source": {
        200: {"model": SourceAnswer},
        304: _NOT_MODIFIED,
        308: {"description": "The id has moved."},
        404: _PROBLEM,
    },
    "catalogue": {
        200: {"description": "The catalogue.", "content": {"application/json": {"schema": {"type": "object"}}}},
        304: _NOT_MODIFIED,
    },
    "torch-matrix": {200: {"model": TorchMatrixAnswer}, 304: _NOT_MODIFIED, 422: _PROBLEM},
    "driver-matrix": {200: {"model": DriverMatrixAnswer}, 304: _NOT_MODIFIED, 422: _PROBLEM},
    "any": {304: _NOT_MODIFIED},
    "ready": {503: _PROBLEM},
}


def install(app: FastAPI, answers: Answers) -> None:
    """Give an application its document, made when first asked for."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                tags=app.openapi_tags,
                routes=app.routes,
            )
            found = json.loads(json.dumps(found))  # a copy: FastAPI keeps parts of it
            _problems(found)
            _examples(found, answers)
            app.openapi_schema = found
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # FastAPI's documented way to extend the document


def _problems(document: dict[str, Any]) -> None:
    """Name the media type and the types of all problems."""
    for operations in document["paths"].values():
        for operation in operations.values():
            if "422" in operation["responses"] and "openai" in operation["tags"]:
                del operation["responses"]["422"]  # FastAPI's own; these addresses answer 400
            for status, response in operation["responses"].items():
                if status[0] in "45" and "openai" not in operation["tags"]:
                    (described,) = response["content"].values()
                    response["content"] = {"application/problem+json": described}
    schemas = document["components"]["schemas"]
    schemas["ProblemDocument"]["properties"]["type"]["enum"] = list(PROBLEMS)
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)


def _examples(document: dict[str, Any], answers: Answers) -> None:
    """Questions with the answers that the engine gives to them."""
    ask: dict[str, Any] = {
        "/resolve": lambda body: answers.resolve(ResolveBody(**body)),
        "/check": lambda body: answers.check(CheckBody(**body)),
        "/build": lambda body: answers.build(BuildBody(**body)),
        "/dockerfile": lambda body: answers.dockerfile(DockerfileBody(**body)),
        "/ask": lambda body: answers.ask(AskBody(**body)),
    }
    for path, questions in EXAMPLES.items():
        operation = document["paths"][path]["post"]
        body = operation["requestBody"]["content"]["application/json"]
        body["examples"] = {name: {"value": question} for name, question in questions.items()}
        given = {}
        for name, question in questions.items():
            rendered = ask[path](question)
            text = rendered.body.decode()
            given[name] = {"value": json.loads(text) if rendered.media_type == "application/json" else text}
        media_type = "application/json" if path != "/dockerfile" else "text/plain"
        operation["responses"]["200"]["content"][media_type]["examples"] = given
