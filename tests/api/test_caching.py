"""The same request gives the same bytes: entity tags, 304, HEAD, and the answers kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.rendering import BYTES_PER_ENTRY, AnswerCache, Rendered, rendered_json, rendered_text
from api.settings import Settings
from resolver.engine import Engine

CACHEABLE = [
    "/resolve?gpu=rtx5090",
    "/check?gpu=t4",
    "/dockerfile?gpu=t4",
    "/artifacts/uv?gpu=t4",
    "/artifacts",
    "/gpus",
    "/gpus/tesla-t4",
    "/version",
    "/",
]


@pytest.mark.parametrize("address", CACHEABLE)
def test_entity_tags(client: TestClient, address: str) -> None:
    first = client.get(address)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "public, max-age=300"
    for condition in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = client.get(address, headers={"if-none-match": condition})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    other = client.get(address, headers={"if-none-match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("address", CACHEABLE)
def test_head(client: TestClient, address: str) -> None:
    got, head = client.get(address), client.head(address)
    assert (head.status_code, head.content) == (200, b"")
    assert {**head.headers} == {**got.headers}


def test_different_answers_have_different_tags(client: TestClient) -> None:
    tags = {client.get("/resolve", params={"gpu": "t4", "limit": limit}).headers["etag"] for limit in (1, 2, 3)}
    assert len(tags) == 3


def test_posts_and_problems_are_not_kept_by_caches(client: TestClient) -> None:
    posted = client.post("/resolve", json={"gpu": "t4"})
    assert "etag" not in posted.headers
    assert client.get("/resolve?gpu=zzz").headers["cache-control"] == "no-store"


def test_same_bytes_from_a_new_engine(client: TestClient) -> None:
    fresh = TestClient(create_app(Engine.load(), Settings(cache_entries=0)))
    for address in CACHEABLE:
        assert fresh.get(address).content == client.get(address).content
    assert fresh.get("/openapi.json").content == client.get("/openapi.json").content


def test_an_answer_is_made_once() -> None:
    class Counting:
        asked = 0

        def answer(self) -> Rendered:
            self.asked += 1
            return rendered_json({"n": self.asked})

    cache, counting = AnswerCache(2), Counting()
    first = cache.get("a", counting.answer)
    assert cache.get("a", counting.answer) is first
    assert counting.asked == 1
    cache.get("b", counting.answer)
    cache.get("a", counting.answer)  # now the most recent: b goes first
    cache.get("c", counting.answer)
    assert cache.get("a", counting.answer) is first
    cache.get("b", counting.answer)
    assert counting.asked == 4
    assert len(cache) == 2


def text_of(size: int) -> Callable[[], Rendered]:
    return lambda: rendered_text("x" * size)


def test_kept_answers_are_bounded_in_bytes_too() -> None:
    cache = AnswerCache(4)
    for number in range(4):
        cache.get(number, text_of(2 * BYTES_PER_ENTRY))
    assert len(cache) == 2
    assert cache.size == 4 * BYTES_PER_ENTRY
    cache.get("larger than all", text_of(5 * BYTES_PER_ENTRY))
    assert (len(cache), cache.size) == (0, 0)


def test_what_fails_is_not_kept() -> None:
    def fail() -> Rendered:
        raise LookupError

    cache = AnswerCache(4)
    with pytest.raises(LookupError):
        cache.get("a", fail)
    assert len(cache) == 0


def test_settings() -> None:
    assert Settings.from_environment({}) == Settings(4096, True)
    assert Settings.from_environment({"WHICHCUDA_LOG_REQUESTS": "0"}).log_requests is False
    for name, value in (
        ("WHICHCUDA_CACHE_ENTRIES", "-1"),
        ("WHICHCUDA_CACHE_ENTRIES", "many"),
        ("WHICHCUDA_LOG_REQUESTS", "yes"),
    ):
        with pytest.raises(ValueError, match=name):
            Settings.from_environment({name: value})
