"""Observations against claims, on small invented data: confirmed, contradicted, untested, bounds, output and exit codes."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from matrices.build import compiled, serialised
from matrices.catalogue import Catalogue
from matrices.load import load
from matrices.reconcile import Judged, Observations, judged
from matrices.reconcile.__main__ import main
from matrices.reconcile.boundaries import Boundaries, NotSimple, infer
from matrices.reconcile.bounds import Bound, Targeted, bounds, targeted
from matrices.reconcile.observed import family, pinned, release
from matrices.reconcile.report import RuleOutcome, document, fails, lines
from tests.matrices.toml_files import SAMPLE_EVIDENCE, data_folder

DOCUMENTED = 'evidence = [{ kind = "documented", source = "page", on = 2026-11-01 }]'
WHEEL_ID = "torch-2.6.0+cu124-linux-x86_64"

DATA = f"""
[[capability]]
id = "7.0"
architecture = "Volta"
driven-by = {{ added = "R384", last = "R580" }}
[[capability]]
id = "9.0"
architecture = "Hopper"
driven-by = {{ os = "windows" }}
[[gpu]]
id = "v100"
name = "Tesla V100"
marketing_name = "V100"
driver_names = ["Tesla V100-SXM2-16GB"]
has-cc = {{ compute_capability = "7.0" }}
listed-since = {{ driver = "390.12", bound = "or-earlier" }}
[[gpu]]
id = "h100"
name = "H100"
marketing_name = "H100"
has-cc = {{ compute_capability = "9.0" }}
listed-since = [
  {{ driver = "525.60.13", bound = "or-earlier" }},
  {{ os = "windows", driver = "528.33", bound = "exact" }},
  {{ driver = "530.1", bound = "or-earlier", standing = "deprecated", because = "older page" }},
]
[[branch]]
id = "R384"
number = 384
runs-cuda = {{ cuda = "9.0" }}
[[branch]]
id = "R580"
number = 580
runs-cuda = {{ cuda = "13.0" }}
[[toolkit]]
id = "12.4"
targets-cc = {{ sass = ["7.0", "9.0"], ptx = ["7.0", "9.0"] }}
ptx-isa = {{ version = "8.4" }}
host-compiler = [{{ compiler = "gcc", maximum = "13" }}, {{ compiler = "msvc", maximum = "words" }}]
[[toolkit]]
id = "12.5"
targets-cc = {{ sass = ["7.0", "9.0", "9.0a"] }}
[[toolkit]]
id = "12.6"
[[toolkit]]
id = "13.0"
[[torch]]
id = "2.6.0"
pairs-with = [
  {{ package = "torchvision", version = "0.21.0" }},
  {{ package = "triton", version = "3.2.0" }},
]
[[wheel]]
id = "{WHEEL_ID}"
torch = "2.6.0"
variant = "cu124"
os = "linux"
machine = "x86_64"
channel = "package-index"
built-with = {{ cuda = "12.4.1" }}
embeds = [{{ sass = ["7.0", "9.0"], ptx = ["9.0"] }}, {{ library = "other", sass = ["1.0"] }}]
needs = {{ python = ["3.12"], glibc = "2.17" }}
pins = {{ cudnn = "9.1.0.70", nccl = "2.21.5" }}
[[package]]
id = "vllm"
built-with = [
  {{ versions = ">=0.8", cuda = ["12.4"] }},
  {{ versions = "<0.8", cuda = ["12.1"], index = "https://example.org/{{variant}}" }},
]
embeds = [
  {{ versions = ">=0.8", library = "_C", sass = ["7.0", "9.0"] }},
  {{ versions = ">=0.8", library = "_D", cuda = ["12.1"], sass = ["7.0"] }},
  {{ versions = ">=0.8", library = "promise", sass = ["12.0"], {DOCUMENTED} }},
]
"""

WHEEL: dict[str, Any] = {
    "id": WHEEL_ID,
    "kind": "wheel",
    "project": "torch",
    "version": "2.6.0",
    "artefact": "torch-2.6.0-cp312-cp312-manylinux1_x86_64.whl",
    "os": "linux",
    "machine": "x86_64",
    "cuda": "12.4",
    "result": {"sass": ["7.0", "9.0"], "ptx": ["9.0"]},
    "python_tags": ["3.12"],
    "glibc_of_tag": "2.5",
    "libraries": {"libtorch_cpu.so": {"glibc": "2.17"}, "libc10.so": {"glibc": "2.14"}, "old.so": {}},
    "requires": ["nvidia-cudnn-cu12==9.1.0.70; sys_platform == 'linux'", "triton==3.2.0", "sympy", "numpy>=1"],
}
VISION: dict[str, Any] = {
    **{key: WHEEL[key] for key in ("kind", "os", "machine", "python_tags", "libraries")},
    "id": "torchvision-0.21.0-linux-x86_64",
    "project": "torchvision",
    "version": "0.21.0",
    "artefact": "torchvision-0.21.0.whl",
    "requires": ["torch==2.6.0"],
    "cuda": None,
}
VLLM: dict[str, Any] = {
    **VISION,
    "id": "vllm-0.8.1-linux-x86_64",
    "project": "vllm",
    "version": "0.8.1",
    "cuda": "12.4",
    "libraries": {"_C.abi3.so": {"sass": ["7.0", "9.0"]}, "other.so": {"sass": ["8.0"]}, "plain.so": {}},
}


def toolkit(compiler: str = "12.4.131", **values: Any) -> dict[str, Any]:
    """A measured compiler."""
    return {
        "id": f"cuda-compiler-{compiler}",
        "kind": "toolkit",
        "cuda": ".".join(compiler.split(".")[:2]),
        "compiler": compiler,
        "artefacts": [{"artefact": f"nvcc-{compiler}.whl"}],
        "targets": {"sass": ["7.0", "9.0", "9.0a"], "ptx": ["7.0", "9.0", "9.0a"]},
        "ptx_isa": "8.4",
        "host_compilers": {"gcc": "13", "msvc": {"below": "1950"}},
        **values,
    }


def machine(driver: str | None = "384.81", name: str = "Tesla V100-SXM2-16GB", **values: Any) -> dict[str, Any]:
    """A machine that was looked at."""
    return {
        "id": f"machine-{driver}",
        "kind": "machine",
        "os": "ubuntu-22.04",
        "driver": driver,
        "cuda_of_driver": "9.0",
        "gpus": [{"name": name, "compute_capability": "7.0"}],
        "torch": None,
        **values,
    }


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """The invented data."""
    folder = data_folder(tmp_path_factory.mktemp("data"), {"a.toml": SAMPLE_EVIDENCE + DATA})
    return Catalogue(compiled(load(folder)))


def _of(catalogue: Catalogue, *rows: dict[str, Any]) -> dict[str, Judged]:
    """What is not untested, by claim."""
    return {item.claim: item for item in judged(catalogue, Observations(rows)) if item.status != "untested"}


ALL = (WHEEL, VISION, VLLM, toolkit(), toolkit("12.5.40"), machine())


def test_nothing_observed_nothing_judged(catalogue: Catalogue) -> None:
    assert _of(catalogue) == {}


def test_observations_that_say_the_same_confirm(catalogue: Catalogue) -> None:
    found = _of(catalogue, *ALL)
    assert {item.status for item in found.values()} == {"confirmed"}
    assert set(found) == {
        f"wheel-embeds:{WHEEL_ID}:torch",
        f"wheel-built-with:{WHEEL_ID}",
        f"wheel-needs:{WHEEL_ID}",
        f"wheel-pins:{WHEEL_ID}",
        "torch-pairs-with:2.6.0:torchvision",
        "torch-pairs-with:2.6.0:triton",
        "package-built-with:vllm:>=0.8:linux,windows:x86_64,aarch64:12.4",
        "package-embeds:vllm:>=0.8:linux:x86_64:_C",
        "toolkit-targets-cc:12.4",
        "toolkit-targets-cc:12.5",
        "toolkit-ptx-isa:12.4",
        "toolkit-host-compiler:12.4:gcc",
        "gpu-has-cc:v100",
        "driver-runs-cuda:R384",
        "branch-drives-cc:7.0:linux",
    }


WRONG = [
    (f"wheel-embeds:{WHEEL_ID}:torch", WHEEL | {"result": {"sass": ["7.0"], "ptx": ["9.0"]}}, "sass: claimed 7.0, 9.0, seen 7.0"),
    (f"wheel-embeds:{WHEEL_ID}:torch", WHEEL | {"result": {"sass": ["7.0", "9.0"], "ptx": []}}, "ptx: claimed 9.0, seen "),
    (f"wheel-built-with:{WHEEL_ID}", WHEEL | {"cuda": "12.6.1"}, "CUDA: claimed 12.4, seen 12.6"),
    (f"wheel-needs:{WHEEL_ID}", WHEEL | {"python_tags": ["3.12", "3.13"]}, "Python: claimed 3.12, seen 3.12, 3.13"),
    (f"wheel-needs:{WHEEL_ID}", WHEEL | {"glibc_of_tag": "2.28"}, "glibc: claimed 2.17, seen 2.28"),
    (f"wheel-needs:{WHEEL_ID}", WHEEL | {"libraries": {}, "glibc_of_tag": "2.28"}, "glibc: claimed 2.17, seen 2.28"),
    (f"wheel-pins:{WHEEL_ID}", WHEEL | {"requires": ["nvidia-nccl-cu12==2.20"]}, "nccl: claimed 2.21.5, seen 2.20"),
    ("torch-pairs-with:2.6.0:triton", WHEEL | {"requires": ["triton==3.3.0"]}, "triton: claimed 3.2.0, seen 3.3.0"),
    ("torch-pairs-with:2.6.0:torchvision", VISION | {"requires": ["torch==2.7.0"]}, "torch: claimed 2.6.0, seen 2.7.0"),
    (
        "package-built-with:vllm:>=0.8:linux,windows:x86_64,aarch64:12.4",
        VLLM | {"cuda": "12.6"},
        "CUDA: claimed 12.4, seen 12.6",
    ),
    (
        "package-embeds:vllm:>=0.8:linux:x86_64:_C",
        VLLM | {"libraries": {"_C.so": {"sass": ["7.0"]}}},
        "sass: no library holds 9.0",
    ),
    ("toolkit-targets-cc:12.4", toolkit(targets={"sass": ["7.0"], "ptx": ["7.0", "9.0"]}), "sass: claimed 7.0, 9.0, seen 7.0"),
    ("toolkit-targets-cc:12.4", toolkit(targets={"sass": ["7.0", "9.0"], "ptx": []}), "ptx: claimed 7.0, 9.0, seen "),
    ("toolkit-targets-cc:12.5", toolkit("12.5.40", targets={"sass": ["7.0", "9.0"]}), "sass: claimed 7.0, 9.0, 9.0a, seen 7.0, 9.0"),
    ("toolkit-ptx-isa:12.4", toolkit(ptx_isa="8.5"), "PTX: claimed 8.4, seen 8.5"),
    ("toolkit-host-compiler:12.4:gcc", toolkit(host_compilers={"gcc": "14"}), "gcc: claimed 13, seen 14"),
    ("gpu-has-cc:h100", machine(name="h100"), "capability: claimed 9.0, seen 7.0"),
    ("driver-runs-cuda:R384", machine(cuda_of_driver="9.1"), "CUDA of the driver: claimed 9.0, seen 9.1"),
    ("branch-drives-cc:7.0:linux", machine("590.1"), "driven by 590.1, outside R384 to R580"),
    ("branch-drives-cc:7.0:linux", machine("375.1"), "driven by 375.1, outside R384 to R580"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "row", "message"), WRONG, ids=[f"{claim}: {text}" for claim, _, text in WRONG])
def test_observations_that_say_otherwise_contradict(
    catalogue: Catalogue, claim: str, row: dict[str, Any], message: str
) -> None:
    found = _of(catalogue, row)[claim]
    assert (found.status, found.message, found.observations) == ("contradicted", message, (row["id"],))
    assert found.fails


UNTOLD = [
    ("another wheel", WHEEL | {"id": "torch-2.7.0+cu124-linux-x86_64", "version": "2.7.0"}, "wheel"),
    ("no result, no CUDA", WHEEL | {"result": None, "cuda": None}, "wheel-embeds"),
    ("no glibc anywhere but a lower tag", WHEEL | {"libraries": {}, "python_tags": ["3.12"]}, ""),
    ("no glibc at all", WHEEL | {"libraries": {}, "glibc_of_tag": None}, ""),
    ("requires no exact triton", WHEEL | {"requires": ["triton>=3"]}, "torch-pairs-with"),
    ("an older release", VLLM | {"version": "0.7.0"}, "package"),
    ("another system", VLLM | {"os": "macos"}, "package"),
    ("no CUDA known", VLLM | {"cuda": None}, "package-built-with"),
    ("code beside the claim", VLLM | {"libraries": {"a": {"sass": ["7.0", "8.0"]}, "b": {"sass": ["9.0"]}}}, "package-embeds"),
    ("no code at all", VLLM | {"libraries": {}}, "package-embeds"),
    ("no header", toolkit(host_compilers=None), "toolkit-host-compiler"),
    ("no driver", machine(None), "driver-runs-cuda"),
    ("no driver", machine(None), "branch-drives-cc"),
    ("Windows", machine(os="Windows 11"), "branch-drives-cc"),
    ("a capability nobody told", machine(gpus=[{"name": "Tesla V100", "compute_capability": None}]), "gpu-has-cc"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "relation"), [case[1:] for case in UNTOLD], ids=[case[0] for case in UNTOLD])
def test_observations_that_do_not_speak_of_it_leave_it_untested(
    catalogue: Catalogue, row: dict[str, Any], relation: str
) -> None:
    found = _of(catalogue, row)
    assert all(item.status == "confirmed" for item in found.values())
    assert not any(claim.startswith(relation) for claim in found if relation)


def test_only_the_newest_update_tells_the_host_compilers(catalogue: Catalogue) -> None:
    found = _of(catalogue, toolkit("12.4.9", host_compilers={"gcc": "12"}), toolkit("12.4.131"))
    assert found["toolkit-host-compiler:12.4:gcc"].status == "confirmed"


def test_code_that_nobody_looked_for_is_not_compared(tmp_path: Path) -> None:
    data = DATA.replace(', ptx = ["9.0"] }', " }")
    catalogue = Catalogue(compiled(load(data_folder(tmp_path, {"a.toml": SAMPLE_EVIDENCE + data}))))
    found = _of(catalogue, WHEEL | {"result": {"sass": ["7.0", "9.0"], "ptx": ["7.0"]}})
    assert found[f"wheel-embeds:{WHEEL_ID}:torch"].status == "confirmed"


def test_a_deprecated_claim_may_be_contradicted(tmp_path: Path) -> None:
    data = DATA.replace('cuda = "9.0" }', 'cuda = "8.0", standing = "deprecated", because = "older page" }')
    catalogue = Catalogue(compiled(load(data_folder(tmp_path, {"a.toml": SAMPLE_EVIDENCE + data}))))
    found = _of(catalogue, machine())["driver-runs-cuda:R384"]
    assert (found.status, found.fails) == ("contradicted", False)
    shown = document(catalogue, Observations([machine()]))
    assert not fails(shown)
    assert "known to be wrong: driver-runs-cuda:R384" in "\n".join(lines(shown))


def test_what_an_observation_is() -> None:
    assert release({"torch": "1.0.0"}) == release({"version": "1.0.0"}) == "1.0.0"
    assert pinned({}, "nccl") is None
    assert (family({"os": "Windows 11"}), family({"os": "ubuntu-24.04"})) == ("windows", "linux")
    assert Observations(ALL).artefacts == [
        "torch-2.6.0-cp312-cp312-manylinux1_x86_64.whl",
        "torchvision-0.21.0.whl",
        "torchvision-0.21.0.whl",
        "nvcc-12.4.131.whl",
        "nvcc-12.5.40.whl",
    ]


# --- boundaries -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ("", NotSimple("nothing-observed")),
        ("??", NotSimple("nothing-observed")),
        ("--", NotSimple("never-seen")),
        ("+-+", NotSimple("came-back")),
        ("-+?-+", NotSimple("came-back")),
        ("+", Boundaries(None, 0, 0, None)),
        ("-+", Boundaries(0, 1, 1, None)),
        ("-?+?+?-", Boundaries(0, 2, 4, 6)),
        ("?+-?-", Boundaries(None, 1, 1, 2)),
        ("+?+", Boundaries(None, 0, 2, None)),
    ],
)
def test_boundaries_are_pairs(answers: str, found: object) -> None:
    known = {"+": True, "-": False, "?": None}
    assert infer([(place, known[answer]) for place, answer in enumerate(answers)]) == found


def test_bounds_are_narrowed_by_older_drivers(catalogue: Catalogue) -> None:
    v100, h100 = "gpu-listed-since:v100:linux", "gpu-listed-since:h100:linux"
    assert bounds(catalogue, Observations([])) == [
        Bound(v100, "390.12", "open", reason="nothing-observed"),
        Bound(h100, "525.60.13", "open", reason="nothing-observed"),
    ]
    rows = [machine("470.1"), machine("384.81"), machine("381.9", os="Windows 10"), machine(None)]
    assert bounds(catalogue, Observations(rows))[0] == Bound(v100, "390.12", "narrowed", "384.81")
    assert bounds(catalogue, Observations(rows[:1]))[0] == Bound(v100, "390.12", "open", "470.1")


def test_what_compilers_target_has_boundaries(catalogue: Catalogue) -> None:
    with_gap = [
        toolkit("12.4.131", targets={"sass": ["7.0", "8.0"]}),
        toolkit("12.5.40", targets={"sass": ["7.0", "9.0a"]}),
        toolkit("13.0.48", targets={"sass": ["8.0", "9.0"]}),
    ]
    assert list(targeted(catalogue, Observations(with_gap))) == [
        Targeted("7.0", None, "12.4", "12.5", "13.0"),
        Targeted("8.0", reason="came-back"),
        Targeted("9.0", "12.4", "12.5", "13.0", None),
    ]
    assert list(targeted(catalogue, Observations([]))) == []


# --- the report and the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "ran", "contradicts"),
    [("yes", True, False), ("yes", False, True), ("no", True, True), ("no", False, False), ("unknown", True, False), ("unknown", False, False)],
)  # fmt: skip
def test_only_a_sure_rule_is_contradicted(verdict: str, ran: bool, contradicts: bool) -> None:
    assert RuleOutcome("o", "V100", verdict, ran).contradicts is contradicts


def test_everything_is_shown(catalogue: Catalogue) -> None:
    rows = [machine("384.81", cuda_of_driver="9.1"), toolkit("12.4.1"), toolkit("12.6.1")]
    rows += [toolkit("12.5.1", targets={"sass": ["7.0"], "ptx": []})]
    outcomes = [RuleOutcome("o", "V100", "no", True, ("sass",)), RuleOutcome("p", "V100", "yes", False)]
    outcomes.append(RuleOutcome("q", "V100", "yes", True))
    found = document(catalogue, Observations(rows), outcomes)
    assert fails(found)
    assert found["counts"]["gpu-has-cc"] == {"confirmed": 1, "contradicted": 0, "untested": 1}
    shown = list(lines(found))
    assert shown[0] == "4 observations beside data version 2026.11.30"
    assert "5 claims confirmed, 2 contradicted" in shown
    assert [line for line in shown if line.startswith(("contradiction", "narrowed", "not simple", "bounds"))] == [
        "contradiction: toolkit-targets-cc:12.5: sass: claimed 7.0, 9.0, 9.0a, seen 7.0 in cuda-compiler-12.5.1",
        "contradiction: driver-runs-cuda:R384: CUDA of the driver: claimed 9.0, seen 9.1 in machine-384.81",
        "bounds: 1 open, 1 narrowed",
        "narrowed: gpu-listed-since:v100:linux: 384.81 lists it, older than 390.12",
        "not simple: compilers for 9.0: came-back",
        "contradiction of a rule: o: on V100 a kernel ran, the rules say no (sass)",
        "contradiction of a rule: p: on V100 no kernel ran, the rules say yes (no rule against it)",
    ]
    assert not fails(document(catalogue, Observations([])))
    assert fails(document(catalogue, Observations([]), outcomes[:1]))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = data_folder(tmp_path / "data", {"a.toml": SAMPLE_EVIDENCE + DATA})
    target, kept = tmp_path / "catalogue.json", tmp_path / "observations/2026/11"
    target.write_text(serialised(compiled(load(folder))), encoding="utf-8")
    kept.mkdir(parents=True)
    (kept / "a.json").write_text(json.dumps(machine()), encoding="utf-8")
    assert main([], target, tmp_path / "observations") == 0
    assert "3 claims confirmed, 0 contradicted" in capsys.readouterr().out
    (kept / "b.json").write_text(json.dumps(toolkit(ptx_isa="9.9")), encoding="utf-8")
    assert main(["--format", "json"], target, tmp_path / "observations") == 1
    found = json.loads(capsys.readouterr().out)
    assert [row["claim"] for row in found["claims"] if row["fails"]] == ["toolkit-ptx-isa:12.4"]


def test_the_committed_observations_contradict_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["reconcile"])
    monkeypatch.delitem(sys.modules, "matrices.reconcile.__main__")
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("matrices.reconcile", run_name="__main__")
    assert caught.value.code == 0, capsys.readouterr().out
