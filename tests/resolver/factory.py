"""Small hand-made catalogues: `World` from plain rows (fast, for generated data), `from_toml` as a contributor writes them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matrices.build import compiled
from matrices.catalogue import Catalogue
from matrices.load import load
from matrices.model import CLAIMS, Gpu, OperatingSystem, claim_key
from matrices.versions import ComputeCapability
from resolver.engine import Engine
from resolver.index import Index
from resolver.judge import Judge
from resolver.query import Query, Subject
from resolver.reading.reader import Reader
from resolver.solve import Solver

__all__ = ["LINUX", "WINDOWS", "WSL", "Parts", "World", "from_toml", "query", "small", "subject"]

LINUX = OperatingSystem(id="linux", name="Linux", family="linux")
WINDOWS = OperatingSystem(id="windows-11", name="Windows 11", family="windows")
WSL = OperatingSystem(id="wsl2", name="WSL 2", family="linux")

PAGE = {"kind": "documented", "source": "page", "on": "2026-01-31"}
EVIDENCE = '[evidence.page]\nkind = "documented"\nsource = "page"\non = 2026-01-31\n[defaults]\nevidence = ["page"]\n'
SOURCE = '[[source]]\nid = "page"\ntitle = "A page"\nlink = "https://example.org/page"\n'


class World:
    """A catalogue in the making, from plain values. Every claim has the same documented evidence unless given another."""

    def __init__(self, data_version: str = "2026.01.31") -> None:
        self.data_version = data_version
        self.entities: dict[str, list[dict[str, Any]]] = {}
        self.claims: dict[str, list[dict[str, Any]]] = {}
        self.evidence: list[dict[str, Any]] = [PAGE]
        self.ids: set[str] = set()
        self.entity("source", "page", title="A page", link="https://example.org/page")

    def entity(self, kind: str, name: str, /, **values: Any) -> World:
        """Add an entity; a value of None is left out."""
        row = {"id": name, **{key: value for key, value in values.items() if value is not None}}
        self.entities.setdefault(kind, []).append(row)
        return self

    def claim(self, relation: str, subject: str, /, **values: Any) -> World:
        """Add a claim; a value of None is left out. A second voice on one question gets an id of its own."""
        values = {key: value for key, value in values.items() if value is not None}
        first = name = claim_key(CLAIMS[relation], subject, values)
        while name in self.ids:
            name = f"{first}#{len(self.ids)}"
        self.ids.add(name)
        row = {"id": name, "subject": subject, "evidence": [0], **values}
        self.claims.setdefault(relation, []).append(row)
        return self

    def catalogue(self) -> Catalogue:
        """What was added, as a catalogue."""
        return Catalogue(
            {
                "schema_version": 1,
                "data_version": self.data_version,
                "moved": {},
                "entities": self.entities,
                "claims": self.claims,
                "evidence": self.evidence,
            }
        )


@cache
def from_toml(text: str, data_version: str = "2026.01.31") -> Catalogue:
    """The catalogue of one hand-written file, its claims documented by one page where nothing else is said."""
    with TemporaryDirectory() as folder:
        Path(folder, "about.toml").write_text(f'data_version = "{data_version}"\n')
        Path(folder, "source.toml").write_text(SOURCE)
        Path(folder, "world.toml").write_text(EVIDENCE + text)
        return Catalogue(compiled(load(Path(folder))))


@cache
def small() -> Engine:
    """The engine over the hand-written world of `small.toml`."""
    return Engine(from_toml(Path(__file__).with_name("small.toml").read_text(encoding="utf-8")))


class Parts:
    """The parts of an engine that need no names of GPUs."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.index = Index(catalogue)
        self.judge = Judge(self.index)
        self.solver = Solver(self.index, self.judge)
        self.reader = Reader(self.index, None)  # type: ignore[arg-type]  # no name is read by it

    def ids(self, bits: int) -> frozenset[str]:
        """The wheels behind a mask."""
        return frozenset(build.wheel.id for build in self.index.builds if build.bit & bits)


def subject(capability: str, gpu: Gpu | None = None) -> Subject:
    """A GPU of a question by its capability alone, or a product."""
    return Subject(capability, (gpu,) if gpu else (), ComputeCapability.parse(capability), True, capability)


def query(*capabilities: str, os: OperatingSystem = LINUX, machine: str = "x86_64", **parts: Any) -> Query:
    """A query by capabilities."""
    return Query(tuple(map(subject, capabilities)), os, machine, True, **parts)  # type: ignore[arg-type]  # keyword parts of many types
