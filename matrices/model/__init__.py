"""The vocabulary: entities (identity only), relations (claims that could be wrong) and evidence.

An entity says that a thing exists and how it is named. Everything that could be wrong is a claim of one
relation with one meaning, carrying its evidence. The same frozen dataclasses are read from hand-written TOML
(through pydantic, see `matrices.load`) and from the compiled catalogue (see `matrices.catalogue`).

A claim whose truth its own source doubts carries `uncertain`: the reason, in words. Such a claim never makes a
verdict stronger than `unknown`. A value that nobody knows is left out, never filled in.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from matrices.model.base import (
    BESIDE,
    Channel,
    Claim,
    Date,
    Documented,
    Entity,
    Evidence,
    Machine,
    Measured,
    Module,
    OsFamily,
    Reported,
    Standing,
)
from matrices.model.entities import (
    Branch,
    Capability,
    CloudInstance,
    ContainerRuntime,
    Coverage,
    CudaFamily,
    Feature,
    Gpu,
    Image,
    ImageRepository,
    JetPack,
    OperatingSystem,
    Package,
    Source,
    Toolkit,
    Torch,
    Wheel,
)
from matrices.model.hardware import (
    BranchDrivesCc,
    BranchLifecycle,
    BranchOffersModule,
    BranchReleased,
    CcNeedsModule,
    CcThroughput,
    CodeRunsOn,
    DriverRunsCuda,
    FeatureNeedsCc,
    GpuDroppedAfter,
    GpuHasCc,
    GpuHasSpecs,
    GpuListedSince,
    GpuNeedsModule,
)
from matrices.model.packages import (
    PackageBuiltWith,
    PackageEmbeds,
    PackageForPython,
    PackageInstalledBy,
    PackageNeedsCc,
    PackageNeedsDriver,
    PackageNeedsPackage,
    PackageOffers,
    PackageReleased,
)
from matrices.model.systems import (
    ImageContains,
    ImageDemands,
    ImageExists,
    ImageForwardOn,
    ImageNeedsCc,
    ImageOldKey,
    ImageTagLaw,
    JetPackContains,
    JetPackTorch,
    OsInstallsDriver,
    OsNeedsCc,
    OsShips,
    RuntimeChecks,
    RuntimeDefault,
)
from matrices.model.toolkits import (
    FamilyNeedsDriver,
    ForwardFor,
    ToolkitForwardOn,
    ToolkitHostCompiler,
    ToolkitNeedsDriver,
    ToolkitPtxIsa,
    ToolkitReleased,
    ToolkitShipsDriver,
    ToolkitSupportsOs,
    ToolkitTargetsCc,
)
from matrices.model.wheels import (
    TorchDefaultCuda,
    TorchPairsWith,
    WheelBuiltWith,
    WheelEmbeds,
    WheelNeeds,
    WheelPins,
)

__all__ = [
    "BESIDE",
    "CLAIMS",
    "ENTITIES",
    "Branch",
    "BranchDrivesCc",
    "BranchLifecycle",
    "BranchOffersModule",
    "BranchReleased",
    "Capability",
    "CcNeedsModule",
    "CcThroughput",
    "Channel",
    "Claim",
    "CloudInstance",
    "CodeRunsOn",
    "ContainerRuntime",
    "Coverage",
    "CudaFamily",
    "Date",
    "Documented",
    "DriverRunsCuda",
    "Entity",
    "Evidence",
    "FamilyNeedsDriver",
    "Feature",
    "FeatureNeedsCc",
    "ForwardFor",
    "Gpu",
    "GpuDroppedAfter",
    "GpuHasCc",
    "GpuHasSpecs",
    "GpuListedSince",
    "GpuNeedsModule",
    "Image",
    "ImageContains",
    "ImageDemands",
    "ImageExists",
    "ImageForwardOn",
    "ImageNeedsCc",
    "ImageOldKey",
    "ImageRepository",
    "ImageTagLaw",
    "JetPack",
    "JetPackContains",
    "JetPackTorch",
    "Machine",
    "Measured",
    "Module",
    "OperatingSystem",
    "OsFamily",
    "OsInstallsDriver",
    "OsNeedsCc",
    "OsShips",
    "Package",
    "PackageBuiltWith",
    "PackageEmbeds",
    "PackageForPython",
    "PackageInstalledBy",
    "PackageNeedsCc",
    "PackageNeedsDriver",
    "PackageNeedsPackage",
    "PackageOffers",
    "PackageReleased",
    "Reported",
    "RuntimeChecks",
    "RuntimeDefault",
    "Source",
    "Standing",
    "Toolkit",
    "ToolkitForwardOn",
    "ToolkitHostCompiler",
    "ToolkitNeedsDriver",
    "ToolkitPtxIsa",
    "ToolkitReleased",
    "ToolkitShipsDriver",
    "ToolkitSupportsOs",
    "ToolkitTargetsCc",
    "Torch",
    "TorchDefaultCuda",
    "TorchPairsWith",
    "Wheel",
    "WheelBuiltWith",
    "WheelEmbeds",
    "WheelNeeds",
    "WheelPins",
    "claim_key",
]


def _by_name(base: type[Any], label: str) -> dict[str, type[Any]]:
    return {getattr(cls, label): cls for cls in base.__subclasses__()}


ENTITIES: dict[str, type[Entity]] = _by_name(Entity, "kind")
CLAIMS: dict[str, type[Claim]] = _by_name(Claim, "relation")


def claim_key(cls: type[Claim], subject: str, values: dict[str, Any]) -> str:
    """The id of a claim: relation, subject, and whatever tells it from its siblings.

    `values` are plain (as written in TOML or in the catalogue); a missing one takes the field's default.
    """
    defaults = {field.name: field.default for field in fields(cls)}
    parts = [cls.relation, subject]
    for name in cls.keyed_by:
        value = values.get(name, defaults[name])
        text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        if text and value is not None:
            parts.append(text)
    return ":".join(parts)
