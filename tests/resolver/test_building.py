"""What to compile with: toolkits, targets, host compilers, on a world of three toolkits."""

from __future__ import annotations

from typing import Any

import pytest

from matrices.versions import ComputeCapability, CudaVersion
from resolver.building import Building, Compiler, read_compiler
from resolver.engine import Asked, Engine
from resolver.errors import InvalidRequest
from resolver.words import speaking
from tests.resolver.factory import from_toml

WORLD = from_toml(
    """
[[capability]]
id = "7.0"
architecture = "Volta"
driven-by = { added = "R470" }
[[capability]]
id = "8.7"
architecture = "Ampere"
excluded-from = { targets = ["8.0"], until_cuda = "12.0" }
[[capability]]
id = "9.0"
architecture = "Hopper"
driven-by = { added = "R470" }
[[capability]]
id = "12.1"
architecture = "Blackwell"
driven-by = { added = "R470" }
[[branch]]
id = "R470"
number = 470
released = { os = "linux", first = "470.42.01", latest = "470.256.02" }
runs-cuda = { cuda = "11.4" }
[[branch]]
id = "R525"
number = 525
released = { os = "linux", first = "525.60.13", latest = "525.147.05" }
runs-cuda = { cuda = "12.0" }
[[cuda-family]]
id = "12"
needs-driver = { os = "linux", driver = "525.60.13" }
[[os]]
id = "linux"
name = "Linux"
family = "linux"
[[os]]
id = "new"
name = "New Linux"
family = "linux"
ships = { glibc = "2.40", gcc = "13.2.0" }
[[os]]
id = "doubtful"
name = "Doubtful Linux"
family = "linux"
ships = { glibc = "2.40", gcc = "13.2.0", uncertain = "nobody looked" }
[[toolkit]]
id = "11.4"
targets-cc = { sass = ["7.0", "8.0"] }
host-compiler = [{ compiler = "gcc", maximum = "11" }]
[[toolkit]]
id = "12.0"
targets-cc = { sass = ["7.0", "8.0", "9.0", "9.0a"], ptx = ["7.0", "8.0"] }
host-compiler = [{ compiler = "gcc", maximum = "12" }, { compiler = "clang", maximum = "15" }]
[[toolkit]]
id = "12.8"
targets-cc = { sass = ["8.0", "9.0", "9.0a", "12.0"] }
host-compiler = [{ compiler = "gcc", maximum = "14" }, { compiler = "msvc", maximum = "2022" }]
[[toolkit]]
id = "12.9"
targets-cc = { sass = ["8.0", "9.0", "12.0"] }
[[torch]]
id = "2.0.0"
[[wheel]]
id = "torch-2.0.0+cu120-linux-x86_64"
torch = "2.0.0"
variant = "cu120"
os = "linux"
machine = "x86_64"
channel = "package-index"
built-with = { cuda = "12.0" }
embeds = { sass = ["9.0"], ptx = [] }
needs = { python = ["3.10"] }
"""
)
ENGINE = Engine(WORLD)
BUILDING = Building(ENGINE.index)


def capabilities(*texts: str) -> list[ComputeCapability]:
    return [ComputeCapability.parse(text) for text in texts]


def build(*gpus: str, compiler: str | None = None, **parts: Any) -> dict[str, Any]:
    return ENGINE.build(Asked(gpus=[f"cc {gpu}" for gpu in gpus], **parts), compiler)


TARGETS = [
    ("11.4", ["7.0", "8.0"], ["7.0", "8.0"]),
    ("11.4", ["9.0"], ["8.0+PTX"]),  # no machine code of that major: PTX of the nearest below
    ("11.4", ["8.7"], ["8.0+PTX"]),  # machine code for 8.0 does not run on 8.7 with this toolkit
    ("12.0", ["8.7"], ["8.0"]),
    ("12.0", ["12.1"], ["8.0+PTX"]),  # it makes no PTX for 9.0
    ("12.8", ["12.1", "9.0"], ["9.0", "12.0"]),
    ("12.8", ["7.0"], None),
    ("10.0", ["7.0"], None),
]


@pytest.mark.parametrize(("toolkit", "wanted", "found"), TARGETS)
def test_targets(toolkit: str, wanted: list[str], found: list[str] | None) -> None:
    targets = BUILDING.targets(CudaVersion.parse(toolkit), capabilities(*wanted))
    assert (None if targets is None else [str(target) for target in targets]) == found


def test_one_list_in_three_spellings() -> None:
    (target,) = BUILDING.targets(CudaVersion.parse("11.4"), capabilities("9.0")) or ()
    assert (target.cmake, target.gencode) == (
        "80",
        ["-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_80,code=compute_80"],
    )
    (target,) = BUILDING.targets(CudaVersion.parse("12.8"), capabilities("9.0")) or ()
    assert (target.cmake, target.gencode) == ("90-real", ["-gencode=arch=compute_90,code=sm_90"])


def test_code_of_one_architecture() -> None:
    assert BUILDING.specific(CudaVersion.parse("12.8"), capabilities("8.0", "9.0")) == "8.0;9.0a"
    assert BUILDING.specific(CudaVersion.parse("12.9"), capabilities("9.0")) is None
    assert BUILDING.specific(CudaVersion.parse("10.0"), capabilities("9.0")) is None


COMPILERS = [("gcc-13", Compiler("gcc", 13)), ("Clang++ 18.1", Compiler("clang", 18)), ("14.2.0", Compiler("gcc", 14))]


@pytest.mark.parametrize(("text", "compiler"), COMPILERS)
def test_a_compiler_is_read(text: str, compiler: Compiler) -> None:
    assert read_compiler(text) == compiler


@pytest.mark.parametrize("text", ["tcc", "gcc", "gcc-13; reboot", "msvc 19"])
def test_what_is_no_compiler(text: str) -> None:
    with pytest.raises(InvalidRequest):
        read_compiler(text)


def test_the_toolkit_of_the_best_stack() -> None:
    found = build("9.0")
    assert (found["verdict"], found["torch"]) == ("yes", "2.0.0+cu120")
    assert found["toolkit"] == {
        "minimum": "12.0",
        "maximum": None,
        "recommended": "12.0",
        "arch_list": "9.0",
        "arch_list_specific": "9.0a",
        "cmake": "90-real",
        "gencode": ["-gencode=arch=compute_90,code=sm_90"],
        "host_compiler": {"gcc": "12", "clang": "15", "msvc": None, "yours": None, "fits": None, "advice": None},
    }


def test_a_toolkit_that_newer_ones_have_left_behind() -> None:
    found = build("7.0")
    assert (found["torch"], found["toolkit"]["minimum"], found["toolkit"]["maximum"]) == (None, "11.4", "12.0")
    assert found["toolkit"]["recommended"] == "12.0"


def test_torch_without_code_for_the_gpu_is_compiled_with_its_own_toolkit() -> None:
    found = build("7.0", torch="2.0.0")
    assert (found["torch"], found["toolkit"]["recommended"]) == ("2.0.0+cu120", "12.0")


def test_a_torch_that_is_not_there_for_the_machine() -> None:
    found = build("9.0", torch="2.0.0", machine="aarch64")
    assert (found["torch"], found["toolkit"]["recommended"]) == (None, "12.9")


def test_a_toolkit_asked_for() -> None:
    assert build("9.0", cuda="12.8")["toolkit"]["recommended"] == "12.8"
    found = build("9.0", cuda="11.4", driver="470")
    assert found["verdict"] == "yes"
    assert [finding["severity"] for finding in found["findings"]] == ["ok", "warning", "ok", "ok"]
    assert "only PTX of 8.0" in found["findings"][1]["text"]


def test_a_driver_that_is_too_old() -> None:
    assert build("9.0", cuda="12.0", driver="470")["verdict"] == "no"


def test_no_toolkit_for_all() -> None:
    found = build("7.0", "12.1", cuda=">=12.8")
    assert (found["verdict"], found["toolkit"]) == ("no", None)
    assert "CUDA" in found["findings"][0]["text"]


def test_no_toolkit_at_all_recommended_for_a_wheel_that_cannot() -> None:
    found = BUILDING.toolkit(ENGINE.reader.read(Asked(["cc 7.0"])), CudaVersion.parse("12.8"))
    assert (found["recommended"], found["arch_list"], found["arch_list_specific"]) == (None, "7.0", None)
    nowhere = Engine(
        from_toml(
            '[[capability]]\nid = "7.0"\narchitecture = "V"\n[[os]]\nid = "linux"\nname = "L"\nfamily = "linux"\n'
        )
    )
    assert nowhere.stacks.building.makers(capabilities("7.0")) == []


def test_the_compiler_of_the_system_is_a_warning_a_named_one_is_not() -> None:
    found = build("9.0", cuda="12.0", os="new")
    assert (found["verdict"], found["findings"][-1]["severity"]) == ("yes", "warning")
    assert found["findings"][-1]["because"][0]["claims"] == ["toolkit-host-compiler:12.0:gcc", "os-ships:new"]
    assert found["toolkit"]["host_compiler"]["fits"] == "no"
    assert [fix["kind"] for fix in found["fixes"]] == ["compiler", "toolkit"]
    assert found["fixes"][1]["change"] == {"cuda": "12.8"}
    named = build("9.0", cuda="12.0", compiler="clang-16")
    assert named["verdict"] == "no"
    assert named["fixes"] == [
        {
            "kind": "compiler",
            "change": {"compiler": "clang-15"},
            "text": "Install Clang 15 and compile with it: `export CC=clang-15 CXX=clang++-15 CUDAHOSTCXX=clang++-15`.",
        }
    ]


def test_a_compiler_that_fits_or_is_not_known() -> None:
    assert build("9.0", cuda="12.8", os="new")["toolkit"]["host_compiler"]["fits"] == "yes"
    assert build("9.0", cuda="12.9", os="new")["toolkit"]["host_compiler"]["fits"] == "unknown"
    assert build("9.0", cuda="12.9", compiler="gcc-9")["verdict"] == "unknown"
    assert build("9.0", cuda="12.8", os="doubtful")["toolkit"]["host_compiler"]["yours"] is None


def test_advice_in_the_language_spoken() -> None:
    assert "install GCC 12" in build("9.0", cuda="12.0", os="new")["toolkit"]["host_compiler"]["advice"]
    with speaking("zh"):
        assert "安装 GCC 12" in build("9.0", cuda="12.0", os="new")["toolkit"]["host_compiler"]["advice"]


def test_what_is_kept_is_bounded() -> None:
    building = Building(ENGINE.index)
    building._kept = {(number,): {} for number in range(5_001)}
    building.toolkit(ENGINE.reader.read(Asked(["cc 9.0"])), CudaVersion.parse("12.8"))
    assert len(building._kept) == 1


def test_what_strangers_ask_is_not_kept_for_ever() -> None:
    building = Engine.load().stacks.building
    for number in range(5_001):
        building._makers[(ComputeCapability(9, number),)] = []
    assert building.makers([ComputeCapability(9, 0)]) == []  # one that is kept
    assert building.makers([ComputeCapability(12, 0)])
    assert len(building._makers) == 1
