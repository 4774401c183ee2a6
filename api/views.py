"""Products and claims as plain data: what the catalogue says, not what follows from it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any
from urllib.parse import quote

from matrices.codec import to_plain
from matrices.model import CLAIMS, Claim, Feature, Gpu, GpuHasSpecs
from matrices.versions import ComputeCapability
from resolver.engine import Engine
from resolver.errors import BadQuestion, InvalidRequest

__all__ = ["Views"]

_NOT_SPECS = ("id", "subject", "evidence", "uncertain", "standing", "because", "note")


class Views:
    """Views of one engine's catalogue."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    # --- products -----------------------------------------------------------------------------------------------

    @cached_property
    def gpus(self) -> dict[str, Gpu]:
        """All products by id, lowest capability first, then by name."""
        found = self.engine.catalogue.entities(Gpu).values()
        return {gpu.id: gpu for gpu in sorted(found, key=lambda gpu: (self.capability(gpu), gpu.name))}

    @cached_property
    def architectures(self) -> list[str]:
        """The architectures of all products."""
        return sorted({gpu.architecture for gpu in self.gpus.values() if gpu.architecture})

    @cached_property
    def _haystacks(self) -> dict[str, str]:
        return {
            gpu.id: _plain(" ".join((gpu.name, gpu.chip, gpu.id, *gpu.aliases, *gpu.driver_names, *gpu.pci_ids)))
            for gpu in self.gpus.values()
        }

    def capability(self, gpu: Gpu) -> ComputeCapability:
        """The compute capability of a product."""
        return self.engine.index.hardware.gpu_capability[gpu.id].compute_capability

    def listed(
        self, q: str | None = None, architecture: str | None = None, compute_capability: str | None = None
    ) -> dict[str, Any]:
        """The products that fit all filters given.

        Raises:
            InvalidRequest: for an architecture or a capability that no product has.
        """
        wanted = self._filters(architecture, compute_capability)
        words = [_plain(word) for word in (q or "").split()]
        rows = [
            {
                "id": gpu.id,
                "name": gpu.name,
                "compute_capability": str(self.capability(gpu)),
                "architecture": gpu.architecture,
                "platform": gpu.platform,
                "released": gpu.released.isoformat() if gpu.released else None,
            }
            for gpu in self.gpus.values()
            if all(getattr(self, name)(gpu) == value for name, value in wanted.items())
            and all(word in self._haystacks[gpu.id] for word in words)
        ]
        return {"count": len(rows), "gpus": rows, "data_version": self.engine.data_version}

    def suggested(self, text: str, limit: int) -> dict[str, Any]:
        """Products that a text may be the beginning of: names that hold its words, the nearest and newest first."""
        words = [_plain(word) for word in text.split()]
        wanted = "".join(words)
        found = [gpu for gpu in self.gpus.values() if all(word in self._haystacks[gpu.id] for word in words)]
        found.sort(key=lambda gpu: (_distance(wanted, gpu.name), -self.capability(gpu).major, len(gpu.name), gpu.name))
        rows = [
            {"id": gpu.id, "name": gpu.name, "compute_capability": str(self.capability(gpu))}
            for gpu in found[: limit if wanted else 0]
        ]
        return {"count": len(found), "gpus": rows, "data_version": self.engine.data_version}

    def _filters(self, architecture: str | None, compute_capability: str | None) -> dict[str, str]:
        wanted = {}
        if architecture is not None:
            known = {name.casefold(): name for name in self.architectures}
            if architecture.casefold() not in known:
                raise InvalidRequest(
                    "no GPU has that architecture",
                    field="architecture",
                    given=architecture,
                    candidates=self.architectures,
                )
            wanted["_architecture"] = known[architecture.casefold()]
        if compute_capability is not None:
            capabilities = dict.fromkeys(str(self.capability(gpu)) for gpu in self.gpus.values())
            if compute_capability not in capabilities:
                raise InvalidRequest(
                    "no GPU has that compute capability",
                    field="compute_capability",
                    given=compute_capability,
                    candidates=tuple(capabilities),
                )
            wanted["_capability_text"] = compute_capability
        return wanted

    @staticmethod
    def _architecture(gpu: Gpu) -> str:
        return gpu.architecture

    def _capability_text(self, gpu: Gpu) -> str:
        return str(self.capability(gpu))

    def moved(self, identity: str) -> str | None:
        """The id that took the place of an old one."""
        return self.engine.catalogue.moved.get(identity)

    def near(self, text: str) -> list[str]:
        """Ids of products that a text which is no id may mean."""
        try:
            names = [gpu.name for gpu in self.engine.reader.subject(text).gpus]
        except BadQuestion as error:
            names = list(error.candidates)
        ids = {gpu.name: gpu.id for gpu in self.gpus.values()}
        return [ids[name] for name in names if name in ids]

    def gpu(self, identity: str) -> dict[str, Any] | None:
        """Everything about one product; None where there is none of that id."""
        gpu = self.gpus.get(identity)
        if gpu is None:
            return None
        capability, index = self.capability(gpu), self.engine.index
        windows = {os: index.drivers.window(capability, os) for os in ("linux", "windows")}
        module = index.hardware.modules(capability, gpu)
        own = self._by_subject.get(("gpu", gpu.id), [])
        shared = self._by_subject.get(("capability", str(capability)), [])
        return {
            "id": gpu.id,
            "name": gpu.name,
            "marketing_name": gpu.marketing_name,
            "family": gpu.family,
            "architecture": gpu.architecture,
            "chip": gpu.chip,
            "compute_capability": str(capability),
            "platform": gpu.platform,
            "machines": list(gpu.machines),
            "released": gpu.released.isoformat() if gpu.released else None,
            "memory_gb": list(gpu.memory_gb),
            "specs": self._specs(own),
            "driver": {
                os: {
                    "first": str(window.added_driver or window.added) if window.added else None,
                    "last_branch": None if window.last is None else str(window.last),
                    "claim": window.claim.id,
                }
                for os, window in windows.items()
                if window is not None
            },
            "kernel_module": None if module is None else {"works_with": list(module.modules), "claim": module.id},
            "pci_ids": [f"10de:{device}" for device in gpu.pci_ids],
            "driver_names": list(gpu.driver_names),
            "aliases": list(gpu.aliases),
            "note": gpu.note or None,
            "claims": [self.claim_data(claim) for claim in (*own, *shared)],
            "links": {
                "self": f"/gpus/{quote(gpu.id)}",
                "resolve": f"/resolve?gpu={quote(gpu.name)}",
                "dockerfile": f"/dockerfile?gpu={quote(gpu.name)}",
            },
            "data_version": self.engine.data_version,
        }

    @staticmethod
    def _specs(claims: list[Claim]) -> dict[str, Any] | None:
        for claim in claims:
            if isinstance(claim, GpuHasSpecs) and claim.standing != "deprecated":
                return {name: value for name, value in to_plain(claim).items() if name not in _NOT_SPECS}
        return None

    def feature(self, identity: str) -> str:
        """The name of a feature."""
        return self._features[identity].name

    @cached_property
    def _features(self) -> dict[str, Feature]:
        return dict(self.engine.catalogue.entities(Feature))

    # --- claims -------------------------------------------------------------------------------------------------

    @cached_property
    def _by_subject(self) -> dict[tuple[str, str], list[Claim]]:
        found: dict[tuple[str, str], list[Claim]] = {}
        for cls in CLAIMS.values():
            if cls.within in ("gpu", "capability"):
                for claim in self.engine.catalogue.claims(cls):
                    found.setdefault((cls.within, claim.subject), []).append(claim)
        return found

    def claim(self, identity: str) -> dict[str, Any] | None:
        """One claim with its evidence; None where there is none of that id."""
        claim = self.engine.catalogue.by_id.get(identity)
        return None if claim is None else {**self.claim_data(claim), "data_version": self.engine.data_version}

    def claim_data(self, claim: Claim) -> dict[str, Any]:
        """A claim as plain data, its evidence spelled out."""
        values = to_plain(claim)
        return {
            "id": values.pop("id"),
            "relation": claim.relation,
            "subject": values.pop("subject"),
            "standing": claim.standing,
            **{name: value for name, value in values.items() if name not in ("evidence", "standing")},
            "evidence": [self.engine.citer.evidence(piece) for piece in claim.evidence],
            "links": {"self": f"/claims/{quote(claim.id, safe=':')}"},
        }


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _distance(wanted: str, name: str) -> int:
    """How much of a name stands after what is wanted; names that hold it elsewhere come last."""
    plain = _plain(name)
    place = plain.find(wanted)
    return len(plain) - place - len(wanted) if place >= 0 else 1_000
