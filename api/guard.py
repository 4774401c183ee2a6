"""The outermost layer of the service: bounds on bodies, HEAD, a log without user text, and no failure without a document."""

from __future__ import annotations

import logging
import time
import traceback
from typing import Any

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.handlers import on_the_wire
from api.problems import Problem
from api.settings import body_limit

__all__ = ["Guard"]

logger = logging.getLogger("whichcuda")
_JSON = b"application/json"
# what clients send when nobody told them a type; `curl -d` says that it is a form
_UNTOLD = {b"", b"application/x-www-form-urlencoded"}


class Guard:
    """ASGI middleware.

    Args:
        app: what is guarded.
        log_requests: write one line a request: method, route, status, milliseconds.
    """

    def __init__(self, app: ASGIApp, log_requests: bool = True) -> None:
        self.app = app
        self.log_requests = log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send)
        await exchange.run(self.app)
        if self.log_requests:
            exchange.log()


class _Exchange:
    """One request and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.scope = scope = dict(scope)
        self.receive = receive
        self.send = send
        self.status = 0
        self.received = 0
        self.started = time.perf_counter()
        if self.method == "HEAD":
            scope["method"] = "GET"
        elif self.method == "POST":
            scope["headers"] = _as_json(scope["headers"])

    async def run(self, app: ASGIApp) -> None:
        try:
            await app(self.scope, self._receive, self._send)
        except Exception as error:  # the last resort of the service: whatever it was, the client gets a document
            frames = "".join(traceback.format_tb(error.__traceback__))
            # the message of the exception may hold what the asker wrote: only its type is logged
            logger.error("%s in %s %s\n%s", type(error).__name__, self.method, self._route(), frames)
            if self.status:
                raise
            await self._fail(Problem("internal-error", "the service met an error of its own; it has been logged"))

    async def _receive(self) -> Message:
        message = await self.receive()
        self.received += len(message.get("body", b""))
        if self.received > body_limit(self.scope["path"]):
            raise HTTPException(413)  # passes through the reading of the body to the handler of all such errors
        return message

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif self.method == "HEAD" and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self.send(message)

    async def _fail(self, problem: Problem) -> None:
        status, body, media_type = on_the_wire(problem, self.scope["path"])
        headers = [
            (b"content-type", media_type.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    def _route(self) -> str:
        """The template of the route, not what was asked for."""
        route: Any = self.scope.get("route")
        return getattr(route, "path", "-")

    def log(self) -> None:
        elapsed_ms = (time.perf_counter() - self.started) * 1000
        logger.info("%s %s %d %.1f ms", self.method, self._route(), self.status, elapsed_ms)


def _as_json(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers with the body declared as JSON where no type was meant."""
    told = next((value for name, value in headers if name == b"content-type"), b"")
    if told not in _UNTOLD:
        return headers
    return [(name, value) for name, value in headers if name != b"content-type"] + [(b"content-type", _JSON)]
