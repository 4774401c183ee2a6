"""Base images for a Dockerfile: of the tags known to exist, the one that fits wheel, driver, Python and machine.

A base is chosen for one build of torch. What the data does not know of an image never counts in its favour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from matrices.model import ImageContains, OsShips
from matrices.versions import CudaVersion, InvalidVersion, PythonVersion, TorchVersion
from resolver.images import Images, ImageSet
from resolver.index import Index
from resolver.judge import Judge
from resolver.parts import Build
from resolver.query import Query
from resolver.specifiers import numbers
from resolver.stack import Stacks

__all__ = ["KINDS", "Base", "Bases", "Kind", "Wish", "Workload"]

Kind = Literal["cuda", "pytorch", "ngc", "python"]
Workload = Literal["run", "build"]
KINDS: tuple[Kind, ...] = ("cuda", "pytorch", "ngc", "python")


@dataclass(frozen=True, slots=True)
class Base:
    """A base image: `python` where its version is known, `torch` where one is inside already."""

    kind: Kind
    reference: str
    cuda: CudaVersion | None = None
    python: PythonVersion | None = None
    torch: str | None = None
    gated: bool = False  # the container runtime may compare its CUDA with the driver's


@dataclass(frozen=True, slots=True)
class Wish:
    """What a base is wanted for. `limit` is the CUDA that the driver runs natively, where it is known; `distro` is
    the operating system named in the question, preferred where there is a choice; `pythons` are those that there are
    the packages of the question for, where it names any."""

    query: Query
    build: Build
    workload: Workload
    limit: CudaVersion | None
    distro: str
    pythons: frozenset[PythonVersion] | None = None


class Bases:
    """Chooses bases over the images of one catalogue."""

    def __init__(self, index: Index, images: Images, judge: Judge, stacks: Stacks) -> None:
        self.index = index
        self.images = images
        self.judge = judge
        self.stacks = stacks
        self.ships = {os: claim for os, claim in index.hardware.os_ships.items() if not claim.uncertain}

    def find(self, kind: Kind, wish: Wish) -> Base | None:
        """The best base of a kind, or None where none is known to fit."""
        choose = {"cuda": self._cuda, "pytorch": self._pytorch, "ngc": self._ngc, "python": self._python}
        return choose[kind](wish)

    def _known(self, role: str, wish: Wish) -> Iterator[tuple[ImageSet, ImageContains]]:
        """Images of a role with tags that surely exist for the machine, and what is surely inside; newest first."""
        for found in self.images.sets.get(role, ()):
            held = found.contains
            if found.image.tags and found.certain and found.on(wish.query.machine) and held and not held.uncertain:
                yield found, held

    # --- one method a kind --------------------------------------------------------------------------------------

    def _cuda(self, wish: Wish) -> Base | None:
        """The newest CUDA not above the wheel's and the driver's, on an Ubuntu whose own Python suits."""
        words = ("devel",) if wish.workload == "build" else ("base", "runtime")  # the wheel brings its CUDA libraries
        fitting = []
        for found, held in self._known("cuda", wish):
            reference = found.tag(*words)
            python = self._system_python(wish, held.os or "")
            if reference is None or python is None or found.cuda is None or not self._toolkit_fits(wish, found.cuda):
                continue
            order = (found.cuda.release, held.os == wish.distro, found.cuda, held.os)
            fitting.append((order, Base("cuda", reference, found.cuda, python, gated=True)))
        return max(fitting, key=lambda row: row[0])[1] if fitting else None

    def _pytorch(self, wish: Wish) -> Base | None:
        """The image of just this torch and CUDA; its devel flavour is built on a CUDA base, and gated like one."""
        if wish.query.packages:
            return None  # what other packages it holds is not in the data
        gated = wish.workload == "build"
        for found, held in self._known("pytorch", wish):
            reference = _ending(found, "-devel" if gated else "-runtime")
            if held.torch != str(wish.build.wheel.torch) or reference is None or found.cuda is None:
                continue
            if found.cuda.release != wish.build.cuda.release or (gated and not self._toolkit_fits(wish, found.cuda)):
                continue
            python = _python_of(held.python)
            if self._wanted(wish, python):
                return Base("pytorch", reference, found.cuda, python, held.torch, gated)
        return None

    def _ngc(self, wish: Wish) -> Base | None:
        """The newest NVIDIA image known to take every GPU, whose CUDA the driver runs natively."""
        if wish.query.companions or wish.query.packages or wish.query.unjudged:
            return None  # what other packages it holds is not in the data
        for found, held in self._known("ngc", wish):
            cuda, python = found.cuda, _python_of(held.python)
            if cuda is None or held.torch is None or wish.limit is None or cuda.release > wish.limit:
                continue
            if self._takes(wish, found, cuda) and self._wanted(wish, python) and _wanted_torch(wish, held.torch, cuda):
                reference = f"{found.image.repository}:{found.image.tags[0]}"
                return Base("ngc", reference, cuda, python, held.torch)
        return None

    def _python(self, wish: Wish) -> Base | None:
        """The slim Python image of the Python that suits best, on the newest Debian."""
        if wish.workload == "build":
            return None
        preferred = self.stacks.python_for(wish.build, wish.query)
        fitting = []
        for found, held in self._known("python", wish):
            python = _python_of(held.python)
            glibc = self._glibc(wish, held.os or "")
            if python is not None and glibc is not None and self._in_wheel(wish, python):
                base = Base("python", f"{found.image.repository}:{found.image.tags[0]}", None, python)
                fitting.append(((str(python) == preferred, python, glibc, base.reference), base))
        return max(fitting, key=lambda row: row[0])[1] if fitting else None

    # --- what must fit ------------------------------------------------------------------------------------------

    def _toolkit_fits(self, wish: Wish, cuda: CudaVersion) -> bool:
        """Same major as the wheel's CUDA, not above it nor above the driver's; to build, it must know every GPU."""
        built = wish.build.cuda
        if cuda.major != built.major or cuda.release > built.release:
            return False
        if wish.limit is not None and cuda.release > wish.limit:
            return False
        return wish.workload == "run" or self._compiles(wish, cuda)

    def _takes(self, wish: Wish, found: ImageSet, cuda: CudaVersion) -> bool:
        """Whether an NVIDIA image is known to take every GPU: not too old for it, nor its compiler for the GPU."""
        toolkit = self.index.targets.toolkits.get(str(cuda.release))
        if toolkit is None or toolkit.uncertain or found.needs is None or found.needs.uncertain:
            return False
        if wish.workload == "build" and not self._compiles(wish, cuda):
            return False
        least = found.needs.minimum
        return all(
            capability >= least and self.index.targets.makes_sass(toolkit, capability)
            for capability in wish.query.capabilities
        )

    def _compiles(self, wish: Wish, cuda: CudaVersion) -> bool:
        """Whether the compiler of a toolkit makes code for just every GPU."""
        return all(self.judge.targets(cuda, subject).verdict == "yes" for subject in wish.query.subjects)

    def _system_python(self, wish: Wish, os: str) -> PythonVersion | None:
        """The Python of an Ubuntu, if the wheel is for it, the question allows it and the glibc is new enough."""
        ships: OsShips | None = self.ships.get(os)
        if not os.startswith("ubuntu-") or ships is None or ships.python is None or self._glibc(wish, os) is None:
            return None
        return ships.python if self._in_wheel(wish, ships.python) else None

    def _glibc(self, wish: Wish, os: str) -> tuple[int, ...] | None:
        """The glibc of a system as numbers, if it is known and new enough for the wheel."""
        ships = self.ships.get(os)
        has = numbers(ships.glibc) if ships and ships.glibc else None
        needs = wish.build.needs.glibc if wish.build.needs else None
        if has is None or (needs is not None and has < numbers(needs)):
            return None
        return has

    def _in_wheel(self, wish: Wish, python: PythonVersion) -> bool:
        needs = wish.build.needs
        packaged = wish.pythons is None or python in wish.pythons
        return needs is not None and packaged and python in needs.python and self._wanted(wish, python)

    @staticmethod
    def _wanted(wish: Wish, python: PythonVersion | None) -> bool:
        """Whether the question allows a Python; one that is not known only where the question names none."""
        return wish.query.python is None or python in wish.query.python.allowed


def _ending(found: ImageSet, ending: str) -> str | None:
    """The reference of the tag with an ending, if there is one."""
    tags = [tag for tag in found.image.tags if tag.endswith(ending)]
    return f"{found.image.repository}:{tags[0]}" if tags else None


def _wanted_torch(wish: Wish, torch: str, cuda: CudaVersion) -> bool:
    """Whether the question allows the torch that NVIDIA built: a variant, of the index, is never what it holds."""
    query = wish.query
    if query.variant is not None or (query.cuda is not None and cuda.release not in query.cuda.allowed):
        return False
    if query.torch is None:
        return True
    try:
        return TorchVersion.parse(torch.split("a", 1)[0]) in query.torch.allowed
    except InvalidVersion:
        return False


def _python_of(text: str | None) -> PythonVersion | None:
    """The feature version in `3.12` or `3.12.3`; None where it is not known.

    >>> _python_of("3.12.3"), _python_of("3.10 or 3.12"), _python_of(None)
    (PythonVersion.parse('3.12'), None, None)
    """
    try:
        return PythonVersion.parse(".".join((text or "").split(".")[:2]))
    except InvalidVersion:
        return None
