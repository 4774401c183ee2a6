"""Exceptions to problem documents: the one place where errors become HTTP."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from api.bodies import AskBody, AskTurn, BuildBody, CheckBody, DockerfileBody, FileBody
from api.openai_chat import error_of, is_openai
from api.problems import Problem, shortened
from api.rendering import json_bytes
from api.settings import body_limit
from resolver.errors import BadQuestion, NoStack

__all__ = ["ProblemFound", "install", "on_the_wire"]

MAX_ERRORS = 20
MAX_DETAIL = 1_000
_CONTAINER_ERRORS = {"too_short", "missing"}


class ProblemFound(Exception):
    """A problem that a route found by itself."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


# a page for a problem, where the client wants one
ProblemPage = Callable[[Request, Problem], Response | None]


def install(app: FastAPI, routers: Sequence[APIRouter], page: ProblemPage) -> None:
    """Make every error of an application a problem document; `routers` hold its routes.

    `page` shows a problem as HTML to those who ask for that, or gives None.
    """
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]

    @app.exception_handler(ProblemFound)
    async def found(request: Request, error: ProblemFound) -> Response:
        headers = {"www-authenticate": "Bearer"} if error.problem.type == "unauthorized" else {}
        return _response(request, error.problem, headers)

    @app.exception_handler(BadQuestion)
    async def bad_question(request: Request, error: BadQuestion) -> Response:
        return _response(request, Problem.of_question(error, getattr(request.state, "gpus", ())))

    @app.exception_handler(NoStack)
    async def no_stack(request: Request, error: NoStack) -> Response:
        return _response(request, Problem.of_no_stack(error))

    @app.exception_handler(RequestValidationError)
    async def not_valid(request: Request, error: RequestValidationError) -> Response:
        return _response(request, invalid(error, request.url.path))

    @app.exception_handler(HTTPException)
    async def by_status(request: Request, error: HTTPException) -> Response:
        headers = {name.lower(): value for name, value in (error.headers or {}).items()}
        if error.status_code == 405:
            headers["allow"] = _allowed(routes, request.url.path)
        problem = _of_status(request, error.status_code)
        return page(request, problem) or _response(request, problem, headers)


def on_the_wire(problem: Problem, path: str) -> tuple[int, bytes, str]:
    """Status, body and media type of a problem at an address."""
    if is_openai(path):
        status, document = error_of(problem)
        return status, json_bytes(document), "application/json"
    return problem.status, json_bytes(problem.document(path)), "application/problem+json"


def _response(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    status, body, media_type = on_the_wire(problem, request.url.path)
    return Response(body, status, {"cache-control": "no-store", **(headers or {})}, media_type)


def _allowed(routes: Sequence[APIRoute], path: str) -> str:
    """The methods of all routes at a path: the framework names those of the first only."""
    methods = {method for route in routes if route.path_regex.fullmatch(path) for method in route.methods or ()}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _of_status(request: Request, status: int) -> Problem:
    if status == 404:
        return Problem("not-found", "there is nothing at this address; `/openapi.json` lists the addresses there are")
    if status == 405:
        return Problem(
            "method-not-allowed", f"`{request.method}` is not for this address; the Allow header lists what is"
        )
    if status == 413:
        return Problem("too-large", f"a body may have at most {body_limit(request.url.path)} bytes")
    if status == 429:
        return Problem("too-many-requests", "too many requests; the Retry-After header may say when to come back")
    return Problem("invalid-request", "the body cannot be read as JSON", unreadable=True)


def invalid(error: RequestValidationError, address: str) -> Problem:
    """The problem for a request of the wrong form: every faulty part with words on how to write it."""
    example = _BODIES.get(address, _BODY)
    found = error.errors()
    if any(part["type"] == "json_invalid" for part in found):
        position = found[0]["loc"][-1]
        reason = f"not JSON at character {position}: {found[0]['ctx']['error']}"
        return Problem("invalid-request", reason, errors=[{"path": "", "message": reason}], unreadable=True)
    parts = [(tuple(part["loc"][1:]), part) for part in found]
    inside = {place[:length] for place, _ in parts for length in range(len(place))}
    # of a list and its members that are both at fault, the members say it better
    telling = [(place, part) for place, part in parts if part["type"] not in _CONTAINER_ERRORS or place not in inside]
    shown = [
        {"path": _path(place, error.body), "message": _message(part, example)} for place, part in telling[:MAX_ERRORS]
    ]
    detail = "; ".join(f"`{part['path']}` {part['message']}" if part["path"] else part["message"] for part in shown)
    detail = detail if len(detail) <= MAX_DETAIL else detail[: MAX_DETAIL - 3] + "..."
    if len(telling) > len(shown):
        detail += f"; and {len(telling) - len(shown)} more"
    return Problem("invalid-request", detail, errors=shown)


def _path(place: tuple[Any, ...], body: Any) -> str:
    """`gpu[1]`; a single text that was taken for a list of one has no number."""
    if len(place) == 2 and isinstance(body, dict) and isinstance(body.get(place[0]), str):
        place = place[:1]
    path = ""
    for key in place:
        path += (
            f"[{key}]" if isinstance(key, int) else f".{shortened(str(key), 40)}" if path else shortened(str(key), 40)
        )
    return path


# a body of the right form, where one is told how to write it
_BODY = '{"gpu": "rtx5090"}'
_BODIES = {
    "/ask": '{"message": "CUDA error: no kernel image is available"}',
    "/v1/chat/completions": '{"model": "whichcuda", "messages": [{"role": "user", "content": "..."}]}',
}
_TURN = '{"role": "user", "content": "it is a 3090"}'
_PARTS = {"history": _TURN, "messages": _TURN, "context": '{"gpu": "rtx5090"}'}


def _message(part: Mapping[str, Any], example: str) -> str:
    """What is wrong with one part and how to write it."""
    kind, given, context = part["type"], part.get("input"), part.get("ctx", {})
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if len(part["loc"]) > 1 and part["loc"][1] in _PARTS:
        example = _PARTS[part["loc"][1]]
        if kind == "tuple_type":
            return f"must be a list of objects such as {example}"
        if kind.startswith("model_"):
            return f"must be an object such as {example}"
    if kind in ("string_type", "tuple_type"):
        if number:
            return f'must be text: write "{given}" in quotes, since a number can lose digits'
        return "must be text" if kind == "string_type" else "must be text or a list of texts"
    if kind == "bool_type":
        return "must be true or false"
    if kind in ("int_type", "int_parsing", "int_from_float"):
        return "must be a whole number"
    if kind == "missing":
        return "is required" if len(part["loc"]) > 1 else f"a body such as {example} is required"
    if kind == "string_too_short":
        return "must not be empty"
    if kind == "string_too_long":
        return f"must have at most {context['max_length']} characters"
    if kind in ("too_short", "too_long"):
        least, most = context.get("min_length"), context.get("max_length")
        return (
            f"must have at least {least} item"
            if kind == "too_short"
            else f"must have at most {most} items, not {context['actual_length']}"
        )
    if kind == "extra_forbidden":
        return _unknown_field(str(part["loc"][-1]))
    if kind.startswith("model_"):
        return f"must be an object such as {example}, sent as application/json"
    message = str(part["msg"])
    return message.removeprefix("Value error, ").removeprefix("Input ")


_FIELDS = sorted(
    {name for body in (FileBody, BuildBody, DockerfileBody, CheckBody, AskBody, AskTurn) for name in body.model_fields}
)


def _unknown_field(name: str) -> str:
    near = [field for field in difflib.get_close_matches(name[:40], _FIELDS, 1) if field != name]
    return f"is not a field here; did you mean `{near[0]}`?" if near else "is not a field here"
