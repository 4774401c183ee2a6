"""What an image asks of the driver beyond its CUDA: the gate of the container runtime, and cuda-compat inside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matrices.model import Claim, ImageDemands, ImageForwardOn, RuntimeChecks, RuntimeDefault, ToolkitForwardOn
from resolver.images import ImageSet
from resolver.index import Index
from resolver.judge import Reason
from resolver.labels import driver_label
from resolver.query import Query, Subject

__all__ = ["Gate"]


class Gate:
    """Judges gates and forward compatibility over one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        catalogue = index.catalogue
        self.demands: dict[tuple[str, str], ImageDemands] = {
            (claim.subject, claim.machine): claim for claim in catalogue.claims(ImageDemands)
        }
        self.checks = {claim.subject: claim for claim in catalogue.claims(RuntimeChecks)}
        self.default = next((claim for claim in catalogue.claims(RuntimeDefault) if claim.from_toolkit), None)
        self.image_forward = {claim.subject: claim for claim in catalogue.claims(ImageForwardOn)}

    def demanded(self, found: ImageSet, machine: str) -> ImageDemands | None:
        """What the image asks: its own words, else those of its CUDA release."""
        home = f"{found.image.repository}:{found.contains.cuda if found.contains else ''}"
        return self.demands.get((found.image.id, machine)) or self.demands.get((home, machine))

    def judge(self, found: ImageSet, query: Query) -> Iterable[Reason]:
        """Whether the runtime's own check lets the image start; where it does not, only the check stands in the way."""
        claim = self.demanded(found, query.machine)
        facts = self.index.drivers.branches.get(query.driver.branch) if query.driver else None
        if claim is None or claim.cuda is None or claim.expression is not None or facts is None or facts.native is None:
            return
        values: dict[str, Any] = {"driver": f"R{facts.number}", "native": str(facts.native), "cuda": str(claim.cuda)}
        if facts.native >= claim.cuda:
            yield Reason("gate-open", "image-gate", "yes", (claim, *facts.native_claims), values)
            return
        shut = False
        for subject in query.subjects:
            claims = (claim, *facts.native_claims)
            if facts.number in claim.branches and _brand(subject) in claim.brands:
                yield Reason("gate-branch", "image-gate", "yes", claims, values | {"gpu": subject.name})
                continue
            shut = True
            yield self._shut(query, claims, values | {"gpu": subject.name})
        if shut and query.container_runtime is None and self.default is not None:
            since = {"since": self.default.from_toolkit}
            yield Reason("runtime-default", "image-gate", "yes", (self.default,), since)

    def _shut(self, query: Query, claims: tuple[Claim, ...], values: dict[str, Any]) -> Reason:
        """A driver that does not meet the demands: what comes of it lies with the container runtime."""
        checks = self.checks.get(query.container_runtime or "")
        if checks is None or checks.uncertain:
            return Reason("gate-shut", "image-gate", "yes", claims, values, condition=True)
        if checks.checks:
            return Reason("gate-refused", "image-gate", "no", (*claims, checks), values)
        return Reason("gate-unchecked", "image-gate", "yes", (*claims, checks), values)

    def compat(self, found: ImageSet, query: Query, subject: Subject) -> Reason | None:
        """The way out by cuda-compat where the driver is too old for the image's CUDA; for listed pairs only."""
        if query.driver is None or found.cuda is None or _brand(subject) != "tesla":
            return None
        branch = query.driver.branch
        own = self.image_forward.get(found.image.id)
        listed = self.index.drivers.compat.get(str(found.cuda.release))
        claim: ToolkitForwardOn | ImageForwardOn
        if own is not None and branch in [driver.major for driver in own.drivers]:
            claim = own
        elif listed is not None and f"R{branch}" in listed.branches:
            claim = listed
        else:
            return None
        values = {"driver": driver_label(query.driver), "cuda": str(found.cuda.release), "gpu": subject.name}
        return Reason("forward", "forward", "unknown", (claim,), values)


def _brand(subject: Subject) -> str | None:
    """The brand by which NVIDIA_REQUIRE_CUDA knows a product, where its family tells it."""
    family = subject.gpus[0].family if subject.gpus else ""
    return {"Data Center": "tesla", "GeForce": "geforce"}.get(family)
