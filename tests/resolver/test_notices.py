"""Notices of what ends, on a world whose day is 2026-01-31."""

from __future__ import annotations

from typing import Any

import pytest

from resolver.engine import Asked, Checked, Engine
from resolver.words import speaking
from tests.resolver.factory import from_toml

BRANCHES = """
[[os]]
id = "linux"
name = "Linux"
family = "linux"
[[branch]]
id = "R470"
number = 470
lifecycle = { type = "legacy", until = "2024-07" }
released = { os = "linux", first = "470.42.01", latest = "470.256.02" }
runs-cuda = { cuda = "11.4" }
[[branch]]
id = "R525"
number = 525
lifecycle = { type = "new-feature" }
released = { os = "linux", first = "525.60.13", latest = "525.147.05" }
runs-cuda = { cuda = "12.0" }
[[branch]]
id = "R580"
number = 580
lifecycle = { type = "lts", until = "2028-06" }
released = { os = "linux", first = "580.65.06", latest = "580.95.05" }
runs-cuda = { cuda = "13.0" }
[[branch]]
id = "R590"
number = 590
released = { os = "linux", first = "590.48.01", latest = "590.48.01" }
runs-cuda = { cuda = "13.1" }
[[cuda-family]]
id = "11"
needs-driver = { os = "linux", driver = "450.80.02" }
[[cuda-family]]
id = "12"
needs-driver = { os = "linux", driver = "525.60.13" }
[[cuda-family]]
id = "13"
needs-driver = { os = "linux", driver = "580.65.06" }
[[capability]]
id = "3.5"
architecture = "Kepler"
driven-by = { added = "R470", last = "R470" }
[[capability]]
id = "6.1"
architecture = "Pascal"
driven-by = { added = "R470", last = "R525" }
[[capability]]
id = "7.0"
architecture = "Volta"
driven-by = { added = "R470", last = "R580" }
[[capability]]
id = "9.0"
architecture = "Hopper"
driven-by = { added = "R525" }
[[capability]]
id = "12.0"
architecture = "Blackwell"
[[gpu]]
id = "jetson"
name = "Jetson"
marketing_name = "Jetson"
platform = "tegra"
has-cc = { compute_capability = "7.0" }
[[toolkit]]
id = "11.8"
targets-cc = { sass = ["3.5", "6.1", "7.0", "9.0"] }
[[toolkit]]
id = "12.8"
targets-cc = { sass = ["6.1", "7.0", "9.0"] }
[[toolkit]]
id = "12.9"
targets-cc = { sass = ["7.0", "9.0"], uncertain = "from a talk" }
[[toolkit]]
id = "13.0"
targets-cc = { sass = ["9.0"] }
[[torch]]
id = "2.0.0"
released = 2023-03-15
[[torch]]
id = "2.10.0"
released = 2025-10-01
[[torch]]
id = "2.11.0"
[[image]]
id = "nvidia/cuda:11.8.0"
repository = "nvidia/cuda"
role = "cuda"
tags = []
exists = { status = "exists", end_of_life = "2024-01" }
[[image]]
id = "nvidia/cuda:11.8.0-ubuntu22.04"
repository = "nvidia/cuda"
role = "cuda"
tags = ["11.8.0-base-ubuntu22.04"]
exists = { status = "exists" }
contains = { cuda = "11.8.0", os = "ubuntu-22.04" }
[[image]]
id = "pytorch/pytorch:1"
repository = "pytorch/pytorch"
role = "pytorch"
tags = ["1"]
exists = { status = "exists", end_of_life = 2027-01-01 }
[[image]]
id = "pytorch/pytorch:2"
repository = "pytorch/pytorch"
role = "pytorch"
tags = ["2"]
"""
COVERED = """
[[coverage]]
id = "all"
table = "wheel"
complete_for = "every torch"
os = ["linux"]
machine = ["x86_64"]
channel = ["pytorch-index"]
"""


def wheel(torch: str, variant: str, cuda: str, sass: str, extra: str = "") -> str:
    return f"""
[[wheel]]
id = "torch-{torch}+{variant}-linux-x86_64"
torch = "{torch}"
variant = "{variant}"
os = "linux"
machine = "x86_64"
channel = "pytorch-index"
built-with = {{ cuda = "{cuda}" }}
embeds = {{ sass = [{sass}], ptx = []{extra} }}
needs = {{ python = ["3.12"] }}
"""


OLD = wheel("2.0.0", "cu118", "11.8", '"3.5", "6.1", "7.0", "9.0"')
MIDDLE = wheel("2.10.0", "cu128", "12.8", '"7.0", "9.0"')
NEW = wheel("2.11.0", "cu130", "13.0", '"9.0"')
ENGINE = Engine(from_toml(BRANCHES + OLD + MIDDLE + NEW + COVERED))
OPEN = Engine(from_toml(BRANCHES + OLD + MIDDLE + NEW))
DOUBTFUL = Engine(
    from_toml(BRANCHES + OLD + wheel("2.11.0", "cu128", "12.8", '"7.0"', ', uncertain = "a guess"') + COVERED)
)


def notices(capability: str, engine: Engine = ENGINE, **parts: Any) -> dict[str, dict[str, Any]]:
    found = engine.resolve(Asked([f"cc {capability}"], **parts))["notices"]
    return {notice["id"]: notice for notice in found}


def test_a_gpu_that_everything_leaves_behind() -> None:
    found = notices("7.0")
    assert list(found) == ["driver-end:R580", "last-driver:7.0", "last-torch:7.0", "last-wheels:cuda-12"]
    assert found["driver-end:R580"] == {
        "id": "driver-end:R580",
        "text": "Driver branch R580 is supported until 2028-06.",
        "on": "2028-06",
        "claim": "branch-lifecycle:R580",
        "source": "https://example.org/page",
    }
    assert found["last-torch:7.0"]["on"] == "2025-10-01"
    assert "torch 2.10.0 is the last release" in found["last-torch:7.0"]["text"]
    assert found["last-wheels:cuda-12"]["claim"] == "wheel-built-with:torch-2.10.0+cu128-linux-x86_64"


def test_a_driver_whose_end_is_past_future_or_not_known() -> None:
    assert "has reached its end of life: 2024-07" in notices("3.5", driver="470")["driver-end:R470"]["text"]
    assert "its support ended: 2024-07" in notices("3.5")["last-driver:3.5"]["text"]
    assert "R580 is the last driver branch" in notices("7.0")["last-driver:7.0"]["text"]
    assert notices("6.1")["last-driver:6.1"]["on"] is None  # a branch without a date
    assert "driver-end:R525" not in notices("6.1", driver="525")
    assert "driver-end:R590" not in notices("9.0", driver="590")
    assert "last-driver:9.0" not in notices("9.0")
    assert list(notices("9.0", driver="700")) == ["driver-end:R580"]  # newer than any known


def test_the_last_toolkit_only_where_the_next_surely_makes_none() -> None:
    assert "CUDA 11.8 is the last toolkit that makes code for" in notices("3.5")["last-toolkit:3.5"]["text"]
    assert "last-toolkit:6.1" not in notices("6.1")  # 12.9 may still make it
    assert "last-toolkit:9.0" not in notices("9.0")
    assert notices("12.0") == {}  # no toolkit, torch or driver is known for it


def test_where_other_builds_may_exist_nothing_is_called_the_last() -> None:
    assert not {"last-torch:7.0", "last-wheels:cuda-12"} & set(notices("7.0", OPEN))
    assert "last-torch:7.0" not in notices("7.0", DOUBTFUL)


def test_a_check_says_them_too() -> None:
    found = ENGINE.check(Checked(gpu=["cc 7.0"], torch="2.10.0", driver="470"))["notices"]
    assert [notice["id"] for notice in found] == [
        "driver-end:R470",
        "last-driver:7.0",
        "last-torch:7.0",
        "last-wheels:cuda-12",
    ]


IMAGES = [
    ("nvidia/cuda:11.8.0-base-ubuntu22.04", "marked by its publisher as ended (2024-01)"),
    ("pytorch/pytorch:1", "marked by its publisher to end: 2027-01-01"),
    ("pytorch/pytorch:2", None),
    ("pytorch/pytorch:3", None),
]


@pytest.mark.parametrize(("image", "words"), IMAGES)
def test_images(image: str, words: str | None) -> None:
    found = ENGINE.check(Checked(image=image))["notices"]
    assert [words in notice["text"] for notice in found if words] == ([True] if words else [])


def test_a_tegra_chip_has_none_of_these() -> None:
    assert ENGINE.resolve(Asked(["jetson"]))["notices"] == []


def test_in_chinese() -> None:
    with speaking("zh"):
        assert "最后" in notices("7.0")["last-torch:7.0"]["text"]
