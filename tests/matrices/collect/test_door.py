from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from email.message import Message
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest

from matrices.collect import door
from matrices.collect.door import Kept, Network, PageMissing, Saved, cut_metadata, get
from tests.matrices.collect.saved import PAGES, page


class Server:
    """Bodies by address; anything else is not found. Every request is noted."""

    def __init__(self, bodies: Mapping[str, bytes]) -> None:
        self.bodies = bodies
        self.asked: list[str] = []

    def __call__(self, url: str, headers: Mapping[str, str]) -> bytes:
        self.asked.append(url)
        if url not in self.bodies:
            raise HTTPError(url, 404, "Not Found", Message(), None)
        return self.bodies[url]


def test_a_project_is_asked_of_the_index_that_pip_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "pip_default", lambda: "https://mirror.example/simple")
    server = Server({"https://mirror.example/simple/torch/": b"page"})
    assert Network(server).page("torch.json", "index:torch", {}) == b"page"


def test_metadata_lies_beside_the_wheel_or_is_cut_out_of_it() -> None:
    beside = Server({"https://mirror.example/files/a.whl.metadata": b"Name: a"})
    network = Network(beside, index="https://mirror.example/simple")
    assert network.metadata("a.whl", "index:torch|../../files/a.whl") == b"Name: a"
    cut = Network(Server({}), lambda file, url: f"{file} {url}".encode(), "https://mirror.example/simple")
    assert cut.metadata("a.whl", "index:torch|https://other.example/a.whl") == b"a.whl https://other.example/a.whl"


def test_an_address_is_never_shown() -> None:
    with pytest.raises(PageMissing, match=r"^x\.json: the server answers 404$"):
        Network(Server({})).page("x.json", "https://secret.example/x", {})

    def unreachable(url: str, headers: Mapping[str, str]) -> bytes:
        raise URLError("no route to secret.example")

    with pytest.raises(PageMissing, match=r"^x\.json: the server cannot be reached$"):
        Network(unreachable).page("x.json", "https://secret.example/x", {})


def test_only_the_web_is_fetched() -> None:
    with pytest.raises(PageMissing):
        get("file:///etc/passwd", {})


def test_a_page_is_fetched_with_its_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def urlopen(request: door.urllib.request.Request, timeout: float) -> io.BytesIO:
        seen.append((request.full_url, request.get_header("Accept"), timeout))
        return io.BytesIO(b"body")

    monkeypatch.setattr(door.urllib.request, "urlopen", urlopen)
    assert get("https://example.org/page", {"Accept": "text/html"}) == b"body"
    assert seen == [("https://example.org/page", "text/html", 60.0)]


def test_metadata_is_cut_out_by_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr("a-1.dist-info/METADATA", "Name: a\n")
    wheel = body.getvalue()
    monkeypatch.setattr(door.ranges, "fetch_size", lambda url: len(wheel))
    monkeypatch.setattr(door.ranges, "fetch_range", lambda url, start, end: wheel[start:end])
    assert cut_metadata("a.whl", "https://example.org/a.whl") == b"Name: a\n"
    wheel = b"not a wheel"
    with pytest.raises(PageMissing, match=r"a\.whl: its METADATA cannot be read"):
        cut_metadata("a.whl", "https://example.org/a.whl")


def test_saved_pages_are_a_folder_or_one_file() -> None:
    assert Saved(PAGES).page("ngc-token.json", "", {}) == page("ngc-token.json")
    assert Saved(PAGES / "ngc-token.json").page("any name", "", {}) == page("ngc-token.json")
    with pytest.raises(PageMissing, match="nothing is not among the saved pages"):
        Saved(PAGES).page("nothing", "", {})


def test_kept_pages_are_saved_pages(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    keeping = Kept(Saved(PAGES), folder)
    wheel = "torchvision-0.25.0-cp312-cp312-manylinux_2_28_x86_64.whl"
    for read in (lambda pages: pages.page("releases.json", "", {}), lambda pages: pages.metadata(wheel, "")):
        assert read(keeping) == read(Saved(folder)) == read(Saved(PAGES))
