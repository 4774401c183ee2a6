"""What rides along with torch: the versions released beside it, and the capabilities that libraries do not take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from matrices.catalogue import Catalogue
from matrices.model import PackageNeedsCc, TorchPairsWith
from matrices.versions import ComputeCapability
from resolver import rules
from resolver.parts import grouped, in_doubt
from resolver.rules import Verdict
from resolver.specifiers import admits

__all__ = ["Libraries"]


class Libraries:
    """The facts about libraries and companions of torch in one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._rows: dict[tuple[str, str], tuple[PackageNeedsCc, ...]] = {}

    @cached_property
    def companions(self) -> dict[tuple[str, str], TorchPairsWith]:
        """The companion of each package by (torch release, package)."""
        return grouped(self.catalogue.claims(TorchPairsWith), lambda claim: (claim.subject, claim.package))

    def refusal(self, package: str, version: str, capability: ComputeCapability) -> PackageNeedsCc | None:
        """The claim by which a version of a package does not support a capability, if there is one."""
        for claim in self._rows_of(package, version):
            if not rules.within(claim.minimum, claim.maximum, capability):
                return claim
        return None

    def refuses_all(self, package: str, capabilities: Sequence[ComputeCapability]) -> bool:
        """Whether every known version of a companion surely refuses one of the capabilities."""
        versions = {claim.version for claim in self.companions.values() if claim.package == package}
        return bool(versions) and all(self.refuses(package, version, capabilities) == "no" for version in versions)

    def refuses_named(self, package: str, specifier: str, capabilities: Sequence[ComputeCapability]) -> bool:
        """Whether a specifier names just one version, which does not take the capabilities whatever torch it belongs to."""
        exact = re.fullmatch(r"==([\w.]+)", specifier)
        return exact is not None and self.refuses(package, exact[1], capabilities) == "no"

    def refuses(self, package: str, version: str, capabilities: Sequence[ComputeCapability]) -> Verdict:
        """Whether a version of a package takes all capabilities: no where one is surely refused, unknown where one may be."""
        refusals = [self.refusal(package, version, capability) for capability in capabilities]
        if any(refusal is not None and refusal.uncertain is None for refusal in refusals):
            return "no"
        return "unknown" if any(refusals) else "yes"

    def _rows_of(self, package: str, version: str) -> tuple[PackageNeedsCc, ...]:
        key = (package, version)
        found = self._rows.get(key)
        if found is None:
            rows = (
                claim
                for claim in self.catalogue.claims(PackageNeedsCc)
                if claim.subject == package and claim.standing != "deprecated" and admits(claim.versions, version)
            )
            found = self._rows[key] = tuple(sorted(rows, key=in_doubt))
        return found
