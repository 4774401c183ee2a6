"""Compiling for GPUs: which toolkits make code for them, for which targets, and with which host compiler."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matrices.model import ToolkitHostCompiler
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion
from resolver import rules
from resolver.errors import InvalidRequest
from resolver.index import Index
from resolver.judge import Reason
from resolver.parts import grouped
from resolver.query import Query
from resolver.words import say, spoken

__all__ = ["Building", "Compiler", "Target", "read_compiler"]


@dataclass(frozen=True, slots=True)
class Target:
    """One entry of a list of architectures: machine code for it, and PTX as well where `ptx`."""

    code: ArchTarget
    ptx: bool = False

    def __str__(self) -> str:
        return f"{self.code}+PTX" if self.ptx else str(self.code)

    @property
    def cmake(self) -> str:
        """As `CMAKE_CUDA_ARCHITECTURES` has it: `-real` makes no PTX."""
        number = self.code.code("sm").removeprefix("sm_")
        return number if self.ptx else f"{number}-real"

    @property
    def gencode(self) -> list[str]:
        """As nvcc has it."""
        virtual, real = self.code.code("compute"), self.code.code("sm")
        made = [real, virtual] if self.ptx else [real]
        return [f"-gencode=arch={virtual},code={code}" for code in made]


@dataclass(frozen=True, slots=True)
class Compiler:
    """A host compiler with its major version."""

    name: str  # gcc or clang
    major: int

    def __str__(self) -> str:
        return f"{'GCC' if self.name == 'gcc' else 'Clang'} {self.major}"


def read_compiler(text: str) -> Compiler:
    """`gcc-13`, `g++ 13.3.0` or `clang 18` as a compiler; a bare number is GCC's.

    Raises:
        InvalidRequest: when it is none of these.

    >>> str(read_compiler("g++ 13.3.0")), str(read_compiler("15"))
    ('GCC 13', 'GCC 15')
    """
    found = re.fullmatch(r"(?:(gcc|g\+\+|clang\+\+|clang)[\s_-]*)?(\d{1,2})(?:\.\d{1,3}){0,2}", text.strip().lower())
    if found is None:
        raise InvalidRequest("a compiler is like `gcc-13` or `clang-18`", field="compiler", given=text)
    return Compiler("clang" if (found[1] or "").startswith("clang") else "gcc", int(found[2]))


class Building:
    """What to compile with, over one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.toolkits = sorted(map(CudaVersion.parse, index.targets.toolkits))
        self._compilers = grouped(
            index.catalogue.claims(ToolkitHostCompiler), lambda claim: (claim.subject, str(claim.compiler))
        )
        self._kept: dict[tuple[object, ...], dict[str, Any]] = {}
        self._makers: dict[tuple[ComputeCapability, ...], list[CudaVersion]] = {}

    # --- targets ------------------------------------------------------------------------------------------------

    def makers(self, capabilities: Sequence[ComputeCapability]) -> list[CudaVersion]:
        """The toolkits surely known to make code for every capability itself, oldest first."""
        key = tuple(capabilities)
        if key not in self._makers:
            if len(self._makers) > 5_000:  # sets of capabilities that strangers put together
                self._makers.clear()
            made = self.index.targets.toolkit_capabilities
            self._makers[key] = [
                toolkit for toolkit in self.toolkits if made.get(str(toolkit), frozenset()).issuperset(capabilities)
            ]
        return self._makers[key]

    def targets(self, toolkit: CudaVersion, capabilities: Sequence[ComputeCapability]) -> tuple[Target, ...] | None:
        """What a toolkit should make for all capabilities, lowest first; None where it has nothing for one of them."""
        found: dict[ArchTarget, bool] = {}
        for capability in capabilities:
            target = self._target(toolkit, capability)
            if target is None:
                return None
            found[target.code] = found.get(target.code, False) or target.ptx
        return tuple(Target(code, ptx) for code, ptx in sorted(found.items()))

    def _target(self, toolkit: CudaVersion, capability: ComputeCapability) -> Target | None:
        """The capability itself; else the nearest target whose machine code runs on it; else PTX of the nearest below."""
        claim = self.index.targets.toolkits.get(str(toolkit.release))
        if claim is None:
            return None
        plain = [target for target in sorted(claim.sass, reverse=True) if not target.suffix]
        for target in plain:
            if rules.sass(target, capability) and not self.index.targets.excluded(target, capability, toolkit):
                return Target(target)
        below = (target for target in plain if rules.ptx(target, capability))
        return next((Target(target, ptx=True) for target in below if claim.ptx is None or target in claim.ptx), None)

    def specific(self, toolkit: CudaVersion, capabilities: Sequence[ComputeCapability]) -> str | None:
        """The same list for kernels that use instructions of one architecture (`9.0a`); None where there are none."""
        claim = self.index.targets.toolkits.get(str(toolkit.release))
        own = {target.capability: target for target in claim.sass if target.suffix == "a"} if claim else {}
        if not any(capability in own for capability in capabilities):
            return None
        return ";".join(str(own.get(capability, capability)) for capability in capabilities)

    # --- host compiler ------------------------------------------------------------------------------------------

    def compiler_claim(self, toolkit: CudaVersion, compiler: str) -> ToolkitHostCompiler | None:
        """The claim about the newest host compiler of a kind for a toolkit."""
        return self._compilers.get((str(toolkit.release), compiler))

    def system_compiler(self, query: Query) -> Compiler | None:
        """The GCC that the operating system asked for comes with, where known."""
        ships = self.index.hardware.os_ships.get(query.os.id)
        return read_compiler(ships.gcc) if ships and ships.gcc and not ships.uncertain else None

    def host(self, toolkit: CudaVersion, compiler: Compiler, query: Query) -> Reason:
        """Whether a toolkit takes a host compiler."""
        claim = self.compiler_claim(toolkit, compiler.name)
        values: dict[str, Any] = {"cuda": str(toolkit.release), "compiler": str(compiler)}
        if claim is None or claim.uncertain:
            return Reason("host-compiler-unknown", "host-compiler", "unknown", (claim,) if claim else (), values)
        values["maximum"] = claim.maximum
        ships = self.index.hardware.os_ships.get(query.os.id)
        own = ships is not None and compiler == self.system_compiler(query)
        claims = (claim, ships) if own and ships is not None else (claim,)
        if compiler.major <= int(claim.maximum):
            return Reason("host-compiler", "host-compiler", "yes", claims, values)
        return Reason("host-compiler-new", "host-compiler", "no", claims, values)

    def older_compiler(self, toolkit: CudaVersion, compiler: Compiler) -> str:
        """What to do where a compiler is too new: install the newest that the toolkit takes and name it."""
        claim = self.compiler_claim(toolkit, compiler.name)
        assert claim is not None  # noqa: S101 - only asked where the claim says too new
        c, plus = ("gcc", "g++") if compiler.name == "gcc" else ("clang", "clang++")
        return say("fix-host-compiler", maximum=claim.maximum, maker=str(compiler).split()[0], c=c, plus=plus)

    # --- the toolkit part of an answer --------------------------------------------------------------------------

    def toolkit(self, query: Query, wanted: CudaVersion, compiler: Compiler | None = None) -> dict[str, Any]:
        """What to compile with for the GPUs of a query: `wanted` where it can make code for all, else none recommended."""
        key = (query.capabilities, wanted.release, query.os.id, compiler, spoken())
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) > 5_000:  # a bound on what strangers' questions can make us keep
                self._kept.clear()
            found = self._kept[key] = self._described(query, wanted, compiler)
        return found

    def _described(self, query: Query, wanted: CudaVersion, compiler: Compiler | None) -> dict[str, Any]:
        makers = self.makers(query.capabilities)
        targets = self.targets(wanted, query.capabilities)
        shown = targets or tuple(Target(ArchTarget(capability)) for capability in query.capabilities)
        sure = self.index.targets.toolkit_capabilities
        dropped = bool(makers) and any(str(toolkit) in sure for toolkit in self.toolkits if toolkit > makers[-1])
        return {
            "minimum": str(makers[0]) if makers else None,
            "maximum": str(makers[-1]) if dropped else None,
            "recommended": str(wanted.release) if targets else None,
            "arch_list": ";".join(map(str, shown)),
            "arch_list_specific": self.specific(wanted, query.capabilities) if targets else None,
            "cmake": ";".join(target.cmake for target in shown),
            "gencode": [flag for target in shown for flag in target.gencode],
            "host_compiler": self._hosts(query, wanted, compiler),
        }

    def _hosts(self, query: Query, toolkit: CudaVersion, compiler: Compiler | None) -> dict[str, Any]:
        claims = {name: self.compiler_claim(toolkit, name) for name in ("gcc", "clang", "msvc")}
        mine = compiler or self.system_compiler(query)
        judged = self.host(toolkit, mine, query) if mine else None
        too_new = mine is not None and judged is not None and judged.verdict == "no"
        return {
            **{name: claim.maximum if claim else None for name, claim in claims.items()},
            "yours": str(mine) if mine else None,
            "fits": judged.verdict if judged else None,
            "advice": self.older_compiler(toolkit, mine) if too_new and mine else None,
        }
