"""Which container images fit a stack, and what is known of one, on the small world."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matrices.model import OperatingSystem
from matrices.versions import CudaVersion
from resolver.driver import DriverChoice
from resolver.images import Images, ImageSet
from resolver.parts import Build
from resolver.query import Query
from tests.resolver.factory import LINUX, WINDOWS, Parts, World, query, small

ENGINE = small()
IMAGES = Images(ENGINE.index)
BY_ID = {found.image.id: found for sets in IMAGES.sets.values() for found in sets}
cuda = CudaVersion.parse


def build(label: str, machine: str = "x86_64", os: str = "linux") -> Build:
    return next(b for b in ENGINE.index.builds if (b.label, b.wheel.machine, b.wheel.os) == (label, machine, os))


def choice(branch: int | None) -> DriverChoice:
    driver = ENGINE.index.drivers.branches[branch].driver("linux") if branch else None
    return DriverChoice(driver, None, None, None, ())


def test_the_newest_come_first() -> None:
    assert [found.image.id for found in IMAGES.sets["cuda"]] == [
        "cuda-13.0.0-ubi9",
        "cuda-12.8.1-ubuntu24.04",
        "cuda-12.8.1-rockylinux9",
        "cuda-12.4.1-ubuntu22.04",
        "cuda-12.4.1-gate",
        "cuda-12.4.1-words",
        "cuda-12.1.0-ubuntu22.04",
        "cuda-12.3.0-ubuntu22.04",
        "cuda-12.2.0-ubuntu22.04",
    ]


CUDA_OF = [("ngc-pytorch-25.01", "12.8.0"), ("cuda-12.2.0-ubuntu22.04", None), ("pytorch-nightly", None)]


@pytest.mark.parametrize("name, version", CUDA_OF)
def test_cuda_inside(name: str, version: str | None) -> None:
    assert BY_ID[name].cuda == (cuda(version) if version else None)


CERTAIN = [
    ("cuda-12.4.1-ubuntu22.04", True),
    ("cuda-12.1.0-ubuntu22.04", False),
    ("cuda-12.3.0-ubuntu22.04", False),
    ("cuda-12.2.0-ubuntu22.04", False),
    ("pytorch-nightly", False),
]


@pytest.mark.parametrize("name, certain", CERTAIN)
def test_certain(name: str, certain: bool) -> None:
    assert BY_ID[name].certain is certain


def test_machines() -> None:
    answers = {name: [BY_ID[name].on(machine) for machine in ("x86_64", "aarch64")] for name in BY_ID}
    assert answers["cuda-12.8.1-ubuntu24.04"] == [True, True]
    assert answers["cuda-12.4.1-ubuntu22.04"] == [True, False]
    assert answers["ngc-pytorch-25.01"] == [True, False]  # nothing is said: the usual one
    assert answers["cuda-12.2.0-ubuntu22.04"] == [True, False]
    assert answers["l4t-jetpack-6"] == [False, True]


TAGS = [
    (("runtime",), "nvidia/cuda:12.4.1-runtime-ubuntu22.04"),
    (("base", "runtime"), "nvidia/cuda:12.4.1-base-ubuntu22.04"),
    (("devel", "runtime"), "nvidia/cuda:12.4.1-runtime-ubuntu22.04"),
    (("cudnn",), None),  # of the CUDA images the plain ones are enough
    (("devel",), None),
]


@pytest.mark.parametrize("words, tag", TAGS)
def test_tag(words: tuple[str, ...], tag: str | None) -> None:
    assert BY_ID["cuda-12.4.1-ubuntu22.04"].tag(*words) == tag


def test_ubuntu() -> None:
    found = {name: IMAGES.ubuntu(BY_ID[name]) for name in ("cuda-12.4.1-ubuntu22.04", "cuda-12.8.1-ubuntu24.04")}
    assert list(found.values()) == ["22.04", "24.04"]
    assert IMAGES.ubuntu(BY_ID["cuda-12.8.1-rockylinux9"]) is None
    assert IMAGES.ubuntu(BY_ID["pytorch-nightly"]) is None
    assert IMAGES.ubuntu(BY_ID["pytorch-2.6.0-cuda12.4"]) is None


BASE = "nvidia/cuda:12.8.1-base-ubuntu24.04"
OLDER = "nvidia/cuda:12.4.1-base-ubuntu22.04"
TORCH = "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime"
NEW_NGC = "nvcr.io/nvidia/pytorch:25.01-py3"
FOR_BUILD = [
    # build, machine, branch, capabilities, references
    ("2.7.0+cu128", "x86_64", 580, ["8.0"], [BASE, NEW_NGC]),
    ("2.7.0+cu128", "x86_64", 535, ["8.0"], []),  # runs by minor-version compatibility: no image checks pass
    ("2.7.0+cu128", "aarch64", 580, ["8.0"], [BASE]),
    ("2.6.0+cu124", "x86_64", 580, ["8.0"], [OLDER, TORCH, NEW_NGC]),
    ("2.6.0+cu124", "x86_64", 580, ["7.0"], [OLDER, TORCH]),  # the NGC image is for 7.5 and newer
    ("2.6.0+cu124", "x86_64", 580, ["8.0", "8.7"], [OLDER, TORCH]),  # its compiler makes nothing for 8.7
    ("2.6.0+cu124", "x86_64", 535, ["8.0"], [TORCH]),
    ("2.6.0+cu124", "x86_64", None, ["8.0"], [OLDER, TORCH]),  # nothing known of the driver: nothing that depends on it
    ("2.4.0+cu118", "x86_64", 580, ["8.0"], [NEW_NGC]),
]


@pytest.mark.parametrize("label, machine, branch, capabilities, references", FOR_BUILD)
def test_for_build(
    label: str, machine: str, branch: int | None, capabilities: list[str], references: list[str]
) -> None:
    asked = query(*capabilities, machine=machine)
    rows = IMAGES.for_build(asked, build(label, machine), choice(branch))
    assert [row["reference"] for row in rows] == references
    kinds = {"nvidia/cuda": "cuda", "pytorch/pytorch": "pytorch", "nvcr.io/nvidia/pytorch": "ngc"}
    assert all(row["kind"] == kinds[row["reference"].split(":")[0]] for row in rows)
    assert IMAGES.for_build(asked, build(label, machine), choice(branch)) == rows


def test_no_images_on_windows() -> None:
    asked = query("8.0", os=WINDOWS)
    assert IMAGES.for_build(asked, build("2.6.0+cu124", os="windows"), choice(580)) == []


def test_choices_are_kept_and_bounded() -> None:
    images = Images(ENGINE.index)
    asked, wheel = query("8.0"), build("2.6.0+cu124")
    first = images.for_build(asked, wheel, choice(580))
    assert images.for_build(asked, wheel, choice(580)) is first
    for number in range(5_001):
        images._chosen[number,] = []
    images.for_build(asked, wheel, choice(535))
    assert len(images._chosen) == 1


def world_of(images: dict[str, dict[str, object]]) -> tuple[Images, Query]:
    """One torch build for CUDA 12.4 and some images of one role each, with claims by relation."""
    world = World().entity("branch", "R570", number=570).claim("driver-runs-cuda", "R570", cuda="12.8")
    world.entity("os", "linux", name="Linux", family="linux")
    world.claim("toolkit-targets-cc", "12.4", sass=["8.0"])
    world.entity("wheel", "w", torch="2.6.0", variant="cu124", os="linux", machine="x86_64", channel="pytorch-index")
    world.claim("wheel-built-with", "w", cuda="12.4")
    for name, said in images.items():
        world.entity("image", name, repository="r", role=said["role"], tags=said.get("tags", [name]))
        for relation in ("exists", "contains", "needs"):
            if relation in said:
                values: dict[str, object] = said[relation]  # type: ignore[assignment]  # what the draw holds
                world.claim(
                    {"exists": "image-exists", "contains": "image-contains", "needs": "image-needs-cc"}[relation],
                    name,
                    **values,
                )
    parts = Parts(world.catalogue())
    return Images(parts.index), query("8.0", os=parts.catalogue.entities(OperatingSystem)["linux"])


YES = {"status": "exists"}
TAKES = {"minimum": "7.5"}
NGC = [
    ({"exists": YES, "contains": {"cuda": "12.4"}, "needs": TAKES}, True),
    ({"exists": YES, "contains": {"cuda": "12.4"}, "needs": TAKES | {"uncertain": "a rumour"}}, False),
    ({"exists": YES, "contains": {"cuda": "12.4", "uncertain": "a rumour"}, "needs": TAKES}, False),
    ({"exists": YES, "contains": {"cuda": "12.4"}}, False),
    ({"exists": YES, "needs": TAKES}, False),
    ({"exists": YES | {"machines": ["aarch64"]}, "contains": {"cuda": "12.4"}, "needs": TAKES}, False),
    ({"exists": YES | {"uncertain": "a rumour"}, "contains": {"cuda": "12.4"}, "needs": TAKES}, False),
    ({"exists": YES, "contains": {"cuda": "13.0"}, "needs": TAKES}, False),
    ({"exists": YES, "contains": {"cuda": "12.5"}, "needs": TAKES}, False),  # what that compiler makes nobody knows
    ({"exists": YES, "contains": {"cuda": "12.4"}, "needs": {"minimum": "9.0"}}, False),
]


@pytest.mark.parametrize("said, taken", NGC)
def test_ngc(said: dict[str, object], taken: bool) -> None:
    images, asked = world_of({"image": {"role": "ngc", **said}})
    assert (images.ngc(asked, cuda("12.8")) is not None) is taken
    assert images.ngc(asked, None) is None


def test_what_is_sure_of_an_image_without_cuda() -> None:
    images, _ = world_of({"image": {"role": "ngc", "exists": YES, "needs": TAKES}})
    (found,) = images.sets["ngc"]
    assert not images._takes(found, query("8.0").capabilities)


PYTORCH = [
    ({"exists": YES, "contains": {"cuda": "12.4.1", "torch": "2.6.0"}}, True),
    ({"exists": YES, "contains": {"cuda": "12.4", "torch": "2.5.0"}}, False),
    ({"exists": YES, "contains": {"cuda": "12.6", "torch": "2.6.0"}}, False),
    ({"exists": YES, "contains": {"torch": "2.6.0"}}, False),
    ({"exists": {"status": "removed"}, "contains": {"cuda": "12.4", "torch": "2.6.0"}}, False),
    ({"exists": YES | {"machines": ["aarch64"]}, "contains": {"cuda": "12.4", "torch": "2.6.0"}}, False),
    ({"exists": YES}, False),
]


@pytest.mark.parametrize("said, taken", PYTORCH)
def test_pytorch(said: dict[str, object], taken: bool) -> None:
    images, asked = world_of({"image": {"role": "pytorch", **said}})
    assert (images.pytorch(asked, images.index.builds[0]) is not None) is taken


def test_images_without_a_fitting_tag_are_left_out() -> None:
    inside = {"exists": YES, "contains": {"cuda": "12.4", "torch": "2.6.0", "os": "ubuntu22.04"}}
    images, asked = world_of(
        {"a": {"role": "cuda", **inside, "tags": ["12.4-devel"]}, "b": {"role": "pytorch", **inside}}
    )
    assert images.for_build(asked, images.index.builds[0], choice(None)) == []


def test_standing_of_images() -> None:
    world = World().entity("image", "i", repository="r", role="cuda", tags=["t"])
    world.claim("image-exists", "i", status="removed", standing="deprecated", because="a mistake")
    world.claim("image-exists", "i", status="exists")
    (found,) = Images(Parts(world.catalogue()).index).sets["cuda"]
    assert isinstance(found, ImageSet)
    assert found.certain
    assert replace(found, exists=None).certain is False
    assert LINUX.family == "linux"
