"""The doors of the measuring tools: byte ranges over HTTP and from a file, programs; nothing is parsed."""

from __future__ import annotations

import hashlib
import re
import subprocess
import urllib.request
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path

__all__ = ["DoorError", "fetch_page", "fetch_range", "fetch_size", "file_range", "file_sha256", "run_program"]

_TIMEOUT = 60.0  # seconds without a byte
_JSON = "application/vnd.pypi.simple.v1+json"
_TOTAL = re.compile(r"bytes \d+-\d+/(\d+)")


class DoorError(OSError):
    """The other side does not give what was asked for; its address is not shown."""


def fetch_page(url: str) -> bytes:
    """The page at `url`, asked for in the JSON form of the simple API. Raises `OSError`."""
    body, _ = _get(url, {"Accept": _JSON})
    return body


def fetch_range(url: str, start: int, end: int) -> bytes:
    """The bytes of `url` from `start` up to `end`, not included. Raises `OSError`."""
    if start == end:
        return b""  # HTTP cannot ask for nothing
    body, total = _get(url, {"Range": f"bytes={start}-{end - 1}"})
    if total is None:
        raise DoorError("the server ignores byte ranges")
    return body


def fetch_size(url: str) -> int:
    """The length of `url` in bytes. Raises `OSError`."""
    _, total = _get(url, {"Range": "bytes=0-0"})
    if total is None:
        raise DoorError("the server ignores byte ranges")
    return total


def file_range(path: str, start: int, end: int) -> bytes:
    """The bytes of the file at `path` from `start` up to `end`, not included. Raises `OSError`."""
    with Path(path).open("rb") as file:
        file.seek(start)
        return file.read(end - start)


def file_sha256(path: str) -> str:
    """The SHA-256 of the file at `path`, in hexadecimal. Raises `OSError`."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_program(command: Sequence[str]) -> str:
    """What a program prints, both streams, whatever its exit status. Raises `OSError`."""
    try:
        ran = subprocess.run(
            list(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise DoorError("a program did not end in time") from error
    return ran.stdout


def _get(url: str, headers: dict[str, str]) -> tuple[bytes, int | None]:
    """The body, and the whole length where the answer is a part."""
    if not url.startswith(("http://", "https://")):
        raise DoorError("only http and https addresses are fetched")
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
        if answer.status == HTTPStatus.PARTIAL_CONTENT:
            found = _TOTAL.fullmatch(answer.headers.get("Content-Range", ""))
            if found is None:
                raise DoorError("a part came without its place")
            return answer.read(), int(found[1])
        # a whole wheel instead of a part must not be read by mistake
        return (answer.read() if "Range" not in headers else b""), None
