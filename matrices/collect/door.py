"""The one door to pages: the network, saved copies, or the network with a copy kept. Nothing is parsed here.

A page has a name, which is that of its saved copy, and an address. `index:NAME` stands for the page of a project on
the package index, and `index:NAME|ADDRESS` for a file that this page lists; where that index is, pip knows and this
code does not.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin

from matrices.measure import door as ranges
from matrices.measure.index import pip_default, project_url
from matrices.measure.remote_zip import BadArchive, RemoteZip

__all__ = ["Get", "Kept", "Network", "PageMissing", "Pages", "Saved", "cut_metadata", "get"]

Get = Callable[[str, Mapping[str, str]], bytes]
Cut = Callable[[str, str], bytes]

_TIMEOUT = 60.0  # seconds without a byte
_METADATA = ".dist-info/METADATA"


class PageMissing(OSError):
    """A page cannot be had; the message names it by its name, never by its address."""


class Pages(Protocol):
    """Where a collector gets its pages from."""

    def page(self, name: str, url: str, headers: Mapping[str, str]) -> bytes:
        """The page called `name`, at `url`. Raises `PageMissing`."""

    def metadata(self, file: str, url: str) -> bytes:
        """The METADATA of the wheel `file` at `url`, which is of the form `index:NAME|ADDRESS`. Raises `PageMissing`."""


def get(url: str, headers: Mapping[str, str]) -> bytes:
    """The bytes at an http(s) address. Raises `OSError`."""
    if not url.startswith(("http://", "https://")):
        raise PageMissing("only http and https addresses are fetched")
    request = urllib.request.Request(url, headers={"User-Agent": "whichcuda refresh", **headers})
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
        body: bytes = answer.read()
        return body


class Network:
    """Pages as they are now.

    Args:
        fetch: from an address and headers to bytes.
        cut: from a wheel's name and address to its METADATA, where none lies beside it.
        index: the address of the package index; None asks pip when it is first needed.
    """

    def __init__(self, fetch: Get = get, cut: Cut | None = None, index: str | None = None) -> None:
        self._fetch = fetch
        self._cut = cut or cut_metadata
        self._index = index

    def page(self, name: str, url: str, headers: Mapping[str, str]) -> bytes:
        """The page at `url`."""
        if url.startswith("index:"):
            url = self._project(url.removeprefix("index:"))
        return self._got(name, url, headers)

    def metadata(self, file: str, url: str) -> bytes:
        """METADATA beside the wheel (PEP 658), or cut out of it by byte ranges where the index offers none."""
        project, _, written = url.removeprefix("index:").partition("|")
        address = urljoin(self._project(project), written)
        try:
            return self._got(file, address + ".metadata", {})
        except PageMissing:
            return self._cut(file, address)

    def _project(self, project: str) -> str:
        if self._index is None:
            self._index = pip_default()
        return project_url(self._index, project)

    def _got(self, name: str, url: str, headers: Mapping[str, str]) -> bytes:
        try:
            return self._fetch(url, headers)
        except HTTPError as error:
            raise PageMissing(f"{name}: the server answers {error.code}") from error
        except (URLError, TimeoutError) as error:  # the cause would show the address
            raise PageMissing(f"{name}: the server cannot be reached") from error


def cut_metadata(file: str, url: str) -> bytes:
    """The METADATA inside the wheel `file` at `url`, by byte ranges. Raises `PageMissing`."""
    try:
        archive = RemoteZip(url, ranges.fetch_size(url), ranges.fetch_range)
        member = next(name for name in archive.members if name.endswith(_METADATA))
        return archive.read(member)
    except (OSError, BadArchive, StopIteration) as error:
        raise PageMissing(f"{file}: its METADATA cannot be read") from error


class Saved:
    """Pages that somebody saved: files of a folder by their names, or one file that is every page asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def page(self, name: str, url: str, headers: Mapping[str, str]) -> bytes:
        """The saved copy called `name`."""
        path = self._path if self._path.is_file() else self._path / name
        try:
            return path.read_bytes()
        except OSError as error:
            raise PageMissing(f"{name} is not among the saved pages") from error

    def metadata(self, file: str, url: str) -> bytes:
        """The saved copy called `file` with `.metadata` behind it."""
        return self.page(f"{file}.metadata", url, {})


class Kept:
    """Another door, of which every page that came through is kept in `folder`, as `Saved` reads them."""

    def __init__(self, pages: Pages, folder: Path) -> None:
        self._pages = pages
        self._folder = folder

    def page(self, name: str, url: str, headers: Mapping[str, str]) -> bytes:
        """The page, kept under its name."""
        return self._keep(name, self._pages.page(name, url, headers))

    def metadata(self, file: str, url: str) -> bytes:
        """The METADATA, kept under the file's name with `.metadata` behind it."""
        return self._keep(f"{file}.metadata", self._pages.metadata(file, url))

    def _keep(self, name: str, body: bytes) -> bytes:
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / name).write_bytes(body)
        return body
