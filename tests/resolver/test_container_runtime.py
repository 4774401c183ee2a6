"""What comes of an image's demands by the way its container gets its GPUs: the hook checks, CDI does not."""

from __future__ import annotations

from typing import Any

import pytest

from resolver.engine import Asked, Checked, Engine
from resolver.errors import InvalidRequest
from tests.resolver.factory import from_toml

WORLD = """
[[container-runtime]]
id = "legacy"
name = "hook"
checks-demands = { checks = true }
default-for = { until_toolkit = "1.18.0" }
[[container-runtime]]
id = "cdi"
name = "CDI"
aliases = ["jit-cdi"]
checks-demands = { checks = false }
default-for = { from_toolkit = "1.18.0" }
[[container-runtime]]
id = "other"
name = "Other"
checks-demands = { checks = true, uncertain = "nobody tried" }
[[os]]
id = "linux"
name = "Linux"
family = "linux"
[[branch]]
id = "R550"
number = 550
released = { os = "linux", first = "550.40.07", latest = "550.163.01" }
runs-cuda = { cuda = "12.4" }
[[capability]]
id = "8.9"
architecture = "Ada"
driven-by = { added = "R550" }
[[gpu]]
id = "ada"
name = "Ada"
marketing_name = "Ada"
family = "GeForce"
has-cc = { compute_capability = "8.9" }
[[gpu]]
id = "l40"
name = "L40"
marketing_name = "L40"
family = "Data Center"
has-cc = { compute_capability = "8.9" }
[[cuda-family]]
id = "12"
needs-driver = { os = "linux", driver = "525.60.13" }
[[torch]]
id = "2.8.0"
[[wheel]]
id = "torch-2.8.0+cu128-linux-x86_64"
torch = "2.8.0"
variant = "cu128"
os = "linux"
machine = "x86_64"
channel = "package-index"
built-with = { cuda = "12.8" }
embeds = { sass = ["8.9"], ptx = [] }
needs = { python = ["3.12"] }
[[image]]
id = "nvidia/cuda:12.8.1-ubuntu24.04"
repository = "nvidia/cuda"
role = "cuda"
tags = ["12.8.1-base-ubuntu24.04"]
exists = { status = "exists" }
contains = { cuda = "12.8.1", os = "ubuntu-24.04" }
demands = { machine = "x86_64", cuda = "12.8", branches = [550], brands = ["tesla"] }
[[image]]
id = "nvidia/cuda:12.4.1-ubuntu22.04"
repository = "nvidia/cuda"
role = "cuda"
tags = ["12.4.1-base-ubuntu22.04"]
exists = { status = "exists" }
contains = { cuda = "12.4.1", os = "ubuntu-22.04" }
demands = { machine = "x86_64", cuda = "12.4" }
"""
ENGINE = Engine(from_toml(WORLD))
TOO_NEW = "nvidia/cuda:12.8.1-base-ubuntu24.04"


def check(runtime: str | None, image: str = TOO_NEW, gpu: str = "ada", **parts: Any) -> dict[str, Any]:
    return ENGINE.check(Checked(gpu=[gpu], driver="550", image=image, container_runtime=runtime, **parts))


CASES = [
    (None, "yes", [("warning", "refuses to start it"), ("ok", "by default from NVIDIA Container Toolkit 1.18.0")]),
    ("legacy", "no", [("error", "the container runtime refuses to start it")]),
    ("cdi", "yes", [("ok", "does not check that")]),
    ("jit-cdi", "yes", [("ok", "does not check that")]),
    ("other", "yes", [("warning", "refuses to start it")]),
]


@pytest.mark.parametrize(("runtime", "verdict", "said"), CASES)
def test_a_driver_below_the_demands(runtime: str | None, verdict: str, said: list[tuple[str, str]]) -> None:
    found = check(runtime)
    gates = [finding for finding in found["findings"] if finding["rule"] == "image-gate"]
    assert found["verdict"] == verdict
    assert [finding["severity"] for finding in gates] == [severity for severity, _ in said]
    assert all(words in finding["text"] for finding, (_, words) in zip(gates, said, strict=True))
    assert [fix["kind"] for fix in found["fixes"]] == (["image-gate"] if verdict == "no" else [])


def test_the_way_out_is_only_the_gate_where_nothing_else_stands_in_the_way() -> None:
    assert check("legacy")["fixes"][0]["change"] == {"environment": {"NVIDIA_DISABLE_REQUIRE": "1"}}
    assert check("legacy", torch="2.8.0", python="3.9")["fixes"][0]["kind"] != "image-gate"


def test_a_branch_that_is_let_pass_or_a_gate_that_is_met() -> None:
    assert check("legacy", gpu="l40")["verdict"] == "yes"
    assert check(None, gpu="l40")["verdict"] == "yes"
    assert check("legacy", image="nvidia/cuda:12.4.1-base-ubuntu22.04")["verdict"] == "yes"


def images(runtime: str | None, **parts: Any) -> list[str]:
    found = ENGINE.resolve(Asked(["ada"], container_runtime=runtime, **parts))
    return [image["reference"] for image in found["stacks"][0]["images"]]


def test_the_images_proposed() -> None:
    assert images(None, driver="550") == images("legacy") == images("other") == ["nvidia/cuda:12.4.1-base-ubuntu22.04"]
    assert images("cdi", driver="550") == [TOO_NEW]


def test_a_runtime_that_is_none() -> None:
    with pytest.raises(InvalidRequest, match="legacy, cdi, other"):
        check("runc")
