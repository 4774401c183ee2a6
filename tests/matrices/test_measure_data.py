"""What was measured and what the data say: every observation of this repository against the claims."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, TypeVar

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from matrices.lint.base import normal
from matrices.load import Dataset, load
from matrices.model import (
    Claim,
    Measured,
    PackageEmbeds,
    ToolkitHostCompiler,
    ToolkitPtxIsa,
    ToolkitTargetsCc,
    WheelBuiltWith,
    WheelEmbeds,
    WheelNeeds,
    WheelPins,
)
from matrices.versions import ArchTarget

FOLDER = Path(__file__).parents[2] / "matrices/observations"
OBSERVATIONS: list[dict[str, Any]] = [
    json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.rglob("*.json"))
]
WHEELS = [each for each in OBSERVATIONS if each["kind"] == "wheel"]
TORCH = [each for each in WHEELS if each["project"] == "torch"]
COMPILERS = [each for each in OBSERVATIONS if each["kind"] == "toolkit"]

C = TypeVar("C", bound=Claim)


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return load()


def about(dataset: Dataset, cls: type[C], subject: str) -> list[C]:
    """The claims of a relation about one subject that were not voted down."""
    return [claim for claim in normal(dataset, cls) if claim.subject == subject]


def is_measured(claim: Claim) -> bool:
    return any(isinstance(each, Measured) for each in claim.evidence)


def spelled(targets: tuple[ArchTarget, ...] | None) -> list[str] | None:
    return None if targets is None else [str(target) for target in sorted(targets)]


def wheel_of(observation: dict[str, Any]) -> str:
    """The wheel in the data: a numbered build is a wheel of its own, a post-release stands for its release."""
    name = re.sub(r"\.post\d+", "", observation["id"])
    return re.sub(r"^(torch-[\d.]+)-(\d+)(\+.*)", r"\1\3-build\2", name)


@pytest.mark.parametrize("observed", TORCH, ids=lambda each: each["id"])
def test_a_torch_wheel_is_claimed_as_it_was_measured(dataset: Dataset, observed: dict[str, Any]) -> None:
    wheel = wheel_of(observed)
    (embeds,) = [claim for claim in about(dataset, WheelEmbeds, wheel) if claim.library == "torch"]
    assert {"sass": spelled(embeds.sass), "ptx": spelled(embeds.ptx)} == observed["result"]
    assert is_measured(embeds)
    (built,) = about(dataset, WheelBuiltWith, wheel)
    assert (str(built.cuda), is_measured(built)) == (observed["cuda"], True)
    (needs,) = about(dataset, WheelNeeds, wheel)
    assert ([str(python) for python in needs.python], is_measured(needs)) == (observed["python_tags"], True)


@pytest.mark.parametrize("observed", TORCH, ids=lambda each: each["id"])
def test_what_a_torch_wheel_requires_is_claimed(dataset: Dataset, observed: dict[str, Any]) -> None:
    required = {}
    for requirement in map(Requirement, observed["requires"]):
        package = re.fullmatch(r"(?:nvidia-)?(cudnn|nccl|triton)(?:-cu\d+)?", requirement.name)
        if package:
            required[package[1]] = requirement.specifier
    for claim in about(dataset, WheelPins, wheel_of(observed)):
        for package, specifier in required.items():
            assert getattr(claim, package) in specifier


@pytest.mark.parametrize("observed", TORCH, ids=lambda each: each["id"])
def test_a_library_with_code_of_its_own_is_claimed_as_it_was_measured(
    dataset: Dataset, observed: dict[str, Any]
) -> None:
    for claim in about(dataset, WheelEmbeds, wheel_of(observed)):
        if claim.library != "torch":
            read = observed["libraries"][f"{claim.library}.so"]
            assert (spelled(claim.sass), spelled(claim.ptx)) == (read["sass"], read["ptx"])


@pytest.mark.parametrize("observed", COMPILERS, ids=lambda each: each["id"])
def test_a_compiler_is_claimed_as_it_was_measured(dataset: Dataset, observed: dict[str, Any]) -> None:
    (targets,) = about(dataset, ToolkitTargetsCc, observed["cuda"])
    assert {"sass": spelled(targets.sass), "ptx": spelled(targets.ptx)} == observed["targets"]
    (isa,) = about(dataset, ToolkitPtxIsa, observed["cuda"])
    assert (isa.version, is_measured(targets), is_measured(isa)) == (observed["ptx_isa"], True, True)


def test_host_compilers_are_those_of_the_newest_build(dataset: Dataset) -> None:
    newest: dict[str, dict[str, Any]] = {}
    for observed in sorted(COMPILERS, key=lambda each: [int(part) for part in each["compiler"].split(".")]):
        newest[observed["cuda"]] = observed
    for cuda, observed in newest.items():
        claimed = {claim.compiler: claim.maximum for claim in about(dataset, ToolkitHostCompiler, cuda)}
        host = observed["host_compilers"]
        assert (claimed["gcc"], claimed["clang"]) == (host["gcc"], host["clang"])
        assert f"_MSC_VER < {host['msvc']['below']}" in claimed["msvc"]


def test_every_observation_is_tied_to_its_artefact_and_names_nobody() -> None:
    for observed in OBSERVATIONS:
        text = json.dumps(observed)
        assert not re.search(r"https?://|/(?:home|root|tmp|Users)/|C:\\\\", text), observed["id"]
        if observed["kind"] in ("wheel", "source"):
            assert re.fullmatch(r"[0-9a-f]{64}", observed["sha256"])
            assert observed["artefact"].endswith(".whl" if observed["kind"] == "wheel" else ".tar.gz")
        for needed in ("id", "kind", "measured_on", "method", "tool", "tool_version"):
            assert observed[needed], needed


def test_ids_are_their_own_files() -> None:
    counted = Counter(observed["id"] for observed in OBSERVATIONS)
    assert counted == Counter(path.stem for path in FOLDER.rglob("*.json"))
    assert max(counted.values()) == 1


def test_the_package_index_wheels_that_are_claimed_as_measured_were_measured(dataset: Dataset) -> None:
    observed = {wheel_of(each) for each in TORCH}
    unseen = defaultdict(list)
    for claim in normal(dataset, WheelEmbeds):
        if is_measured(claim) and claim.subject not in observed:
            unseen[claim.subject].append(claim.library)
    assert dict(unseen) == {}


def test_no_claim_promises_code_that_a_measured_package_lacks(dataset: Dataset) -> None:
    """Only for libraries named like files; a feature such as FlashAttention 2 is in several of them."""
    compared = 0
    for claim in normal(dataset, PackageEmbeds):
        for observed in WHEELS:
            if observed["project"] != claim.subject or not is_about(claim, observed):
                continue
            for name, read in observed["libraries"].items():
                if read["fatbins"] and name.rpartition("/")[2].partition(".")[0] in files_of(claim):
                    compared += 1
                    assert set(spelled(claim.sass) or ()) <= set(read["sass"]), (claim.id, observed["id"], name)
                    assert set(spelled(claim.ptx) or ()) <= set(read["ptx"]), (claim.id, observed["id"], name)
    assert compared > 100


def is_about(claim: PackageEmbeds, observed: dict[str, Any]) -> bool:
    """Whether a claim speaks of the version, system and machine of an observation."""
    placed = observed["os"] in claim.os and observed["machine"] in claim.machines
    return placed and observed["version"] in SpecifierSet(claim.versions)


def files_of(claim: PackageEmbeds) -> set[str]:
    """The names, without what follows the first dot, that the library of a claim has as a file."""
    variants = {f"{cuda.major}{cuda.minor}" for cuda in claim.cuda} if claim.cuda else {""}
    return {f"{prefix}{claim.library}{variant}" for prefix in ("", "lib") for variant in variants}
