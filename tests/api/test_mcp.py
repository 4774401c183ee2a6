"""The tools of the Model Context Protocol, asked by the protocol's own client: in this process, as a command, over HTTP."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import anyio
import pytest
import uvicorn
from fastapi.testclient import TestClient
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from api.answers import Answers
from api.app import create_app
from api.bodies import FileBody
from api.cli import main
from api.mcp import MAX_GPUS_LISTED, make_server
from api.settings import MAX_PASTE_BYTES, Settings
from api.views import Views
from resolver.artifacts.make import ARTIFACTS
from resolver.engine import Asked, Checked, Engine
from tests.api.test_contract import is_problem

ROOT = Path(__file__).parents[2]
TOOLS = {"resolve_stack", "check_stack", "diagnose", "make_dockerfile", "make_file", "list_gpus"}
Task = Callable[[Client], Awaitable[None]]


@pytest.fixture(scope="module")
def ask(engine: Engine) -> Callable[[Task], None]:
    """Runs a task with a client of the tools in this process."""
    tools = make_server(Answers(engine, 0))

    def run(task: Task) -> None:
        async def inside() -> None:
            async with Client(tools, raise_exceptions=True) as client:
                await task(client)

        anyio.run(inside)

    return run


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    assert found.structured_content is not None
    return found.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    found = await client.call_tool(tool, arguments)
    assert found.is_error
    assert found.structured_content is None
    (part,) = found.content
    return str(part.text)  # type: ignore[union-attr]  # an error is one text


def test_the_tools_say_what_they_take_and_give(ask: Callable[[Task], None]) -> None:
    async def task(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        for tool in tools:
            assert tool.description
            assert tool.input_schema["additionalProperties"] is False
            assert tool.output_schema
            assert tool.output_schema["properties"]["data_version"] == {"title": "Data Version", "type": "string"}
            assert tool.annotations
            assert tool.annotations.read_only_hint
            for name, part in tool.input_schema["properties"].items():
                assert part.get("description"), (tool.name, name)

    ask(task)


def test_answers_are_those_of_the_engine(ask: Callable[[Task], None], engine: Engine) -> None:
    async def task(client: Client) -> None:
        found = await call(client, "resolve_stack", gpu=["V100", "RTX 5090"], driver="575", limit=2)
        expected = engine.resolve(Asked(gpus=["V100", "RTX 5090"], driver="575", limit=2))
        assert [stack["torch"] for stack in found["stacks"]] == [stack["torch"] for stack in expected["stacks"]]
        assert found["verdict"] == expected["verdict"]
        found = await call(client, "check_stack", gpu="RTX 5090", torch="2.6.0+cu124")
        expected = engine.check(Checked(gpu=["RTX 5090"], torch="2.6.0+cu124"))
        assert found["verdict"] == expected["verdict"] == "no"
        assert [row["text"] for row in found["findings"]] == [row["text"] for row in expected["findings"]]
        told = {"gpu": "RTX 5090", "torch": "2.6.0+cu124"}
        earlier = [{"role": "user", "content": "hello"}]
        found = await call(
            client, "diagnose", message="no kernel image is available for execution", context=told, history=earlier
        )
        assert found["diagnosis"]["id"]
        assert found["language"] == "en"

    ask(task)


def test_files(ask: Callable[[Task], None], engine: Engine) -> None:
    assert get_args(FileBody.model_fields["file"].annotation) == tuple(ARTIFACTS)

    async def task(client: Client) -> None:
        found = await call(client, "make_dockerfile", gpu="RTX 5090", workload="build")
        assert found["text"] == engine.dockerfile(Asked(gpus=["RTX 5090"]), "cuda", "build")
        found = await call(client, "make_file", file="compose", gpu="RTX 5090", name="train")
        made = engine.artifact("compose", Asked(gpus=["RTX 5090"]), {"name": "train"})
        assert (found["text"], found["filename"], found["media_type"]) == (made.text, made.filename, made.media_type)
        said = await refused(client, "make_file", file="uv", gpu="RTX 5090", base="cuda")
        assert "it takes `name`" in said

    ask(task)


def test_gpus_are_cut_but_counted(ask: Callable[[Task], None]) -> None:
    async def task(client: Client) -> None:
        found = await call(client, "list_gpus", q="5090")
        assert "GeForce RTX 5090" in [gpu["name"] for gpu in found["gpus"]]
        found = await call(client, "list_gpus")
        assert len(found["gpus"]) == MAX_GPUS_LISTED < found["count"]
        assert (
            "Ampere"
            in json.loads((await refused(client, "list_gpus", architecture="Ampire")).partition(": ")[2])["candidates"]
        )

    ask(task)


def test_errors_name_candidates(ask: Callable[[Task], None]) -> None:
    async def task(client: Client) -> None:
        said = await refused(client, "resolve_stack", gpu=["T4", "RTX 5090 tj"])
        problem = json.loads(said.partition(": ")[2])
        assert problem["type"] == "unknown-gpu"
        assert problem["errors"][0]["path"] == "gpu[1]"
        assert problem["candidates"]
        problem = json.loads((await refused(client, "make_dockerfile", gpu="GTX 970", driver="590")).partition(": ")[2])
        assert problem["type"] == "no-stack"
        assert problem["fixes"]
        assert "drivr" in await refused(client, "resolve_stack", gpu="T4", drivr="570")
        assert "at most" in await refused(client, "resolve_stack", gpu="x" * 400)
        assert "control characters" in await refused(client, "check_stack", gpu="T4", torch="2\n6")
        assert "valid string" in await refused(client, "check_stack", gpu="T4", torch=2.6)

    ask(task)


def test_resources(ask: Callable[[Task], None], engine: Engine) -> None:
    views = Views(engine)
    odd = next(identity for identity in engine.catalogue.by_id if "/" in identity)

    async def task(client: Client) -> None:
        async def read(address: str) -> dict[str, Any]:
            (part,) = (await client.read_resource(address)).contents
            found: dict[str, Any] = json.loads(part.text)  # type: ignore[union-attr]  # JSON is text
            return found

        templates = (await client.list_resource_templates()).resource_templates
        assert {template.uri_template for template in templates} == {
            "whichcuda://claims/{+id}",
            "whichcuda://gpus/{id}",
        }
        for identity in ("gpu-has-cc:tesla-t4", odd):
            assert await read(f"whichcuda://claims/{identity}") == views.claim(identity)
        assert (await read("whichcuda://gpus/tesla-t4"))["name"] == "Tesla T4"
        with pytest.raises(MCPError, match="near: tesla-t4"):
            await read("whichcuda://gpus/t4")
        with pytest.raises(MCPError, match="no claim"):
            await read("whichcuda://claims/of/nobody")

    ask(task)


def test_making_the_tools_leaves_the_log_alone(engine: Engine) -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    make_server(Answers(engine, 0))
    assert (root.handlers, root.level) == (before, level)
    assert not logging.getLogger("mcp").isEnabledFor(logging.ERROR)  # it would write what was asked


# --- as a command ---------------------------------------------------------------------------------------------------


def test_over_standard_input_and_output() -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "api.cli", "mcp"], cwd=ROOT)

    async def task() -> None:
        async with Client(command) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
            found = await call(client, "resolve_stack", gpu="英伟达4090", limit=1)
            assert found["gpus"][0]["name"] == "GeForce RTX 4090"

    anyio.run(task)


def test_the_command_serves_until_the_input_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[str] = []
    monkeypatch.setattr("api.mcp.MCPServer.run", lambda self, transport: served.append(f"{self.name} {transport}"))
    assert main(["mcp"]) == 0
    assert served == ["whichcuda stdio"]


def test_without_the_library_it_says_how_to_install_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "api.mcp", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert main(["mcp"]) == 2
    assert "pip install 'whichcuda[mcp]'" in capsys.readouterr().err
    fresh = TestClient(create_app(engine, Settings()))
    assert "whichcuda[mcp]" in is_problem(fresh.post("/mcp", json={}), 404, "not-found")["detail"]


def test_nothing_is_loaded_before_it_is_needed() -> None:
    code = "import sys, api.app; api.app.create_app(); sys.exit('mcp' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


# --- over HTTP ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(engine: Engine) -> Iterator[str]:
    """The service on a port of this machine."""
    taken = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(engine, Settings(log_requests=False)), log_level="critical", lifespan="off")
    service = uvicorn.Server(config)
    thread = threading.Thread(target=service.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    while not service.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{taken.getsockname()[1]}/mcp"
    service.should_exit = True
    thread.join(timeout=10)
    taken.close()


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Client]:
    async with Client(address) as client:
        yield client


def test_over_http(address: str) -> None:
    async def task() -> None:
        async with connected(address) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
            found = await call(client, "resolve_stack", gpu="RTX 5090", driver="570", limit=1)
            assert found["verdict"] == "yes"
            assert "unknown-gpu" in await refused(client, "resolve_stack", gpu="RTX 9999")

    anyio.run(task)


MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}


@pytest.mark.parametrize(
    ("settings", "headers", "status"),
    [
        (Settings(), {"host": "127.0.0.1:8000"}, 200),
        (Settings(), {"host": "localhost"}, 200),
        (Settings(), {"host": "localhost:8000", "origin": "http://localhost:3000"}, 200),
        (Settings(), {"host": "gpu.example.org"}, 421),
        (Settings(), {"host": "localhost:8000", "origin": "https://evil.example"}, 403),
        (Settings(mcp_hosts=("gpu.example.org",)), {"host": "gpu.example.org"}, 200),
        (
            Settings(mcp_hosts=("gpu.example.org",)),
            {"host": "gpu.example.org:443", "origin": "https://gpu.example.org"},
            200,
        ),
    ],
)
def test_only_under_its_own_names(engine: Engine, settings: Settings, headers: dict[str, str], status: int) -> None:
    client = TestClient(create_app(engine, settings))
    response = client.post("/mcp", json=MESSAGE, headers={**HEADERS, **headers})
    assert response.status_code == status, response.text
    if status == 200:
        assert response.headers["content-type"] == "application/json"
        assert {tool["name"] for tool in response.json()["result"]["tools"]} == TOOLS


def test_what_is_no_message(client: TestClient) -> None:
    local = {**HEADERS, "host": "localhost"}
    document = is_problem(client.get("/mcp", headers=local), 405, "method-not-allowed")
    assert document["instance"] == "/mcp"
    assert client.get("/mcp", headers=local).headers["allow"] == "POST"
    assert client.post("/mcp", content=b"{", headers={**local, "content-type": "application/json"}).status_code == 400
    whole = b'{"jsonrpc": "2.0", "x": "' + b"x" * MAX_PASTE_BYTES + b'"}'
    response = client.post("/mcp", content=whole, headers={**local, "content-type": "application/json"})
    assert response.status_code == 413


def test_settings_name_hosts() -> None:
    hosts = Settings.from_environment({"WHICHCUDA_MCP_HOSTS": "gpu.example.org, other.example.org"}).mcp_hosts
    assert hosts == ("gpu.example.org", "other.example.org")
    with pytest.raises(ValueError, match="without scheme"):
        Settings.from_environment({"WHICHCUDA_MCP_HOSTS": "https://gpu.example.org"})
