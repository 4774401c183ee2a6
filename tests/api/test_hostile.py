"""Bad input: a clear problem, nothing guessed, nothing repeated that could harm."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from api.settings import MAX_BODY_BYTES
from tests.api.test_contract import is_problem

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ({}, "gpu", "is required"),
        ({"gpu": []}, "gpu", "at least 1 item"),
        ({"gpu": ""}, "gpu", "must not be empty"),
        ({"gpu": "  "}, "gpu", "must not be empty"),
        ({"gpu": ["t4"] * 300}, "gpu", "at most 64 items, not 300"),
        ({"gpu": "x" * 10_000}, "gpu", "at most 300 characters"),
        ({"gpu": ["t4", "x" * 10_000]}, "gpu[1]", "at most 300 characters"),
        ({"gpu": "t4\x00"}, "gpu", "control characters"),
        ({"gpu": "t4\nrtx5090"}, "gpu", "one line"),
        ({"gpu": "\x1b[31mt4"}, "gpu", "control characters"),
        ({"gpu": "t4\u202e5090"}, "gpu", "control characters"),
        ({"gpu": 5090}, "gpu", 'write "5090" in quotes'),
        ({"gpu": ["t4", 5090]}, "gpu[1]", 'write "5090" in quotes'),
        ({"gpu": None}, "gpu", "text or a list of texts"),
        ({"gpu": {"name": "t4"}}, "gpu", "text or a list of texts"),
        ({"gpu": [["t4"]]}, "gpu[0]", "must be text"),
        ({"gpu": "t4", "cuda": 12.8}, "cuda", 'write "12.8" in quotes'),
        ({"gpu": "t4", "driver": 570}, "driver", 'write "570" in quotes'),
        ({"gpu": "t4", "driver": True}, "driver", "must be text"),
        ({"gpu": "t4", "limit": True}, "limit", "whole number"),
        ({"gpu": "t4", "limit": "5"}, "limit", "whole number"),
        ({"gpu": "t4", "limit": 2.5}, "limit", "whole number"),
        ({"gpu": "t4", "limit": 0}, "limit", "greater than or equal to 1"),
        ({"gpu": "t4", "limit": 10**30}, "limit", "less than or equal to 50"),
        ({"gpu": "t4", "prefer": "cheapest"}, "prefer", "'newest' or 'conservative'"),
        ({"gpu": "t4", "packages": ["vllm"] * 99}, "packages", "at most 32 items"),
        ({"gpu": "t4", "drivr": "570"}, "drivr", "did you mean `driver`?"),
        ({"gpu": "t4", "zzz": "570"}, "zzz", "is not a field here"),
        ([], "", "must be an object"),
        ("t4", "", "must be an object"),
        (None, "", "must be an object"),
    ],
)
def test_wrong_bodies(client: TestClient, body: Any, path: str, words: str) -> None:
    response = client.post("/resolve", content=json.dumps(body), headers=JSON)
    document = is_problem(response, 422, "invalid-request")
    assert [part["path"] for part in document["errors"]] == [path]
    assert words in document["errors"][0]["message"]
    assert words in document["detail"]
    assert len(response.content) < 2_000


@pytest.mark.parametrize(
    ("body", "kind", "path"),
    [
        ({"gpu": "t4", "torch": ">=2.8,<2.7"}, "invalid-request", "torch"),
        ({"gpu": "t4", "os": "macos"}, "invalid-request", "os"),
        ({"gpu": "t4", "machine": "riscv"}, "invalid-request", "machine"),
        ({"gpu": "t4", "driver": "12.8"}, "unknown-version", "driver"),
        ({"gpu": "t4", "driver": "latest"}, "unknown-version", "driver"),
        ({"gpu": "t4", "torch": "2.99.banana"}, "invalid-request", "torch"),
        ({"gpu": "x' OR 1=1 --"}, "unknown-gpu", "gpu"),
        ({"gpu": "../../etc/passwd"}, "unknown-gpu", "gpu"),
        ({"gpu": "rx 7900 xtx"}, "not-nvidia", "gpu"),
    ],
)
def test_unreadable_questions(client: TestClient, body: Any, kind: str, path: str) -> None:
    document = is_problem(client.post("/resolve", json=body), 422, kind)
    assert document["errors"][0]["path"] == path


@pytest.mark.parametrize(
    "content", [b'{"gpu": "t4"', b"gpu=t4", b"\xff\xfe", b"[" * 30_000, b'{"gpu": ' + b"9" * 10_000 + b"}"]
)
def test_not_json(client: TestClient, content: bytes) -> None:
    is_problem(client.post("/resolve", content=content, headers=JSON), 400, "invalid-request")


def test_no_body(client: TestClient) -> None:
    assert "a body such as" in is_problem(client.post("/resolve"), 422, "invalid-request")["detail"]


def test_lone_surrogates_and_not_a_number(client: TestClient) -> None:
    for content in (b'{"gpu": "\\ud800"}', b'{"gpu": NaN}', b'{"gpu": "t4", "limit": Infinity}'):
        is_problem(client.post("/resolve", content=content, headers=JSON), 422, "invalid-request")


def test_many_faults_are_cut(client: TestClient) -> None:
    body = {f"f{number}": 1 for number in range(6_000)}
    start = time.process_time()
    document = client.post("/resolve", json=body).json()
    assert time.process_time() - start < 1, "the time must not grow with the square of the faults"
    assert len(document["errors"]) == 20
    assert document["detail"].endswith("; and 5981 more")
    named = client.post("/resolve", json={"x" * 90 + str(number): 1 for number in range(20)}).json()["detail"]
    assert named.endswith("...; and 1 more")
    assert len(named) < 1_020


@pytest.mark.parametrize("path", ["/resolve", "/check", "/dockerfile", "/artifacts/kubernetes"])
def test_large_bodies(client: TestClient, path: str) -> None:
    whole = b'{"gpu": "' + b"x" * MAX_BODY_BYTES + b'"}'
    is_problem(client.post(path, content=whole, headers=JSON), 413, "too-large")
    pieces = (whole[start : start + 5_000] for start in range(0, len(whole), 5_000))
    is_problem(client.post(path, content=pieces, headers=JSON), 413, "too-large")


@pytest.mark.parametrize("kind", ["text/xml", "multipart/form-data; boundary=x", "text/plain"])
def test_other_media_types(client: TestClient, kind: str) -> None:
    response = client.post("/resolve", content=b'{"gpu": "t4"}', headers={"content-type": kind})
    assert "application/json" in is_problem(response, 422, "invalid-request")["detail"]


@pytest.mark.parametrize("headers", [JSON, {}, {"content-type": "application/x-www-form-urlencoded"}])
def test_json_without_its_type(client: TestClient, headers: dict[str, str]) -> None:
    """`curl -d` calls everything a form."""
    assert client.post("/resolve", content=b'{"gpu": "t4"}', headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("query", "path", "words"),
    [
        ("gpu=t4&driver=570&driver=580", "driver", "more than once"),
        ("gpu=t4&limit=five", "limit", "whole number"),
        ("gpu=t4&limit=5.5", "limit", "whole number"),
        ("gpu=", "gpu[0]", "must not be empty"),
        ("gpu=t4,,a100", "gpu[1]", "must not be empty"),
        ("gpu=" + "t4," * 70 + "t4", "gpu", "at most 64 items, not 71"),
        ("gpu=t4%00", "gpu[0]", "control characters"),
        ("gpu=t4&drivr=570", "drivr", "did you mean `driver`?"),
    ],
)
def test_wrong_queries(client: TestClient, query: str, path: str, words: str) -> None:
    document = is_problem(client.get(f"/resolve?{query}"), 422, "invalid-request")
    assert [part["path"] for part in document["errors"]] == [path]
    assert words in document["errors"][0]["message"]


texts = st.text(max_size=40) | st.sampled_from(
    ["rtx5090", "V100", "sm_90", "570", "2.6.0+cu124", ">=2.8", "3.12", "linux"]
)
values = st.none() | st.booleans() | st.integers() | st.floats() | texts | st.lists(texts, max_size=3)
FIELDS = [
    "gpu",
    "os",
    "machine",
    "driver",
    "python",
    "torch",
    "cuda",
    "packages",
    "prefer",
    "limit",
    "image",
    "base",
    "name",
    "mig",
    "count",
    "x",
]


@given(
    path=st.sampled_from(["/resolve", "/check", "/dockerfile", "/artifacts/kubernetes"]),
    body=st.dictionaries(st.sampled_from(FIELDS), values),
)
def test_nothing_makes_it_fail(client: TestClient, path: str, body: dict[str, Any]) -> None:
    content = json.dumps({"gpu": "t4", **body}).encode()
    response = client.post(path, content=content, headers=JSON)
    assert response.status_code in (200, 422), response.text
    if response.status_code == 422:
        is_problem(response, 422, response.json()["type"])


@given(name=st.text(min_size=1, max_size=300))
def test_any_name_is_read_or_refused(client: TestClient, name: str) -> None:
    response = client.get("/resolve", params={"gpu": name})
    assert response.status_code in (200, 422), response.text
