"""The solver on the small world: which builds, in which order, and what leaving something out changes.

That its answers are the right ones in general is the business of `test_oracle`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from matrices.model import OperatingSystem
from resolver.query import Query
from resolver.solve import Outcome, Solver
from tests.resolver.factory import query, small, subject

ENGINE = small()
INDEX, READER = ENGINE.index, ENGINE.reader
SYSTEMS = ENGINE.catalogue.entities(OperatingSystem)


def asked(*names: str, os: str = "linux", machine: str = "x86_64", **parts: Any) -> Query:
    """A question read from texts; a name is a product of the small world or a capability."""
    torch, variant = READER.versions.torch(parts.get("torch"))
    driver, driver_text = READER.versions.driver(parts.get("driver"), SYSTEMS[os])
    requested = READER.requirements.read(parts.get("packages", []))
    gpus = INDEX.hardware.gpus
    subjects = tuple(
        subject(str(INDEX.hardware.gpu_capability[name].compute_capability), gpus[name])
        if name in gpus
        else subject(name)
        for name in names
    )
    return replace(
        query(os=SYSTEMS[os], machine=machine),
        subjects=subjects,
        driver=driver,
        driver_text=driver_text,
        python=READER.versions.python(parts.get("python")),
        torch=torch,
        cuda=READER.versions.cuda(parts.get("cuda")),
        variant=variant,
        companions=requested.companions,
        packages=requested.packages,
        unjudged=requested.unjudged,
        prefer=parts.get("prefer", "newest"),
    )


def solve(wanted: Query, without: frozenset[str] = frozenset()) -> Outcome:
    return Solver(INDEX, ENGINE.judge).outcome(wanted, without)


def labels(bits: int) -> list[str]:
    return [build.label for build in INDEX.picks(bits, 99)]


OUTCOMES = [
    # question, sure, possible besides
    (
        asked("7.5"),
        ["2.7.0+cu128", "2.6.0+cu124", "2.6.0+cu118", "2.4.0+cu118", "1.8.2+cu102"],
        ["2.8.0+cu130", "2.7.0+cu124"],
    ),
    (asked("7.5", driver="470"), ["2.6.0+cu118", "2.4.0+cu118", "1.8.2+cu102"], ["2.8.0+cu130"]),
    (asked("7.5", driver="470.42.01"), ["2.6.0+cu118", "2.4.0+cu118"], ["2.8.0+cu130"]),
    (
        asked("9.0", driver="535"),
        ["2.7.0+cu128", "2.6.0+cu118", "2.4.0+cu118"],
        ["2.8.0+cu130", "2.7.0+cu124", "2.6.0+cu124"],
    ),
    (asked("9.0", machine="aarch64"), ["2.7.0+cu128"], []),
    (asked("7.5", os="windows-11"), ["2.6.0+cu124"], []),
    (asked("7.5", os="wsl2", cuda="12.4"), ["2.6.0+cu124"], ["2.7.0+cu124"]),
    (asked("7.0", os="wsl2"), [], []),
    (asked("7.5", os="rhel-7"), ["2.6.0+cu118", "2.4.0+cu118", "1.8.2+cu102"], ["2.8.0+cu130"]),
    (asked("7.5", python="3.13"), ["2.7.0+cu128", "2.6.0+cu124"], ["2.8.0+cu130"]),  # of which no Python is known
    (asked("7.5", python="3.8"), ["1.8.2+cu102"], ["2.8.0+cu130"]),
    (
        asked("7.5", os="arch"),
        ["1.8.2+cu102"],
        ["2.8.0+cu130", "2.7.0+cu128", "2.7.0+cu124", "2.6.0+cu124", "2.6.0+cu118", "2.4.0+cu118"],
    ),
    (asked("7.5", torch="2.6"), ["2.6.0+cu124", "2.6.0+cu118"], []),
    (asked("7.5", torch="2.6.0+cu118"), ["2.6.0+cu118"], []),
    (asked("7.5", torch="2.8"), [], ["2.8.0+cu130"]),
    (asked("7.5", cuda="cu118"), ["2.6.0+cu118", "2.4.0+cu118"], []),
    (asked("3.7"), ["1.8.2+cu102"], ["2.8.0+cu130"]),
    (asked("8.9"), [], ["2.8.0+cu130", "2.7.0+cu128", "2.7.0+cu124", "2.6.0+cu124", "2.6.0+cu118", "2.4.0+cu118"]),
    (asked("7.5", "12.0"), ["2.7.0+cu128", "2.4.0+cu118"], ["2.8.0+cu130", "2.7.0+cu124", "2.6.0+cu118"]),
    (asked("3.7", "12.0"), [], []),  # no one branch drives both
    (asked("7.0", "12.0", driver="580"), ["2.4.0+cu118"], ["2.8.0+cu130", "2.7.0+cu124", "2.6.0+cu118"]),
    (asked("gh200"), [], []),  # not for that machine
    (asked("gh200", machine="aarch64"), ["2.7.0+cu128"], []),
    (
        asked("geforce-rtx-5090", driver="570.86.16"),
        [],
        ["2.8.0+cu130", "2.7.0+cu128", "2.7.0+cu124", "2.6.0+cu118", "2.4.0+cu118"],
    ),
    (asked("7.5", packages=["torchvision==0.21.0"]), ["2.6.0+cu124", "2.6.0+cu118"], []),
    # without a version, one that nobody knows may be the one
    (
        asked("7.5", packages=["torchaudio"], torch=">=2.6"),
        ["2.6.0+cu124", "2.6.0+cu118"],
        ["2.8.0+cu130", "2.7.0+cu128", "2.7.0+cu124"],
    ),
    (asked("7.5", packages=["triton==3.2.0"]), ["2.6.0+cu124", "2.6.0+cu118"], []),
    (
        asked("7.5", packages=["triton"]),
        ["2.6.0+cu124", "2.6.0+cu118"],
        ["2.8.0+cu130", "2.7.0+cu128", "2.7.0+cu124", "2.4.0+cu118", "1.8.2+cu102"],
    ),
    (asked("7.0", packages=["triton==3.2.0"]), [], ["2.6.0+cu124", "2.6.0+cu118"]),  # it may not take the GPU
    (asked("7.0", packages=["triton"], torch="2.4"), [], ["2.4.0+cu118"]),  # which one belongs to 2.4 is not known
    (asked("7.0", packages=["triton==3.2.0"], torch="2.4"), [], []),  # that triton is the one of 2.6
    (asked("7.5", os="windows-11", packages=["triton"]), [], ["2.6.0+cu124"]),
    (asked("3.7", packages=["triton"]), [], []),
    (
        asked("7.5", packages=["torchaudio==9"]),
        [],
        ["2.8.0+cu130", "2.7.0+cu128", "2.7.0+cu124", "2.4.0+cu118", "1.8.2+cu102"],
    ),
]


@pytest.mark.parametrize("wanted, sure, possible", OUTCOMES)
def test_outcome(wanted: Query, sure: list[str], possible: list[str]) -> None:
    outcome = solve(wanted)
    assert labels(outcome.masks.yes) == sure
    assert labels(outcome.masks.maybe & ~outcome.masks.yes) == possible
    assert outcome.verdict == ("yes" if sure else "unknown" if possible else "no")
    assert outcome.masks.yes & ~outcome.masks.maybe == 0
    assert solve(wanted) == outcome


CONSTRAINTS = [
    (asked("7.5"), ("machine", "gpu:7.5")),
    (replace(asked("7.5"), machine_asked=False), ("gpu:7.5",)),
    (replace(asked("gh200"), machine_asked=False), ("machine", "gpu:9.0")),  # not one that it goes into
    (asked("12.0", "7.5", driver="570"), ("driver", "machine", "gpu:7.5", "gpu:12.0")),
    (
        asked("7.5", os="wsl2", driver="570", torch="2.6", cuda="12.4", python="3.12", packages=["torchaudio"]),
        ("packages", "cuda", "torch", "python", "driver", "machine", "os", "gpu:7.5"),
    ),
]


@pytest.mark.parametrize("wanted, names", CONSTRAINTS)
def test_constraints(wanted: Query, names: tuple[str, ...]) -> None:
    assert ENGINE.solver.constraints(wanted) == names


LEFT_OUT = [
    # question, left out, sure
    (asked("7.5", python="3.8", cuda="12.4"), ["python"], ["2.6.0+cu124"]),
    (asked("7.5", python="3.8", cuda="12.4"), ["cuda"], ["1.8.2+cu102"]),
    (
        asked("7.5", torch="2.7.0+cu118"),
        ["torch"],
        ["2.7.0+cu128", "2.6.0+cu124", "2.6.0+cu118", "2.4.0+cu118", "1.8.2+cu102"],
    ),
    (asked("12.0", driver="470"), ["driver"], ["2.7.0+cu128", "2.4.0+cu118"]),
    (asked("7.5", packages=["torchaudio==9"], torch="2.6"), ["packages"], ["2.6.0+cu124", "2.6.0+cu118"]),
    (asked("3.7", "7.5", packages=["triton"]), ["gpu:3.7"], ["2.6.0+cu124", "2.6.0+cu118"]),
    (asked("3.7", "12.0"), ["gpu:3.7"], ["2.7.0+cu128", "2.4.0+cu118"]),
    (asked("3.7", "12.0"), ["gpu:12.0"], ["1.8.2+cu102"]),
    (asked("3.7", "12.0", cuda="12.8"), ["gpu:3.7", "gpu:12.0"], ["2.7.0+cu128"]),
    (asked("gh200"), ["machine"], ["2.7.0+cu128"]),  # a machine it goes into, not just any
    (asked("9.0", cuda="12.8"), ["machine"], ["2.7.0+cu128", "2.7.0+cu128"]),
    (asked("7.0", os="wsl2", torch="2.6"), ["os"], ["2.6.0+cu124", "2.6.0+cu118"]),
    (asked("7.5", os="rhel-7", torch="2.6"), ["os"], ["2.6.0+cu124", "2.6.0+cu124", "2.6.0+cu118"]),
    # a bare branch has other builds on another system: 470 has none known for Windows, R570 begins later there
    (asked("12.0", os="windows-11", driver="570"), ["os"], ["2.7.0+cu128", "2.4.0+cu118"]),
    (asked("geforce-rtx-5090", os="windows-11", driver="570.86.16"), ["os"], []),  # named later in the list for Linux
    (asked("7.5", os="windows-11", driver="650.10"), ["os"], []),
]


@pytest.mark.parametrize("wanted, names, sure", LEFT_OUT)
def test_leaving_out(wanted: Query, names: list[str], sure: list[str]) -> None:
    assert labels(solve(wanted, frozenset(names)).masks.yes) == sure


def test_misplaced() -> None:
    assert ENGINE.solver.misplaced(asked("gh200"))
    assert not ENGINE.solver.misplaced(asked("gh200"), frozenset({"machine"}))
    assert not ENGINE.solver.misplaced(asked("gh200"), frozenset({"gpu:9.0"}))
    old = asked("7.5", os="wsl2", driver="470")
    assert ENGINE.solver.misplaced(old)
    assert not ENGINE.solver.misplaced(old, frozenset({"driver"}))
    assert not ENGINE.solver.misplaced(old, frozenset({"os"}))


RANKED = [
    (asked("7.5"), 3, ["2.7.0+cu128", "2.6.0+cu124", "2.6.0+cu118"]),
    (asked("9.0", cuda="cu118"), 9, ["2.6.0+cu118", "2.4.0+cu118"]),
    (asked("12.0"), 9, ["2.7.0+cu128", "2.4.0+cu118"]),  # machine code before PTX
    (asked("9.0", torch="<2.6"), 9, ["2.4.0+cu118"]),
    (asked("8.9"), 2, ["2.8.0+cu130", "2.7.0+cu128"]),  # nothing is sure
    (asked("7.5", prefer="conservative"), 2, ["2.6.0+cu124", "2.6.0+cu118"]),
    (asked("7.5", prefer="conservative", torch="2.7"), 2, ["2.7.0+cu128"]),  # nothing older is left
    (asked("8.9", prefer="conservative"), 1, ["2.8.0+cu130"]),
    (asked("7.0", os="wsl2"), 3, []),
    (asked("7.5"), 0, []),
]


@pytest.mark.parametrize("wanted, limit, order", RANKED)
def test_ranked(wanted: Query, limit: int, order: list[str]) -> None:
    assert [build.label for build in ENGINE.solver.ranked(wanted, solve(wanted), limit)] == order


def test_machine_code_comes_before_a_newer_torch_with_ptx() -> None:
    """2.4 has machine code for 7.0 and 8.0, and PTX for 9.0; for all three at once no build is better than by PTX."""
    mixed = asked("7.0", "9.0", torch="<2.6")
    assert solve(mixed).sass == 0
    assert labels(solve(mixed).masks.yes) == ["2.4.0+cu118"]
    assert labels(solve(asked("7.0", "8.0", torch="<2.6")).sass) == ["2.4.0+cu118"]


NAMED = [
    (asked("7.5", torch="2.6"), False, ["2.6.0+cu124", "2.6.0+cu118"]),
    (asked("7.5", torch="2.6"), True, ["2.6.0+cu124", "2.6.0+cu124", "2.6.0+cu118"]),
    (asked("7.5", torch="2.7", machine="aarch64"), False, ["2.7.0+cu128"]),
    (asked("7.5", torch="2.7.0+cu124"), False, ["2.7.0+cu124"]),
    (asked("7.5", torch="2.7.0+cu130"), False, []),
    (asked("7.5", cuda="12.8"), False, ["2.7.0+cu128"]),
    (
        asked("7.5", torch="2.6", os="rhel-7", python="3.8"),
        False,
        ["2.6.0+cu124", "2.6.0+cu118"],
    ),  # named, whether it fits or not
]


@pytest.mark.parametrize("wanted, anywhere, found", NAMED)
def test_builds_named(wanted: Query, anywhere: bool, found: list[str]) -> None:
    assert [build.label for build in ENGINE.solver.builds_named(wanted, anywhere=anywhere)] == found
