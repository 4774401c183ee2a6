"""What uv and pip make of the files: the wheel of just that variant, though the package index has others of its version."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from resolver.engine import Asked, Engine
from resolver.stack import PYTORCH_INDEX

UV = Path(sys.executable).parent / "uv"
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return done.stdout


def wheel(index: Path, name: str, version: str) -> None:
    """A wheel without content in a folder laid out like an index."""
    folder = index / name
    folder.mkdir(parents=True, exist_ok=True)
    file = f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / file, "w") as archive:
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    page = folder / "index.html"
    page.write_text((page.read_text() if page.exists() else "") + f'<a href="{file}">{file}</a>\n')


def indices(folder: Path, text: str) -> tuple[Path, Path]:
    """Two indices with what a project asks for: PyTorch's with its variant, the package index without."""
    project = tomllib.loads(text)
    pytorch, packages = folder / "whl", folder / "simple"
    places = [index["url"].removeprefix(PYTORCH_INDEX + "/") for index in project["tool"]["uv"].get("index", ())]
    for requirement in map(Requirement, project["project"]["dependencies"]):
        (pin,) = requirement.specifier
        version = pin.version if pin.operator == "==" else "1.26.4"
        wheel(packages, requirement.name, version)
        for place in places:
            wheel(pytorch / place, requirement.name, f"{version}+{place.rpartition('/')[2]}")
    return pytorch, packages


QUESTIONS: list[tuple[dict[str, Any], str | None]] = [
    ({"gpus": ["RTX 4090"]}, None),
    ({"gpus": ["V100"]}, "cu126"),
    ({"gpus": ["T4"], "driver": "450.80.02"}, "cu118"),
    ({"gpus": ["RTX 3090"], "torch": "2.2.2+cu118"}, "cu118"),
    ({"gpus": ["RTX 5090"], "driver": "570"}, "cu129"),
]


@pytest.mark.parametrize(("question", "variant"), QUESTIONS, ids=[str(variant) for _, variant in QUESTIONS])
def test_uv_locks_the_variant(engine: Engine, tmp_path: Path, question: dict[str, Any], variant: str | None) -> None:
    text = engine.artifact("uv", Asked(**question, python=HERE)).text
    pytorch, packages = indices(tmp_path, text)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(text.replace(PYTORCH_INDEX, pytorch.as_uri()))
    run(UV, "lock", "--offline", "--no-cache", "--default-index", packages.as_uri(), folder=folder)
    locked = {row["name"]: row for row in tomllib.loads((folder / "uv.lock").read_text())["package"]}
    for name in re.findall(r'"(torch\w*)==', text):
        assert locked[name]["version"].partition("+")[2] == (variant or ""), name
    if "numpy<2" in text:  # what is not of PyTorch's index comes from the other one
        assert locked["numpy"]["version"] == "1.26.4"


@pytest.mark.package
def test_uv_and_pip_find_everything_on_the_package_index(engine: Engine, tmp_path: Path) -> None:
    asked = Asked(gpus=["RTX 3090"], prefer="conservative", python=HERE)
    for kind in ("uv", "requirements"):
        made = engine.artifact(kind, asked)
        assert PYTORCH_INDEX not in made.text
        (tmp_path / made.filename).write_text(made.text)
    run(UV, "lock", folder=tmp_path)
    pip = (sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet")
    run(*pip, "--only-binary=:all:", "--requirement", "requirements.txt", folder=tmp_path)
