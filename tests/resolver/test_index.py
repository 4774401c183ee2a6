"""The compiled claims of the small world: what counts, what follows, what is kept."""

from __future__ import annotations

from typing import Any

import pytest

from matrices.model import Branch, PackageNeedsCc
from matrices.versions import ComputeCapability, CudaVersion, DriverVersion
from resolver.index import Index
from resolver.parts import Build, Masks, standing
from resolver.rules import Driver
from tests.resolver.factory import World, small

capability, cuda, version = ComputeCapability.parse, CudaVersion.parse, DriverVersion.parse


@pytest.fixture(scope="module")
def index() -> Index:
    return small().index


def build(index: Index, label: str, os: str = "linux", machine: str = "x86_64") -> Build:
    return next(b for b in index.builds if (b.label, b.wheel.os, b.wheel.machine) == (label, os, machine))


def driver(index: Index, text: str) -> Driver:
    """A bare branch, or one build."""
    wanted = version(text)
    if wanted.is_branch:
        facts = index.drivers.branches.get(wanted.major)
        return facts.driver("linux") if facts else Driver(wanted.major, wanted, wanted)
    facts = index.drivers.branch_of(wanted)
    assert facts is not None
    return Driver(facts.number, wanted, wanted)


# --- masks and order ---------------------------------------------------------------------------------------------


def test_masks() -> None:
    first, second = Masks(0b0011, 0b0111), Masks(0b0110, 0b1110)
    assert first & second == Masks(0b0010, 0b0110)
    assert first | second == Masks(0b0111, 0b1111)


def test_builds_are_those_of_pip_least_preferred_first(index: Index) -> None:
    assert [(b.label, b.wheel.os, b.wheel.machine, b.wheel.build) for b in index.builds] == [
        ("1.8.2+cu102", "linux", "x86_64", None),
        ("2.4.0+cu118", "linux", "x86_64", None),
        ("2.6.0+cu118", "linux", "x86_64", None),
        ("2.6.0+cu124", "linux", "x86_64", "2"),
        ("2.6.0+cu124", "windows", "x86_64", None),
        ("2.7.0+cu124", "linux", "x86_64", None),
        ("2.7.0+cu128", "linux", "aarch64", None),
        ("2.7.0+cu128", "linux", "x86_64", None),
        ("2.8.0+cu130", "linux", "x86_64", None),
    ]
    assert [b.bit for b in index.builds] == [1 << place for place in range(9)]
    assert index.all == (1 << 9) - 1


def test_default_variant(index: Index) -> None:
    defaults = [(b.label, b.wheel.os) for b in index.builds if b.default]
    assert defaults == [
        ("2.6.0+cu124", "linux"),
        ("2.6.0+cu124", "windows"),
    ]  # by channel, and by the CUDA of the default


def test_default_comes_before_newer_cuda() -> None:
    world = World().entity("torch", "2.6.0")
    for variant, channel, number in (("cu118", "package-index", "11.8"), ("cu126", "pytorch-index", "12.6")):
        name = f"torch-2.6.0+{variant}"
        world.entity("wheel", name, torch="2.6.0", variant=variant, os="linux", machine="x86_64", channel=channel)
        world.claim("wheel-built-with", name, cuda=number)
    assert [b.label for b in Index(world.entity("branch", "R570", number=570).catalogue()).builds] == [
        "2.6.0+cu126",
        "2.6.0+cu118",
    ]


REBUILDS = [([None, "1"], "1"), (["2", "10"], "10"), (["10", "2"], "10"), (["1a", "1b"], "1b"), (["2", None], "2")]


@pytest.mark.parametrize("tags, taken", REBUILDS)
def test_the_last_rebuild_counts(tags: list[str | None], taken: str) -> None:
    world = World()
    for tag in tags:
        name = f"torch-{tag}"
        world.entity(
            "wheel",
            name,
            torch="2.6.0",
            variant="cu118",
            os="linux",
            machine="x86_64",
            channel="pytorch-index",
            build=tag,
        )
        world.claim("wheel-built-with", name, cuda="11.8")
    (only,) = Index(world.catalogue()).builds
    assert only.wheel.build == taken


def test_picks(index: Index) -> None:
    bits = 0b1_0010_0101
    assert [b.bit for b in index.picks(bits, 2)] == [0b1_0000_0000, 0b10_0000]
    assert [b.bit for b in index.picks(bits, 9)] == [0b1_0000_0000, 0b10_0000, 0b100, 0b1]
    assert index.picks(0, 5) == []
    assert index.pick(bits).label == "2.8.0+cu130"


def test_masks_by_value(index: Index) -> None:
    by_label = {b.label + b.wheel.os + b.wheel.machine: b.bit for b in index.builds}
    assert index.by_cuda[cuda("12.4")] == sum(bit for label, bit in by_label.items() if "cu124" in label)
    assert [str(torch) for torch in index.by_torch] == ["1.8.2", "2.4.0", "2.6.0", "2.7.0", "2.8.0"]
    assert [str(python) for python in index.by_python] == [
        "3.8",
        "3.9",
        "3.10",
        "3.11",
        "3.12",
        "3.12t",
        "3.13",
        "3.13t",
    ]
    assert index.unpublished == by_label["2.8.0+cu130linuxx86_64"]
    machines = index.field_masks("machine", lambda b: (b.wheel.machine,))
    assert machines is index.field_masks("machine", lambda _: pytest.fail("kept under its name"))
    assert machines["aarch64"] == by_label["2.7.0+cu128linuxaarch64"]


# --- which claim counts ------------------------------------------------------------------------------------------


def voice(standing: str, name: str) -> Any:
    return PackageNeedsCc(id=name, subject="x", evidence=(), versions="", minimum=capability("5.0"), standing=standing)  # type: ignore[arg-type]  # a row of the table is plain text


VOICES = [
    ([], None),
    (["deprecated"], None),
    (["normal", "normal"], 0),
    (["deprecated", "normal", "preferred"], 2),
    (["preferred", "preferred"], 0),
]


@pytest.mark.parametrize("standings, counts", VOICES)
def test_standing(standings: list[str], counts: int | None) -> None:
    claims = [voice(text, str(place)) for place, text in enumerate(standings)]
    assert standing(claims) is (None if counts is None else claims[counts])


# --- drivers -----------------------------------------------------------------------------------------------------

WINDOWS = [
    ("7.0", "linux", (470, None, 580)),
    ("7.0", "windows", (470, None, 580)),  # branch numbers of Linux hold
    ("8.6", "linux", (470, "470.100", None)),
    ("8.6", "windows", (470, None, None)),  # its builds do not
    ("12.0", "windows", (570, "572.16", None)),
    ("2.1", "linux", (None, None, 470)),
    ("2.1", "windows", (None, None, 470)),
    ("12.1", "linux", None),
]


@pytest.mark.parametrize("name, os, window", WINDOWS)
def test_window(index: Index, name: str, os: str, window: tuple[int | None, str | None, int | None] | None) -> None:
    found = index.drivers.window(capability(name), os)
    if window is None:
        assert found is None
    else:
        added, exact, last = window
        assert found is not None
        assert (found.added, found.added_driver, found.last) == (added, version(exact) if exact else None, last)


def test_a_window_of_another_system_alone() -> None:
    world = World().entity("branch", "R570", number=570).claim("branch-drives-cc", "9.0", os="windows", last="R570")
    found = Index(world.catalogue()).drivers.window(capability("9.0"), "windows")
    assert found is not None
    assert (found.added, found.last) == (None, 570)


DRIVES = [
    ("470", "7.0", ("yes", False)),
    ("590", "7.0", ("no", False)),
    ("650", "7.0", ("no", False)),  # what was dropped stays dropped
    ("650", "7.5", ("unknown", False)),  # what a later branch drops nobody knows
    ("470", "8.6", ("yes", True)),
    ("470.99", "8.6", ("no", False)),
    ("570", "8.9", ("unknown", False)),  # doubted by its own source
    ("470", "8.9", ("unknown", False)),
    ("470", "2.1", ("unknown", False)),
    ("535", "2.1", ("no", False)),
    ("570", "12.1", ("unknown", False)),
]


@pytest.mark.parametrize("text, name, answer", DRIVES)
def test_drives(index: Index, text: str, name: str, answer: tuple[str, bool]) -> None:
    assert index.drivers.drives(driver(index, text), capability(name), "linux") == answer


def test_branch_facts(index: Index) -> None:
    own = {
        number: (facts.native and str(facts.native), facts.native_most and str(facts.native_most))
        for number, facts in index.drivers.branches.items()
    }
    assert own == {
        470: ("11.4", "11.4"),
        535: ("12.2", "12.2"),
        570: ("12.8", "12.8"),
        580: ("13.0", "13.0"),
        590: ("13.0", None),  # at least what the branch before runs; its own claim is in doubt
    }
    assert index.drivers.newest_branch == 590
    assert index.drivers.branches[590].lifecycle is None


def test_branch_as_driver(index: Index) -> None:
    bare = {number: facts.driver("linux") for number, facts in index.drivers.branches.items()}
    assert bare[535] == Driver(535, version("535.43.02"), version("535.274.02"))
    assert bare[590] == Driver(590, version("590.44.01"), None)  # nobody knows its last build
    assert index.drivers.branches[535].driver("windows") == Driver(535, version("535"), None)


BELONGS = [("470.42.01", 470), ("534.99", 470), ("571.96", 570), ("650.10", 590), ("469.9", None)]


@pytest.mark.parametrize("text, number", BELONGS)
def test_branch_of(index: Index, text: str, number: int | None) -> None:
    found = index.drivers.branch_of(version(text))
    assert (found.number if found else None) == number


def test_facts_of_a_driver(index: Index) -> None:
    assert index.drivers.facts(driver(index, "535")) is index.drivers.branches[535]
    assert index.drivers.facts(driver(index, "650")) is index.drivers.branches[590]


FLOORS = [
    ("12.8", "linux", "535.54.03"),
    ("12.4", "linux", "535.50"),  # its own table is lower; of its updates the least, the one of a slip left aside
    ("12.4", "windows", "571.96"),
    ("10.2", "linux", "470.50"),
    ("10.2", "windows", None),
    ("9.0", "linux", None),
]


@pytest.mark.parametrize("text, os, floor", FLOORS)
def test_floor(index: Index, text: str, os: str, floor: str | None) -> None:
    found = index.drivers.floor(cuda(text), os)
    assert (str(found.driver) if found else None) == floor


RUNS = [
    ("535", "12.8", ("yes", "minor-version", "no", True)),
    ("535.43.02", "12.8", ("no", "minor-version", "no", False)),
    ("570", "12.8", ("yes", "native", "yes", False)),
    ("570.100", "12.4.1", ("yes", "native", "yes", False)),
    ("580", "13.0", ("unknown", "native", "yes", False)),  # the floor of CUDA 13 is in doubt
    ("570", "13.0", ("unknown", "minor-version", "no", False)),
    ("590", "13.1", ("unknown", "minor-version", "unknown", False)),
    ("650", "12.8", ("yes", "native", "yes", False)),
    ("650", "13.1", ("unknown", "minor-version", "unknown", False)),
    ("470", "9.0", ("yes", "native", "yes", False)),
    ("470", "10.2", ("yes", "native", "yes", True)),
]


@pytest.mark.parametrize("text, program, answer", RUNS)
def test_runs(index: Index, text: str, program: str, answer: tuple[str, str, str, bool]) -> None:
    runs = index.drivers.runs(driver(index, text), cuda(program), "linux")
    assert (runs.verdict, runs.runs_as, runs.natively, runs.later_only) == answer
    assert index.drivers.runs(driver(index, text), cuda(program), "linux") is runs


def test_runs_without_any_claim() -> None:
    index = Index(World().entity("branch", "R570", number=570).catalogue())
    runs = index.drivers.runs(driver(index, "570"), cuda("12.4"), "linux")
    assert (runs.verdict, runs.natively, runs.claims) == ("unknown", "unknown", ())


def test_what_is_kept_of_strangers_drivers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resolver.index.MOST_DRIVERS", 0)
    monkeypatch.setattr("resolver.driverfacts.MOST_DRIVERS", 0)
    index = Index(small().catalogue)
    first, second = driver(index, "535.50"), driver(index, "535.60")
    masks = index.driver_masks(first, "linux")
    assert index.driver_masks(first, "linux") is masks
    assert index.driver_masks(second, "linux") != masks
    assert len(index._driver_masks) == 1
    index.drivers.runs(second, cuda("12.4"), "linux")
    assert len(index.drivers._runs) == 1
    assert index.driver_masks(first, "linux") == masks


def test_driver_masks(index: Index) -> None:
    runs, natively = index.driver_masks(driver(index, "535"), "linux")
    labels = [
        {b.label for b in index.builds if b.bit & bits} for bits in (runs.yes, runs.maybe, natively.yes, natively.maybe)
    ]
    cu13, older = {"2.8.0+cu130"}, {"1.8.2+cu102", "2.4.0+cu118", "2.6.0+cu118"}
    cu12 = {"2.6.0+cu124", "2.7.0+cu124", "2.7.0+cu128"}
    assert labels == [older | cu12, older | cu12 | cu13, older, older]


# --- code and libraries ------------------------------------------------------------------------------------------

KERNELS = [
    # label, machine, capability, verdict, how, target
    ("2.4.0+cu118", "x86_64", "7.0", "yes", "sass", "7.0"),
    ("2.4.0+cu118", "x86_64", "7.5", "yes", "sass", "7.0"),
    ("2.4.0+cu118", "x86_64", "8.6", "yes", "sass", "8.0"),
    ("2.4.0+cu118", "x86_64", "9.0", "yes", "ptx", "8.0"),
    ("2.4.0+cu118", "x86_64", "8.7", "yes", "ptx", "8.0"),  # its machine code is excluded before CUDA 12.8, PTX is not
    ("2.7.0+cu128", "aarch64", "8.7", "yes", "sass", "8.0"),
    ("2.7.0+cu128", "aarch64", "10.3", "yes", "sass", "10.0f"),  # of one family
    ("2.7.0+cu128", "aarch64", "10.0", "yes", "sass", "10.0f"),
    ("2.7.0+cu128", "aarch64", "12.0", "no", "none", None),
    ("2.4.0+cu118", "x86_64", "3.7", "no", "sass", "3.7"),  # cuDNN is not for it
    ("2.6.0+cu124", "x86_64", "9.0", "unknown", "sass", "9.0"),  # cuDNN may not be for it
    ("2.6.0+cu124", "x86_64", "3.7", "no", "none", None),
    ("2.6.0+cu118", "x86_64", "7.5", "yes", "sass", "7.0"),
    ("2.6.0+cu118", "x86_64", "12.0", "unknown", "ptx", None),  # nobody looked for PTX
    ("2.6.0+cu118", "x86_64", "3.7", "no", "none", None),  # but it has machine code for nothing that low
    ("2.7.0+cu124", "x86_64", "8.6", "unknown", "sass", "8.0"),  # what is inside is in doubt
    ("2.7.0+cu124", "x86_64", "9.0", "unknown", "none", None),  # PTX or more
    ("2.7.0+cu124", "x86_64", "12.0", "unknown", "ptx", None),  # its compiler makes only PTX for it
    ("2.7.0+cu124", "x86_64", "3.7", "no", "none", None),  # and nothing for this one
    ("2.8.0+cu130", "x86_64", "3.7", "unknown", "none", None),  # what that compiler makes is in doubt
]


@pytest.mark.parametrize("label, machine, name, verdict, how, target", KERNELS)
def test_kernels(index: Index, label: str, machine: str, name: str, verdict: str, how: str, target: str | None) -> None:
    found = build(index, label, machine=machine)
    kernels = index.kernels(found, capability(name))
    assert (kernels.verdict, kernels.how, str(kernels.target) if kernels.target else None) == (verdict, how, target)
    assert kernels.claims
    assert index.kernels(found, capability(name)) is kernels


def test_a_toolkit_of_nobody() -> None:
    world = World().entity(
        "wheel", "w", torch="2.6.0", variant="cu126", os="linux", machine="x86_64", channel="pytorch-index"
    )
    index = Index(world.claim("wheel-built-with", "w", cuda="12.6").catalogue())
    kernels = index.kernels(index.builds[0], capability("9.0"))
    assert (kernels.verdict, kernels.how) == ("unknown", "none")


def test_kernel_masks_agree_with_kernels(index: Index) -> None:
    for name in index.hardware.capabilities:
        sass, either = index.kernel_masks(capability(name))
        assert index.kernel_masks(capability(name)) == (sass, either)
        for b in index.builds:
            kernels = index.kernels(b, capability(name))
            assert bool(sass.yes & b.bit) == (kernels.verdict == "yes" and kernels.how == "sass")
            assert bool(either.yes & b.bit) == (kernels.verdict == "yes")
            assert bool(either.maybe & b.bit) == (kernels.verdict != "no")
            assert bool(sass.maybe & b.bit) == (kernels.verdict != "no" and kernels.how != "ptx")


REFUSALS = [
    ("2.4.0+cu118", "3.7", ">=9.0"),
    ("2.4.0+cu118", "7.0", None),
    ("2.6.0+cu124", "3.7", ">=9.0"),  # the sure refusal counts before the doubtful one
    ("2.6.0+cu124", "9.0", ">=9.5,<9.6"),
    ("2.6.0+cu118", "3.7", None),  # it brings no cuDNN that is known
    ("1.8.2+cu102", "3.7", None),
]


@pytest.mark.parametrize("label, name, versions", REFUSALS)
def test_library(index: Index, label: str, name: str, versions: str | None) -> None:
    found = index.library(build(index, label), capability(name))
    assert (found.versions if found else None) == versions


# --- GPUs --------------------------------------------------------------------------------------------------------


def test_modules(index: Index) -> None:
    gh200, v100 = index.hardware.gpus["gh200"], index.hardware.gpus["tesla-v100"]
    answers = [index.hardware.modules(capability("9.0"), gpu) for gpu in (gh200, v100, None)]
    assert [claim.modules if claim else None for claim in answers] == [
        ("open",),
        ("open", "proprietary"),
        ("open", "proprietary"),
    ]
    assert index.hardware.modules(capability("12.1"), None) is None


UNLISTED = [
    ("570.86.16", "geforce-rtx-5090", "linux", True),
    ("570", "geforce-rtx-5090", "linux", False),  # a later build of the branch has it
    ("590", "geforce-rtx-5090", "linux", False),
    ("570.100", "geforce-rtx-5090", "linux", False),
    ("570.86.16", "geforce-rtx-5090", "windows", False),
    ("470.42.01", "tesla-t4", "linux", False),
]


@pytest.mark.parametrize("text, gpu, os, later", UNLISTED)
def test_unlisted(index: Index, text: str, gpu: str, os: str, later: bool) -> None:
    assert (index.drivers.unlisted(driver(index, text), index.hardware.gpus[gpu], os) is not None) is later


def test_which_list_counts() -> None:
    """An exact first driver counts for every product, the list of the open modules for those that need them."""
    world = World().entity("branch", "R570", number=570)
    products = {"old": ["proprietary"], "both": ["open", "proprietary"], "silent": None, "new": ["open"]}
    for bound in ("exact", "or-earlier"):
        for product, modules in products.items():
            name = f"{product}-{bound}"
            world.entity("gpu", name, name=name, marketing_name=name).claim(
                "gpu-has-cc", name, compute_capability="9.0"
            )
            world.claim("gpu-listed-since", name, driver="570.50", bound=bound)
            if modules:
                world.claim("gpu-needs-module", name, modules=modules)
    world.entity("gpu", "doubt", name="d", marketing_name="d").claim("gpu-has-cc", "doubt", compute_capability="9.0")
    world.claim("gpu-listed-since", "doubt", driver="570.50", bound="exact", uncertain="a rumour")
    index = Index(world.catalogue())
    early = Driver(570, version("570.10"), version("570.10"))
    found = [name for name, gpu in index.hardware.gpus.items() if index.drivers.unlisted(early, gpu, "linux")]
    assert found == ["old-exact", "both-exact", "silent-exact", "new-exact", "new-or-earlier"]


def test_toolkits(index: Index) -> None:
    assert list(index.targets.toolkits) == ["11.8", "12.4", "12.8", "13.0"]
    assert capability("12.0") in index.targets.toolkit_capabilities["12.8"]
    assert capability("12.0") not in index.targets.toolkit_capabilities["12.4"]


def test_branches_in_order_of_their_numbers() -> None:
    world = World()
    for number in (580, 470, 570):
        world.entity("branch", f"R{number}", number=number)
    index = Index(world.catalogue())
    assert list(index.drivers.branches) == [470, 570, 580]
    assert len(index.catalogue.entities(Branch)) == 3
