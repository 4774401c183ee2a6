"""The observations as the comparisons want them: parsed, by kind, by what they were made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

from matrices.model import Gpu

__all__ = ["OBSERVATIONS", "Observations", "family", "pinned", "release", "shows"]

OBSERVATIONS = Path(__file__).parent.parent / "observations"

Observation = dict[str, Any]


class Observations:
    """All observations, in the order of their ids."""

    def __init__(self, rows: Iterable[Observation]) -> None:
        self.rows = sorted(rows, key=lambda row: str(row["id"]))

    @classmethod
    def load(cls, folder: Path = OBSERVATIONS) -> Observations:
        """Every JSON file below `folder`."""
        return cls(json.loads(path.read_bytes()) for path in folder.rglob("*.json"))

    def of(self, kind: str) -> Iterator[Observation]:
        """Those of a kind: `wheel`, `toolkit`, `machine`."""
        return (row for row in self.rows if row["kind"] == kind)

    @cached_property
    def by_id(self) -> dict[str, Observation]:
        """Each by its id; that of a torch wheel is the id of the wheel."""
        return {str(row["id"]): row for row in self.rows}

    @cached_property
    def artefacts(self) -> list[str]:
        """The names of the files that were measured."""
        single = [str(row["artefact"]) for row in self.rows if "artefact" in row]
        return single + [str(part["artefact"]) for row in self.of("toolkit") for part in row["artefacts"]]

    @cached_property
    def toolkits(self) -> dict[str, list[Observation]]:
        """The compilers measured of each toolkit minor, oldest first."""
        found: dict[str, list[Observation]] = {}
        for row in sorted(self.of("toolkit"), key=lambda row: Version(row["compiler"])):
            found.setdefault(str(row["cuda"]), []).append(row)
        return found

    @cached_property
    def releases(self) -> dict[str, list[Observation]]:
        """The wheels measured of each project."""
        found: dict[str, list[Observation]] = {}
        for row in self.of("wheel"):
            found.setdefault(str(row.get("project", "torch")), []).append(row)
        return found


def release(row: Observation) -> str:
    """The version of the project that a wheel belongs to."""
    return str(row.get("version") or row["torch"])


def pinned(row: Observation, library: str) -> str | None:
    """The exact version of a library that a wheel requires; `cudnn` is required as `nvidia-cudnn-cu12`."""
    for text in row.get("requires", ()):
        requirement = Requirement(text)
        name = requirement.name.removeprefix("nvidia-").partition("-cu")[0]
        exact = [item.version for item in requirement.specifier if item.operator == "=="]
        if name == library and exact:
            return exact[0]
    return None


def family(row: Observation) -> str:
    """The family of the operating system of a machine."""
    return "windows" if "windows" in row["os"].casefold() else "linux"


def shows(gpu: Gpu, name: str) -> bool:
    """Whether a driver that prints `name` means this product."""
    return name.casefold() in {known.casefold() for known in (gpu.name, *gpu.driver_names)}
