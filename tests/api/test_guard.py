"""Failures of the service itself, moved ids, and what is written to the log."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from api.app import create_app
from api.guard import Guard
from api.settings import Settings
from matrices.catalogue import Catalogue
from resolver.engine import Engine
from tests.api.test_contract import is_problem

SECRET = "the private card of jane.doe"


class Broken(Engine):
    """An engine that fails on every question, with the question in its words."""

    def resolve(self, asked: Any) -> dict[str, Any]:
        raise RuntimeError(f"cannot think about {asked.gpus}")


@pytest.fixture(scope="module")
def broken(engine: Engine) -> TestClient:
    return TestClient(create_app(Broken(engine.catalogue), Settings()), raise_server_exceptions=False)


def test_failures_are_problems(broken: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "whichcuda"):
        response = broken.post("/resolve", json={"gpu": SECRET})
    document = is_problem(response, 500, "internal-error")
    assert "jane" not in response.text
    assert document["instance"] == "/resolve"
    assert "RuntimeError in POST /resolve" in caplog.text
    assert "tests/api/test_guard.py" in caplog.text.replace("\\", "/")
    assert "jane" not in caplog.text


def test_not_ready(broken: TestClient) -> None:
    is_problem(broken.get("/readyz"), 503, "not-ready")
    assert broken.get("/healthz").status_code == 200


def test_log_has_no_user_text(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "whichcuda"):
        client.get("/resolve", params={"gpu": SECRET})
        client.post("/resolve", json={"gpu": SECRET})
        client.get("/gpus/jane.doe")
        client.get("/jane.doe")
    lines = [
        record.getMessage().rpartition(" ms")[0].rpartition(" ")[0]
        for record in caplog.records
        if record.name == "whichcuda"
    ]
    assert lines == ["GET /resolve 422", "POST /resolve 422", "GET /gpus/{id} 404", "GET - 404"]


def test_no_log_where_none_is_wanted(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    quiet = TestClient(create_app(engine, Settings(log_requests=False)))
    with caplog.at_level(logging.INFO, "whichcuda"):
        quiet.get("/version")
    assert not [record for record in caplog.records if record.name == "whichcuda"]


def test_moved_ids_lead_on() -> None:
    plain = dict(Engine.load().catalogue._plain)
    plain["moved"] = {"old-5090": "geforce-rtx-5090", "gpu-has-cc:old-5090": "gpu-has-cc:geforce-rtx-5090"}
    client = TestClient(create_app(Engine(Catalogue(plain)), Settings()), follow_redirects=False)
    for old, new in (
        ("/gpus/old-5090", "/gpus/geforce-rtx-5090"),
        ("/claims/gpu-has-cc:old-5090", "/claims/gpu-has-cc:geforce-rtx-5090"),
    ):
        response = client.get(old)
        assert (response.status_code, response.headers["location"]) == (308, new)
        assert client.get(new).status_code == 200


def test_a_failure_after_the_start_is_passed_on() -> None:
    sent: list[Message] = []

    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    with pytest.raises(RuntimeError):
        asyncio.run(Guard(failing)(scope, receive, send))
    assert [message["type"] for message in sent] == ["http.response.start"]


def test_other_protocols_pass() -> None:
    with TestClient(create_app(Engine.load(), Settings())) as client:  # runs the lifespan
        assert client.get("/healthz").status_code == 200
