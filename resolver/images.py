"""Container images: which tags exist, what they hold, and which fit a stack."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matrices.catalogue import Catalogue
from matrices.model import Image, ImageContains, ImageExists, ImageNeedsCc, RuntimeChecks
from matrices.versions import ComputeCapability, CudaVersion, InvalidVersion
from resolver.driver import DriverChoice
from resolver.index import Index
from resolver.parts import Build, grouped
from resolver.query import Query, Wanted
from resolver.rules import Driver

__all__ = ["ImageSet", "Images"]


@dataclass(frozen=True, slots=True)
class ImageSet:
    """An image entity with the claims that count."""

    image: Image
    exists: ImageExists | None
    contains: ImageContains | None
    needs: ImageNeedsCc | None
    cuda: CudaVersion | None

    @property
    def certain(self) -> bool:
        """Whether the tags are known to exist."""
        return self.exists is not None and self.exists.status == "exists" and not self.exists.uncertain

    def on(self, machine: str) -> bool:
        """Whether it is known to be built for a machine (x86_64 where nothing else is said)."""
        machines = self.exists.machines if self.exists else ()
        return machine in machines if machines else machine == "x86_64"

    def tag(self, *wanted: str) -> str | None:
        """The reference of the first tag that holds one of the `-`separated words, in the order wanted."""
        for word in wanted:
            for tag in self.image.tags:
                if f"-{word}-" in f"-{tag}-" and not (self.image.role == "cuda" and "cudnn" in tag):
                    return f"{self.image.repository}:{tag}"
        return None


class Images:
    """The images of one catalogue."""

    def __init__(self, index: Index) -> None:
        catalogue: Catalogue = index.catalogue
        self.index = index
        exists = grouped(catalogue.claims(ImageExists), lambda claim: claim.subject)
        contains = grouped(catalogue.claims(ImageContains), lambda claim: claim.subject)
        self._checks = {claim.subject: claim for claim in catalogue.claims(RuntimeChecks)}
        needs = grouped(catalogue.claims(ImageNeedsCc), lambda claim: claim.subject)
        self.sets: dict[str, list[ImageSet]] = {}
        self.by_reference: dict[str, ImageSet] = {}
        for image in catalogue.entities(Image).values():
            held = contains.get(image.id)
            found = ImageSet(image, exists.get(image.id), held, needs.get(image.id), _cuda(held.cuda if held else None))
            self.sets.setdefault(image.role, []).append(found)
            for tag in image.tags:
                self.by_reference[f"{image.repository}:{tag}"] = found
        for sets in self.sets.values():
            sets.sort(key=_newest_first, reverse=True)
        self._lines: dict[str, list[tuple[tuple[int, int], ImageNeedsCc]]] = {}
        for found in self.sets.get("ngc", ()):
            month = _month(found)
            if found.needs is not None and not found.needs.uncertain and month is not None:
                self._lines.setdefault(found.image.repository, []).append((month, found.needs))
        for line in self._lines.values():
            line.sort(key=lambda row: row[0])
        self._chosen: dict[tuple[object, ...], list[dict[str, Any]]] = {}
        self._sure: dict[tuple[str, str], list[tuple[ImageSet, CudaVersion]]] = {}

    def sure(self, role: str, machine: str) -> list[tuple[ImageSet, CudaVersion]]:
        """The images of a role with a known CUDA (release) that surely exist for a machine, newest first."""
        key = (role, machine)
        if key not in self._sure:
            self._sure[key] = [
                (found, found.cuda.release)
                for found in self.sets.get(role, ())
                if found.cuda is not None and found.certain and found.on(machine)
            ]
        return self._sure[key]

    def line(self, found: ImageSet) -> tuple[ImageNeedsCc | None, ImageNeedsCc | None]:
        """What an image surely needs, twice; where that is not known, what the nearest releases before and after it in its
        monthly line do.

        Rule `image-line`: from release to release the least capability never falls.
        """
        if found.needs is not None and not found.needs.uncertain:
            return found.needs, found.needs
        line = self._lines.get(found.image.repository, [])
        month = _month(found)
        before = [claim for when, claim in line if month is not None and when <= month]
        after = [claim for when, claim in line if month is not None and when >= month]
        return before[-1] if before else None, after[0] if after else None

    def for_build(self, query: Query, build: Build, choice: DriverChoice) -> list[dict[str, Any]]:
        """Images that fit a stack: a CUDA base, the torch image, the NGC image; each only if known to exist."""
        limit = self._limit(query, choice)
        key = (
            build.wheel.id,
            limit,
            query.capabilities,
            query.machine,
            query.os.family,
            query.python,
            query.torch,
            query.companions,
            query.packages,
        )
        if key not in self._chosen:
            if len(self._chosen) > 5_000:
                self._chosen.clear()
            self._chosen[key] = self._choose(query, build, limit)
        return self._chosen[key]

    def _choose(self, query: Query, build: Build, limit: CudaVersion | None) -> list[dict[str, Any]]:
        if query.os.family != "linux":
            return []
        found = []
        base = self.cuda_base(query, build, limit)
        if base is not None:
            found.append({"reference": base.tag("base", "runtime"), "kind": "cuda"})
        torch = self.pytorch(query, build)
        if torch is not None:
            found.append({"reference": torch.tag("runtime"), "kind": "pytorch"})
        ngc = self.ngc(query, limit) if query.torch is None and not (query.companions or query.packages) else None
        if ngc is not None:
            found.append({"reference": f"{ngc.image.repository}:{ngc.image.tags[0]}", "kind": "ngc"})
        return [row for row in found if row["reference"]]

    def _limit(self, query: Query, choice: DriverChoice) -> CudaVersion | None:
        """The highest CUDA that images may have: what the driver runs natively, since image checks ask for just that; where
        the container runtime does not check, whatever the driver runs."""
        facts = self.index.drivers.branches.get(choice.driver.branch) if choice.driver else None
        if facts is None or choice.driver is None or not self._unchecked(query):
            return facts.native if facts else None
        runs = (cuda for cuda in self.index.by_cuda if self._runs(choice.driver, cuda, query))
        return max(runs, default=facts.native)

    def _runs(self, driver: Driver, cuda: CudaVersion, query: Query) -> bool:
        return self.index.drivers.runs(driver, cuda, query.driver_os).verdict == "yes"

    def _unchecked(self, query: Query) -> bool:
        """Whether the container runtime named is known not to check what images demand."""
        checks = self._checks.get(query.container_runtime or "")
        return checks is not None and not checks.checks and not checks.uncertain

    def cuda_base(self, query: Query, build: Build, limit: CudaVersion | None) -> ImageSet | None:
        """The newest CUDA image of the wheel's major that the driver's own CUDA covers."""
        most = build.cuda.release if limit is None else min(limit, build.cuda.release)
        for found, cuda in self.sure("cuda", query.machine):
            if cuda <= most and cuda.major == build.cuda.major and self.ubuntu(found):
                return found
        return None

    @staticmethod
    def ubuntu(found: ImageSet) -> str | None:
        """The Ubuntu release an image is built on, if it is."""
        os = found.contains.os if found.contains else None
        match = re.fullmatch(r"ubuntu-?(\d\d\.\d\d)", os or "")
        return match[1] if match else None

    def pytorch(self, query: Query, build: Build) -> ImageSet | None:
        """The pytorch/pytorch image of just this torch and CUDA."""
        torch = str(build.wheel.torch)
        for found, cuda in self.sure("pytorch", query.machine):
            if found.contains is not None and found.contains.torch == torch and cuda == build.cuda.release:
                return found
        return None

    def ngc(self, query: Query, limit: CudaVersion | None) -> ImageSet | None:
        """The newest NGC image that is known to take the GPUs and whose CUDA the driver runs natively."""
        if limit is None:
            return None
        for found, cuda in self.sure("ngc", query.machine):
            if cuda > limit or not self._takes(found, query.capabilities):
                continue
            if query.python is None or self._has_python(found, query.python):
                return found
        return None

    @staticmethod
    def _has_python(found: ImageSet, wanted: Wanted) -> bool:
        held = found.contains.python if found.contains else None
        return held is not None and any(str(python) == ".".join(held.split(".")[:2]) for python in wanted.allowed)

    def _takes(self, found: ImageSet, capabilities: Sequence[ComputeCapability]) -> bool:
        """Whether an image is surely for all capabilities: by its own least one, and by what its CUDA compiles for."""
        _, after = self.line(found)
        if after is None or found.cuda is None:
            return False
        if found.contains is not None and found.contains.uncertain:
            return False
        made = self.index.targets.toolkit_capabilities.get(str(found.cuda.release), frozenset())
        return min(capabilities) >= after.minimum and made.issuperset(capabilities)


def _cuda(text: str | None) -> CudaVersion | None:
    """The CUDA of an image; NGC writes a fourth number, which does not matter here."""
    try:
        return CudaVersion.parse(".".join((text or "").split(".")[:3]))
    except InvalidVersion:
        return None


def _month(found: ImageSet) -> tuple[int, int] | None:
    """Year and month of an image of a monthly line, by its tag (`25.09-py3`)."""
    match = re.match(r"(\d\d)\.(\d\d)-", found.image.tags[0] if found.image.tags else "")
    return (int(match[1]), int(match[2])) if match else None


def _newest_first(found: ImageSet) -> tuple[object, ...]:
    os = found.contains.os if found.contains and found.contains.os else ""
    return (found.cuda.key if found.cuda else (), os, found.image.id)
