"""Whether a build of a release has code for a GPU."""

from __future__ import annotations

from dataclasses import dataclass, replace

from matrices.model import Claim, PackageEmbeds
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion
from resolver import rules
from resolver.index import Index
from resolver.packages.offers import Offer
from resolver.releases import Release
from resolver.rules import RANK, Verdict

__all__ = ["Code", "Codes", "speaks_of"]


@dataclass(frozen=True, slots=True)
class Code:
    """Whether a release has code for a capability, as machine code, PTX or made where it runs, and which claim says so."""

    verdict: Verdict
    how: str  # "sass", "ptx", "made" or "none"
    target: ArchTarget | None
    claims: tuple[Claim, ...]


class Codes:
    """What the libraries of packages hold, over one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._kept: dict[tuple[str, str, str, str, CudaVersion | None, ComputeCapability], Code] = {}

    def code(self, release: Release, offer: Offer, capability: ComputeCapability) -> Code:
        """Whether a build of a release works on a capability (kept)."""
        key = (release.package, release.version, offer.os, offer.machine, offer.cuda, capability)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._judged(release, offer, capability)
        return found

    def _judged(self, release: Release, offer: Offer, capability: ComputeCapability) -> Code:
        refusing = [claim for claim in release.needs_cc if not rules.within(claim.minimum, claim.maximum, capability)]
        if refusing and not refusing[0].uncertain:
            return Code("no", "none", None, (refusing[0],))
        found = self._held(release, offer, capability)
        if refusing and found.verdict != "no":
            return Code("unknown", found.how, found.target, (refusing[0],))
        return found

    def _held(self, release: Release, offer: Offer, capability: ComputeCapability) -> Code:
        """What the libraries hold; where nobody looked, what a closed range of capabilities says."""
        rows = [row for row in release.embeds if not row.optional and speaks_of(row, offer)]
        if rows:
            codes = [self.in_library(row, capability, offer.cuda) for row in rows]
            weakest = min(codes, key=lambda code: (RANK[code.verdict], code.how != "ptx"))
            compiled = any(code.how == "ptx" for code in codes)  # then the driver counts, whichever library is in doubt
            return replace(weakest, how="ptx" if compiled else weakest.how)
        ranges = [claim for claim in release.needs_cc if claim.maximum is not None]
        if ranges:
            return Code("unknown" if ranges[0].uncertain else "yes", "made", None, (ranges[0],))
        return Code("unknown", "none", None, release.needs_cc[:1])

    def in_library(self, row: PackageEmbeds, capability: ComputeCapability, cuda: CudaVersion | None) -> Code:
        """What one library, built by a CUDA, has for a capability."""
        verdict: Verdict = "unknown" if row.uncertain else "yes"
        how, target = self.index.targets.best(row.sass, row.ptx or (), capability, cuda)
        if target is not None:
            return Code(verdict, how, target, (row,))
        looked = row.ptx is not None or not any(self.index.targets.ptx(made, capability) for made in row.sass)
        return Code("no" if looked and not row.uncertain else "unknown", "none", None, (row,))


def speaks_of(row: PackageEmbeds, offer: Offer) -> bool:
    """Whether a row is about a build: one that names CUDA releases is about those only."""
    if offer.machine not in row.machines or offer.os not in row.os:
        return False
    return not row.cuda or (offer.cuda is not None and offer.cuda.release in row.cuda)
