"""A name leads to one thing."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.lint.base import Check, Finding, entities
from matrices.lint.material import Material
from matrices.load import Dataset
from matrices.model import CloudInstance, Feature, Gpu, OperatingSystem, Package

__all__ = ["CHECK"]


def _run(material: Material) -> Iterator[Finding]:
    """Products may share an alias (the asker is then asked which); a name is one product's own."""
    dataset = material.dataset
    names: dict[str, str] = {}
    for gpu in entities(dataset, Gpu):
        if names.setdefault(gpu.name.casefold(), gpu.id) != gpu.id:
            yield Finding(f"gpu:{gpu.id}", f"`{gpu.name}` is already the name of {names[gpu.name.casefold()]}")
    systems: dict[str, str] = {}
    for system in entities(dataset, OperatingSystem):
        for spelling in {system.id, *(alias.casefold() for alias in system.aliases)}:
            if systems.setdefault(spelling, system.id) != system.id:
                yield Finding(f"os:{system.id}", f"`{spelling}` is already a name of {systems[spelling]}")
    kinds: dict[str, str] = {}
    for kind, name, spelling in _spellings(dataset):
        if kinds.setdefault(spelling, kind) != kind:
            yield Finding(f"{kind}:{name}", f"`{spelling}` is also the name of a {kinds[spelling]}")


def _spellings(dataset: Dataset) -> Iterator[tuple[str, str, str]]:
    for gpu in entities(dataset, Gpu):
        for spelling in dict.fromkeys((gpu.name, gpu.marketing_name, *gpu.aliases, *gpu.driver_names)):
            yield "gpu", gpu.id, spelling.casefold()
    for system in entities(dataset, OperatingSystem):
        for spelling in dict.fromkeys((system.id, system.name, *system.aliases)):
            yield "os", system.id, spelling.casefold()
    for cls in (CloudInstance, Package, Feature):
        for name in dataset.entities[cls.kind]:
            yield cls.kind, name, name.casefold()


CHECK = Check(
    name="unique-names",
    scope="tree",
    law="A name belongs to one product, a spelling to one operating system, and no spelling to two kinds of things.",
    fix="Make the name more exact, or drop the alias.",
    run=_run,
)
