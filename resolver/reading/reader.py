"""Reads questions: names become products, texts become versions; everything that can be wrong is found here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast

from matrices.model import ContainerRuntime, Gpu, Machine, OperatingSystem
from matrices.versions import ComputeCapability
from resolver.errors import AmbiguousGpu, InvalidRequest, NotNvidia, UnknownGpu
from resolver.index import Index
from resolver.names import BareCapability, Names, Products
from resolver.names import NotNvidia as NotNvidiaName
from resolver.query import MAX_GPUS, Asked, Prefer, Query, Subject
from resolver.reading.requirements import RequirementReader
from resolver.reading.versions import VersionReader

__all__ = ["Reader"]


def _plain(text: str) -> str:
    return re.sub(r"[\s_]+", "-", text.strip().lower())


class Reader:
    """Reads questions against one index.

    Args:
        index: the compiled claims.
        names: the recogniser of GPU names over the same claims.
    """

    def __init__(self, index: Index, names: Names) -> None:
        self.index = index
        self.names = names
        self.versions = VersionReader(index)
        self.requirements = RequirementReader(index)
        self.systems: dict[str, OperatingSystem] = {}
        for system in index.catalogue.entities(OperatingSystem).values():
            for spelling in (system.id, system.name, *system.aliases):
                self.systems.setdefault(_plain(spelling), system)

    def read(self, asked: Asked, *, gpus_needed: bool = True) -> Query:
        """The query for a question; `gpus_needed` False lets it name none.

        Raises:
            BadQuestion: of the kind that fits, naming the field and what may have been meant.
        """
        if not asked.gpus and gpus_needed:
            raise InvalidRequest("name at least one GPU", field="gpu")
        if len(asked.gpus) > MAX_GPUS:
            raise InvalidRequest(f"at most {MAX_GPUS} GPUs at once", field="gpu", given=str(len(asked.gpus)))
        if asked.limit < 1:
            raise InvalidRequest("`limit` is at least 1", field="limit", given=str(asked.limit))
        subjects = tuple(self.subject(text) for text in dict.fromkeys(asked.gpus))
        system = self.system(asked.os)
        machine = self.machine(asked.machine, subjects)
        driver, driver_text = self.versions.driver(asked.driver, system)
        requested = self.requirements.read(asked.packages)
        if requested.torch and asked.torch:
            raise InvalidRequest(
                "torch is asked for twice: in `torch` and in `packages`", field="packages", given=requested.torch
            )
        torch, variant = self.versions.torch(asked.torch or requested.torch)
        return Query(
            subjects=subjects,
            os=system,
            machine=machine,
            machine_asked=asked.machine is not None,
            driver=driver,
            driver_text=driver_text,
            python=self.versions.python(asked.python),
            torch=torch,
            cuda=self.versions.cuda(asked.cuda),
            variant=variant,
            companions=requested.companions,
            packages=requested.packages,
            unjudged=requested.unjudged,
            prefer=self.prefer(asked.prefer),
            limit=asked.limit,
            container_runtime=self.container_runtime(asked.container_runtime),
        )

    # --- GPU ----------------------------------------------------------------------------------------------------

    def subject(self, text: str) -> Subject:
        """The product or products that a name means, if they share one capability."""
        found = self.names.recognise(text)
        if isinstance(found, BareCapability):
            if str(found.compute_capability) not in self.index.hardware.capabilities:
                known = ", ".join(self.index.hardware.capabilities)
                raise UnknownGpu(
                    f"no GPU has compute capability {found.compute_capability}; known: {known}", field="gpu", given=text
                )
            return Subject(text, (), found.compute_capability, True, f"compute capability {found.compute_capability}")
        if isinstance(found, NotNvidiaName):
            raise NotNvidia(
                f"`{found.reading}` is not an NVIDIA GPU; CUDA runs on NVIDIA GPUs only", field="gpu", given=text
            )
        if not isinstance(found, Products):
            names = [gpu.name for gpu in found.candidates]
            hint = f"; did you mean {', '.join(names)}?" if names else "; give the model name, such as `RTX 4090`"
            raise UnknownGpu(f"no GPU is known by that name{hint}", field="gpu", given=text, candidates=names)
        kinds = {(self._capability(gpu), gpu.platform) for gpu in found.gpus}
        if len(kinds) > 1:
            labels = [f"{gpu.name} ({self._capability(gpu)})" for gpu in found.gpus]
            raise AmbiguousGpu(
                "that name covers GPUs that differ in what they can run; which one is it: " + ", ".join(labels) + "?",
                field="gpu",
                given=text,
                candidates=[gpu.name for gpu in found.gpus],
            )
        capability = self._capability(found.gpus[0])
        return Subject(text, found.gpus, capability, found.certain, found.reading)

    def _capability(self, gpu: Gpu) -> ComputeCapability:
        return self.index.hardware.gpu_capability[gpu.id].compute_capability

    # --- operating system and machine ---------------------------------------------------------------------------

    def system(self, text: str) -> OperatingSystem:
        """The operating system that a text names."""
        found = self.systems.get(_plain(text))
        if found is None:
            if _plain(text).startswith(("mac", "darwin", "osx")):
                raise InvalidRequest("CUDA has no macOS builds", field="os", given=text)
            ids = sorted({system.id for system in self.systems.values()})
            raise InvalidRequest(
                "operating system not known; one of " + ", ".join(ids), field="os", given=text, candidates=ids
            )
        return found

    def machine(self, text: str | None, subjects: Iterable[Subject]) -> Machine:
        """The machine asked for, or the one that the GPUs are built into."""
        spellings = {
            "x86_64": "x86_64",
            "amd64": "x86_64",
            "x64": "x86_64",
            "aarch64": "aarch64",
            "arm64": "aarch64",
            "sbsa": "aarch64",
        }
        if text is not None:
            known = spellings.get(_plain(text).replace("x86-64", "x86_64"))
            if known is None:
                raise InvalidRequest(
                    "machine is `x86_64` or `aarch64`", field="machine", given=text, candidates=["x86_64", "aarch64"]
                )
            return cast(Machine, known)
        bound = [gpu.machines for subject in subjects for gpu in subject.gpus[:1]]
        only_arm = bool(bound) and all(machines == ("aarch64",) for machines in bound)
        return "aarch64" if only_arm else "x86_64"

    def container_runtime(self, text: str | None) -> str | None:
        """The container runtime that a text names, by id."""
        if text is None:
            return None
        known = self.index.catalogue.entities(ContainerRuntime).values()
        for runtime in known:
            if _plain(text) in (runtime.id, *map(_plain, runtime.aliases)):
                return runtime.id
        ids = [runtime.id for runtime in known]
        raise InvalidRequest(
            "`container_runtime` is one of " + ", ".join(ids), field="container_runtime", given=text, candidates=ids
        )

    # --- preference ---------------------------------------------------------------------------------------------

    @staticmethod
    def prefer(text: str) -> Prefer:
        """The order of preference asked for."""
        if text not in ("newest", "conservative"):
            raise InvalidRequest(
                "`prefer` is `newest` or `conservative`",
                field="prefer",
                given=text,
                candidates=["newest", "conservative"],
            )
        return cast(Prefer, text)
