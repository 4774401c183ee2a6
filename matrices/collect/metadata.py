"""What the METADATA of a wheel asks for on one platform."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from packaging.metadata import parse_email
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from matrices.collect.rows import Unrecognised

__all__ = ["Requirements", "read_requirements"]

_CUDNN = re.compile(r"nvidia-cudnn(-cu\d+)?")
_NCCL = re.compile(r"nvidia-nccl(-cu\d+)?")
_RUNTIME = re.compile(r"nvidia-cuda-runtime(-cu\d+)?|cuda-toolkit")


@dataclass(frozen=True, slots=True)
class Requirements:
    """Requirements by canonical name: the specifier as text, and the version where exactly one is asked for."""

    specifiers: Mapping[str, str]
    pinned: Mapping[str, str]

    def version(self, name: str | re.Pattern[str]) -> str | None:
        """The pinned version of a package, or of the first whose whole name fits a pattern."""
        if isinstance(name, str):
            return self.pinned.get(name)
        return next((version for key, version in self.pinned.items() if name.fullmatch(key)), None)

    @property
    def cuda(self) -> str | None:
        """The CUDA minor whose runtime is asked for; None for a CPU build."""
        version = self.version(_RUNTIME)
        return None if version is None else ".".join(version.split(".")[:2])

    @property
    def pins(self) -> dict[str, str]:
        """What `wheel-pins` holds."""
        found = {"cudnn": self.version(_CUDNN), "nccl": self.version(_NCCL), "triton": self.version("triton")}
        return {name: version for name, version in found.items() if version}

    def libraries(self) -> Iterator[tuple[str, str]]:
        """Name and version of each pinned cuDNN and NCCL package."""
        for name, version in self.pinned.items():
            if _CUDNN.fullmatch(name) or _NCCL.fullmatch(name):
                yield name, version


def read_requirements(metadata: bytes, *, os: str, machine: str, python: str) -> Requirements:
    """The requirements that hold on `os` (`linux`, `windows`), `machine` and `python` (3.12), without extras.

    Raises:
        Unrecognised: when the text is no METADATA.
    """
    raw, _ = parse_email(metadata)
    if "name" not in raw:
        raise Unrecognised("METADATA: no name in it")
    environment = {
        "platform_system": os.capitalize(),
        "sys_platform": "win32" if os == "windows" else "linux",
        "platform_machine": machine,
        "python_version": python.rstrip("t"),
        "python_full_version": f"{python.rstrip('t')}.0",
        "extra": "",
    }
    specifiers: dict[str, str] = {}
    pinned: dict[str, str] = {}
    for text in raw.get("requires_dist", []):
        try:
            requirement = Requirement(text)
        except InvalidRequirement as error:
            raise Unrecognised(f"METADATA: {text!r} is no requirement") from error
        if requirement.marker is not None and not requirement.marker.evaluate(environment):
            continue
        name = canonicalize_name(requirement.name)
        specifiers[name] = str(requirement.specifier)
        exact = [clause for clause in requirement.specifier if clause.operator in ("==", "~=")]
        if len(exact) == 1 and not exact[0].version.endswith("*"):
            pinned[name] = exact[0].version
    return Requirements(specifiers, pinned)
