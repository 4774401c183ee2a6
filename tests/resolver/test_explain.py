"""Why it is no or unknown, what would change it, and what to know besides, on the small world."""

from __future__ import annotations

from typing import Any

import pytest

from resolver.engine import Asked
from tests.resolver.factory import small

ENGINE = small()


def ask(*gpus: str, **parts: Any) -> dict[str, Any]:
    return ENGINE.resolve(Asked(list(gpus), **parts))


def constraints(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(row["name"], row["asked"]) for row in answer["conflict"]["constraints"]]


CONFLICTS: list[tuple[list[str], dict[str, Any], list[tuple[str, str]], list[str]]] = [
    # GPUs, other parts, constraints that cannot hold together, words of the causes
    (
        ["RTX 5090"],
        {"torch": "2.6.0+cu124"},
        [("torch", "2.6.0+cu124"), ("gpu", "GeForce RTX 5090")],
        [
            "torch 2.6.0+cu124 has no code for GeForce RTX 5090 (12.0): it holds 7.0, 7.5, 8.0, 9.0 and no PTX that fits."
        ],
    ),
    (
        ["V100"],
        {"driver": "590"},
        [("driver", "590"), ("gpu", "Tesla V100")],
        ["Driver R590 no longer drives Tesla V100: R580 is the last branch that does."],
    ),
    (
        ["T4"],
        {"torch": "2.6.0+cu124", "driver": "470"},
        [("torch", "2.6.0+cu124"), ("driver", "470")],
        ["Driver R470 is too old for CUDA 12.4, which needs at least 535.50."],
    ),
    (
        ["sm_90"],
        {"torch": "2.4.0", "driver": "535", "cuda": "11.8", "python": "3.13"},
        [("cuda", "11.8"), ("python", "3.13")],
        ["has no wheel for Python 3.13"],
    ),
    (
        ["T4"],
        {"torch": "2.6.0", "cuda": "12.8"},
        [("cuda", "12.8"), ("torch", "2.6.0")],
        ["torch 2.6.0+cu124 is built with CUDA 12.4; `12.8` was asked for."],
    ),
    (
        ["T4"],
        {"torch": "2.6.0+cu124", "os": "rhel-7"},
        [("torch", "2.6.0+cu124"), ("os", "RHEL 7")],
        ["RHEL 7 has glibc 2.17, older than the 2.28 that torch 2.6.0+cu124 needs."],
    ),
    (
        ["GH200"],
        {"machine": "x86_64"},
        [("machine", "x86_64"), ("gpu", "GH200")],
        ["GH200 is built into aarch64 machines only, not x86_64."],
    ),
    (
        ["V100"],
        {"os": "wsl2"},
        [("os", "WSL 2"), ("gpu", "Tesla V100")],
        ["WSL 2 needs compute capability 7.5 or newer; Tesla V100 has 7.0."],
    ),
    (
        ["T4"],
        {"os": "wsl2", "driver": "470"},
        [("driver", "470"), ("os", "WSL 2"), ("gpu", "Tesla T4")],
        ["WSL 2 needs a Windows driver from branch R535 on."],
    ),
    (
        ["T4"],
        {"torch": "2.7.0", "packages": ["torchvision==0.21.0"]},
        [("packages", "torchvision==0.21.0"), ("torch", "2.7.0")],
        [],
    ),
    (
        ["K80", "RTX 5090"],
        {},
        [("gpu", "Tesla K80"), ("gpu", "GeForce RTX 5090")],
        [],
    ),
    (
        ["T4"],
        {"machine": "x86_64", "cuda": "12.8", "driver": "470"},
        [("cuda", "12.8"), ("driver", "470")],
        ["Driver R470 is too old for CUDA 12.8, which needs at least 535.54.03."],
    ),
    (
        ["sm_110"],
        {"driver": "470", "torch": "2.4.0"},
        [("torch", "2.4.0"), ("driver", "470"), ("gpu", "compute capability 11.0")],
        ["torch 2.4.0+cu118 has only PTX of CUDA 11.8", "the driver is older than that CUDA, so it cannot compile it"],
    ),
    (
        ["sm_90"],
        {"driver": "535.200", "torch": "2.4.0"},
        [],
        [],
    ),
]


@pytest.mark.parametrize("gpus, parts, wanted, texts", CONFLICTS)
def test_conflict(gpus: list[str], parts: dict[str, Any], wanted: list[tuple[str, str]], texts: list[str]) -> None:
    answer = ask(*gpus, **parts)
    if not wanted:
        assert answer["conflict"] is None
        return
    assert constraints(answer) == wanted
    said = [row["text"] for row in answer["conflict"]["causes"]]
    for text in texts:
        assert any(text in one for one in said), said
        assert text in answer["conflict"]["text"]
    assert all(row["rule"] for row in answer["conflict"]["causes"])


def test_a_rule_is_named_for_every_conflict() -> None:
    """No conflict of the small world goes without a cause, and no cause without words."""
    gpus = ["K80", "V100", "T4", "RTX 5090", "GH200", "sm_90"]
    parts: list[dict[str, Any]] = [
        {"torch": "2.6.0+cu124"},
        {"torch": "1.8.2"},
        {"cuda": "12.8"},
        {"driver": "470"},
        {"driver": "590"},
        {"os": "windows-11"},
        {"os": "rhel-7"},
        {"os": "wsl2"},
        {"python": "3.8"},
        {"machine": "aarch64"},
        {"packages": ["torchaudio==2.6.0"]},
    ]
    told = 0
    for gpu in gpus:
        for first in parts:
            for second in parts:
                answer = ask(gpu, **{**first, **second})
                if answer["verdict"] == "no":
                    told += 1
                    assert answer["conflict"]["causes"], (gpu, first, second)
                    assert answer["conflict"]["text"]
                    assert answer["stacks"] == []
    assert told > 100


FIXES: list[tuple[list[str], dict[str, Any], list[tuple[str, dict[str, Any], str]]]] = [
    # GPUs, other parts, fixes: kind, change, words
    (
        ["T4"],
        {"torch": "2.6.0+cu124", "driver": "470"},
        [
            ("torch", {"torch": "2.6.0+cu118"}, "Use torch 2.6.0+cu118: `pip install torch==2.6.0"),
            (
                "driver",
                {"driver": {"minimum": "535.50", "branch": "580", "maximum_branch": None}},
                "Install driver 535.50 or newer; branch R580 is recommended.",
            ),
        ],
    ),
    (
        ["V100"],
        {"driver": "590"},
        [
            (
                "driver",
                {"driver": {"minimum": "535.50", "branch": "580", "maximum_branch": "580"}},
                "Go back to driver branch R580, the last that drives the GPU.",
            )
        ],
    ),
    (
        ["V100"],
        {"driver": "470", "torch": "2.6.0+cu124"},
        [
            ("torch", {"torch": "2.6.0+cu118"}, "Use torch 2.6.0+cu118"),
            (
                "driver",
                {"driver": {"minimum": "535.50", "branch": "580", "maximum_branch": "580"}},
                "Install driver 535.50 or newer, not newer than R580; branch R580 is recommended.",
            ),
        ],
    ),
    (
        ["T4"],
        {"python": "3.8", "cuda": "12.8"},
        [
            ("cuda", {"torch": "1.8.2+cu102"}, "Use torch 1.8.2+cu102"),
            ("python", {"python": "3.13"}, "Use Python 3.13 (torch 2.7.0+cu128 has wheels for 3.12, 3.13)."),
        ],
    ),
    (
        ["T4"],
        {"os": "rhel-7", "torch": "2.6.0+cu124"},
        [
            ("torch", {"torch": "2.6.0+cu118"}, "Use torch 2.6.0+cu118"),
            ("os", {"os": "linux", "glibc": "2.28"}, "Use a system with glibc 2.28 or newer."),
        ],
    ),
    (
        ["V100"],
        {"os": "windows-11"},
        [("os", {"os": "linux", "glibc": "2.28"}, "Use Linux, which WSL2 on Windows counts as.")],
    ),
    (
        ["GH200"],
        {"machine": "x86_64"},
        [("machine", {"machine": "aarch64"}, "Use a machine with aarch64.")],
    ),
    (
        ["T4"],
        {"torch": "2.7.0", "packages": ["torchvision==0.21.0"]},
        [
            ("packages", {"torch": "2.7.0+cu128"}, "Use torch 2.7.0+cu128"),
            ("torch", {"torch": "2.6.0+cu124"}, "Use torch 2.6.0+cu124"),
        ],
    ),
    (
        ["K80", "T4", "RTX 5090"],
        {},
        [
            (
                "gpu",
                {"without": "Tesla K80"},
                "Leave Tesla K80 out: torch 2.7.0+cu128 then fits Tesla T4, GeForce RTX 5090.",
            ),
            ("gpu", {"without": "GeForce RTX 5090"}, "Leave GeForce RTX 5090 out: torch 1.8.2+cu102 then fits"),
            (
                "split",
                {"stacks": 2},
                "Use 2 hosts, each with its own driver: Tesla K80, Tesla T4: torch 1.8.2+cu102, driver branch R470;",
            ),
        ],
    ),
    # no single change does, two do; more than one GPU to leave out are named together
    (
        ["RTX 5090"],
        {"torch": "2.6.0+cu124", "driver": "470", "cuda": "12.4"},
        [],
    ),
    (
        ["K80", "V100", "RTX 5090"],
        {"torch": "1.8.2"},
        [
            ("gpu", {"without": "GeForce RTX 5090"}, "Leave GeForce RTX 5090 out"),
        ],
    ),
    (
        ["K80", "V100", "RTX 5090"],
        {"torch": "2.7.0", "cuda": "12.8"},
        [
            (
                "gpu",
                {"without": "Tesla K80, Tesla V100"},
                "Leave Tesla K80 out: torch 2.7.0+cu128 then fits GeForce RTX 5090; leave Tesla V100 out",
            ),
        ],
    ),
    (["RTX 4090"], {}, []),  # nothing that could be changed makes it sure
]


@pytest.mark.parametrize("gpus, parts, wanted", FIXES)
def test_fixes(gpus: list[str], parts: dict[str, Any], wanted: list[tuple[str, dict[str, Any], str]]) -> None:
    fixes = ask(*gpus, **parts)["fixes"]
    if wanted:
        assert [(fix["kind"], fix["change"]) for fix in fixes[: len(wanted)]] == [
            (kind, change) for kind, change, _ in wanted
        ]
    for fix, (_, _, words) in zip(fixes, wanted, strict=False):
        assert words in fix["text"]
    for fix in fixes:
        assert fix["text"].endswith(".")
        assert fix["text"][0].isupper()
        for stack in fix.get("stacks", [fix.get("stack")]):
            assert {"torch", "cuda", "install", "driver"} <= set(stack)


def test_two_changes_where_no_single_one_does() -> None:
    fixes = ask("RTX 5090", torch="2.6.0+cu124", driver="470", cuda="12.4")["fixes"]
    assert fixes == []
    kinds = [fix["kind"] for fix in ask("RTX 5090", torch="2.6.0+cu124", driver="470")["fixes"]]
    assert kinds == ["torch+driver"]


def test_a_split_keeps_what_was_asked() -> None:
    """Each part goes to a machine that its GPUs go into; where a part has no sure stack there is no split."""
    (fix,) = [fix for fix in ask("GH200", "T4", machine="x86_64")["fixes"] if fix["kind"] == "split"]
    assert [(part["gpus"], part["machine"], part["torch"]) for part in fix["stacks"]] == [
        (["Tesla T4"], "x86_64", "2.7.0+cu128"),
        (["GH200"], "aarch64", "2.7.0+cu128"),
    ]
    assert not [fix for fix in ask("K80", "RTX 4090", torch="2.6.0+cu118")["fixes"] if fix["kind"] == "split"]
    assert not [fix for fix in ask("V100", "RTX 5090")["fixes"] if fix["kind"] == "split"]


WARNINGS: list[tuple[list[str], dict[str, Any], str, list[str]]] = [
    # GPUs, other parts, verdict, warnings
    (
        ["A100"],
        {"torch": "2.6.0"},
        "yes",
        ["`A100` may be A100 PCIe 40GB or A100 SXM4 80GB; they share compute capability 8.0"],
    ),
    (
        ["V100", "RTX 5090"],
        {"torch": "2.4.0"},
        "yes",
        ["Tesla V100 needs the proprietary kernel modules and GeForce RTX 5090 the open ones"],
    ),
    (
        ["V100"],
        {"torch": "2.6.0+cu124"},
        "yes",
        ["In torch 2.6.0+cu124 the library libtorch_cuda_linalg has no code for Tesla V100 (7.0)"],
    ),
    (["T4"], {"driver": "470"}, "yes", ["Driver branch R470 reached its end of life: 2024-07."]),
    (["T4"], {"driver": "570"}, "yes", ["Driver branch R570 reached its end of life: 2026-01-31."]),
    (["RTX 3090"], {"driver": "470"}, "yes", ["Driver R470 drives GeForce RTX 3090 from 470.100 on."]),
    (["T4"], {"driver": "535", "torch": "2.6.0+cu124"}, "yes", ["by minor-version compatibility (from 535.50 on)"]),
    (["T4"], {}, "yes", ["Newer builds may fit too, but it is not certain that they do: torch 2.8.0+cu130."]),
    (
        ["T4"],
        {"packages": ["vllm", "flash-attn"]},
        "unknown",
        ["`vllm` is not judged by this data yet.", "`flash-attn` is not judged"],
    ),
    (
        ["T4"],
        {"torch": "2.8.0"},
        "unknown",
        ["It is not certain that torch 2.8.0+cu130 was published for linux on x86_64: announced only."],
    ),
    (["RTX 4090"], {}, "unknown", ["GeForce RTX 4090 has compute capability 8.9 (not certain: a rumour)."]),
    (["T4"], {"torch": "2.9"}, "unknown", ["`2.9` is newer than what this data covers (up to torch 2.8.0)."]),
    (["T4"], {"cuda": "14.0"}, "unknown", ["`14.0` is newer than what this data covers (up to CUDA 13.0)."]),
    (["T4"], {"python": "3.20"}, "unknown", ["`3.20` is newer than what this data covers"]),
    (["RTX 4090"], {"driver": "650.10", "torch": "2.6.0"}, "unknown", []),
    (
        ["T4"],
        {"machine": "aarch64", "torch": "2.6"},
        "unknown",
        ["Whether torch 2.6.0+cu118, 2.6.0+cu124, 2.6.0+cu128 was published"],
    ),
    (["T4"], {"machine": "aarch64", "torch": "<2.8", "python": "3.13"}, "unknown", ["and others was published"]),
]


@pytest.mark.parametrize("gpus, parts, verdict, wanted", WARNINGS)
def test_warnings(gpus: list[str], parts: dict[str, Any], verdict: str, wanted: list[str]) -> None:
    answer = ask(*gpus, **parts)
    assert answer["verdict"] == verdict
    for words in wanted:
        assert any(words in warning for warning in answer["warnings"]), answer["warnings"]
    assert len(set(answer["warnings"])) == len(answer["warnings"])


def test_a_sure_answer_about_the_living_needs_no_warning() -> None:
    assert ask("T4", torch="2.6.0", driver="580")["warnings"] == []


NEWER_DRIVERS = [
    ("V100", {}, "no", "no longer drives Tesla V100"),  # what was dropped stays dropped
    ("RTX 5090", {"torch": "2.6.0+cu124"}, "no", "has no code for GeForce RTX 5090"),  # no driver would help
    ("T4", {"torch": "2.6.0+cu124"}, "unknown", None),
]


@pytest.mark.parametrize("gpu, parts, verdict, says", NEWER_DRIVERS)
def test_a_driver_of_the_future(gpu: str, parts: dict[str, Any], verdict: str, says: str | None) -> None:
    answer = ask(gpu, driver="650.10", **parts)
    assert answer["verdict"] == verdict
    if says is not None:
        assert says in answer["conflict"]["text"]
        assert not any("newer than what this data covers" in warning for warning in answer["warnings"])


def test_a_gpu_that_was_not_quite_written() -> None:
    answer = ask("RTX 5090 xyz")
    assert answer["verdict"] == "yes"
    assert answer["warnings"][0] == "`RTX 5090 xyz` was read as GeForce RTX 5090."


def test_user_text_in_sentences_is_harmless() -> None:
    from resolver.words import quoted

    assert quoted("a`b\x00c\n d") == "a b c d"
    assert quoted("x" * 100) == "x" * 57 + "..."
    assert quoted("x" * 60) == "x" * 60


def test_tegra() -> None:
    answer = ask("Jetson Orin Nano")
    assert (answer["verdict"], answer["stacks"], answer["conflict"]) == ("unknown", [], None)
    assert [fix["change"]["jetpack"] for fix in answer["fixes"]] == ["6.2", "5.1.2"]  # the newest first
    assert answer["fixes"][0]["images"] == ["nvcr.io/nvidia/l4t-jetpack:r36.4.0"]
    assert answer["fixes"][1]["images"] == []
    assert "Tegra chip" in answer["warnings"][0]
    assert ask("T4", "Jetson Orin Nano")["verdict"] == "unknown"


def test_what_stands_in_the_way_where_nothing_asked_for_does() -> None:
    """GH200 is for aarch64 machines only and nobody asked for a machine; there is no build of that torch for them."""
    answer = ask("GH200", torch="2.7.0+cu124")
    assert constraints(answer) == [("torch", "2.7.0+cu124")]
    assert (
        answer["conflict"]["text"]
        == "torch 2.7.0+cu124 has no build for Linux on aarch64; one exists for linux on x86_64."
    )
    assert "torch 2.7.0+cu124" in ask("GH200", torch="2.7.0+cu124", cuda="12.4")["conflict"]["text"]
    wanted = ENGINE.reader.read(Asked(["T4"], os="noble", torch="2.6", cuda="12.8", python="3.12"))
    for names in (["torch", "cuda"], ["torch"], ["python"]):  # no build of that name; one that fits here
        reason = ENGINE.explainer.causes._unnamed(wanted, names)
        assert (reason.kind, reason.verdict, reason.claims) == ("nothing-fits", "no", ())
    assert reason.values == {"wanted": "python `3.12`"}


def test_a_build_of_which_no_python_is_known() -> None:
    answer = ask("T4", torch="2.8.0", python="3.12")
    assert (answer["verdict"], answer["conflict"]) == ("unknown", None)
    assert any("for which Python versions torch 2.8.0+cu130 has wheels" in warning for warning in answer["warnings"])


def test_a_plain_system_for_a_fix() -> None:
    """The one called like its family, else the first of it."""
    assert ENGINE.explainer.fixes._plain_system("linux").id == "linux"
    assert ENGINE.explainer.fixes._plain_system("windows").id == "windows-11"
