"""The OpenAPI document: real examples, problems everywhere, and a service that keeps to it under random requests."""

from __future__ import annotations

import json
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from jsonschema import Draft202012Validator
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.app import create_app
from api.examples import EXAMPLES
from api.problems import PROBLEMS
from api.settings import Settings
from assistant.assistant import Assistant
from resolver.engine import Asked, Checked, Engine


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def test_is_made_once(app: FastAPI) -> None:
    assert app.openapi() is app.openapi()


def test_errors_are_problems(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            errors = {status: answer for status, answer in operation["responses"].items() if status[0] in "45"}
            without = path in ("/", "/version", "/healthz", "/artifacts", "/catalogue.json")
            assert without or errors, f"{method} {path} tells no errors"
            for answer in errors.values():
                kind = "application/json" if "openai" in operation["tags"] else "application/problem+json"
                assert list(answer["content"]) == [kind]
    types = document["components"]["schemas"]["ProblemDocument"]["properties"]["type"]["enum"]
    assert types == list(PROBLEMS)
    assert "HTTPValidationError" not in document["components"]["schemas"]


@pytest.mark.parametrize("path", EXAMPLES)
def test_examples_are_what_the_engine_says(document: dict[str, Any], engine: Engine, path: str) -> None:
    operation = document["paths"][path]["post"]
    body = operation["requestBody"]["content"]["application/json"]
    (answer,) = operation["responses"]["200"]["content"].values()
    assert list(body["examples"]) == list(answer["examples"]) == list(EXAMPLES[path])
    described = {"$ref": body["schema"]["$ref"], "components": document["components"]}
    for name, example in body["examples"].items():
        question = dict(example["value"])
        Draft202012Validator(described).validate(question)
        if path == "/ask":
            found = Assistant(engine).ask(question["message"], (), question.get("context"))
            assert answer["examples"][name]["value"] == json.loads(json.dumps(found))
            continue
        gpus = question.pop("gpu")
        gpus = [gpus] if isinstance(gpus, str) else gpus
        shown = answer["examples"][name]["value"]
        if path == "/resolve":
            assert shown == json.loads(json.dumps(engine.resolve(Asked(gpus, **question))))
        elif path == "/check":
            assert shown == json.loads(json.dumps(engine.check(Checked(gpus, **question))))
        elif path == "/build":
            compiler = question.pop("compiler", None)
            assert shown == json.loads(json.dumps(engine.build(Asked(gpus, **question), compiler)))
        else:
            workload = question.pop("workload", "run")
            assert shown == engine.dockerfile(Asked(gpus, **question), "cuda", workload)


def test_examples_hold_a_yes_and_a_no(document: dict[str, Any]) -> None:
    for path in ("/resolve", "/check"):
        examples = document["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]["examples"]
        assert {example["value"]["verdict"] for example in examples.values()} == {"yes", "no"}


schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(settings=Settings(log_requests=False)))


@pytest.mark.fuzz
@schema.parametrize()
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_random_requests_keep_to_the_document(case: schemathesis.Case) -> None:
    case.call_and_validate(
        checks=[not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    )
