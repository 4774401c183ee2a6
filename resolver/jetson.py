"""Stacks for Jetson: a JetPack release with its CUDA, and the torch that was built for it.

The CUDA and the driver of a Tegra chip come with JetPack. Its torch is a wheel that NVIDIA built for one JetPack; where a JetPack runs
what is built for Arm servers, the wheels for those do as well. Everything else is answered unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matrices.model import Image, ImageContains, JetPack, JetPackContains, JetPackTorch
from resolver.cite import Citer
from resolver.index import Index
from resolver.judge import Judge, Reason
from resolver.parts import Build
from resolver.query import Query, Subject
from resolver.stack import Stacks, index_url
from resolver.words import say

__all__ = ["Jetson"]


@dataclass(frozen=True, slots=True)
class _Choice:
    """A JetPack with a torch for it: a wheel of NVIDIA's for that JetPack, or a build for Arm servers."""

    jetpack: JetPack
    contains: JetPackContains
    torch: JetPackTorch | Build


class Jetson:
    """Answers about Tegra chips over one index."""

    def __init__(self, index: Index, judge: Judge, stacks: Stacks, citer: Citer) -> None:
        self.index = index
        self.judge = judge
        self.stacks = stacks
        self.citer = citer
        catalogue = index.catalogue
        self._jetpacks = catalogue.entities(JetPack)
        claims = [claim for claim in catalogue.claims(JetPackContains) if claim.standing != "deprecated"]
        self._contains = sorted(claims, key=lambda claim: _dotted(self._jetpacks[claim.subject].l4t), reverse=True)
        self._torches: dict[str, list[JetPackTorch]] = {}
        for claim in catalogue.claims(JetPackTorch):
            if claim.standing != "deprecated" and not claim.uncertain:
                self._torches.setdefault(claim.subject, []).append(claim)
        self._held: dict[str, list[Image]] = {}
        pictures = catalogue.entities(Image)
        for held in catalogue.claims(ImageContains):
            if held.jetpack is not None and held.subject in pictures:
                self._held.setdefault(held.jetpack, []).append(pictures[held.subject])

    def answer(self, query: Query) -> dict[str, Any]:
        """Stacks, best first, for one kind of Jetson; where none is known, the JetPack releases for it.

        `reasons` are those of the best stack.
        """
        misplaced = self._misplaced(query)
        if misplaced:
            because = [self.citer.because(reason) for reason in misplaced]
            text = " ".join(dict.fromkeys(cause["text"] for cause in because))
            conflict = {"constraints": self._constraints(query, misplaced), "causes": because, "text": text}
            return {"verdict": "no", "conflict": conflict, "fixes": [], "warnings": [], "reasons": misplaced}
        newest: dict[str, _Choice] = {}
        for choice in self._choices(query):  # of several JetPacks with one torch the newest
            newest.setdefault(choice.torch.label if isinstance(choice.torch, Build) else choice.torch.version, choice)
        choices = list(newest.values())[: query.limit]
        warnings = [say("tegra", gpu=next(subject for subject in query.subjects if subject.tegra).name)]
        if choices and isinstance(choices[0].torch, Build):
            warnings = []
        if not choices:
            return {"verdict": "unknown", "fixes": self._releases(query), "warnings": warnings, "reasons": []}
        stacks = [self._stack(query, choice) for choice in choices]
        reasons = self._reasons(query, choices[0])
        return {"verdict": "yes", "stacks": stacks, "fixes": [], "warnings": warnings, "reasons": reasons}

    def _misplaced(self, query: Query) -> list[Reason]:
        """A machine that the chip is never in, or a system that no JetPack for it is: those rule it out by themselves."""
        asked = query.subjects if query.machine_asked else ()
        found = [reason for subject in asked if (reason := self.judge.host(subject, query.machine))]
        for subject in query.subjects:
            serving = [claim for claim in self._contains if _serves(self._jetpacks[claim.subject], [subject])]
            serving = [claim for claim in serving if subject.capability in claim.capabilities]
            systems = sorted({claim.os for claim in serving if claim.os is not None})
            if not systems or query.os.id == "linux" or any(claim.os in (None, query.os.id) for claim in serving):
                continue
            values = {"gpu": subject.name, "os": query.os.name, "has": ", ".join(systems)}
            found.append(Reason("jetpack-os-not", "platform", "no", tuple(serving[:1]), values))
        return found

    @staticmethod
    def _constraints(query: Query, reasons: Iterable[Reason]) -> list[dict[str, str]]:
        """What of the question cannot hold together, as conflicts name it."""
        kinds = {reason.kind for reason in reasons}
        found: list[tuple[str, str]] = [("machine", query.machine)] if "machine-not" in kinds else []
        found += [("os", query.os.id)] if "jetpack-os-not" in kinds else []
        found += [("gpu", subject.name) for subject in query.subjects if subject.tegra]
        return [{"name": name, "asked": asked} for name, asked in found]

    def _releases(self, query: Query) -> list[dict[str, Any]]:
        """The newest JetPack releases for the chip, to choose from."""
        subject = next(subject for subject in query.subjects if subject.tegra)
        newest: dict[str, JetPackContains] = {}  # of several L4T of one release the newest
        for claim in self._contains:
            jetpack = self._jetpacks[claim.subject]
            serves = all(each.capability in claim.capabilities for each in query.subjects)
            if subject.capability in claim.capabilities and serves and _serves(jetpack, query.subjects):
                if self._asked_for(query, claim):
                    newest.setdefault(_release(jetpack), claim)
        fitting = list(newest.values())
        return [
            {
                "kind": "jetpack",
                "change": {"jetpack": claim.subject, "l4t": self._jetpacks[claim.subject].l4t, "cuda": str(claim.cuda)},
                "text": say(
                    "jetpack-brings",
                    jetpack=_release(self._jetpacks[claim.subject]),
                    l4t=self._jetpacks[claim.subject].l4t,
                    cuda=claim.cuda,
                ),
                "images": self._references(claim.subject),
            }
            for claim in fitting[:3]
        ]

    def _references(self, jetpack: str) -> list[str]:
        return [f"{image.repository}:{tag}" for image in self._held.get(jetpack, ()) for tag in image.tags]

    # --- choosing -----------------------------------------------------------------------------------------------

    def _choices(self, query: Query) -> Iterable[_Choice]:
        """JetPack releases with a torch that fit the question, newest first."""
        if len(query.capabilities) != 1 or query.driver is not None or query.companions or query.packages:
            return
        for claim in self._contains:
            jetpack = self._jetpacks[claim.subject]
            if (
                query.capabilities[0] not in claim.capabilities
                or claim.uncertain
                or not _serves(jetpack, query.subjects)
            ):
                continue
            if not self._asked_for(query, claim):
                continue
            own = self._torches.get(claim.subject, []) if query.torch is None else []
            yield from (_Choice(jetpack, claim, torch) for torch in own)
            if query.capabilities[0] in claim.server_wheels:
                build = self._server_build(query, claim)
                if build is not None:
                    yield _Choice(jetpack, claim, build)

    @staticmethod
    def _asked_for(query: Query, claim: JetPackContains) -> bool:
        """Whether a JetPack has the CUDA, the Python and the system that the question names."""
        if query.cuda is not None and claim.cuda.release not in query.cuda.allowed:
            return False
        if query.python is not None and claim.python not in query.python.allowed:
            return False
        return query.os.id == "linux" or claim.os in (None, query.os.id)

    def _server_build(self, query: Query, claim: JetPackContains) -> Build | None:
        """The best build for Arm servers with machine code for the chip, within the CUDA major of the JetPack."""
        for build in reversed(self.index.builds):
            wheel = build.wheel
            if (wheel.os, wheel.machine) != ("linux", "aarch64") or build.cuda.major != claim.cuda.major:
                continue
            if query.torch is not None and wheel.torch not in query.torch.allowed:
                continue
            if query.variant is not None and wheel.variant != query.variant:
                continue
            if build.built_with.uncertain or build.needs is None or claim.python not in build.needs.python:
                continue
            kernels = self.index.kernels(build, query.capabilities[0])
            if (kernels.verdict, kernels.how) == ("yes", "sass"):
                return build
        return None

    # --- the stack ----------------------------------------------------------------------------------------------

    def _reasons(self, query: Query, choice: _Choice) -> list[Reason]:
        contains = choice.contains
        values = {"jetpack": _release(choice.jetpack), "l4t": choice.jetpack.l4t, "cuda": str(contains.cuda)}
        values |= {"gpu": query.subjects[0].name, "python": str(contains.python)}
        found = [self.judge.capability(subject) for subject in query.subjects]
        found.append(Reason("jetpack", "tegra", "yes", (contains,), values))
        torch = choice.torch
        if not isinstance(torch, Build):
            return [*found, Reason("jetpack-torch", "tegra", "yes", (torch,), values | {"torch": torch.version})]
        found.append(Reason("jetpack-server", "tegra", "yes", (contains,), values))
        found.append(self.judge.published(torch))
        return found + [self.judge.kernels(torch, subject, None) for subject in query.subjects]

    def _stack(self, query: Query, choice: _Choice) -> dict[str, Any]:
        """The stack as the contract has it; what does not apply to a Jetson is null."""
        reasons = self._reasons(query, choice)
        references = self._references(choice.jetpack.id)
        build = choice.torch if isinstance(choice.torch, Build) else None
        return {
            "verdict": "yes",
            "gpus": [self.stacks.gpu(query, number) for number in range(len(query.subjects))],
            "driver": {
                "installed": None,
                "minimum": None,
                "maximum_branch": None,
                "recommended_branch": None,
                "supported_until": None,
                "kernel_module": None,
                "install": {},
            },
            "cuda": {
                "runtime": str((build.cuda if build else choice.contains.cuda).release),
                "runs_as": None,
                "build_toolkit": self.stacks.building.toolkit(query, choice.contains.cuda),
            },
            "torch": self._torch(choice),
            "images": [{"reference": reference, "kind": "jetson"} for reference in references],
            "install": self._install(choice),
            "packages": {},
            "features": self.stacks.features(query, build) if build else {},
            "evidence": self.citer.weakest(reasons),
            "because": [self.citer.because(reason) for reason in reasons],
            "jetpack": {
                "release": _release(choice.jetpack),
                "l4t": choice.jetpack.l4t,
                "os": choice.contains.os,
                "cuda": str(choice.contains.cuda),
            },
        }

    def _torch(self, choice: _Choice) -> dict[str, Any]:
        torch = choice.torch
        if isinstance(torch, Build):
            return self.stacks.torch_part(torch, natively=False)
        return {
            "version": torch.version,
            "variant": None,
            "python": [str(torch.python)],
            "glibc": None,
            "index_url": None,
            "companions": {"torchvision": None, "torchaudio": None},
            "kernels": None,
        }

    def _install(self, choice: _Choice) -> dict[str, str | None]:
        torch = choice.torch
        if isinstance(torch, Build):
            url = index_url(torch)
            packages = " ".join(self.stacks.requirements(torch)) + (f" --index-url {url}" if url else "")
        else:
            packages = f"--no-cache-dir {torch.wheel}"
        return {"pip": f"pip install {packages}", "uv": f"uv pip install {packages}", "conda": None}


def _serves(jetpack: JetPack, subjects: Sequence[Subject]) -> bool:
    """Whether a JetPack is for every product named: other Tegra machines (DRIVE, IGX) have systems of their own."""
    gpus = [gpu for subject in subjects for gpu in subject.gpus]
    return bool(gpus) and all(gpu.name.startswith(jetpack.products) for gpu in gpus)


def _release(jetpack: JetPack) -> str:
    """The release as people say it: a second L4T of one release has it in its id only."""
    return jetpack.id.partition("-l4t-")[0]


def _dotted(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())
