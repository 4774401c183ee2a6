"""Open bounds beside what was observed: drivers that list a product, toolkits that make code for a capability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from matrices.catalogue import Catalogue
from matrices.model import Gpu, GpuListedSince, Toolkit
from matrices.reconcile.boundaries import Boundaries, NotSimple, infer
from matrices.reconcile.observed import Observations, family, shows
from matrices.versions import ComputeCapability, CudaVersion, DriverVersion

__all__ = ["Bound", "Targeted", "bounds", "targeted"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A claim that says `or-earlier`, and the oldest driver that a machine showed the product with: `narrowed` where it is
    older than the claimed one. No machine can close a bound: a driver that does not know a product does not list it."""

    claim: str
    claimed: str
    state: Literal["open", "narrowed"]
    first_yes: str | None = None
    reason: str = ""


def bounds(catalogue: Catalogue, observations: Observations) -> list[Bound]:
    """Every open bound of the data, in its order."""
    claims = (claim for claim in catalogue.claims(GpuListedSince) if claim.standing != "deprecated")
    gpus = catalogue.entities(Gpu)
    return [_bound(claim, gpus[claim.subject], observations) for claim in claims if claim.bound == "or-earlier"]


def _bound(claim: GpuListedSince, gpu: Gpu, observations: Observations) -> Bound:
    series: list[tuple[DriverVersion, bool | None]] = []
    for row in observations.of("machine"):
        if row["driver"] and family(row) == claim.os:
            known = any(shows(gpu, seen["name"]) for seen in row["gpus"])
            series.append((DriverVersion.parse(row["driver"]), True if known else None))
    found = infer(sorted(series, key=lambda pair: pair[0]))
    if isinstance(found, NotSimple):
        return Bound(claim.id, str(claim.driver), "open", reason=found.reason)
    state: Literal["open", "narrowed"] = "narrowed" if found.first_yes < claim.driver else "open"
    return Bound(claim.id, str(claim.driver), state, str(found.first_yes))


@dataclass(frozen=True, slots=True)
class Targeted:
    """From which toolkit to which the compilers that were measured make code for a capability; not simple: `reason`."""

    capability: str
    last_no: str | None = None
    first_yes: str | None = None
    last_yes: str | None = None
    first_no: str | None = None
    reason: str = ""


def targeted(catalogue: Catalogue, observations: Observations) -> Iterator[Targeted]:
    """The pair of boundaries of every capability that a measured compiler makes code for."""
    toolkits = sorted(map(CudaVersion.parse, catalogue.entities(Toolkit)))
    made = {
        toolkit: {str(target).rstrip("af") for row in rows for target in row["targets"]["sass"]}
        for toolkit, rows in observations.toolkits.items()
    }
    for capability in sorted(map(ComputeCapability.parse, set().union(*made.values()))):
        name = str(capability)
        series = [(str(cuda), name in made[str(cuda)] if str(cuda) in made else None) for cuda in toolkits]
        found = infer(series)
        if isinstance(found, Boundaries):
            yield Targeted(name, found.last_no, found.first_yes, found.last_yes, found.first_no)
        else:
            yield Targeted(name, reason=found.reason)
