"""A file holds one subject and is named after it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from matrices.lint.base import Check, Finding
from matrices.lint.material import Material
from matrices.model import Branch, Entity, Toolkit, Torch, Wheel

__all__ = ["CHECK"]


_HOMES = {
    "branch": "drivers/",
    "capability": "capabilities.toml",
    "cloud-instance": "cloud-instances.toml",
    "coverage": "coverage/",
    "cuda-family": "cuda-families.toml",
    "feature": "features.toml",
    "gpu": "gpus/",
    "image": "images/",
    "image-repository": "images/",
    "jetpack": "jetpack.toml",
    "os": "os/",
    "package": "packages/",
    "source": "sources/",
    "toolkit": "cuda/",
    "torch": "torch/",
    "wheel": "torch/",
}


def _run(material: Material) -> Iterator[Finding]:
    for kind, by_id in material.dataset.entities.items():
        for entity in by_id.values():
            subject = f"{kind}:{entity.id}"
            file = material.dataset.places[subject][0]
            home = _HOMES.get(kind, "")
            stem = file.rpartition("/")[2].removesuffix(".toml")
            if not file.startswith(home):
                yield Finding(subject, f"a {kind} stands in {home}, not in {file}")
            elif not _named(entity, stem):
                yield Finding(subject, f"{file} is not named after {entity.id}")


def _named(entity: Entity, stem: str) -> bool:
    if isinstance(entity, Toolkit):
        return stem == entity.id
    if isinstance(entity, Torch):
        return entity.id.startswith(f"{stem}.")
    if isinstance(entity, Wheel):
        return str(entity.torch).startswith(f"{stem}.")
    if isinstance(entity, Branch):  # branches of another age share a file without a number
        return stem == f"r{entity.number}" or not re.search(r"\d", stem)
    return True


CHECK = Check(
    name="file-of-subject",
    scope="file",
    law="A file is named after its subject and holds only that: `cuda/12.8.toml`, `drivers/r580.toml`, `torch/2.6.toml`.",
    fix="Move the row to the file of its subject.",
    run=_run,
)
