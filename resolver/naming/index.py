"""Names of all products: whole, as drivers print them, and taken apart by model number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from matrices.model import Gpu
from matrices.versions import ComputeCapability
from resolver.naming.distance import Entry, Match, match
from resolver.naming.reading import Part, Vocabulary, read_name
from resolver.naming.text import clean, squash

__all__ = ["Index", "unique"]

_SPECIFIC = re.compile(r"\d ?GB|SXM|PCI")  # a driver name that says which variant


class Index:
    """Products by everything that names them."""

    def __init__(self, gpus: Mapping[str, Gpu], capability_of: Mapping[str, ComputeCapability]) -> None:
        self.capability_of = capability_of
        self.vocabulary = Vocabulary()
        self.printed: dict[str, list[Gpu]] = {}  # by driver name, letter for letter
        self.whole: dict[str, list[Gpu]] = {}  # by squashed name
        self.by_core: dict[str, list[Entry]] = {}
        self.by_chip: dict[str, list[Gpu]] = {}
        self.by_pci_id: dict[str, list[Gpu]] = {}
        self.rare_siblings: dict[str, list[Gpu]] = {}
        principals = {gpu.name: gpu for gpu in gpus.values()}
        for gpu in gpus.values():
            principal = principals.get(gpu.marketing_name, gpu)
            if principal is not gpu:
                self.rare_siblings.setdefault(principal.id, []).append(gpu)
        rare = {gpu.id for siblings in self.rare_siblings.values() for gpu in siblings}
        for gpu in gpus.values():
            self._add(gpu, gpu.id in rare)
        for gpu in gpus.values():
            self._add_printed(gpu)
        for gpu in gpus.values():  # a driver does not tell two chips of one marketing name apart
            for name in (gpu.marketing_name, f"NVIDIA {gpu.marketing_name}", *gpu.aliases):
                if name in self.printed and gpu.id not in rare:
                    _append(self.printed, name, gpu)

    # --- building -------------------------------------------------------------------------------------------------

    def _add(self, gpu: Gpu, rare: bool) -> None:
        own = (gpu.name,) if rare else (gpu.name, gpu.marketing_name)
        for name in dict.fromkeys((*own, *gpu.aliases)):
            _append(self.whole, squash(clean(name)), gpu)
        self._add_entries(gpu, rare)
        for chip in filter(None, gpu.chip.split("/")):
            if chip not in self.by_chip:
                self.vocabulary.add_chip(chip)
            _append(self.by_chip, chip, gpu)
        for pci_id in gpu.pci_ids:
            _append(self.by_pci_id, pci_id, gpu)

    def _add_entries(self, gpu: Gpu, rare: bool) -> None:
        own = {clean(name).removeprefix("nvidia ") for name in (gpu.name, gpu.marketing_name, *gpu.driver_names)}
        aliases = {clean(name) for name in gpu.aliases} - own
        for name in (*sorted(own), *sorted(aliases)):
            part = read_name(name)
            if part is not None and (name in own or len(part.core) > 2):
                self.vocabulary.add_name(part)
                entry = Entry(gpu, part, "laptop" in gpu.family, rare, name in aliases)
                self.by_core.setdefault(part.core, []).append(entry)

    def _add_printed(self, gpu: Gpu) -> None:
        for name in gpu.driver_names:
            _append(self.printed, name, gpu)
            key = squash(clean(name))
            # "NVIDIA H800" is one product when a driver says it and three when a person does
            if key in self.whole or _SPECIFIC.search(name):
                _append(self.whole, key, gpu)

    # --- fitting --------------------------------------------------------------------------------------------------

    def matches(self, part: Part, made: bool) -> list[Match]:
        """Every entry that the part may mean, nearest first (see `distance.match`)."""
        found = [match(entry, part, made) for entry in self.by_core.get(part.core, ())]
        return sorted(filter(None, found), key=lambda fit: (fit.distance, fit.entry.mobile))

    def nearest(self, part: Part) -> list[Gpu]:
        """The products of that model number, most alike first, for a text that fits none of them."""

        def unlike(entry: Entry) -> tuple[int, int]:
            named = entry.part
            differing = len(named.traits ^ part.traits) + len(named.mobile ^ part.mobile) + entry.rare
            return differing, len(named.families ^ part.families)

        return unique(entry.gpu for entry in sorted(self.by_core.get(part.core, ()), key=unlike))

    def capabilities(self, gpus: Iterable[Gpu]) -> set[ComputeCapability]:
        """The capabilities of some products, where known."""
        return {self.capability_of[gpu.id] for gpu in gpus if gpu.id in self.capability_of}


def unique(gpus: Iterable[Gpu]) -> list[Gpu]:
    """Each product once, in order."""
    return list({gpu.id: gpu for gpu in gpus}.values())


def _append(table: dict[str, list[Gpu]], key: str, gpu: Gpu) -> None:
    gpus = table.setdefault(key, [])
    if all(gpu is not known for known in gpus):
        gpus.append(gpu)
