"""Packages beside torch: each judgement by itself, on a small world, and the answers that they make."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from matrices.versions import PythonVersion, TorchVersion
from resolver.engine import Asked, Checked, Engine
from resolver.errors import BadQuestion, InvalidRequest, UnknownVersion
from resolver.packages import Packages, Pick
from resolver.query import PackageWanted, Query, Requested
from tests.resolver.factory import from_toml

PACKAGES = """
[[package]]
id = "wings"
aliases = ["wing"]
released = { versions = ["1.0", "1.1", "2.0", "3.0"], older = true }

[[package.offers]]
versions = "<2"
os = "linux"
machines = ["x86_64"]
python = ["3.9", "3.12", "3.13"]
glibc = "2.28"

[[package.offers]]
versions = "<2"
os = "windows"
machines = ["x86_64"]
python = ["3.12"]
gpu = false

[[package.offers]]
versions = "==2.0"
os = "linux"
machines = ["x86_64", "aarch64"]
python = ["3.13"]
glibc = "2.35"
uncertain = "announced"

[[package.offers]]
versions = "==3.0"
os = "linux"
machines = ["x86_64"]
python = ["3.12"]

[[package.needs-package]]
versions = "==1.1"
package = "torch"
specifier = "==2.6.0"

[[package.needs-package]]
versions = "==2.0"
package = "torch"
specifier = ">=2.7"
uncertain = "not said"

[[package.needs-package]]
versions = "==1.1"
package = "feathers"
specifier = "==0.1"

[[package.built-with]]
versions = "==1.1"
cuda = ["12.1", "12.6"]

[[package.built-with]]
versions = "==2.0"
cuda = ["12.8"]
exact = true
uncertain = "announced"
index = "https://example.org/{variant}"

[[package.needs-cc]]
versions = "==2.0"
minimum = "8.0"

[[package.embeds]]
versions = "==1.1"
library = "wings"
sass = ["7.5"]
ptx = ["8.0"]

[[package.embeds]]
versions = "==1.1"
library = "down"
sass = ["8.0"]
ptx = []
optional = true

[[package.embeds]]
versions = "==2.0"
library = "wings"
cuda = ["12.8"]
sass = ["9.0"]

[[package]]
id = "feathers"
released = { versions = ["0.1", "0.2"] }
offers = { versions = ">=0", os = "linux", machines = ["x86_64"], python = ["3.12"], form = "source" }
needs-package = { versions = ">=0", package = "torch", specifier = ">=2" }
needs-cc = { versions = ">=0", minimum = "7.0", maximum = "9.0" }
installed-by = { versions = ">=0", requirement = "feathers=={version}", options = ["--no-build-isolation"] }

[[package]]
id = "solo"
aliases = ["either", "either[solo]"]
released = { versions = ["5.0"] }
offers = { versions = ">=0", os = "linux", machines = ["x86_64"], python = ["3.12"] }
built-with = { versions = ">=0", cuda = ["12.4"] }
needs-driver = [
  { versions = ">=0", os = "linux", driver = "570" },
  { versions = ">=0", os = "windows", driver = "571.10" },
]
embeds = { versions = ">=0", library = "solo", sass = ["7.0"], ptx = ["7.0"] }
installed-by = { versions = ">=0", requirement = "either[solo]=={version}", needs_system_cuda = true }

[[package]]
id = "other"
aliases = ["either"]
released = { versions = ["5.0"] }
offers = { versions = ">=0", os = "linux", machines = ["x86_64"], python = ["3.12"] }
embeds = { versions = ">=0", library = "other", sass = ["7.0"], ptx = ["7.0"] }
needs-cc = { versions = ">=0", minimum = "7.0", maximum = "7.5", uncertain = "heard" }

[[package]]
id = "blind"
released = { versions = ["1.0"] }
offers = { versions = ">=0", os = "linux", machines = ["x86_64"], python = ["3.12"] }
embeds = { versions = ">=0", library = "blind", sass = ["6.0"], ptx = ["6.0"] }

[[package]]
id = "dark"
released = { versions = ["1.0"] }
needs-cc = { versions = ">=0", minimum = "7.0" }

[[package]]
id = "future"
released = { versions = ["1.0"] }
offers = { versions = ">=0", os = "linux", machines = ["x86_64"], python = ["3.12"] }
built-with = { versions = ">=0", cuda = ["99.0"] }
"""


@cache
def engine() -> Engine:
    small = Path(__file__).with_name("small.toml").read_text(encoding="utf-8")
    return Engine(from_toml(small + PACKAGES))


def packages() -> Packages:
    return engine().solver.packages


def read(text: str, gpus: Sequence[str] = ("T4",), **parts: Any) -> Query:
    return engine().reader.read(Asked(gpus=gpus, packages=(text,), **parts))


def picks(
    text: str, label: str | None, gpus: Sequence[str] = ("T4",), python: str | None = "3.12", **parts: Any
) -> list[Pick]:
    """Every build of every release for a build of torch, newest first."""
    query = read(text, gpus, **parts)
    builds = [
        b
        for b in engine().index.builds
        if b.label == label and b.wheel.os == query.os.family and b.wheel.machine == "x86_64"
    ]
    return list(
        packages().judging.candidates(
            query,
            query.packages[0],
            builds[0] if builds else None,
            query.driver,
            query.subjects,
            PythonVersion.parse(python) if python else None,
        )
    )


JUDGED = [
    # package, torch, GPU, other parts, what is said against or for its newest build
    ("wings==1.1", "2.6.0+cu124", "T4", {}, {"package-torch", "package-cuda", "package-python", "package-sass", "package-lacks"}),
    ("wings==1.1", "2.7.0+cu128", "T4", {}, {"package-torch-not"}),
    ("wings==1.1", "2.6.0+cu118", "T4", {}, {"package-cuda-not"}),
    ("wings==1.1", None, "T4", {}, {"package-cuda", "package-sass"}),
    ("wings==1.1", "2.6.0+cu124", "A100", {"driver": "535"}, {"package-ptx", "package-cuda"}),
    ("wings==1.1", "2.6.0+cu124", "V100", {}, {"package-no-code"}),
    ("wings==1.1", "2.6.0+cu124", "T4", {"os": "rhel-7"}, {"package-glibc-old"}),
    ("wings==1.1", "2.6.0+cu124", "T4", {"os": "windows-11"}, {"package-without-gpu"}),
    ("wings==1.0", "2.6.0+cu124", "T4", {}, {"package-torch-unknown", "package-cuda-unknown", "package-code-unknown"}),
    ("wings==2.0", "2.7.0+cu128", "T4", {}, {"package-needs-cc", "package-python-not"}),
    ("wings==2.0", "2.7.0+cu128", "RTX 5090", {}, {"package-torch", "package-cuda", "package-code-unknown"}),
    ("wings==2.0", "2.7.0+cu124", "A100", {}, {"package-cuda-not", "package-no-code"}),
    ("wings==3.0", "2.6.0+cu124", "T4", {}, {"package-torch-unknown"}),
    ("feathers", "2.6.0+cu124", "T4", {}, {"package-compiled", "package-takes", "package-torch"}),
    ("feathers", "2.7.0+cu128", "RTX 5090", {}, {"package-needs-cc"}),
    ("feathers", "2.6.0+cu124", "T4", {"os": "windows-11"}, {"package-platform-not"}),
    ("solo", "2.6.0+cu124", "T4", {}, {"package-sass", "package-system-cuda"}),
    ("solo", "2.6.0+cu124", "T4", {"driver": "570"}, {"package-driver", "runs-native"}),
    ("solo", "2.6.0+cu124", "T4", {"driver": "535"}, {"package-driver-old"}),
    ("solo", "2.6.0+cu124", "A100", {"driver": "535"}, {"package-ptx-not-here"}),
    ("solo", "2.6.0+cu124", "K80", {}, {"no-driver-for-both", "package-no-code"}),
    ("other", "2.6.0+cu124", "T4", {"driver": "535"}, {"package-sass"}),
    ("other", "2.6.0+cu124", "A100", {"driver": "535"}, {"package-code-unknown"}),
    ("dark", "2.6.0+cu124", "T4", {}, {"package-platform-unknown", "package-code-unknown"}),
    ("blind", "2.6.0+cu124", "T4", {"driver": "570"}, {"package-ptx-perhaps"}),
    ("future", "2.6.0+cu124", "T4", {"driver": "570"}, {"runs-unknown", "package-code-unknown"}),
]  # fmt: skip


@pytest.mark.parametrize("text, label, gpu, parts, kinds", JUDGED)
def test_judged(text: str, label: str | None, gpu: str, parts: dict[str, Any], kinds: set[str]) -> None:
    found = {reason.kind for reason in picks(text, label, (gpu,), **parts)[0].reasons}
    assert kinds <= found, found


def test_the_newest_that_surely_fits_else_that_may() -> None:
    query = read("wings")
    (build,) = [b for b in engine().index.builds if b.label == "2.6.0+cu124" and b.wheel.os == "linux"]
    pick = packages().judging.pick(query, query.packages[0], build, None, query.subjects, PythonVersion.parse("3.12"))
    assert pick is not None
    assert (pick.release.version, pick.verdict, pick.requirement) == ("1.1", "yes", "wings==1.1")
    doubtful = read("wings==1.0")
    pick = packages().judging.pick(
        doubtful, doubtful.packages[0], build, None, doubtful.subjects, PythonVersion.parse("3.12")
    )
    assert pick is not None
    assert pick.verdict == "unknown"
    none = read("wings==1.1", ("V100",))
    assert (
        packages().judging.pick(none, none.packages[0], build, None, none.subjects, PythonVersion.parse("3.12")) is None
    )


ANSWERS = [
    # packages, other parts, verdict, what the answer says somewhere
    (["wings"], {"gpus": ["T4"]}, "yes", "pip install torch==2.6.0 torchvision==0.21.0 torchaudio==2.6.0 wings==1.1"),
    (["wings", "feathers"], {"gpus": ["T4"]}, "yes", "&& pip install feathers==0.1 --no-build-isolation"),
    (["wings==1.1", "feathers==0.2"], {"gpus": ["T4"]}, "no", "Use "),
    (["wings==1.1"], {"gpus": ["V100"]}, "no", "wings 1.1 has no code for Tesla V100"),
    (["wings==1.1"], {"gpus": ["T4"], "os": "windows-11"}, "no", "uses no GPU on Windows 11"),
    (["wings==1.1"], {"gpus": ["T4"], "python": "3.10"}, "no", "Use Python 3.12"),
    (["wings==1.1"], {"gpus": ["T4"], "os": "rhel-7"}, "no", "glibc 2.28"),
    (["feathers"], {"gpus": ["RTX 5090"]}, "no", "Leave feathers out"),
    (["either[solo]"], {"gpus": ["T4"]}, "yes", "pip install 'either[solo]==5.0'"),
    (["either"], {"gpus": ["A100"], "driver": "535"}, "unknown", "heard"),
    (["solo"], {"gpus": ["T4"], "driver": "535"}, "no", "asks for driver 570 or newer"),
    (["either[solo]"], {"gpus": ["T4"], "driver": "535"}, "no", "pip install other==5.0"),
    (["wings==2.0"], {"gpus": ["GH200"]}, "unknown", "No build is known"),
    (["wings==9"], {"gpus": ["T4"]}, "unknown", "is newer than what this data covers"),
    (["wings==0.5"], {"gpus": ["T4"]}, "unknown", "wings==0.5"),
    (["wings<1"], {"gpus": ["T4"]}, "unknown", "wings<1"),
]


@pytest.mark.parametrize("asked, parts, verdict, says", ANSWERS)
def test_answers(asked: list[str], parts: dict[str, Any], verdict: str, says: str) -> None:
    answer = engine().resolve(Asked(packages=asked, **parts))
    assert (answer["verdict"], says in str(answer)) == (verdict, True), answer


def test_a_stack_names_its_packages() -> None:
    stack = engine().resolve(Asked(gpus=["T4"], packages=["wings", "either[solo]"]))["stacks"][0]
    assert stack["packages"]["wings"] == {
        "version": "1.1",
        "package": "wings",
        "requirement": "wings==1.1",
        "cuda": "12.1",
        "compiled": False,
        "index_url": None,
        "install": None,
        "verdict": "yes",
    }
    assert stack["packages"]["either"]["install"] == "pip install 'either[solo]==5.0'"
    assert "either" not in stack["install"]["pip"]


CHECKS = [
    ({"packages": ["wings==1.1"], "torch": "2.6.0+cu124"}, "yes", "goes with torch 2.6.0"),
    ({"packages": ["wings==1.1"], "torch": "2.7.0+cu128"}, "no", "not with 2.7.0"),
    ({"packages": ["wings==1.1"], "python": "3.12", "torch": "2.6.0+cu124"}, "yes", "has a build for Python 3.12"),
    ({"packages": ["wings==1.1"], "python": "3.10", "torch": "2.6.0+cu124"}, "no", "has no build for Python 3.10"),
    ({"packages": ["wings==9"], "torch": "2.6.0+cu124"}, "unknown", "newer than what this data covers"),
    ({"packages": ["feathers"]}, "yes", "is compiled"),
]


@pytest.mark.parametrize("parts, verdict, says", CHECKS)
def test_checks(parts: dict[str, Any], verdict: str, says: str) -> None:
    answer = engine().check(Checked(gpu=["T4"], **parts))
    assert (answer["verdict"], says in str(answer["findings"])) == (verdict, True), answer


READ = [
    ("wings", ("wings",), "wings"),
    ("Wing", ("wings",), "wing"),
    ("wings[fast]>=1", ("wings",), "wings"),
    ("either", ("solo", "other"), "either"),
    ("either[solo]", ("solo",), "either"),
]


@pytest.mark.parametrize("text, alternatives, name", READ)
def test_read(text: str, alternatives: tuple[str, ...], name: str) -> None:
    (wanted,) = read(text).packages
    assert (wanted.packages, wanted.name) == (alternatives, name)


REFUSED = [
    ("either[none]", InvalidRequest, "an extra is one that is known"),
    ("nothing[x]", InvalidRequest, "an extra is one that is known"),
    ("wings @ https://example.org/x.whl", InvalidRequest, "without URL or marker"),
    ("wings==1.5", UnknownVersion, "no such release of wings; the newest known is 3.0"),
    ("feathers<0.1", UnknownVersion, "no such release of feathers"),
]


@pytest.mark.parametrize("text, error, says", REFUSED)
def test_not_read(text: str, error: type[BadQuestion], says: str) -> None:
    with pytest.raises(error, match=says):
        read(text)


def test_nothing_is_wanted() -> None:
    assert engine().reader.requirements.read(()) == Requested()
    assert PackageWanted("wings", ("wings",), "wings", "").allows("1.0")


def test_what_strangers_ask_is_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fit", "masks", "plans"):
        monkeypatch.setattr(f"resolver.packages.{module}.MOST_KEPT", 1)
    fresh = Engine(engine().catalogue)
    for version in ("1.0", "1.1", "2.0"):
        fresh.resolve(Asked(gpus=["T4"], packages=[f"wings=={version}"]))
    assert len(fresh.solver.packages.masks._terms) <= 2


def test_a_stack_for_no_package_that_fits() -> None:
    """Asked for a build that no release goes with, the plan says so instead of choosing one."""
    query = read("wings==1.1", ("V100",))
    (build,) = [b for b in engine().index.builds if b.label == "2.6.0+cu124" and b.wheel.os == "linux"]
    stacks = engine().stacks
    assert [wanted.name for wanted in stacks.plan(query, build, None).missing] == ["wings"]
    assert stacks.stack(query, build)["packages"] == {}
    assert stacks.python_beside(query, build) in ("3.12", "3.13")
    assert stacks.glibc_needed(query, build) == "2.28"


POSSIBLE = [
    # packages, GPU, other parts, torch, whether a build that nobody has seen could go with them
    ("wings==1.1", "T4", {}, "2.6.0", True),
    ("wings==1.1", "T4", {}, "2.7.0", False),
    ("wings==1.1", "V100", {}, "2.6.0", False),
    ("wings==9", "T4", {}, "2.7.0", True),
    ("solo", "T4", {"driver": "535"}, "2.7.0", False),
    ("solo", "T4", {"driver": "570"}, "2.7.0", True),
    ("solo", "T4", {}, "2.7.0", True),
    ("dark", "T4", {}, "2.7.0", True),
]


@pytest.mark.parametrize("text, gpu, parts, torch, possible", POSSIBLE)
def test_possible(text: str, gpu: str, parts: dict[str, Any], torch: str, possible: bool) -> None:
    assert packages().masks.possible(read(text, (gpu,), **parts), TorchVersion.parse(torch)) is possible


def test_plans_where_little_is_known() -> None:
    """Of a build without Pythons any known one may do; a question may leave none."""
    (build,) = [b for b in engine().index.builds if b.label == "2.8.0+cu130"]
    assert packages().plans.plan(read("dark"), build, None, None).python is not None
    query = read("dark", python="3.8")
    (other,) = [b for b in engine().index.builds if b.label == "2.6.0+cu118"]
    assert packages().plans.plan(query, other, None, None).python is None
    assert engine().resolve(Asked(gpus=["T4"], packages=["dark"]))["verdict"] == "unknown"


LIBRARIES = [
    # what a torch brings, asked for by the name of its package
    (["nvidia-cudnn-cu12==9.5.1.17"], {}, "yes", "torch 2.6.0 goes with cudnn 9.5.1.17"),
    (["cudnn"], {"torch": "2.6.0+cu124"}, "yes", "torch 2.6.0 goes with cudnn 9.5.1.17"),
    (["cudnn==9.9"], {"torch": "2.6.0+cu124"}, "no", "torch 2.6.0 goes with cudnn 9.5.1.17, not ==9.9"),
    (["cudnn"], {"torch": "2.6.0+cu118"}, "unknown", "not known which cudnn goes with torch 2.6.0"),
]


@pytest.mark.parametrize("asked, parts, verdict, says", LIBRARIES)
def test_libraries_that_torch_brings(asked: list[str], parts: dict[str, Any], verdict: str, says: str) -> None:
    answer = engine().resolve(Asked(gpus=["A100"], packages=asked, **parts))
    assert (answer["verdict"], says in str(answer)) == (verdict, True), answer


OPEN = [
    # a companion and a GPU: whether a build that nobody has seen may go with them
    ("nvidia-cudnn-cu12", "T4", True),
    ("nvidia-cudnn-cu12==9.5.1.17", "cc 3.7", False),
    ("triton", "T4", True),
    ("triton", "cc 3.7", False),
    ("torchaudio", "T4", True),
    ("torchvision==0.21.0", "T4", False),
]


@pytest.mark.parametrize("text, gpu, may", OPEN)
def test_companions_of_builds_that_nobody_has_seen(text: str, gpu: str, may: bool) -> None:
    query = read(text, (gpu,), torch="2.7.0", os="windows-11")
    assert bool(engine().explainer.closure.open_builds(query)) is may


WITHOUT_GPU = [
    ("wings", "1.1", "windows", True),
    ("wings", "1.1", "linux", False),
    ("wings", "2.0", "windows", False),  # it does not even install there
    ("wings", "9.9", "windows", False),
]


@pytest.mark.parametrize("package, minor, os, without", WITHOUT_GPU)
def test_without_gpu(package: str, minor: str, os: str, without: bool) -> None:
    assert engine().index.releases.without_gpu(package, minor, os) is without
