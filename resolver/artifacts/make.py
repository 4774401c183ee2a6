"""The kinds of files there are, with their options, and the one way to make any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from resolver.artifacts.bases import Kind, Workload
from resolver.artifacts.containers import apptainer, compose, devcontainer
from resolver.artifacts.dockerfile import dockerfile
from resolver.artifacts.environment import environment
from resolver.artifacts.kubernetes import kubernetes
from resolver.artifacts.options import read
from resolver.artifacts.search import Found, find
from resolver.errors import InvalidRequest
from resolver.query import Asked

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["ARTIFACTS", "Artifact", "ArtifactKind", "artifact"]

Options = Mapping[str, str | None]
Maker = Callable[["Engine", Asked, Options], str]


@dataclass(frozen=True, slots=True)
class ArtifactKind:
    """One kind of file: its name and media type, and the options it takes with their defaults."""

    about: str
    filename: str
    media_type: str
    options: Options
    make: Maker


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file."""

    filename: str
    media_type: str
    text: str


def artifact(engine: Engine, kind: str, asked: Asked, options: Mapping[str, str]) -> Artifact:
    """A file of a kind for the best stack.

    Raises:
        BadQuestion: when the question or an option cannot be read.
        NoStack: when no stack surely works, or none that does has a base image of the wanted kind.
    """
    found = ARTIFACTS.get(kind)
    if found is None:
        known = tuple(ARTIFACTS)
        raise InvalidRequest("the kinds are " + ", ".join(known), field="kind", given=kind, candidates=known)
    text = found.make(engine, asked, read(kind, found.options, options))
    return Artifact(found.filename, found.media_type, text)


def _contained(write: Callable[[Engine, Found, Options], str]) -> Maker:
    """A maker of files about a container: it looks for the base image first."""

    def make(engine: Engine, asked: Asked, options: Options) -> str:
        base, workload = cast(Kind, options["base"]), cast(Workload, options["workload"])
        return write(engine, find(engine, asked, base, workload), options)

    return make


def _plain(template: str, engine: Engine, asked: Asked, options: Options) -> str:
    """A file that pip, uv, conda or pixi reads."""
    return environment(engine, template, asked, options.get("name") or "")


def _name(options: Options) -> str:
    return cast(str, options["name"])


_BASE: Options = {"base": "cuda", "workload": "run"}
_NAME: Options = {"name": "torch-gpu"}
_TEXT, _YAML, _TOML = "text/plain; charset=utf-8", "application/yaml", "application/toml"

ARTIFACTS: dict[str, ArtifactKind] = {
    "dockerfile": ArtifactKind(
        "an image with a check at its start that says what is wrong",
        "Dockerfile",
        _TEXT,
        _BASE,
        _contained(lambda engine, found, options: dockerfile(engine, found)),
    ),
    "compose": ArtifactKind(
        "a Compose service with every GPU of the host; the Dockerfile belongs beside it",
        "compose.yaml",
        _YAML,
        {**_BASE, **_NAME, "image": None},
        _contained(lambda engine, found, options: compose(engine, found, _name(options), options["image"])),
    ),
    "devcontainer": ArtifactKind(
        "a development container for editors; the Dockerfile belongs beside it",
        "devcontainer.json",
        "application/json",
        {**_BASE, "workload": "build", **_NAME},
        _contained(lambda engine, found, options: devcontainer(engine, found, _name(options))),
    ),
    "kubernetes": ArtifactKind(
        "a Pod or a Job on nodes that have the GPUs",
        "torch.yaml",
        _YAML,
        {
            **_BASE,
            "base": "pytorch",
            **_NAME,
            "image": None,
            "kind": "pod",
            "count": "1",
            "mig": None,
            "runtime_class": None,
        },
        _contained(kubernetes),
    ),
    "apptainer": ArtifactKind(
        "a definition file for Apptainer and Singularity",
        "torch.def",
        _TEXT,
        _BASE,
        _contained(lambda engine, found, options: apptainer(engine, found)),
    ),
    "requirements": ArtifactKind("what pip installs", "requirements.txt", _TEXT, {}, partial(_plain, "requirements")),
    "uv": ArtifactKind("a project for uv", "pyproject.toml", _TOML, _NAME, partial(_plain, "uv")),
    "conda": ArtifactKind("a conda environment", "environment.yml", _YAML, _NAME, partial(_plain, "conda")),
    "pixi": ArtifactKind("a pixi workspace", "pixi.toml", _TOML, _NAME, partial(_plain, "pixi")),
}
