"""Files over HTTP and on the command line: the same bytes, the right media type and name, problems where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from fastapi.testclient import TestClient

from api import cli
from api.bodies import MAX_COUNT, ArtifactBody
from api.cli import main
from api.commands.artifact import NEXT
from api.schemas.files import ArtifactsAnswer
from resolver.artifacts.bases import KINDS
from resolver.artifacts.make import ARTIFACTS
from resolver.artifacts.options import OPTIONS
from resolver.artifacts.patterns import fits
from resolver.engine import Asked, Engine
from tests.api.test_contract import is_problem


def test_the_kinds_are_listed_with_their_options(client: TestClient) -> None:
    response = client.get("/artifacts")
    answer = ArtifactsAnswer.model_validate_json(response.content, strict=True)
    assert [row.kind for row in answer.artifacts] == list(ARTIFACTS)
    for row in answer.artifacts:
        assert client.get(f"{row.links['self']}?gpu=t4").status_code == 200
        assert {option.name: option.default for option in row.options} == ARTIFACTS[row.kind].options


@pytest.mark.parametrize("kind", ARTIFACTS)
def test_a_file_by_post_by_get_and_by_command(
    client: TestClient, engine: Engine, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    made = engine.artifact(kind, Asked(gpus=["RTX 4090"], driver="580"))
    for response in (
        client.post(f"/artifacts/{kind}", json={"gpu": "RTX 4090", "driver": "580"}),
        client.get(f"/artifacts/{kind}?gpu=RTX+4090&driver=580"),
    ):
        assert response.status_code == 200
        assert response.text == made.text
        assert response.headers["content-type"] == made.media_type
        assert response.headers["content-disposition"] == f'inline; filename="{made.filename}"'
    assert client.get(f"/artifacts/{kind}?gpu=RTX+4090&driver=580", headers={"if-none-match": "*"}).status_code == 304
    assert main(["artifact", kind, "RTX 4090", "--driver", "580"]) == 0
    assert capsys.readouterr() == (made.text, "")


def test_options_arrive(client: TestClient, capsys: pytest.CaptureFixture[str]) -> None:
    options = {"base": "cuda", "workload": "build", "name": "train", "image": "registry.example.org/train:1"}
    options |= {"kind": "job", "mig": "1g.10gb", "runtime_class": "nvidia"}
    body = {"gpu": "A100-SXM4-80GB", "count": 2, **options}
    posted = client.post("/artifacts/kubernetes", json=body)
    assert posted.status_code == 200, posted.text
    assert client.get("/artifacts/kubernetes", params=body).text == posted.text
    job = yaml.safe_load(posted.text)
    pod = job["spec"]["template"]["spec"]
    assert (job["kind"], job["metadata"]["name"], pod["runtimeClassName"]) == ("Job", "train", "nvidia")
    assert pod["containers"][0]["image"] == "registry.example.org/train:1"
    assert pod["containers"][0]["resources"]["limits"] == {"nvidia.com/mig-1g.10gb": 2}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in {**options, "count": "2"}.items()]
    assert main(["artifact", "kubernetes", "A100-SXM4-80GB", *words]) == 0
    assert capsys.readouterr().out == posted.text


@pytest.mark.parametrize(
    ("kind", "body", "status", "type"),
    [
        ("helm", {"gpu": "t4"}, 404, "not-found"),
        ("uv", {"gpu": "t4", "base": "cuda"}, 422, "invalid-request"),
        ("uv", {"gpu": "t4", "name": "a\nb"}, 422, "invalid-request"),
        ("uv", {"gpu": "t4", "name": "A b"}, 422, "invalid-request"),
        ("kubernetes", {"gpu": "t4", "count": "2"}, 422, "invalid-request"),
        ("kubernetes", {"gpu": "t4", "count": 100}, 422, "invalid-request"),
        ("kubernetes", {"gpu": "t4", "mig": "1g.5gb"}, 422, "invalid-request"),
        ("compose", {"gpu": "t4", "os": "windows-11"}, 422, "invalid-request"),
        ("compose", {"gpu": "gtx 970", "driver": "590"}, 422, "no-stack"),
        ("pixi", {"gpu": "rtx 9999"}, 422, "unknown-gpu"),
    ],
)
def test_problems(client: TestClient, kind: str, body: dict[str, str], status: int, type: str) -> None:
    document = is_problem(client.post(f"/artifacts/{kind}", json=body), status, type)
    if type == "no-stack":
        assert document["conflict"]["causes"]
    if kind == "helm":
        assert document["candidates"] == list(ARTIFACTS)


def test_the_faces_name_the_kinds_and_options_of_the_resolver() -> None:
    assert list(ARTIFACTS) == cli.ARTIFACTS == list(NEXT)
    assert cli.BASES == KINDS
    assert set(OPTIONS) < set(ArtifactBody.model_fields)
    assert fits(str(MAX_COUNT), "count")
    assert not fits(str(MAX_COUNT + 1), "count")


def test_a_file_is_written_and_what_comes_next_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "my pod.yaml"
    assert main(["artifact", "kubernetes", "rtx4090", "-o", str(target)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert yaml.safe_load(target.read_text(encoding="utf-8"))["kind"] == "Pod"
    assert err.splitlines()[-1] == f"  kubectl apply -f '{target}'"


def test_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["artifact", "uv", "rtx4090", "--image", "a:1"]) == 2
    assert "it takes `name`" in " ".join(capsys.readouterr().err.split())
    assert main(["artifact", "uv", "gtx 970", "--driver", "590"]) == 1
    assert main(["artifact", "uv", "rtx4090", "--package", "nobody-judges-this", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["type"] == "no-stack"
    assert main(["artifact", "uv", "rtx4090", "-o", "no/such/folder/pyproject.toml"]) == 2
    assert "No such file or directory" in " ".join(capsys.readouterr().err.split())
