"""`/mcp`: the tools of `api.mcp` over HTTP, where their library is installed. It is loaded with the first request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response
from starlette.types import Message

from api.answers import Answers
from api.handlers import ProblemFound
from api.problems import Problem

if TYPE_CHECKING:
    from mcp.server import MCPServer

__all__ = ["MISSING", "router"]

MISSING = "the tools need a library that is not installed: pip install 'whichcuda[mcp]'"
_OWN_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def router(answers: Answers, hosts: Sequence[str]) -> APIRouter:
    """The route over one set of answers; `hosts` are the names it answers under beside this machine's own."""
    routes = APIRouter(tags=["mcp"])

    @cache
    def server() -> MCPServer[Any]:
        from api.mcp import make_server

        return make_server(answers)

    @routes.post("/mcp", include_in_schema=False)
    async def mcp(request: Request) -> Response:
        """One message of the protocol and its answer as JSON. Nothing is kept between two, so there is no session."""
        try:
            tools = server()
        except ImportError as error:
            raise ProblemFound(Problem("not-found", MISSING)) from error
        return await _passed_on(tools, request, (*_OWN_HOSTS, *hosts))

    return routes


async def _passed_on(tools: MCPServer[Any], request: Request, hosts: Sequence[str]) -> Response:
    """The answer of the library to a request. It refuses other `Host` and `Origin` headers than those of `hosts`, so
    that no page of a stranger can reach a service on this machine through a browser (DNS rebinding)."""
    from mcp.server.transport_security import TransportSecuritySettings

    app = tools.streamable_http_app(
        stateless_http=True,
        json_response=True,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[form for host in hosts for form in (host, f"{host}:*")],
            allowed_origins=[
                f"{scheme}://{form}" for scheme in ("http", "https") for host in hosts for form in (host, f"{host}:*")
            ],
        ),
    )
    found = Response()
    parts: list[bytes] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            found.status_code = message["status"]
            found.raw_headers = list(message["headers"])
        else:
            parts.append(message.get("body", b""))

    async with tools.session_manager.run():
        await app({**request.scope, "root_path": ""}, request.receive, send)
    found.body = b"".join(parts)
    return found
