"""What ends: driver branches, the last driver, torch and toolkit for a GPU, the last wheels of a CUDA, images.

Everything is computed from claims and told relative to the day of the data, so that the same question has the same answer on any day.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from matrices.model import Claim, ImageExists, Torch
from matrices.versions import CudaVersion, TorchVersion
from resolver.building import Building
from resolver.cite import Citer
from resolver.closure import Closure
from resolver.driver import Drivers
from resolver.images import Images
from resolver.index import Index
from resolver.parts import Build
from resolver.query import Query, Subject, Wanted
from resolver.words import say

__all__ = ["Notices"]


class Notices:
    """Notices over one index."""

    def __init__(
        self, index: Index, drivers: Drivers, images: Images, building: Building, citer: Citer, closure: Closure
    ) -> None:
        self.index = index
        self.drivers = drivers
        self.images = images
        self.building = building
        self.citer = citer
        self.closure = closure
        self._torches = index.catalogue.entities(Torch)
        self._exists = {claim.subject: claim for claim in index.catalogue.claims(ImageExists)}
        self._last: dict[tuple[object, ...], Build | None] = {}

    def of(
        self, query: Query, build: Build | None = None, recommended: str | None = None, images: Iterable[str] = ()
    ) -> list[dict[str, Any]]:
        """The notices for a question: about its driver, its GPUs, its build, the branch recommended and its images.

        Each is `{"id", "text", "on", "claim", "source"}`; `on` is the day or month when it ends or ended, where known.
        """
        found = list(self._branches(query, recommended))
        for subject in query.subjects:
            if not subject.tegra:
                found += [*self._last_driver(query, subject), *self._last_torch(query, subject)]
                found += self._last_toolkit(subject)
        if build is not None:
            found += self._last_wheels(query, build)
        found += [notice for image in images for notice in self.image(image)]
        return list({notice["id"]: notice for notice in found}.values())

    def _notice(self, name: str, text: str, on: object, claim: Claim | None) -> dict[str, Any]:
        source = self.citer.best(claim)[1] if claim is not None else None
        shown = str(on) if on is not None else None
        return {"id": name, "text": text, "on": shown, "claim": claim.id if claim else None, "source": source}

    def _over(self, day: object) -> bool:
        """Whether a day or month lies before the day of the data."""
        text = str(day)
        return text <= self.drivers.today[: len(text)]

    # --- drivers ------------------------------------------------------------------------------------------------

    def _branches(self, query: Query, recommended: str | None) -> Iterable[dict[str, Any]]:
        """When the branch installed and the branch recommended end."""
        numbers = [query.driver.branch] if query.driver is not None else []
        numbers += [int(recommended)] if recommended is not None else []
        for number in dict.fromkeys(numbers):
            facts = self.index.drivers.branches.get(number)
            life = facts.lifecycle if facts is not None else None
            if life is None or life.until is None:
                continue
            kind = "notice-driver-ended" if self._over(life.until) else "notice-driver-ends"
            text = say(kind, branch=number, until=life.until)
            yield self._notice(f"driver-end:R{number}", text, life.until, life)

    def _last_driver(self, query: Query, subject: Subject) -> Iterable[dict[str, Any]]:
        """The last branch that drives a GPU, where a newer one has dropped it."""
        window = self.index.drivers.window(subject.capability, query.driver_os)
        if window is None or window.last is None:
            return
        facts = self.index.drivers.branches.get(window.last)
        until = facts.lifecycle.until if facts is not None and facts.lifecycle is not None else None
        kind = "notice-last-driver"
        if until is not None:
            kind = "notice-last-driver-until-over" if self._over(until) else "notice-last-driver-until"
        text = say(kind, branch=window.last, gpu=subject.name, until=until)
        yield self._notice(f"last-driver:{subject.capability}", text, until, window.claim)

    # --- torch --------------------------------------------------------------------------------------------------

    def _last_torch(self, query: Query, subject: Subject) -> Iterable[dict[str, Any]]:
        """The last torch release with code for a GPU on the platform asked for, where newer ones surely have none."""
        key = (subject.capability, query.os.family, query.machine)
        if key not in self._last:
            self._last[key] = self._last_for(replace(query, subjects=(subject,)))
        build = self._last[key]
        if build is None:
            return
        released = self._torches[str(build.wheel.torch)].released
        values = {"torch": build.wheel.torch, "gpu": subject.name, "capability": subject.capability}
        text = say("notice-last-torch", **values, os=query.os.family, machine=query.machine)
        yield self._notice(f"last-torch:{subject.capability}", text, released, build.embeds or build.built_with)

    def _last_for(self, query: Query) -> Build | None:
        """The best build of the last release for one capability; None while the newest release has one, or may."""
        sure, either = (masks for masks in self.index.kernel_masks(query.capabilities[0]))
        here = self.index.on_platform(query.os.family, query.machine)
        possible = either.maybe & here
        if not either.yes & here:
            return None
        best = self.index.pick(either.yes & here)
        newest = max(build.wheel.torch for build in self.index.picks(here, len(self.index.builds)))
        later = [torch for torch in self.index.by_torch if best.wheel.torch < torch <= newest]
        if not later or any(self.index.by_torch[torch] & possible for torch in later):
            return None
        return None if self._open(query, later) else self.index.pick(sure.yes & self._of(best) & here or best.bit)

    def _of(self, build: Build) -> int:
        return self.index.by_torch[build.wheel.torch]

    def _open(self, query: Query, torches: Sequence[TorchVersion]) -> bool:
        """Whether builds of these releases may exist that the data does not name and that have code for the GPU."""
        plain = replace(query, driver=None, driver_text="", python=None, cuda=None, variant=None, companions=())
        wanted = Wanted("", frozenset(torches))
        return bool(self.closure.open_builds(replace(plain, torch=wanted)))

    def _last_wheels(self, query: Query, build: Build) -> Iterable[dict[str, Any]]:
        """The last torch release with wheels of a CUDA major, where the stack's is not the newest one."""
        here, major = self.index.on_platform(query.os.family, query.machine), build.cuda.major
        of_major = sum(bits & here for cuda, bits in self.index.by_cuda.items() if cuda.major == major)
        newest = self.index.pick(here)
        last = self.index.pick(of_major & here or build.bit)
        later = [torch for torch in self.index.by_torch if last.wheel.torch < torch <= newest.wheel.torch]
        if newest.cuda.major == major or not later or self._open_major(later, major, query):
            return
        values = {"torch": last.wheel.torch, "major": major, "os": query.os.family, "machine": query.machine}
        released = self._torches[str(last.wheel.torch)].released
        yield self._notice(f"last-wheels:cuda-{major}", say("notice-last-wheels", **values), released, last.built_with)

    def _open_major(self, torches: Sequence[TorchVersion], major: int, query: Query) -> bool:
        """Whether the data leaves open that one of these releases has wheels of a CUDA major."""
        cudas = [cuda for cuda in self.index.by_cuda if cuda.major == major]
        return not all(
            self.closure.closed(torch, cuda, query.os.family, query.machine) for torch in torches for cuda in cudas
        )

    # --- toolkits and images ------------------------------------------------------------------------------------

    def _last_toolkit(self, subject: Subject) -> Iterable[dict[str, Any]]:
        """The last toolkit that makes code for a GPU, where the next one surely makes none."""
        makers = self.building.makers([subject.capability])
        later = [toolkit for toolkit in self.building.toolkits if makers and toolkit > makers[-1]]
        sure = [toolkit for toolkit in later if str(toolkit) in self.index.targets.toolkit_capabilities]
        if not sure or sure[0] != later[0]:
            return
        following: CudaVersion = sure[0]
        claim = self.index.targets.toolkits[str(following)]
        values = {"cuda": makers[-1], "next": following, "gpu": subject.name, "capability": subject.capability}
        yield self._notice(f"last-toolkit:{subject.capability}", say("notice-last-toolkit", **values), None, claim)

    def image(self, reference: str) -> Iterable[dict[str, Any]]:
        """That an image is marked by its publisher as ended: it gets no updates and may be deleted."""
        found = self.images.by_reference.get(reference)
        if found is None:
            return
        # what holds for a whole release of a repository is said of the release
        release = f"{found.image.repository}:{found.contains.cuda if found.contains else ''}"
        marked = (claim for claim in (found.exists, self._exists.get(release)) if claim is not None)
        exists = next((claim for claim in marked if claim.end_of_life is not None and not claim.uncertain), None)
        if exists is None:
            return
        kind = "notice-image-ended" if self._over(exists.end_of_life) else "notice-image-ends"
        text = say(kind, image=reference, until=exists.end_of_life)
        yield self._notice(f"image-end:{reference}", text, exists.end_of_life, exists)
