"""Forward compatibility: a newer CUDA on an older driver through the cuda-compat package, for listed products and branches only."""

from __future__ import annotations

from typing import Any

from matrices.model import ForwardFor, ToolkitForwardOn
from matrices.versions import CudaVersion
from resolver.index import Index
from resolver.judge import Reason
from resolver.labels import driver_label
from resolver.query import Query, Subject
from resolver.rules import Driver, Verdict

__all__ = ["Forward"]


class Forward:
    """Judges the way through cuda-compat over one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._products = {claim.subject: claim for claim in index.catalogue.claims(ForwardFor)}

    def judge(self, driver: Driver, cuda: CudaVersion, subject: Subject, os: str) -> Reason | None:
        """Whether a GPU runs a CUDA on a driver too old for it by the cuda-compat package of that CUDA.

        None where no table lists the branch for that CUDA, so that there is nothing to say.
        """
        claim = self.index.drivers.compat.get(str(cuda.release))
        products = self._products.get(str(cuda.major))
        if os != "linux" or claim is None or products is None or f"R{driver.branch}" not in claim.branches:
            return None
        values: dict[str, Any] = {
            "gpu": subject.name,
            "driver": driver_label(driver),
            "cuda": str(cuda.release),
            "package": claim.package,
            "families": " or ".join(products.families),
            "branch": claim.paired_with,
        }
        verdict = _listed(products, subject)
        if verdict == "no":
            return Reason("forward-refused", "forward", "no", (products, claim), values)
        if self._left_behind(claim, subject):
            return Reason("forward-dropped", "forward", "no", (claim,), values)
        if verdict == "unknown" or claim.uncertain or products.uncertain:
            return Reason("forward-perhaps", "forward", "unknown", (claim, products), values)
        return Reason("forward-runs", "forward", "yes", (claim, products), values, condition=True)

    def _left_behind(self, claim: ToolkitForwardOn, subject: Subject) -> bool:
        """Whether the branch that the package is made from no longer drives the GPU: nor does the package."""
        paired = None if claim.paired_with is None else int(claim.paired_with.removeprefix("R"))
        facts = None if paired is None else self.index.drivers.branches.get(paired)
        return (
            facts is not None
            and self.index.drivers.drives(facts.driver("linux"), subject.capability, "linux")[0] == "no"
        )

    def ways(self, query: Query, cuda: CudaVersion) -> list[Reason]:
        """The judgements for all GPUs of a query with its driver, where there is something to say of any."""
        if query.driver is None:
            return []
        found = (self.judge(query.driver, cuda, subject, query.driver_os) for subject in query.subjects)
        return [reason for reason in found if reason is not None]

    def runs(self, query: Query, cuda: CudaVersion) -> bool:
        """Whether every GPU of a query runs a CUDA that way."""
        ways = self.ways(query, cuda)
        return bool(ways) and len(ways) == len(query.subjects) and all(way.verdict == "yes" for way in ways)

    def bits(self, query: Query) -> int:
        """The builds whose CUDA the driver is too old for and every GPU of a query runs that way."""
        assert query.driver is not None  # noqa: S101 - only asked for a driver
        found = 0
        for cuda, bits in self.index.by_cuda.items():
            if self.index.drivers.runs(query.driver, cuda, query.driver_os).verdict == "no" and self.runs(query, cuda):
                found |= bits
        return found


def _listed(products: ForwardFor, subject: Subject) -> Verdict:
    """Whether the products a name may be are among those the table is for."""
    families = {gpu.family for gpu in subject.gpus}
    if families and families <= set(products.families):
        return "yes"
    possible = {*products.families, *products.perhaps}
    return "unknown" if not families or families & possible else "no"
