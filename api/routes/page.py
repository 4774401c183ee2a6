"""The web page: the same addresses as the API's where they answer the same, for clients that ask for HTML."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from fastapi.sse import EventSourceResponse, format_sse_event
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from api.bodies import AskBody
from api.page.asking import LINKED, Asking
from api.page.negotiation import language_of, wants_html
from api.page.question import CHECKED, Form
from api.page.rendering import SECURITY_HEADERS, STATIC, Frame
from api.page.views import Pages, Shown
from api.problems import Problem
from api.rendering import Rendered
from api.routes.responses import STREAM_HEADERS, cacheable

__all__ = ["frame_of", "problem_page", "routes"]

VARY = "Accept, Accept-Language"
KEPT = 1_000  # characters of a query string whose page is kept
FOR_EVER = "public, max-age=31536000, immutable"


class Open(Route):
    """A route for everybody, which tells the log its template."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        return match, {**child, "route": self}


class Page(Open):
    """A route for clients that want HTML; for all others it is not there, and the API's answers."""

    def wanted(self, headers: Headers) -> bool:
        """Whether a request is for the page."""
        return wants_html(headers.get("accept", ""))

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        # what is asked with another method is the API's affair
        if match != Match.FULL or not self.wanted(Headers(scope=scope)):
            return Match.NONE, {}
        return match, child


class _Refused(Exception):
    """A page that is not to be kept."""

    def __init__(self, page: Rendered, status: int) -> None:
        super().__init__(status)
        self.page = page
        self.status = status


class Posted(Page):
    """The form of the assistant, sent without script: as plain text, which does not swell a log."""

    def wanted(self, headers: Headers) -> bool:
        return super().wanted(headers) and headers.get("content-type", "").startswith("text/plain")


class Stream(Page):
    """A route for the script of the page, which asks for events."""

    def wanted(self, headers: Headers) -> bool:
        return headers.get("accept", "").startswith("text/event-stream")


def frame_of(request: Request) -> Frame:
    """The language and the place of the page that a request is for."""
    asked = request.query_params.get("lang")
    language = language_of(asked, request.headers.get("accept-language", ""))
    query = tuple((name, value) for name, value in request.query_params.multi_items() if name != "lang" and value)
    return Frame(language, asked == language, request.url.path, query)


def _html(request: Request, page: Rendered, status: int = 200, *, private: bool = False) -> Response:
    if status == 200 and not private:
        response = cacheable(request, page)
    else:
        response = Response(page.body, status, {"cache-control": "no-store"}, page.media_type)
    response.headers.update({**SECURITY_HEADERS, "vary": VARY})
    return response


def problem_page(pages: Pages, request: Request, problem: Problem) -> Response | None:
    """The page of a problem with an address, for clients that want HTML."""
    if problem.type != "not-found" or not wants_html(request.headers.get("accept", "")):
        return None
    return _html(request, pages.problem(problem, frame_of(request)), problem.status)


def routes(pages: Pages) -> list[BaseRoute]:
    """The routes over one set of pages; they stand before the API's."""

    def kept(request: Request, make: Callable[[Frame], Shown]) -> Response:
        frame = frame_of(request)

        def sound() -> Rendered:
            page, status = make(frame)
            if status != 200:
                raise _Refused(page, status)
            return page

        # an address that nobody writes by hand is answered anew each time
        keep = len(request.url.query) <= KEPT
        try:
            return _html(request, pages.answers.cache.get(("page", frame), sound) if keep else sound())
        except _Refused as refused:
            return _html(request, refused.page, refused.status)

    async def resolve(request: Request) -> Response:
        return kept(request, lambda frame: pages.resolve(Form.of(request.query_params), frame))

    async def check(request: Request) -> Response:
        return kept(request, lambda frame: pages.check(Form.of(request.query_params, CHECKED), frame))

    async def matrix(request: Request) -> Response:
        return kept(request, lambda frame: pages.matrix(request.query_params, frame))

    async def ask(request: Request) -> Response:
        asking = Asking.of(request.query_params)
        page, status = pages.ask(asking, frame_of(request))
        return _html(request, page, status, private=bool(asking.message))  # no cache keeps what somebody pasted

    async def asked(request: Request) -> Response:
        frame = frame_of(request)
        asking = Asking.of({"q": _field(await request.body())})
        if len(asking.message) <= LINKED:
            return RedirectResponse(frame.link("/ask", **asking.address()), 303)
        page, status = pages.ask(asking, frame)
        return _html(request, page, status, private=True)

    async def streamed(request: Request) -> Response:
        try:
            body = AskBody.model_validate_json(await request.body())
        except ValidationError as error:
            raise RequestValidationError(
                [{**part, "loc": ("body", *part["loc"])} for part in error.errors(include_context=False)]
            ) from error
        events = pages.streamed(body, frame_of(request))
        return EventSourceResponse((format_sse_event(data_str=data) for data in events), headers=STREAM_HEADERS)

    async def gpus(request: Request) -> Response:
        q, architecture = (request.query_params.get(name, "").strip()[:100] for name in ("q", "architecture"))
        return kept(request, lambda frame: Shown(pages.gpus(q, architecture, frame), 200))

    async def gpu(request: Request) -> Response:
        return known(request, "/gpus/", pages.gpu, pages.views.near)

    async def claim(request: Request) -> Response:
        return known(request, "/claims/", pages.claim, lambda _: [])

    def known(
        request: Request,
        path: str,
        make: Callable[[str, Frame], Rendered | None],
        near: Callable[[str], list[str]],
    ) -> Response:
        identity, frame = request.path_params["id"], frame_of(request)
        page = make(identity, frame)
        if page is not None:
            return _html(request, page)
        moved = pages.views.moved(identity)
        if moved is not None:
            return RedirectResponse(frame.link(path + quote(moved, safe=":")), 308)
        return _html(request, pages.problem(Problem("not-found", "", near(identity[:300])), frame), 404)

    async def static(request: Request) -> Response:
        file = pages.templates.files[request.url.path.rpartition("/")[2]]
        response = cacheable(request, file)
        if request.query_params.get("v") == file.etag[1:9]:
            response.headers["cache-control"] = FOR_EVER
        response.headers["x-content-type-options"] = "nosniff"
        return response

    return [
        Page("/", resolve, methods=["GET"]),
        Page("/check", check, methods=["GET"]),
        Open("/matrix", matrix, methods=["GET"]),
        Page("/ask", ask, methods=["GET"]),
        Posted("/ask", asked, methods=["POST"]),
        Stream("/ask", streamed, methods=["POST"]),
        Page("/gpus", gpus, methods=["GET"]),
        Page("/gpus/{id}", gpu, methods=["GET"]),
        Page("/claims/{id:path}", claim, methods=["GET"]),
        *(Open(f"/static/{name}", static, methods=["GET"]) for name in STATIC),
    ]


def _field(body: bytes) -> str:
    """The one field of a form sent as plain text.

    >>> _field(b"q=CUDA error\\r\\nXid 79\\r\\n")
    'CUDA error\\nXid 79\\n'
    """
    return body.decode("utf-8", "replace").partition("=")[2].replace("\r\n", "\n")
