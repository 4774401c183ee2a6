"""Stacks for Jetson: a JetPack with the torch that was built for it, or with a wheel for Arm servers."""

from __future__ import annotations

from typing import Any

import pytest

from resolver.engine import Asked, Checked, Engine
from resolver.errors import NoStack
from tests.resolver.factory import from_toml


def board(name: str, capability: str) -> str:
    return f"""
[[gpu]]
id = "{name.lower().replace(" ", "-")}"
name = "{name}"
marketing_name = "{name}"
platform = "tegra"
machines = ["aarch64"]
has-cc = {{ compute_capability = "{capability}" }}
"""


def wheel(torch: str, variant: str, cuda: str, sass: str, python: str = '"3.12"', more: str = "") -> str:
    return f"""
[[wheel]]
id = "torch-{torch}+{variant}-linux-aarch64"
torch = "{torch}"
variant = "{variant}"
os = "linux"
machine = "aarch64"
channel = "pytorch-index"
built-with = {{ cuda = "{cuda}"{more} }}
embeds = {{ sass = [{sass}], ptx = [] }}
needs = {{ python = [{python}] }}
"""


WORLD = """
[[os]]
id = "linux"
name = "Linux"
family = "linux"
[[capability]]
id = "8.7"
architecture = "Ampere"
[[capability]]
id = "11.0"
architecture = "Blackwell"
[[toolkit]]
id = "12.6"
targets-cc = { sass = ["8.7"] }
[[jetpack]]
id = "5.1"
l4t = "35.2.1"
contains = { cuda = "11.4", python = "3.8", capabilities = ["8.7"] }
torch = [{ version = "2.0.0+nv23.05", python = "3.8", wheel = "https://example.org/torch-2.0.0.whl" }]
[[jetpack]]
id = "6.2"
l4t = "36.4.3"
contains = { cuda = "12.6", os = "ubuntu-22.04", python = "3.10", capabilities = ["8.7"] }
torch = [
  { version = "2.5.0a0+872d972e41", python = "3.10", wheel = "https://example.org/torch-2.5.0a0.whl" },
  { version = "2.6.0a0", python = "3.10", wheel = "https://example.org/torch-2.6.0a0.whl", uncertain = "hearsay" },
]
[[jetpack]]
id = "6.2-l4t-36.4.7"
l4t = "36.4.7"
contains = { cuda = "12.6", python = "3.10", capabilities = ["8.7"], uncertain = "nobody looked" }
torch = [{ version = "2.7.0a0", python = "3.10", wheel = "https://example.org/torch-2.7.0a0.whl" }]
[[jetpack]]
id = "7.0"
l4t = "38.2.0"
contains = { cuda = "13.0", python = "3.12", capabilities = ["11.0"], server_wheels = ["11.0"] }
[[jetpack]]
id = "7.2"
l4t = "39.1.0"
contains = { cuda = "13.2", python = "3.12", capabilities = ["8.7", "11.0"], server_wheels = ["11.0"] }
[[torch]]
id = "2.9.0"
[[torch]]
id = "2.10.0"
[[torch]]
id = "2.11.0"
[[image]]
id = "jetson:r36"
repository = "nvcr.io/jetson"
role = "jetson"
tags = ["r36"]
exists = { status = "exists", machines = ["aarch64"] }
contains = { jetpack = "6.2" }
""" + "".join(
    (
        board("Jetson Orin", "8.7"),
        board("Jetson Thor", "11.0"),
        board("DRIVE Orin", "8.7"),
        wheel("2.9.0", "cu128", "12.8", '"9.0"'),
        wheel("2.9.0", "cu130", "13.0", '"11.0"'),
        wheel("2.10.0", "cu130", "13.0", '"11.0"'),
        wheel("2.11.0", "cu130", "13.0", '"9.0"'),  # no code for it
        wheel("2.11.0", "cu131", "13.1", '"11.0"', python='"3.13"'),  # not for its Python
        wheel("2.11.0", "cu132", "13.2", '"11.0"', more=', uncertain = "not seen"'),
    )
)
ENGINE = Engine(from_toml(WORLD))


def resolve(*gpus: str, **parts: Any) -> dict[str, Any]:
    return ENGINE.resolve(Asked(list(gpus), **parts))


def test_a_wheel_of_nvidias_for_one_jetpack() -> None:
    found = resolve("Jetson Orin")
    assert found["verdict"] == "yes"
    assert [stack["torch"]["version"] for stack in found["stacks"]] == ["2.5.0a0+872d972e41", "2.0.0+nv23.05"]
    stack = found["stacks"][0]
    assert stack["jetpack"] == {"release": "6.2", "l4t": "36.4.3", "os": "ubuntu-22.04", "cuda": "12.6"}
    assert (stack["cuda"]["runtime"], stack["cuda"]["runs_as"]) == ("12.6", None)
    assert stack["cuda"]["build_toolkit"]["arch_list"] == "8.7"
    assert not any(stack["driver"].values())
    assert stack["images"] == [{"reference": "nvcr.io/jetson:r36", "kind": "jetson"}]
    assert stack["install"] == {
        "pip": "pip install --no-cache-dir https://example.org/torch-2.5.0a0.whl",
        "uv": "uv pip install --no-cache-dir https://example.org/torch-2.5.0a0.whl",
        "conda": None,
    }
    assert "Tegra chip" in found["warnings"][0]


def test_a_wheel_for_arm_servers() -> None:
    found = resolve("Jetson Thor")
    assert [(stack["torch"]["version"], stack["jetpack"]["release"]) for stack in found["stacks"]] == [
        ("2.10.0", "7.2")
    ]
    assert found["stacks"][0]["install"]["pip"] == (
        "pip install torch==2.10.0 --index-url https://download.pytorch.org/whl/cu130"
    )
    assert found["warnings"] == []


FITTING: list[tuple[str, dict[str, Any], str | None]] = [
    ("Jetson Orin", {"python": "3.8"}, "2.0.0+nv23.05"),
    ("Jetson Orin", {"cuda": "11.4"}, None),  # no such toolkit is known here
    ("Jetson Orin", {"cuda": "12.6"}, "2.5.0a0+872d972e41"),
    ("Jetson Orin", {"torch": "2.9.0"}, None),  # the wheels for servers are not for it
    ("Jetson Orin", {"driver": "R1"}, None),
    ("Jetson Orin", {"packages": ["torchvision==0.20"]}, None),
    ("Jetson Thor", {"torch": "2.9.0"}, "2.9.0"),
    ("Jetson Thor", {"torch": "2.9.0+cu130"}, "2.9.0"),
    ("Jetson Thor", {"torch": "2.9.0+cu128"}, None),
    ("Jetson Thor", {"torch": "2.11.0"}, None),
    ("DRIVE Orin", {}, None),
    ("cc 8.7", {}, None),
]


@pytest.mark.parametrize(("gpu", "parts", "torch"), FITTING)
def test_what_is_asked_for(gpu: str, parts: dict[str, Any], torch: str | None) -> None:
    from resolver.errors import BadQuestion

    try:
        found = resolve(gpu, **parts)
    except BadQuestion:
        assert torch is None
        return
    assert [stack["torch"]["version"] for stack in found["stacks"]][:1] == ([] if torch is None else [torch])
    assert (found["verdict"] == "yes") == (torch is not None)


def test_where_nothing_fits_the_releases_are_named() -> None:
    fixes = resolve("Jetson Orin", torch="2.9.0")["fixes"]
    assert [(fix["change"]["jetpack"], fix["images"]) for fix in fixes] == [
        ("7.2", []),
        ("6.2-l4t-36.4.7", []),
        ("5.1", []),
    ]
    assert fixes[1]["text"] == "JetPack 6.2 (L4T 36.4.7) brings CUDA 12.6 for it."
    assert resolve("DRIVE Orin")["fixes"] == []
    assert resolve("Jetson Orin", "Jetson Thor")["verdict"] == "unknown"


def test_check() -> None:
    assert ENGINE.check(Checked(gpu=["Jetson Thor"], torch="2.10.0"))["verdict"] == "yes"
    assert ENGINE.check(Checked(gpu=["Jetson Orin"], image="nvcr.io/jetson:r36"))["verdict"] == "yes"
    other = ENGINE.check(Checked(gpu=["Jetson Orin"], image="nvcr.io/jetson:r99"))
    assert other["verdict"] == "unknown"
    assert "nvcr.io/jetson:r99" in str(other["findings"])
    assert ENGINE.check(Checked(gpu=["Jetson Orin"], packages=["vllm"]))["verdict"] == "unknown"


def test_what_to_compile_with_is_in_the_jetpack() -> None:
    assert ENGINE.build(Asked(["Jetson Orin"]))["toolkit"]["recommended"] == "12.6"
    assert ENGINE.build(Asked(["DRIVE Orin"]))["toolkit"] is None


def test_no_file_is_written_for_it() -> None:
    with pytest.raises(NoStack, match="JetPack"):
        ENGINE.dockerfile(Asked(["Jetson Orin"]))
