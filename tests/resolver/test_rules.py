"""The rules by themselves: facts go in as arguments, nothing is looked up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import resolver
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion
from resolver import rules
from resolver.rules import RULES, Driver

cuda, capability, version, target = CudaVersion.parse, ComputeCapability.parse, DriverVersion.parse, ArchTarget.parse

CODE = [
    # target, capability, same family, machine code runs, PTX compiles
    ("8.0", "8.0", False, True, True),
    ("8.0", "8.6", False, True, True),
    ("8.6", "8.0", False, False, False),
    ("8.9", "9.0", False, False, True),
    ("9.0", "8.9", False, False, False),
    ("9.0", "12.0", False, False, True),
    ("9.0a", "9.0", False, True, True),
    ("9.0a", "9.1", True, False, False),
    ("9.0a", "10.0", False, False, False),
    ("10.0f", "10.0", True, True, True),
    ("10.0f", "10.3", True, True, True),
    ("10.0f", "10.3", False, False, False),
    ("10.3f", "10.0", True, False, False),
    ("10.0f", "12.0", True, False, False),
]


@pytest.mark.parametrize("built, on, family, runs, compiles", CODE)
def test_code(built: str, on: str, family: bool, runs: bool, compiles: bool) -> None:
    assert rules.sass(target(built), capability(on), same_family=family) is runs
    assert rules.ptx(target(built), capability(on), same_family=family) is compiles


capabilities = st.builds(ComputeCapability, st.integers(3, 13), st.integers(0, 9))
targets = st.builds(ArchTarget, capabilities, st.sampled_from(["", "", "a", "f"]))


@given(targets, capabilities, st.booleans())
def test_what_runs_as_machine_code_could_be_compiled_too(
    built: ArchTarget, on: ComputeCapability, family: bool
) -> None:
    if rules.sass(built, on, same_family=family):
        assert rules.ptx(built, on, same_family=family)
        assert built.capability.major == on.major
        assert built.capability <= on


R535 = Driver(535, version("535.43.02"), version("535.274.02"))
OPEN = Driver(620, version("620"), None)
EXACT = Driver(535, version("535.54.03"), version("535.54.03"))
AT_LEAST = [
    (R535, "535.43.02", ("yes", False)),
    (R535, "535.54.03", ("yes", True)),
    (R535, "535.274.02", ("yes", True)),
    (R535, "535.274.03", ("no", False)),
    (R535, "525.60.13", ("yes", False)),
    (R535, "550", ("no", False)),
    (OPEN, "620.10", ("yes", True)),
    (EXACT, "535.54.03", ("yes", False)),
    (EXACT, "535.54.04", ("no", False)),
    (EXACT, "535", ("yes", False)),
]


@pytest.mark.parametrize("driver, floor, answer", AT_LEAST)
def test_at_least(driver: Driver, floor: str, answer: tuple[str, bool]) -> None:
    assert rules.at_least(driver, version(floor)) == answer


def test_exact() -> None:
    assert EXACT.exact
    assert not R535.exact
    assert not OPEN.exact


DRIVES = [
    # added, exact first driver, last, answer for R535
    (None, None, None, ("unknown", False)),
    (None, None, 470, ("no", False)),
    (None, None, 535, ("unknown", False)),
    (470, None, 535, ("yes", False)),
    (470, None, 470, ("no", False)),
    (470, "470.42", None, ("yes", False)),
    (535, None, None, ("yes", False)),
    (535, "535.43.02", None, ("yes", False)),
    (535, "535.100", None, ("yes", True)),
    (535, "535.300", None, ("no", False)),
    (550, None, None, ("no", False)),
    (550, "550.54", None, ("no", False)),
]


@pytest.mark.parametrize("added, exact, last, answer", DRIVES)
def test_drives(added: int | None, exact: str | None, last: int | None, answer: tuple[str, bool]) -> None:
    assert rules.drives(R535, added, version(exact) if exact else None, last) == answer


RUNS = [
    # CUDA, floor, own CUDA of the driver, answer for R535
    ("12.2", "525.60.13", "12.2", ("yes", "native", False)),
    ("12.2.1", "525.60.13", "12.2", ("yes", "native", False)),
    ("11.8", "450.80.02", "12.2", ("yes", "native", False)),
    ("12.4", "525.60.13", "12.2", ("yes", "minor-version", False)),
    ("12.4", "535.54.03", "12.2", ("yes", "minor-version", True)),
    ("12.4", "525.60.13", None, ("yes", "minor-version", False)),
    ("13.0", "580", "12.2", ("no", "minor-version", False)),
    ("12.2", None, "12.2", ("yes", "native", False)),
    ("12.4", None, "12.2", ("unknown", "minor-version", False)),
    ("12.4", None, None, ("unknown", "minor-version", False)),
]


@pytest.mark.parametrize("program, floor, own, answer", RUNS)
def test_runs_cuda(program: str, floor: str | None, own: str | None, answer: tuple[str, str, bool]) -> None:
    floor_version, native = version(floor) if floor else None, cuda(own) if own else None
    assert rules.runs_cuda(R535, cuda(program), floor_version, native) == answer


NATIVELY = [
    ("12.2", "12.2", "12.2", "yes"),
    ("12.2.2", "12.2", "12.2", "yes"),
    ("12.4", "12.2", "12.2", "no"),
    ("12.4", "12.2", "12.8", "unknown"),
    ("12.4", "12.2", None, "unknown"),
    ("12.4", None, "12.2", "no"),
    ("12.4", None, None, "unknown"),
]


@pytest.mark.parametrize("program, least, most, answer", NATIVELY)
def test_natively(program: str, least: str | None, most: str | None, answer: str) -> None:
    assert rules.natively(cuda(program), cuda(least) if least else None, cuda(most) if most else None) == answer


def test_kernel_modules() -> None:
    assert rules.kernel_modules(["proprietary", "open"], ["open", "proprietary"]) == ("open", "proprietary")
    assert rules.kernel_modules(["open"], ["proprietary"]) == ()


@pytest.mark.parametrize("first", ["yes", "unknown", "no"])
@pytest.mark.parametrize("second", ["yes", "unknown", "no"])
def test_weaker(first: rules.Verdict, second: rules.Verdict) -> None:
    order = ["no", "unknown", "yes"]
    assert rules.weaker(first, second) == min(first, second, key=order.index)


def test_every_rule_says_where_it_is_written() -> None:
    for name, rule in RULES.items():
        assert rule.id == name
        assert rule.says.endswith(".")
        assert len(rule.citation) > 8


def test_every_reason_names_a_rule() -> None:
    """The rule of a reason is the second argument; those given by a variable are seen in the tests of real answers."""
    for path in Path(resolver.__file__).parent.rglob("*.py"):
        for found in re.finditer(r'Reason\(\s*[^,()]+?,\s*"([a-z-]+)"', path.read_text(encoding="utf-8")):
            assert found[1] in RULES, f"{path.name}: {found[0]}"
