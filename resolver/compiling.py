"""The question what to compile with: a toolkit, its targets and its host compiler for some GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from matrices.versions import CudaVersion
from resolver.building import Compiler, read_compiler
from resolver.judge import Reason
from resolver.parts import Build
from resolver.query import Asked, Query
from resolver.rules import weakest
from resolver.words import joined, say

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["build"]


def build(engine: Engine, asked: Asked, compiler: str | None = None) -> dict[str, Any]:
    """What to compile with for the GPUs asked for, finding by finding.

    With a torch asked for the toolkit is that of its wheel; a `cuda` asked for is the toolkit's own; with neither it is
    that of the best stack, and where there is no stack the newest toolkit that makes code for all the GPUs.

    Raises:
        BadQuestion: when a part cannot be read.
    """
    query = engine.reader.read(replace(asked, limit=1))
    mine = read_compiler(compiler) if compiler is not None else None
    if any(subject.tegra for subject in query.subjects):
        stacks = engine.answer(query)["stacks"]
        wheel, toolkit = None, CudaVersion.parse(stacks[0]["jetpack"]["cuda"]).release if stacks else None
    else:
        wheel = _wheel(engine, query)
        toolkit = wheel.cuda.release if wheel is not None else _toolkit(engine, query)
    if toolkit is None:
        return _answer(engine, query, [_nothing(query)], None, wheel, [])
    named = mine is not None
    mine = mine or engine.stacks.building.system_compiler(query)
    reasons = list(_reasons(engine, query, toolkit, mine, named=named))
    shown = engine.stacks.building.toolkit(query, toolkit, mine)
    return _answer(engine, query, reasons, shown, wheel, _fixes(engine, query, toolkit, mine, reasons))


def _wheel(engine: Engine, query: Query) -> Build | None:
    """The wheel that an extension is compiled against; none where only a toolkit is asked for, or nothing fits."""
    if query.cuda is not None and query.torch is None:
        return None
    outcome = engine.solver.outcome(query)
    ranked = engine.solver.ranked(query, outcome, 1) if outcome.verdict == "yes" else []
    if ranked or query.torch is None:
        return ranked[0] if ranked else None
    named = engine.solver.builds_named(query)  # compiling may be the way out where the wheel has no code for the GPU
    return named[0] if named else None


def _toolkit(engine: Engine, query: Query) -> CudaVersion | None:
    """The newest toolkit among those asked for that makes code for all GPUs, else the newest that makes PTX for them."""
    building = engine.stacks.building
    allowed = set(query.cuda.allowed) if query.cuda is not None else set(engine.index.by_cuda) | set(building.toolkits)
    for toolkit in reversed(building.makers(query.capabilities)):
        if toolkit in allowed:
            return toolkit
    fitting = [toolkit for toolkit in building.toolkits if toolkit in allowed]
    return next((one for one in reversed(fitting) if building.targets(one, query.capabilities)), None)


def _nothing(query: Query) -> Reason:
    names = ", ".join(subject.name for subject in query.subjects)
    among = f"CUDA {query.cuda.plain}" if query.cuda is not None else "all of them"
    return Reason("toolkit-none", "toolkit-targets", "no", (), {"among": among, "gpu": names})


def _reasons(
    engine: Engine, query: Query, toolkit: CudaVersion, mine: Compiler | None, *, named: bool
) -> Iterable[Reason]:
    building = engine.stacks.building
    for subject in query.subjects:
        yield engine.judge.capability(subject)
        made = engine.judge.targets(toolkit, subject)
        targets = building.targets(toolkit, (subject.capability,))
        if made.verdict == "no" and targets:  # it does not know the GPU, but what it makes runs there
            kind = "targets-ptx" if targets[0].ptx else "targets-near"
            values = made.values | {"target": targets[0].code}
            made = replace(made, kind=kind, verdict="yes", values=values, condition=True)
        yield made
    if query.driver is not None:
        yield from (engine.judge.drives(query.driver, subject, query.driver_os) for subject in query.subjects)
        yield engine.judge.runs(query.driver, toolkit, query.driver_os)
    if mine is not None:
        host = building.host(toolkit, mine, query)
        # the system's own compiler need not be the one to compile with
        yield host if named else replace(host, verdict="yes", condition=host.verdict != "yes")


def _fixes(
    engine: Engine, query: Query, toolkit: CudaVersion, mine: Compiler | None, reasons: Iterable[Reason]
) -> list[dict[str, Any]]:
    """What to do where the host compiler is too new: an older one, or a toolkit that takes it."""
    if mine is None or not any(reason.kind == "host-compiler-new" for reason in reasons):
        return []
    building = engine.stacks.building
    claim = building.compiler_claim(toolkit, mine.name)
    change = {"compiler": f"{mine.name}-{claim.maximum if claim else ''}"}
    fixes = [{"kind": "compiler", "change": change, "text": joined([building.older_compiler(toolkit, mine)])}]
    for other in building.makers(query.capabilities):
        if other > toolkit and building.host(other, mine, query).verdict == "yes":
            text = joined([say("fix-toolkit", cuda=str(other))])
            fixes.append({"kind": "toolkit", "change": {"cuda": str(other)}, "text": text})
            break
    return fixes


def _answer(
    engine: Engine,
    query: Query,
    reasons: list[Reason],
    toolkit: dict[str, Any] | None,
    wheel: Build | None,
    fixes: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "verdict": weakest(reason.verdict for reason in reasons),
        "gpus": [engine.understood(query, number) for number in range(len(query.subjects))],
        "torch": wheel.label if wheel is not None else None,
        "toolkit": toolkit,
        "findings": [engine.checker.finding(reason) for reason in reasons],
        "fixes": fixes,
        "data_version": engine.data_version,
    }
