"""GPUs and the systems they are in: capabilities, kernel modules, what an operating system asks for and ships."""

from __future__ import annotations

from functools import cached_property

from matrices.catalogue import Catalogue
from matrices.model import Capability, CcNeedsModule, Gpu, GpuHasCc, GpuNeedsModule, OsNeedsCc, OsShips
from matrices.versions import ComputeCapability
from resolver.parts import grouped

__all__ = ["Hardware"]


class Hardware:
    """The facts about GPUs in one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    @cached_property
    def gpus(self) -> dict[str, Gpu]:
        """Products by id."""
        return self.catalogue.entities(Gpu)

    @cached_property
    def gpu_capability(self) -> dict[str, GpuHasCc]:
        """The capability claim that counts, by gpu id."""
        return grouped(self.catalogue.claims(GpuHasCc), lambda claim: claim.subject)

    @cached_property
    def capabilities(self) -> dict[str, Capability]:
        """Capabilities by their text."""
        return self.catalogue.entities(Capability)

    @cached_property
    def _gpu_modules(self) -> dict[str, GpuNeedsModule]:
        return grouped(self.catalogue.claims(GpuNeedsModule), lambda claim: claim.subject)

    @cached_property
    def _capability_modules(self) -> dict[str, CcNeedsModule]:
        return grouped(self.catalogue.claims(CcNeedsModule), lambda claim: claim.subject)

    def modules(self, capability: ComputeCapability, gpu: Gpu | None) -> CcNeedsModule | GpuNeedsModule | None:
        """The claim about the kernel modules a GPU works with; the product's own comes first."""
        own = self._gpu_modules.get(gpu.id) if gpu else None
        return own or self._capability_modules.get(str(capability))

    @cached_property
    def os_needs(self) -> dict[str, OsNeedsCc]:
        """What an operating system asks of a GPU and its driver, by os id."""
        return grouped(self.catalogue.claims(OsNeedsCc), lambda claim: claim.subject)

    @cached_property
    def os_ships(self) -> dict[str, OsShips]:
        """What an operating system comes with (glibc, GCC), by os id."""
        return grouped(self.catalogue.claims(OsShips), lambda claim: claim.subject)
