"""What code runs on which capability: targets of machine code and PTX, and the toolkits whose compilers make them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from matrices.catalogue import Catalogue
from matrices.model import CodeRunsOn, ToolkitTargetsCc
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion
from resolver import rules
from resolver.hardware import Hardware
from resolver.parts import grouped

__all__ = ["Targets"]


class Targets:
    """Rules `sass` and `ptx` with the facts of one catalogue filled in: families, exceptions, compilers."""

    def __init__(self, catalogue: Catalogue, hardware: Hardware) -> None:
        self.catalogue = catalogue
        self.hardware = hardware

    def best(
        self,
        sass: Iterable[ArchTarget],
        ptx: Iterable[ArchTarget],
        capability: ComputeCapability,
        cuda: CudaVersion | None,
    ) -> tuple[str, ArchTarget | None]:
        """What serves a capability best: machine code before PTX, the newest target first; `("none", None)` where nothing does.

        `cuda` is what the code was compiled with; None: not known, so that exceptions that end with a CUDA hold.
        """
        for target in sorted(sass, reverse=True):
            if self.sass(target, capability) and not self.excluded(target, capability, cuda):
                return "sass", target
        for target in sorted(ptx, reverse=True):
            if self.ptx(target, capability):
                return "ptx", target
        return "none", None

    def ptx(self, target: ArchTarget, capability: ComputeCapability) -> bool:
        """Rule `ptx` with the family of the capability filled in."""
        return rules.ptx(target, capability, same_family=self._same_family(target.capability, capability))

    def sass(self, target: ArchTarget, capability: ComputeCapability) -> bool:
        """Rule `sass` with the family of the capability filled in; exceptions (`excluded`) left aside."""
        return rules.sass(target, capability, same_family=self._same_family(target.capability, capability))

    def _same_family(self, first: ComputeCapability, second: ComputeCapability) -> bool:
        families = {known.family for text in (first, second) if (known := self.hardware.capabilities.get(str(text)))}
        return len(families) == 1 and None not in families

    @cached_property
    def _exclusions(self) -> dict[str, list[CodeRunsOn]]:
        groups: dict[str, list[CodeRunsOn]] = {}
        for claim in self.catalogue.claims(CodeRunsOn):
            groups.setdefault(claim.subject, []).append(claim)
        return groups

    def excluded(self, target: ArchTarget, capability: ComputeCapability, cuda: CudaVersion | None) -> bool:
        """Whether machine code for a target that the plain rule lets run on a capability does not, built by a CUDA."""
        return any(
            target in claim.targets and (claim.until_cuda is None or cuda is None or cuda.release < claim.until_cuda)
            for claim in self._exclusions.get(str(capability), ())
        )

    @cached_property
    def toolkits(self) -> dict[str, ToolkitTargetsCc]:
        """What each toolkit minor makes code for."""
        return grouped(self.catalogue.claims(ToolkitTargetsCc), lambda claim: claim.subject)

    def makes_sass(self, toolkit: ToolkitTargetsCc, capability: ComputeCapability) -> bool:
        """Whether the compiler of a toolkit makes machine code that runs on a capability."""
        return any(self.sass(target, capability) for target in toolkit.sass)

    def makes_ptx(self, toolkit: ToolkitTargetsCc, capability: ComputeCapability) -> bool:
        """Whether the compiler of a toolkit makes PTX that can be compiled for a capability."""
        return any(self.ptx(target, capability) for target in toolkit.ptx or toolkit.sass)

    @cached_property
    def toolkit_capabilities(self) -> dict[str, frozenset[ComputeCapability]]:
        """The capabilities each toolkit minor surely makes machine code for."""
        return {
            minor: frozenset(target.capability for target in claim.sass)
            for minor, claim in self.toolkits.items()
            if not claim.uncertain
        }
