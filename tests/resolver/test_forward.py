"""Forward compatibility: which GPUs run a CUDA too new for their driver through cuda-compat, and which are refused."""

from __future__ import annotations

from typing import Any

import pytest

from resolver.engine import Asked, Checked, Engine
from resolver.forward import Forward
from tests.resolver.factory import from_toml


def product(name: str, family: str, capability: str = "8.0") -> str:
    return f"""
[[gpu]]
id = "{name}"
name = "{name}"
marketing_name = "{name}"
family = "{family}"
has-cc = {{ compute_capability = "{capability}" }}
"""


WORLD = """
[[os]]
id = "linux"
name = "Linux"
family = "linux"
[[os]]
id = "wsl2"
name = "WSL 2"
family = "linux"
[[branch]]
id = "R535"
number = 535
released = { os = "linux", first = "535.43.02", latest = "535.309.01" }
runs-cuda = { cuda = "12.2" }
[[branch]]
id = "R580"
number = 580
released = { os = "linux", first = "580.65.06", latest = "580.95.05" }
runs-cuda = { cuda = "13.0" }
[[branch]]
id = "R590"
number = 590
released = { os = "linux", first = "590.48.01", latest = "590.48.01" }
runs-cuda = { cuda = "13.1" }
[[capability]]
id = "7.0"
architecture = "Volta"
driven-by = { added = "R535", last = "R580" }
[[capability]]
id = "8.0"
architecture = "Ampere"
driven-by = { added = "R535" }
[[cuda-family]]
id = "12"
needs-driver = { os = "linux", driver = "525.60.13" }
[[cuda-family]]
id = "13"
needs-driver = { os = "linux", driver = "580.65.06" }
forward-for = { families = ["Data Center"], perhaps = ["RTX/Quadro"] }
[[toolkit]]
id = "12.9"
forward-on = { package = "cuda-compat-12-9", branches = ["R535"] }
[[toolkit]]
id = "13.0"
targets-cc = { sass = ["8.0"] }
forward-on = { package = "cuda-compat-13-0", branches = ["R535"], paired_with = "R580" }
[[toolkit]]
id = "13.1"
forward-on = { package = "cuda-compat-13-1", branches = ["R535"], paired_with = "R590" }
[[toolkit]]
id = "13.2"
forward-on = { package = "cuda-compat-13-2", branches = ["R535"], paired_with = "R595", uncertain = "hearsay" }
[[toolkit]]
id = "13.3"
forward-on = { package = "cuda-compat-13-3", branches = ["R535"] }
[[torch]]
id = "2.9.0"
[[torch]]
id = "2.10.0"
[[wheel]]
id = "torch-2.9.0+cu130-linux-x86_64"
torch = "2.9.0"
variant = "cu130"
os = "linux"
machine = "x86_64"
channel = "package-index"
built-with = { cuda = "13.0" }
embeds = { sass = [], ptx = ["7.0", "8.0"] }
needs = { python = ["3.12"] }
[[wheel]]
id = "torch-2.10.0+cu131-linux-x86_64"
torch = "2.10.0"
variant = "cu131"
os = "linux"
machine = "x86_64"
channel = "package-index"
built-with = { cuda = "13.1" }
embeds = { sass = ["7.0", "8.0"], ptx = [] }
needs = { python = ["3.12"] }
""" + "".join(
    (
        product("a100", "Data Center"),
        product("v100", "Data Center", "7.0"),
        product("a6000", "RTX/Quadro"),
        product("rtx3090", "GeForce"),
    )
)
ENGINE = Engine(from_toml(WORLD))
FORWARD = Forward(ENGINE.index)

CELLS = [
    ("a100", "13.0", "linux", "forward-runs", "yes"),
    ("a100", "13.1", "linux", "forward-runs", "yes"),
    ("a100", "13.2", "linux", "forward-perhaps", "unknown"),  # the table itself is in doubt
    ("a100", "13.3", "linux", "forward-runs", "yes"),  # not known which branch it is made from
    ("a100", "12.9", "linux", None, None),  # nobody says which products may
    ("a100", "13.4", "linux", None, None),  # no package known
    ("a100", "13.0", "wsl2", None, None),
    ("v100", "13.0", "linux", "forward-runs", "yes"),
    ("v100", "13.1", "linux", "forward-dropped", "no"),
    ("a6000", "13.0", "linux", "forward-perhaps", "unknown"),
    ("cc 8.0", "13.0", "linux", "forward-perhaps", "unknown"),
    ("rtx3090", "13.0", "linux", "forward-refused", "no"),
]


@pytest.mark.parametrize(("gpu", "cuda", "os", "kind", "verdict"), CELLS)
def test_cells(gpu: str, cuda: str, os: str, kind: str | None, verdict: str | None) -> None:
    from matrices.versions import CudaVersion

    query = ENGINE.reader.read(Asked([gpu], driver="535", os=os))
    ways = FORWARD.ways(query, CudaVersion.parse(cuda))
    assert [(way.kind, way.verdict) for way in ways] == ([] if kind is None else [(kind, verdict)])


def resolve(*gpus: str, **parts: Any) -> dict[str, Any]:
    return ENGINE.resolve(Asked(list(gpus), **parts))


def test_a_stack_by_cuda_compat() -> None:
    found = resolve("a100", driver="535")
    assert found["verdict"] == "yes"
    assert [(stack["torch"]["version"], stack["cuda"]["runs_as"]) for stack in found["stacks"]] == [
        ("2.10.0", "forward"),
        ("2.9.0", "forward"),  # from PTX: the package brings a compiler of its own
    ]
    assert any("cuda-compat-13-1" in warning for warning in found["warnings"])
    assert [fix["kind"] for fix in found["fixes"]] == ["driver"]
    assert any(because["rule"] == "forward" for because in found["stacks"][0]["because"])


def test_a_package_that_has_dropped_the_gpu_is_not_proposed() -> None:
    found = resolve("v100", driver="535")
    assert [stack["torch"]["version"] for stack in found["stacks"]] == ["2.9.0"]


def test_with_a_driver_that_does_nothing_else_is_proposed() -> None:
    assert {stack["cuda"]["runs_as"] for stack in resolve("a100", driver="580")["stacks"]} == {
        "native",
        "minor-version",
    }
    assert "forward" not in {stack["cuda"]["runs_as"] for stack in resolve("a100")["stacks"]}


def test_refused_with_the_reason() -> None:
    for gpus in (("rtx3090",), ("a100", "rtx3090")):
        found = resolve(*gpus, driver="535")
        assert (found["verdict"], found["stacks"]) == ("no", [])
        assert "forward compatibility is for Data Center products" in found["conflict"]["text"]
    assert "It is not certain" in resolve("a6000", driver="535")["conflict"]["text"]
    assert resolve("a100", python="3.9")["verdict"] == "no"


def test_a_check_names_the_package_as_the_fix() -> None:
    found = ENGINE.check(Checked(gpu=["a100"], driver="535", torch="2.9.0"))
    assert found["verdict"] == "no"
    assert [finding["severity"] for finding in found["findings"] if finding["rule"] == "forward"] == ["warning"]
    assert [fix["kind"] for fix in found["fixes"]] == ["forward", "driver"]
    assert found["fixes"][0]["change"] == {"package": "cuda-compat-13-0"}
    toolkit = ENGINE.check(Checked(gpu=["a100"], driver="535", cuda="13.0"))
    assert toolkit["fixes"][0]["text"].startswith("Install the package `cuda-compat-13-0`")
    mixed = ENGINE.check(Checked(gpu=["a100", "rtx3090"], driver="535", torch="2.9.0"))
    assert "forward" not in [fix["kind"] for fix in mixed["fixes"]]
    plain = ENGINE.check(Checked(driver="535", cuda="13.0"))
    assert [finding["rule"] for finding in plain["findings"]] == ["minor-version"]


def test_a_product_whose_driver_may_not_know_it_is_not_carried_forward() -> None:
    listed = WORLD + product("a30", "Data Center") + 'listed-since = { driver = "535.100", bound = "exact" }\n'
    engine = Engine(from_toml(listed))
    assert engine.resolve(Asked(["a30"], driver="535.54.03"))["verdict"] != "yes"
    assert engine.resolve(Asked(["a30"], driver="535.309.01"))["verdict"] == "yes"


def test_without_a_driver_there_is_nothing_to_say() -> None:
    from matrices.versions import CudaVersion

    assert FORWARD.ways(ENGINE.reader.read(Asked(["a100"])), CudaVersion.parse("13.0")) == []
