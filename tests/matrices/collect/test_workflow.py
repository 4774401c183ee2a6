"""The weekly workflow: valid, complete, and careful with what it may do and run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from matrices.collect.collectors import COLLECTORS

WORKFLOW = Path(__file__).parents[3] / ".github" / "workflows" / "refresh.yml"
SHELLCHECK = Path(sys.executable).with_name("shellcheck")


@pytest.fixture(scope="module")
def job() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert found["permissions"] == {}
    [(_, only)] = found["jobs"].items()
    return dict(only)


def test_it_is_a_workflow() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(WORKFLOW)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_reads_every_source(job: dict[str, Any]) -> None:
    assert job["strategy"]["matrix"]["source"] == list(COLLECTORS)
    assert job["permissions"] == {"contents": "write", "pull-requests": "write"}


def test_actions_are_pinned_by_version_and_come_from_their_makers(job: dict[str, Any]) -> None:
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", name) for name in used)


def test_no_expression_is_pasted_into_a_script(job: dict[str, Any]) -> None:
    assert not [step for step in job["steps"] if "${{" in step.get("run", "")]


def test_its_scripts_are_sound(job: dict[str, Any], tmp_path: Path) -> None:
    for step in job["steps"]:
        if "run" not in step:
            continue
        script = tmp_path / "step.sh"
        script.write_text("#!/bin/bash -e\n" + step["run"], encoding="utf-8")
        done = subprocess.run([str(SHELLCHECK), str(script)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
