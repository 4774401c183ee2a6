"""What is known, described: GPUs, claims, sources."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from api.schemas.base import Described, Evidence
from api.schemas.stacks import GpuPart

__all__ = [
    "ClaimAnswer",
    "ClaimData",
    "DriverWindow",
    "EvidencePiece",
    "GpuAnswer",
    "GpuRow",
    "GpusAnswer",
    "KernelModule",
    "RuleData",
    "SourceAnswer",
    "SourceRow",
    "SourcesAnswer",
    "SuggestedAnswer",
    "SuggestedRow",
    "Voice",
]


class GpuRow(GpuPart):
    """One line of `/gpus`."""

    platform: Literal["desktop", "tegra"]
    released: str | None


class GpusAnswer(Described):
    """The answer of `/gpus`."""

    count: int
    gpus: list[GpuRow]
    data_version: str


class SuggestedRow(Described):
    """One product that what is typed may become."""

    id: str
    name: str
    compute_capability: str


class SuggestedAnswer(Described):
    """The answer of `/gpus/suggested`; `count` is of all that match."""

    count: int
    gpus: list[SuggestedRow]
    data_version: str


class DriverWindow(Described):
    """From which driver to which branch a GPU is driven; null where there is no bound, or none is known."""

    first: str | None
    last_branch: str | None
    claim: str


class KernelModule(Described):
    """The kernel module flavours that work for a GPU on Linux."""

    works_with: list[Literal["open", "proprietary"]]
    claim: str


class GpuAnswer(Described):
    """The answer of `/gpus/{id}`."""

    id: str
    name: str
    marketing_name: str
    family: str
    architecture: str
    chip: str
    compute_capability: str
    platform: Literal["desktop", "tegra"]
    machines: list[str]
    released: str | None
    memory_gb: list[float]
    specs: dict[str, Any] | None
    driver: dict[Literal["linux", "windows"], DriverWindow]
    kernel_module: KernelModule | None
    pci_ids: list[str]
    driver_names: list[str]
    aliases: list[str]
    note: str | None
    claims: list[ClaimData]
    links: dict[str, str]
    data_version: str


class EvidencePiece(Described):
    """One piece of evidence: where it was found and the day it was read; `source` is an id of `/sources`."""

    kind: Evidence
    where: str
    on: str
    source: str | None = None
    how: str | None = None
    place: str | None = None


class ClaimData(BaseModel):
    """One claim; its own values stand beside these members."""

    model_config = ConfigDict(extra="allow")
    id: str
    relation: str
    subject: str
    standing: Literal["preferred", "normal", "deprecated"]
    evidence: list[EvidencePiece]
    links: dict[str, str]


class Voice(Described):
    """One voice on a question; `agrees` with the claim asked for, `on` is its newest evidence."""

    id: str
    agrees: bool
    standing: Literal["preferred", "normal", "deprecated"]
    because: str | None
    uncertain: str | None
    evidence: Evidence
    on: str
    links: dict[str, str]


class RuleData(Described):
    """A rule of the resolver."""

    id: str
    says: str
    citation: str


class ClaimAnswer(ClaimData):
    """The answer of `/claims/{id}`: the claim, every voice on its question (itself too), and who reads it.

    `confirmed_by` and `contradicted_by` name the artefacts that were measured; `stale`: nothing fresh stands behind it.
    """

    stale: bool
    voices: list[Voice]
    confirmed_by: list[str]
    contradicted_by: list[str]
    rules: list[RuleData]
    data_version: str


class SourceRow(Described):
    """One line of `/sources`; `newest` is the last day it was read, `age_days` counts from there to the day of the data."""

    id: str
    title: str
    publisher: str | None
    link: str
    licence: str | None
    changes: str | None
    stale_after_days: int | None
    newest: str | None
    age_days: int | None
    stale: bool
    claim_count: int
    links: dict[str, str]


class SourcesAnswer(Described):
    """The answer of `/sources`."""

    count: int
    sources: list[SourceRow]
    data_version: str


class SourceAnswer(SourceRow):
    """The answer of `/sources/{id}`: `claims` by relation."""

    claims: dict[str, list[str]]
    data_version: str
