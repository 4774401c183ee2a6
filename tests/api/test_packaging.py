"""What is shipped: versions agree, the distribution holds the data and no tests, the container files are sound."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from api import VERSION
from matrices.model import Image
from resolver.engine import Engine

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_versions_agree() -> None:
    assert PROJECT["project"]["version"] == VERSION
    assert f"image: whichcuda:{VERSION}" in (ROOT / "docker-compose.yml").read_text(encoding="utf-8")


def test_constraints_are_names_and_versions() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line) for line in lines)
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    for requirement in (*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]):
        assert re.split(r"[<>=]", requirement)[0].replace("_", "-") in pinned, requirement


@pytest.mark.package
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_distributions(tmp_path: Path, kind: str) -> None:
    build = f"import uv_build, sys; print(uv_build.build_{kind}(sys.argv[1]))"
    path_of_tools = os.pathsep.join((str(TOOLS), os.environ["PATH"]))  # it starts its own program
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PATH": path_of_tools},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    path = tmp_path / done.stdout.splitlines()[-1]
    if kind == "wheel":
        names = set(zipfile.ZipFile(path).namelist())
    else:
        with tarfile.open(path) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "matrices/catalogue.json",
        "matrices/data/about.toml",
        "resolver/artifacts/templates/Dockerfile.j2",
        "api/cli.py",
        "api/page/templates/base.html",
        "api/page/static/page.css",
    } <= names
    assert not [name for name in names if name.startswith(("tests", "bench")) or "__pycache__" in name]


def test_the_service_image_is_sound(engine: Engine) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    bases = set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE))
    known = {f"{image.repository}:{tag}" for image in engine.catalogue.entities(Image).values() for tag in image.tags}
    assert bases <= known, "a base image that the catalogue does not know"
    assert "latest" not in dockerfile
    assert re.search(r"^USER \d+$", dockerfile, re.MULTILINE)
    assert "HEALTHCHECK" in dockerfile
    subprocess.run([TOOLS / "hadolint", "Dockerfile"], cwd=ROOT, check=True, timeout=60)


def test_the_compose_file_is_sound() -> None:
    subprocess.run(
        [TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"],
        cwd=ROOT,
        check=True,
        timeout=60,
    )


def test_ignored_by_the_image_build() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for line in copied for name in line.split()} == {line[1:] for line in ignored if line.startswith("!")}
