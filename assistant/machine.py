"""The machine that a reading tells of, as a question to the resolver, and the resolver's answer to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from assistant.reading import Package, Reading
from matrices.model import OperatingSystem
from resolver.engine import Asked, Checked, Engine
from resolver.errors import BadQuestion
from resolver.names import BareCapability, Products, common_name

__all__ = ["Machine", "installed", "machine_of"]

MOST_PACKAGES = 8  # of a text that are asked for, and of a list that are judged
_RELEASED = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}(?:\.post\d{1,3})?")

_CUDA_MAJOR = re.compile(r"(?<![a-z\[])cuda[ -]?(\d{1,2})(?![\d.]*\d)", re.IGNORECASE)
_ASKED = 2_000  # characters in which a question is put


@dataclass(frozen=True)
class Machine:
    """What is known of a machine, in the resolver's own texts; None where the text does not say.

    The resolver is asked about it at most once: answers are in the language spoken when they are first wanted.
    """

    engine: Engine = field(repr=False, compare=False)

    gpus: tuple[str, ...]
    os: str | None
    driver: str | None
    python: str | None
    torch: str | None
    cuda: str | None
    image: str | None
    toolkit_only: bool = False  # whether `cuda` is that of a toolkit, which a wheel does not use
    packages: tuple[str, ...] = ()  # that somebody asks for, as requirements
    installed: tuple[str, ...] = ()  # that a list shows, each with its version

    @cached_property
    def resolved(self) -> dict[str, Any] | None:
        """The stacks for the machine with its driver; its torch and Python are left open: a cure may be others.

        None where no GPU is known, or where the question cannot be judged.
        """
        if not self.gpus:
            return None
        return self._resolve(Asked(gpus=self.gpus, os=self.os or "linux", driver=self.driver, packages=self.packages))

    @cached_property
    def wanted(self) -> dict[str, Any] | None:
        """The stacks for the machine with the torch, the CUDA and the Python that are named, as somebody asks for them."""
        cuda = None if self.toolkit_only else self.cuda
        if not self.gpus or (self.torch, cuda, self.python) == (None, None, None):
            return self.resolved
        torch, _, local = (self.torch or "").partition("+")
        asked = Asked(
            gpus=self.gpus,
            os=self.os or "linux",
            driver=self.driver,
            python=self.python,
            torch=torch or None,
            cuda=local or cuda,
            packages=self.packages,
        )
        return self._resolve(asked)

    def _resolve(self, asked: Asked) -> dict[str, Any] | None:
        try:
            return self.engine.resolve(replace(asked, limit=1))
        except BadQuestion:
            return None

    @cached_property
    def checked(self) -> dict[str, Any] | None:
        """Whether the parts named go together; None where there is nothing to judge."""
        parts = Checked(
            gpu=self.gpus,
            driver=self.driver,
            torch=self.torch,
            cuda=self.cuda,
            python=self.python,
            os=self.os,
            packages=self.installed or self.packages,
        )
        try:
            return self.engine.check(parts)
        except BadQuestion:
            return None


def machine_of(reading: Reading, engine: Engine) -> Machine:
    """The machine of a reading. Of several voices on one question the first counts."""
    torch = reading.first("torch")
    packages = tuple(dict.fromkeys(fact.value for fact in reading.all("requirement")))[:MOST_PACKAGES]
    asked = _asked_cuda(reading)
    return Machine(
        engine=engine,
        gpus=tuple(dict.fromkeys(_gpus(reading, engine))),
        os=_os(reading, engine),
        driver=_text(reading, "driver") or _text(reading, "kernel-module"),
        python=_text(reading, "python"),
        torch=str(torch.value) if torch is not None and not torch.value.without_cuda else None,
        cuda=asked or _text(reading, "toolkit") or _text(reading, "torch-cuda") or _major(reading.text),
        image=_text(reading, "image"),
        toolkit_only=asked is None and reading.has("toolkit"),
        packages=packages,
        installed=tuple(f"{each.name}=={each.version}" for each in installed(reading, engine))[:MOST_PACKAGES],
    )


def installed(reading: Reading, engine: Engine) -> Iterator[Package]:
    """The rows of lists of installed packages that the data can judge, once each; local tags and builds from source are left out."""
    known = engine.index.releases.spoken
    seen: set[str] = set()
    for fact in reading.all("package"):
        name = fact.value.name.replace("_", "-")
        version = fact.value.version.partition("+")[0]
        if fact.source != "pip" or name not in known or name in seen or not _RELEASED.fullmatch(version):
            continue
        seen.add(name)
        yield Package(name, version)


def _gpus(reading: Reading, engine: Engine) -> Iterator[str]:
    """Names for the resolver: products by their own name, else a bare capability that was printed."""
    found = False
    for fact in reading.all("gpu"):
        found = True
        if isinstance(fact.value, Products):
            common = common_name(fact.value.gpus)
            again = engine.names.recognise(common)
            same = isinstance(again, Products) and again.gpus == fact.value.gpus
            yield common if same else fact.value.reading
        elif isinstance(fact.value, BareCapability):
            yield f"cc {fact.value.compute_capability}"
    capability = reading.first("gpu-capability")
    if not found and capability is not None:
        yield f"cc {capability.value}"


def _os(reading: Reading, engine: Engine) -> str | None:
    platforms = {fact.value for fact in reading.all("platform")}
    if "wsl" in platforms:
        return "wsl2"
    named = _text(reading, "os")
    return named if named == "windows" or named in engine.catalogue.entities(OperatingSystem) else None


def _asked_cuda(reading: Reading) -> str | None:
    """The CUDA in question: beside a driver with its own CUDA, that of the build named (`535 shows 12.2, does cu124 run`)."""
    build = reading.first("torch-cuda")
    if build is not None and reading.first("driver") is not None:
        return str(build.value)
    return _text(reading, "cuda")


def _major(text: str) -> str | None:
    """A CUDA of which only the major is said: `CUDA 13`."""
    said = {found[1] for found in _CUDA_MAJOR.finditer(text[:_ASKED])}
    return said.pop() if len(said) == 1 else None


def _text(reading: Reading, kind: str) -> str | None:
    fact = reading.first(kind)
    return None if fact is None else str(fact.value)
