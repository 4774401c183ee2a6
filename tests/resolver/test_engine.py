"""The door of the resolver: plain texts in, plain data out."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from resolver.engine import Asked, Checked, Engine
from resolver.errors import AmbiguousGpu, BadQuestion, InvalidRequest, NoStack, NotNvidia, UnknownGpu, UnknownVersion
from tests.resolver.factory import query, small, subject

ENGINE = small()
KEYS = ["verdict", "gpus", "stacks", "conflict", "fixes", "warnings", "notices", "data_version"]


@pytest.mark.parametrize("gpu, verdict", [("T4", "yes"), ("RTX 4090", "unknown"), ("Jetson Orin Nano", "unknown")])
def test_shape(gpu: str, verdict: str) -> None:
    answer = ENGINE.resolve(Asked([gpu]))
    assert list(answer) == KEYS
    assert answer["verdict"] == verdict
    assert json.loads(json.dumps(answer)) == answer
    assert answer["data_version"] == ENGINE.data_version == "2026.01.31"


def test_yes() -> None:
    answer = ENGINE.resolve(Asked(["T4"], limit=2))
    assert [stack["torch"]["version"] for stack in answer["stacks"]] == ["2.7.0", "2.6.0"]
    assert (answer["conflict"], answer["fixes"]) == (None, [])


def test_no() -> None:
    answer = ENGINE.resolve(Asked(["V100"], driver="590"))
    assert (answer["verdict"], answer["stacks"]) == ("no", [])
    assert answer["conflict"] is not None
    assert answer["fixes"]


def test_unknown_shows_what_may_fit_and_what_would_make_it_sure() -> None:
    answer = ENGINE.resolve(Asked(["T4"], torch="2.8.0"))
    assert [stack["verdict"] for stack in answer["stacks"]] == ["unknown"]
    assert [fix["kind"] for fix in answer["fixes"]] == ["torch"]


def test_a_sure_build_with_something_not_judged() -> None:
    answer = ENGINE.resolve(Asked(["T4"], packages=["vllm"]))
    assert answer["verdict"] == "unknown"
    assert answer["stacks"][0]["verdict"] == "yes"
    assert answer["fixes"] == []  # no change of what was asked makes it surer


def test_a_gpu_of_which_the_capability_is_in_doubt() -> None:
    rumour = ENGINE.index.hardware.gpus["geforce-rtx-4090"]
    answer = ENGINE.answer(replace(query("7.5"), subjects=(subject("7.5", rumour),)))
    assert answer["verdict"] == "unknown"
    assert answer["stacks"][0]["verdict"] == "unknown"


def test_understood() -> None:
    wanted = ENGINE.reader.read(Asked(["A100", "sm_90"]))
    assert ENGINE.understood(wanted, 0) == {
        "asked": "A100",
        "id": "a100-pcie-40gb",
        "name": wanted.subjects[0].name,
        "compute_capability": "8.0",
        "architecture": "Ampere",
        "candidates": ["A100 PCIe 40GB", "A100 SXM4 80GB"],
    }
    assert "candidates" not in ENGINE.understood(wanted, 1)


def test_check_uses_one_checker() -> None:
    assert ENGINE.check(Checked(gpu=["T4"]))["verdict"] == "yes"
    assert ENGINE.checker is ENGINE.checker


def test_dockerfile(engine: Engine) -> None:
    text = engine.dockerfile(Asked(["T4"], torch="2.6.0", driver="580", limit=9), base="pytorch")
    assert "FROM pytorch/pytorch:2.6.0-cuda" in text
    with pytest.raises(NoStack) as caught:
        ENGINE.dockerfile(Asked(["V100"], driver="590"))
    assert caught.value.answer["verdict"] == "no"


TYPES = {
    BadQuestion: "invalid-request",
    InvalidRequest: "invalid-request",
    UnknownGpu: "unknown-gpu",
    AmbiguousGpu: "ambiguous-gpu",
    NotNvidia: "not-nvidia",
    UnknownVersion: "unknown-version",
}


@pytest.mark.parametrize("kind", TYPES)
def test_errors(kind: type[BadQuestion]) -> None:
    error = kind("what is wrong", field="gpu", given="x", candidates=["a", "b"])
    assert error.type == TYPES[kind]
    assert (str(error), error.field, error.given, error.candidates) == ("what is wrong", "gpu", "x", ("a", "b"))
    assert isinstance(error, ValueError)
    assert kind("what is wrong").candidates == ()


def test_the_committed_data_is_loaded() -> None:
    assert Engine.load().data_version == Engine.load().catalogue.data_version
