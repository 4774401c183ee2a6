"""One walk over all routes: every success tells the data version, every failure is a problem document."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from httpx2 import Response

from api.problems import PROBLEMS
from api.schemas.assistant import AskAnswer
from api.schemas.knowledge import ClaimAnswer, GpuAnswer, GpusAnswer, SourceAnswer, SourcesAnswer, SuggestedAnswer
from api.schemas.matrix import DriverMatrixAnswer, TorchMatrixAnswer
from api.schemas.problems import ProblemDocument
from api.schemas.stacks import CheckAnswer, ResolveAnswer
from resolver.engine import Engine

# every route: a request that it answers, and one that it must refuse with its status and type
GOOD: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/resolve"): {"json": {"gpu": "rtx5090"}},
    ("GET", "/resolve"): {"params": {"gpu": "rtx5090"}},
    ("POST", "/check"): {"json": {"gpu": "rtx5090", "torch": "2.6.0+cu124"}},
    ("GET", "/check"): {"params": {"gpu": "rtx5090", "torch": "2.6.0+cu124"}},
    ("POST", "/build"): {"json": {"gpu": "rtx5090"}},
    ("GET", "/build"): {"params": {"gpu": "rtx5090"}},
    ("POST", "/dockerfile"): {"json": {"gpu": "rtx5090"}},
    ("GET", "/dockerfile"): {"params": {"gpu": "rtx5090"}},
    ("GET", "/artifacts"): {},
    ("POST", "/artifacts/{kind}"): {"path": "/artifacts/compose", "json": {"gpu": "rtx5090"}},
    ("GET", "/artifacts/{kind}"): {"path": "/artifacts/uv", "params": {"gpu": "rtx5090"}},
    ("POST", "/ask"): {"json": {"message": "which CUDA for a GTX 1080 Ti?"}},
    ("GET", "/matrix/torch"): {"params": {"gpu": "rtx5090"}},
    ("GET", "/matrix/drivers"): {},
    ("GET", "/gpus"): {"params": {"q": "5090"}},
    ("GET", "/gpus/suggested"): {"params": {"q": "rtx 50"}},
    ("GET", "/gpus/{id}"): {"path": "/gpus/geforce-rtx-5090"},
    ("GET", "/claims/{id:path}"): {"path": "/claims/gpu-has-cc:geforce-rtx-5090"},
    ("GET", "/sources"): {},
    ("GET", "/sources/{id}"): {"path": "/sources/nvidia-cuda-gpus"},
    ("GET", "/catalogue.json"): {},
    ("GET", "/"): {},
    ("GET", "/version"): {},
    ("GET", "/healthz"): {},
    ("GET", "/readyz"): {},
}
BAD: dict[tuple[str, str], tuple[dict[str, Any], int, str]] = {
    ("POST", "/resolve"): ({"json": {"gpu": "rtx 9999"}}, 422, "unknown-gpu"),
    ("GET", "/resolve"): ({"params": {"gpu": "rx 7900 xtx"}}, 422, "not-nvidia"),
    ("POST", "/check"): ({"json": {"gpu": "t4", "driver": "12.8"}}, 422, "unknown-version"),
    ("GET", "/check"): ({}, 422, "invalid-request"),
    ("POST", "/build"): ({"json": {"gpu": "rtx5090", "compiler": "tcc"}}, 422, "invalid-request"),
    ("GET", "/build"): ({"params": {"gpu": "rtx5090", "compiler": "tcc"}}, 422, "invalid-request"),
    ("POST", "/dockerfile"): ({"json": {"gpu": "rtx5090", "torch": "2.6.0+cu124"}}, 422, "no-stack"),
    ("GET", "/dockerfile"): ({"params": {"gpu": "rtx5090", "base": "alpine"}}, 422, "invalid-request"),
    ("POST", "/artifacts/{kind}"): (
        {"path": "/artifacts/compose", "json": {"gpu": "rtx5090", "torch": "2.6.0+cu124"}},
        422,
        "no-stack",
    ),
    ("GET", "/artifacts/{kind}"): ({"path": "/artifacts/helm", "params": {"gpu": "t4"}}, 404, "not-found"),
    ("POST", "/ask"): ({"json": {"message": ""}}, 422, "invalid-request"),
    ("GET", "/matrix/torch"): ({"params": {"gpu": "a100", "variant": "cu999"}}, 422, "unknown-version"),
    ("GET", "/matrix/drivers"): ({"params": {"os": "plan9"}}, 422, "invalid-request"),
    ("GET", "/gpus"): ({"params": {"architecture": "Ampire"}}, 422, "invalid-request"),
    ("GET", "/gpus/suggested"): ({}, 422, "invalid-request"),
    ("GET", "/gpus/{id}"): ({"path": "/gpus/rtx5090"}, 404, "not-found"),
    ("GET", "/sources/{id}"): ({"path": "/sources/hearsay"}, 404, "not-found"),
    ("GET", "/claims/{id:path}"): ({"path": "/claims/of/nobody"}, 404, "not-found"),
}
# these speak the language of another interface: `test_openai` holds them to it
OPENAI = {"/v1/models", "/v1/models/{id}", "/v1/chat/completions"}


def ask(client: TestClient, route: tuple[str, str], request: dict[str, Any]) -> Response:
    rest = dict(request)
    return client.request(route[0], rest.pop("path", route[1]), **rest)


def is_problem(response: Response, status: int, kind: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    document: dict[str, Any] = response.json()
    ProblemDocument.model_validate(document, strict=True)
    assert list(document)[:7] == ["type", "title", "status", "detail", "instance", "candidates", "errors"]
    assert (document["type"], document["status"]) == (kind, status)
    assert document["title"] == PROBLEMS[kind][0]
    assert document["detail"]
    return document


def test_every_route_has_its_requests(app: FastAPI) -> None:
    paths = set(app.openapi()["paths"])
    assert paths == {path.replace(":path", "") for _, path in GOOD} | OPENAI
    assert not [route for route in app.routes if isinstance(route, APIRoute)], "routes live in api.routes"


@pytest.mark.parametrize("route", GOOD, ids=" ".join)
def test_success_tells_the_data_version(client: TestClient, engine: Engine, route: tuple[str, str]) -> None:
    response = ask(client, route, GOOD[route])
    assert response.status_code == 200, response.text
    if route[1] == "/dockerfile":
        assert response.headers["content-type"] == "text/plain; charset=utf-8"
        assert engine.data_version in response.text
    elif route[1] == "/artifacts/{kind}":
        assert engine.data_version in response.text
    else:
        assert response.headers["content-type"] == "application/json"
        assert response.json()["data_version"] == engine.data_version


@pytest.mark.parametrize("route", BAD, ids=" ".join)
def test_failure_is_a_problem(client: TestClient, route: tuple[str, str]) -> None:
    request, status, kind = BAD[route]
    is_problem(ask(client, route, request), status, kind)


@pytest.mark.parametrize("path", ["/nothing", "/resolve/", "/v1", "/gpus/a/b"])
def test_unknown_addresses(client: TestClient, path: str) -> None:
    document = is_problem(client.get(path), 404, "not-found")
    assert document["instance"] == path


@pytest.mark.parametrize("route", GOOD, ids=" ".join)
def test_other_methods(client: TestClient, route: tuple[str, str]) -> None:
    path = GOOD[route].get("path", route[1])
    response = client.delete(path)
    is_problem(response, 405, "method-not-allowed")
    allowed = {method for method, other in GOOD if other == route[1]}
    assert set(response.headers["allow"].split(", ")) == allowed | ({"HEAD"} if "GET" in allowed else set())


def test_answers_are_as_described(client: TestClient) -> None:
    asked = client.post("/ask", json={"message": "no kernel image is available", "context": {"gpu": "rtx5090"}})
    AskAnswer.model_validate_json(asked.content, strict=True)
    answers = {
        ResolveAnswer: "/resolve?gpu=v100,rtx5090&os=ubuntu-24.04",
        CheckAnswer: "/check?gpu=rtx5090&torch=2.6.0%2Bcu124&image=nvidia/cuda:12.8.1-runtime-ubuntu24.04",
        GpusAnswer: "/gpus",
        SuggestedAnswer: "/gpus/suggested?q=4090&limit=3",
        GpuAnswer: "/gpus/tesla-t4",
        TorchMatrixAnswer: "/matrix/torch",
        DriverMatrixAnswer: "/matrix/drivers",
        ClaimAnswer: "/claims/gpu-has-cc:tesla-t4",
        SourcesAnswer: "/sources",
        SourceAnswer: "/sources/nvidia-cuda-gpus",
    }
    for model, address in answers.items():
        response = client.get(address)
        assert response.status_code == 200, response.text
        model.model_validate_json(response.content, strict=True)


@pytest.mark.parametrize("driver", [None, "470", "535.183.01", "580"])
@pytest.mark.parametrize("torch", [None, "2.6.0", "2.15"])
@pytest.mark.parametrize(
    "gpu", ["k80", "gtx 1080 ti", "t4", "a100", "h100", "rtx5090", "jetson orin nano", "gtx 480", "sm_90"]
)
def test_every_kind_of_answer_is_as_described(
    client: TestClient, gpu: str, torch: str | None, driver: str | None
) -> None:
    question = {"gpu": gpu, "torch": torch, "driver": driver}
    resolved, checked = client.post("/resolve", json=question), client.post("/check", json=question)
    ResolveAnswer.model_validate_json(resolved.content, strict=True)
    CheckAnswer.model_validate_json(checked.content, strict=True)


def test_no_is_an_answer(client: TestClient) -> None:
    answer = client.post("/resolve", json={"gpu": "gtx 970", "driver": "590"}).json()
    assert answer["verdict"] == "no"
    assert answer["stacks"] == []
    assert [part["name"] for part in answer["conflict"]["constraints"]] == ["driver", "gpu"]
    assert answer["fixes"][0]["kind"] == "driver"


def test_no_stack_brings_conflict_and_fixes(client: TestClient) -> None:
    response = client.post("/dockerfile", json={"gpu": "gtx 970", "driver": "590"})
    document = is_problem(response, 422, "no-stack")
    assert document["verdict"] == "no"
    assert document["conflict"]["causes"]
    assert document["fixes"]
    assert document["data_version"]


def test_get_and_post_are_one(client: TestClient) -> None:
    body = {
        "gpu": ["v100", "rtx5090"],
        "torch": "2.10.0+cu128",
        "driver": "575",
        "limit": 2,
        "packages": ["a>=1,<2", "b"],
    }
    query = "/resolve?gpu=v100&gpu=rtx5090&torch=2.10.0+cu128&driver=575&limit=2&packages=a>=1,<2,b"
    assert client.get(query).content == client.post("/resolve", json=body).content


def test_unknown_gpu_names_candidates_and_place(client: TestClient) -> None:
    document = is_problem(client.post("/resolve", json={"gpu": ["t4", "rtx 5090 tj"]}), 422, "unknown-gpu")
    assert document["errors"][0]["path"] == "gpu[1]"
    assert document["errors"][0]["given"] == "rtx 5090 tj"


def test_gpus_filters(client: TestClient) -> None:
    def names(**params: str) -> list[str]:
        answer = client.get("/gpus", params=params).json()
        assert answer["count"] == len(answer["gpus"])
        return [row["name"] for row in answer["gpus"]]

    assert "GeForce RTX 5090" in names(q="rtx 5090")
    assert names(q="GB202 rtx5090", architecture="blackwell")
    assert names(q="2b85") == ["GeForce RTX 5090"]
    assert names(compute_capability="9.0")
    assert names(q="no such name") == []
    assert len(names()) == len(set(names())) > 900
    problem = client.get("/gpus", params={"compute_capability": "9.1"}).json()
    assert "9.0" in problem["candidates"]


def test_one_gpu(client: TestClient) -> None:
    gpu = client.get("/gpus/geforce-rtx-5090").json()
    assert gpu["compute_capability"] == "12.0"
    assert gpu["driver"]["linux"]["first"].startswith("570.")
    assert gpu["kernel_module"]["works_with"] == ["open"]
    assert gpu["pci_ids"] == ["10de:2b85"]
    assert gpu["specs"]["memory_type"] == "GDDR7"
    assert all(claim["evidence"] for claim in gpu["claims"])
    for address in (*gpu["links"].values(), *(claim["links"]["self"] for claim in gpu["claims"])):
        assert client.get(address).status_code == 200, address


def test_unknown_ids_propose_known_ones(client: TestClient) -> None:
    assert client.get("/gpus/rtx5090").json()["candidates"] == ["geforce-rtx-5090"]
    assert client.get("/gpus/a%20banana").json()["candidates"] == []


def test_every_claim_can_be_looked_up(client: TestClient, engine: Engine) -> None:
    answer = client.post("/resolve", json={"gpu": "rtx5090", "driver": "570"}).json()
    named = {because["claim"] for stack in answer["stacks"] for because in stack["because"]}
    assert len(named) > 5
    for identity in sorted(filter(None, named)):
        assert client.get(f"/claims/{identity}").json()["id"] == identity
    odd = next(identity for identity in engine.catalogue.by_id if "/" in identity)
    assert client.get(f"/claims/{odd}").json()["id"] == odd
