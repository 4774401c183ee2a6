"""Rendered answers as HTTP responses, with the headers that caches and clients need."""

from __future__ import annotations

from fastapi import Request, Response

from api.rendering import Rendered

__all__ = ["STREAM_HEADERS", "cacheable", "plain"]

# a proxy must not collect the events of a stream
STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}
# an answer changes only with a new release of code or data: a cache may use it for five minutes unasked, then it asks
CACHE_CONTROL = "public, max-age=300"


def plain(answer: Rendered) -> Response:
    """The answer to a POST, which no cache keeps."""
    return Response(answer.body, headers=_disposition(answer), media_type=answer.media_type)


def cacheable(request: Request, answer: Rendered, vary: str | None = None) -> Response:
    """The answer to a GET: with its entity tag, or 304 where the client has these bytes already.

    `vary` names the headers of the request that other answers at the same address depend on.
    """
    headers = {"etag": answer.etag, "cache-control": CACHE_CONTROL, **_disposition(answer)}
    headers |= {"vary": vary} if vary else {}
    if _matches(request.headers.get("if-none-match", ""), answer.etag):
        return Response(status_code=304, headers=headers)
    return Response(answer.body, headers=headers, media_type=answer.media_type)


def _disposition(answer: Rendered) -> dict[str, str]:
    """The name under which a client may store a file (RFC 6266); the names are our own and need no escapes."""
    return {"content-disposition": f'inline; filename="{answer.filename}"'} if answer.filename else {}


def _matches(condition: str, etag: str) -> bool:
    """Whether an If-None-Match names the tag; the comparison is the weak one, as RFC 9110 says.

    >>> _matches('W/"a", "b"', '"a"'), _matches("*", '"a"'), _matches("", '"a"')
    (True, True, False)
    """
    tags = [tag.strip().removeprefix("W/") for tag in condition.split(",")]
    return "*" in tags or etag in tags
