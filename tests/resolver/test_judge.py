"""One question, one reason: kind, rule, verdict and sentence, on the small world."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from matrices.model import OperatingSystem
from matrices.versions import CudaVersion, DriverVersion, PythonVersion
from resolver.judge import Reason
from resolver.labels import driver_label, python_range
from resolver.parts import Build
from resolver.query import Companion, Query, Wanted
from resolver.rules import RULES, Driver, Verdict
from resolver.specifiers import numbers
from resolver.words import sentence
from tests.resolver.factory import LINUX, Parts, query, small, subject

ENGINE = small()
INDEX, JUDGE = ENGINE.index, ENGINE.judge
SYSTEMS = ENGINE.catalogue.entities(OperatingSystem)
cuda, version = CudaVersion.parse, DriverVersion.parse


def driver(text: str, os: str = "linux") -> Driver:
    found, _ = ENGINE.reader.versions.driver(text, SYSTEMS["windows-11" if os == "windows" else "linux"])
    assert found is not None
    return found


def build(label: str, os: str = "linux") -> Build:
    return next(b for b in reversed(INDEX.builds) if (b.label, b.wheel.os) == (label, os))


def gpu(name: str) -> Any:
    found = INDEX.hardware.gpus[name]
    return subject(str(INDEX.hardware.gpu_capability[name].compute_capability), found)


def assert_says(reason: Reason | None, kind: str, verdict: Verdict, text: str, condition: bool = False) -> None:
    assert reason is not None
    assert (reason.kind, reason.verdict, reason.condition) == (kind, verdict, condition)
    assert reason.rule in RULES
    assert text in sentence(reason)


def test_capability() -> None:
    assert_says(JUDGE.capability(subject("9.0")), "capability-asked", "yes", "is about compute capability 9.0.")
    assert_says(JUDGE.capability(gpu("tesla-t4")), "capability", "yes", "Tesla T4 has compute capability 7.5.")
    assert_says(JUDGE.capability(gpu("geforce-rtx-4090")), "capability", "unknown", "8.9 (not certain: a rumour).")


DRIVES = [
    ("570", "tesla-t4", "drives", "yes", "Driver R570 drives Tesla T4.", False),
    ("590", "tesla-v100", "dropped", "no", "R580 is the last branch that does", False),
    ("470.50", "geforce-rtx-3090", "too-old-for-gpu", "no", "needs at least 470.100", False),
    ("470", "gh200", "too-old-for-gpu", "no", "needs at least 535", False),
    ("470", "geforce-rtx-3090", "drives-from", "yes", "R470 drives GeForce RTX 3090 from 470.100 on", True),
    (
        "570",
        "geforce-rtx-4090",
        "drives-unknown",
        "unknown",
        "not known whether driver R570 drives GeForce RTX 4090",
        False,
    ),
    ("570.86.16", "geforce-rtx-5090", "unlisted-yet", "unknown", "own list of 570.100", False),
    ("650", "tesla-t4", "drives-unknown", "unknown", "driver R650 drives", False),
]


@pytest.mark.parametrize("text, name, kind, verdict, says, condition", DRIVES)
def test_drives(text: str, name: str, kind: str, verdict: Verdict, says: str, condition: bool) -> None:
    assert_says(JUDGE.drives(driver(text), gpu(name), "linux"), kind, verdict, says, condition)


def test_drives_without_a_window() -> None:
    reason = JUDGE.drives(driver("570"), subject("12.1"), "linux")
    assert_says(reason, "drives-unknown", "unknown", "(compute capability 12.1)")
    assert reason.claims == ()


def test_host() -> None:
    assert JUDGE.host(subject("9.0"), "x86_64") is None
    assert JUDGE.host(gpu("gh200"), "aarch64") is None
    assert_says(JUDGE.host(gpu("gh200"), "x86_64"), "machine-not", "no", "aarch64 machines only, not x86_64")


SYSTEM = [
    ("tesla-v100", "570", "os-needs-newer-gpu", "no", "needs compute capability 7.5 or newer; Tesla V100 has 7.0"),
    ("tesla-t4", "470", "os-needs-newer-driver", "no", "from branch R535 on"),
    ("tesla-t4", "570", "os-takes", "yes", "WSL 2 takes Tesla T4"),
    ("tesla-t4", None, "os-takes", "yes", "WSL 2 takes Tesla T4"),
]


@pytest.mark.parametrize("name, text, kind, verdict, says", SYSTEM)
def test_system(name: str, text: str | None, kind: str, verdict: Verdict, says: str) -> None:
    asked = replace(query(os=SYSTEMS["wsl2"]), driver=driver(text, "windows") if text else None)
    assert_says(JUDGE.system(gpu(name), asked), kind, verdict, says)
    assert JUDGE.system(gpu(name), replace(asked, os=LINUX)) is None


MODULES = [
    ("tesla-v100", 570, "module", "yes", "Tesla V100 works with"),
    ("geforce-rtx-5090", 570, "module", "yes", "open"),
    ("tesla-t4", 570, "module", "yes", "Tesla T4 works with"),
    ("tesla-v100", 590, "module-none", "no", "needs the proprietary kernel modules, which R590 does not offer"),
    ("jetson-orin-nano", 570, "module-unknown", "unknown", "not known which kernel modules"),
]


@pytest.mark.parametrize("name, branch, kind, verdict, says", MODULES)
def test_module(name: str, branch: int, kind: str, verdict: Verdict, says: str) -> None:
    assert_says(JUDGE.module(INDEX.drivers.branches[branch], gpu(name)), kind, verdict, says)


def test_module_of_a_branch_that_offers_nothing_known() -> None:
    silent = replace(INDEX.drivers.branches[570], modules=None)
    reason = JUDGE.module(silent, gpu("tesla-t4"))
    assert_says(reason, "module-unknown", "unknown", "Tesla T4")
    assert [claim.id for claim in reason.claims] == ["cc-needs-module:7.5"]


RUNS = [
    ("570", "12.8", "runs-native", "older-runtime", "yes", "natively (its own is 12.8).", False),
    ("470", "10.2", "runs-native-from", "older-runtime", "yes", "natively (its own is 11.4) from 470.50 on", True),
    ("535", "12.4", "runs-minor", "minor-version", "yes", "by minor-version compatibility (from 535.50 on)", True),
    ("570", "12.8.1", "runs-native", "older-runtime", "yes", "CUDA 12.8 natively", False),
    (
        "470",
        "12.8",
        "driver-too-old",
        "minor-version",
        "no",
        "too old for CUDA 12.8, which needs at least 535.54.03",
        False,
    ),
    ("470.42.01", "10.2", "driver-too-old", "driver-floor", "no", "too old for CUDA 10.2", False),
    (
        "590",
        "13.0",
        "runs-unknown",
        "older-runtime",
        "unknown",
        "not known whether driver R590 runs CUDA 13.0 (not certain: announced).",
        False,
    ),
    ("650.10", "12.4", "runs-native", "older-runtime", "yes", "Driver 650.10 runs CUDA 12.4 natively", False),
]


@pytest.mark.parametrize("text, program, kind, rule, verdict, says, condition", RUNS)
def test_runs(text: str, program: str, kind: str, rule: str, verdict: Verdict, says: str, condition: bool) -> None:
    reason = JUDGE.runs(driver(text), cuda(program), "linux")
    assert_says(reason, kind, verdict, says, condition)
    assert reason.rule == rule


def test_runs_where_nothing_is_known() -> None:
    reason = Parts(ENGINE.catalogue).judge.runs(driver("535"), cuda("14.0"), "linux")
    assert_says(reason, "runs-unknown", "unknown", "R535 runs CUDA 14.0.")


TARGETS = [
    ("12.8", "12.0", "targets", "yes", "makes code for"),
    ("12.4", "12.0", "targets-not", "no", "makes no code for"),
    ("13.0", "12.0", "targets", "unknown", "(not certain: from a talk)"),
    ("12.6", "12.0", "targets-unknown", "unknown", "not known what the compiler of CUDA 12.6"),
]


@pytest.mark.parametrize("toolkit, name, kind, verdict, says", TARGETS)
def test_targets(toolkit: str, name: str, kind: str, verdict: Verdict, says: str) -> None:
    assert_says(JUDGE.targets(cuda(toolkit), subject(name)), kind, verdict, says)


KERNELS = [
    # label, capability, whether the driver compiles PTX, kind, rule, verdict, words
    ("2.7.0+cu128", "12.0", None, "kernels-sass", "sass", "yes", "machine code for 12.0, which runs on"),
    ("2.7.0+cu128", "12.0", "no", "kernels-sass", "sass", "yes", "machine code for 12.0"),
    ("2.7.0+cu124", "8.6", None, "kernels-sass", "sass", "unknown", "(not certain: a build script)"),
    ("2.4.0+cu118", "9.0", None, "kernels-ptx", "ptx", "yes", "PTX for 8.0, which the driver compiles"),
    ("2.4.0+cu118", "9.0", "yes", "kernels-ptx", "ptx", "yes", "PTX for 8.0"),
    (
        "2.4.0+cu118",
        "9.0",
        "unknown",
        "kernels-ptx-perhaps",
        "ptx",
        "unknown",
        "not known whether the driver is as new",
    ),
    ("2.4.0+cu118", "9.0", "no", "kernels-ptx-not-here", "ptx", "no", "older than that CUDA"),
    ("2.6.0+cu118", "12.0", None, "kernels-unknown", "sass", "unknown", "not known whether torch 2.6.0+cu118 has code"),
    (
        "2.6.0+cu118",
        "12.0",
        "yes",
        "kernels-unknown",
        "sass",
        "unknown",
        "not known whether torch 2.6.0+cu118 has code",
    ),
    ("2.6.0+cu118", "12.0", "no", "kernels-none", "ptx", "no", "it holds 7.0, 8.0, 9.0 and no PTX that fits"),
    ("1.8.2+cu102", "12.0", None, "kernels-none", "sass", "no", "it holds 3.7, 7.0, 7.5"),
    ("2.8.0+cu130", "12.0", None, "kernels-unknown", "sass", "unknown", "not known whether torch 2.8.0+cu130"),
    ("2.4.0+cu118", "3.7", None, "library", "library", "no", "does not support"),
    ("2.6.0+cu124", "9.0", None, "library", "library", "unknown", "(not certain: a comment)"),
]


@pytest.mark.parametrize("label, name, native, kind, rule, verdict, says", KERNELS)
def test_kernels(
    label: str, name: str, native: Verdict | None, kind: str, rule: str, verdict: Verdict, says: str
) -> None:
    reason = JUDGE.kernels(build(label), subject(name), native)
    assert_says(reason, kind, verdict, says)
    assert reason.rule == rule


def test_no_code_comes_before_a_library() -> None:
    reason = JUDGE.kernels(build("2.6.0+cu124"), subject("3.7"), None)
    assert_says(reason, "kernels-none", "no", "it holds 7.0, 7.5, 8.0, 9.0")


def test_partial_libraries() -> None:
    found = build("2.6.0+cu124")
    assert [len(JUDGE.partial_libraries(found, subject(name))) for name in ("7.0", "7.5", "8.0", "9.0")] == [1, 0, 0, 0]
    (reason,) = JUDGE.partial_libraries(found, subject("7.0"))
    assert_says(reason, "library-lacks-code", "unknown", "the library libtorch_cuda_linalg has no code for")
    assert JUDGE.partial_libraries(build("2.7.0+cu128"), subject("7.0")) == []


def test_published() -> None:
    assert_says(JUDGE.published(build("2.6.0+cu124")), "published", "yes", "is published for linux on x86_64")
    assert_says(JUDGE.published(build("2.8.0+cu130")), "published-unknown", "unknown", ": announced only.")


def pythons(text: str, *allowed: str) -> Wanted:
    return Wanted(text, frozenset(map(PythonVersion.parse, allowed)))


def test_python() -> None:
    found = build("2.6.0+cu124")
    assert JUDGE.python(found, None) is None
    unknown = JUDGE.python(build("2.8.0+cu130"), pythons("3.12", "3.12"))
    assert_says(
        unknown, "python-unknown", "unknown", "not known for which Python versions torch 2.8.0+cu130 has wheels"
    )
    fits = JUDGE.python(found, pythons(">=3.12", "3.12", "3.14"))
    assert_says(fits, "python", "yes", "has wheels for Python 3.9, 3.10, 3.12, 3.13")
    assert_says(JUDGE.python(found, pythons("3.8.1", "3.8")), "python-not", "no", "no wheel for Python 3.8; it has")
    assert_says(
        JUDGE.python(found, pythons("<3.9`", "3.7", "3.8")), "python-not", "no", "no wheel for Python <3.9; it has"
    )


COMPANIONS = [
    ("2.6.0+cu124", "torchvision", "==0.21.0", "companion", "yes", "torch 2.6.0 goes with torchvision 0.21.0."),
    ("2.6.0+cu124", "torchvision", "", "companion", "yes", "torch 2.6.0 goes with torchvision 0.21.0."),
    ("2.6.0+cu124", "torchvision", ">=0.22", "companion-not", "no", "goes with torchvision 0.21.0, not >=0.22"),
    (
        "2.4.0+cu118",
        "torchvision",
        "",
        "companion-unknown",
        "unknown",
        "not known which torchvision goes with torch 2.4.0",
    ),
    ("2.7.0+cu128", "torchvision", "", "companion-unknown", "unknown", "not known which torchvision"),
]


@pytest.mark.parametrize("label, package, specifier, kind, verdict, says", COMPANIONS)
def test_companions(label: str, package: str, specifier: str, kind: str, verdict: Verdict, says: str) -> None:
    asked = replace(query("7.5"), companions=(Companion(package, package + specifier, specifier),))
    (reason,) = JUDGE.companions(build(label), asked)
    assert_says(reason, kind, verdict, says)
    assert JUDGE.companions(build(label), query("7.5")) == []


TRITON = [
    # GPU, build, reasons after the version
    ("7.5", "2.6.0+cu124", "linux", []),
    ("7.0", "2.6.0+cu124", "linux", [("library", "unknown")]),
    ("3.7", "2.6.0+cu124", "linux", [("library", "no")]),
    ("7.5", "2.6.0+cu124", "windows", [("package-unjudged", "unknown")]),  # its own wheels are for Linux
    ("3.7", "2.6.0+cu124", "windows", [("package-unjudged", "unknown")]),
]


@pytest.mark.parametrize("name, label, os, wanted", TRITON)
def test_triton(name: str, label: str, os: str, wanted: list[tuple[str, str]]) -> None:
    asked = replace(query(name), companions=(Companion("triton", "triton", ""),))
    *others, first = JUDGE.companions(build(label, os), asked)
    assert (first.kind, first.verdict, first.values["has"]) == ("companion", "yes", "3.2.0")
    assert [(reason.kind, reason.verdict) for reason in others] == wanted
    assert all(sentence(reason) for reason in others)
    other = replace(query(name), companions=(Companion("triton", "triton==3.1", "==3.1"),))
    assert [reason.kind for reason in JUDGE.companions(build(label, os), other)] == ["companion-not"]


GLIBC = [
    ("ubuntu-24.04", "2.6.0+cu124", "glibc", "yes"),
    ("rhel-7", "2.6.0+cu124", "glibc-old", "no"),
    ("rhel-7", "2.4.0+cu118", "glibc", "yes"),
    ("rhel-7", "1.8.2+cu102", None, None),  # the wheel asks for none
    ("rhel-7", "2.8.0+cu130", None, None),  # nothing is known of it
    ("arch", "2.6.0+cu124", "glibc-unknown", "unknown"),
    ("arch", "1.8.2+cu102", None, None),
    ("linux", "2.6.0+cu124", None, None),  # no particular system
    ("wsl2", "2.6.0+cu124", None, None),
    ("windows-11", "2.6.0+cu124", None, None),
]


@pytest.mark.parametrize("system, label, kind, verdict", GLIBC)
def test_glibc(system: str, label: str, kind: str | None, verdict: Verdict | None) -> None:
    asked: Query = query("7.5", os=SYSTEMS[system])
    reason = JUDGE.glibc(build(label), asked)
    assert (reason.kind if reason else None, reason.verdict if reason else None) == (kind, verdict)
    assert reason is None or reason.rule == "glibc"
    assert reason is None or sentence(reason)
    assert JUDGE.glibc_of(asked) == {"ubuntu-24.04": "2.39", "rhel-7": "2.17"}.get(system)


def test_numbers() -> None:
    assert numbers("2.9") < numbers("2.17") < numbers("2.28")


LABELS = [
    (Driver(570, version("570.86.10"), version("570.211.01")), "R570"),
    (Driver(570, version("570.124.06"), version("570.124.06")), "570.124.06"),
    (Driver(620, version("620"), None), "R620"),
    (Driver(570, version("572"), version("572.999")), "R572"),  # a number of Windows
]


@pytest.mark.parametrize("known, label", LABELS)
def test_driver_label(known: Driver, label: str) -> None:
    assert driver_label(known) == label


RANGES = [
    (["3.9", "3.10", "3.11", "3.13t"], "3.9 to 3.11"),
    (["3.11", "3.9", "3.10"], "3.9 to 3.11"),
    (["3.9", "3.11", "3.12"], "3.9, 3.11, 3.12"),
    (["3.9", "3.10"], "3.9, 3.10"),
    (["2.7", "3.5", "3.6"], "2.7, 3.5, 3.6"),
    (["3.13t"], ""),
]


@pytest.mark.parametrize("texts, shown", RANGES)
def test_python_range(texts: list[str], shown: str) -> None:
    assert python_range(tuple(map(PythonVersion.parse, texts))) == shown
