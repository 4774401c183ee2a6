"""`whichcuda reconcile`: the committed observations contradict nothing; an invented machine that breaks a rule is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from api.cli import main


def test_the_committed_observations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reconcile"]) == 0
    shown = capsys.readouterr().out
    assert " claims confirmed, 0 contradicted" in shown
    assert "contradiction" not in shown


def test_a_rule_that_a_machine_contradicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    device = {"name": "Tesla V100", "compute_capability": "7.0", "kernels": {"float32": "ok"}}
    row = {
        "id": "machine-impossible",
        "kind": "machine",
        "os": "ubuntu-24.04",
        "machine": "x86_64",
        "driver": "570.211.01",
        "cuda_of_driver": "12.8",
        "gpus": [{"name": "Tesla V100-SXM2-16GB", "compute_capability": "7.0"}],
        "torch": {"torch": "2.15.0+cu130", "cuda": "13.0", "devices": [device]},
    }
    (tmp_path / "a.json").write_text(json.dumps(row), encoding="utf-8")
    assert main(["reconcile", "--observations", str(tmp_path)]) == 1
    assert "contradiction of a rule: machine-impossible: on Tesla V100 a kernel ran" in capsys.readouterr().out
    assert main(["reconcile", "--observations", str(tmp_path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    (outcome,) = found["rules"]
    assert outcome["contradicts"]
    assert "sass" in outcome["rules"]
    assert [claim["claim"] for claim in found["claims"] if claim["fails"]] == []
