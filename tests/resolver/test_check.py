"""Whole stacks judged part by part, on the small world."""

from __future__ import annotations

from typing import Any

import pytest

from resolver.check import Checked
from resolver.errors import BadQuestion, InvalidRequest
from resolver.rules import RULES
from tests.resolver.factory import small

ENGINE = small()
SEVERITIES = {"yes": "ok", "no": "error", "unknown": "unknown"}


def check(**parts: Any) -> dict[str, Any]:
    gpu = parts.pop("gpu", ())
    return ENGINE.check(Checked(gpu=[gpu] if isinstance(gpu, str) else gpu, **parts))


def findings(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(row["severity"], row["rule"]) for row in answer["findings"]]


CHECKS: list[tuple[dict[str, Any], str, list[tuple[str, str]]]] = [
    # parts, verdict, findings
    ({"gpu": "T4"}, "yes", [("ok", "every-gpu")]),
    ({"gpu": "RTX 4090"}, "unknown", [("unknown", "every-gpu")]),
    ({"driver": "570"}, "yes", []),
    ({"gpu": "T4", "driver": "570"}, "yes", [("ok", "every-gpu"), ("ok", "drives"), ("ok", "kernel-module")]),
    ({"gpu": "T4", "driver": "572.60", "os": "windows-11"}, "yes", [("ok", "every-gpu"), ("ok", "drives")]),
    ({"gpu": "T4", "driver": "650.10"}, "unknown", [("ok", "every-gpu"), ("unknown", "drives")]),
    ({"gpu": "V100", "driver": "590"}, "no", [("ok", "every-gpu"), ("error", "drives")]),
    (
        {"gpu": "RTX 3090", "driver": "470"},
        "yes",
        [("ok", "every-gpu"), ("warning", "drives"), ("ok", "kernel-module")],
    ),
    (
        {"gpu": "sm_100", "driver": "570"},
        "unknown",
        [("ok", "every-gpu"), ("unknown", "drives"), ("unknown", "kernel-module")],
    ),
    ({"gpu": "GH200", "machine": "x86_64"}, "no", [("ok", "every-gpu"), ("error", "platform")]),
    ({"gpu": "V100", "os": "wsl2"}, "no", [("ok", "every-gpu"), ("error", "wsl")]),
    ({"gpu": "T4", "os": "wsl2"}, "yes", [("ok", "every-gpu"), ("ok", "wsl")]),
    # torch
    ({"torch": "2.6.0+cu118"}, "yes", [("ok", "published")]),
    ({"torch": "2.6.0"}, "yes", [("ok", "published"), ("ok", "published")]),
    ({"torch": "2.7.0"}, "yes", [("ok", "published"), ("ok", "published")]),
    (
        {"torch": "2.6.0", "os": "windows-11"},
        "yes",
        [("ok", "published"), ("warning", "published"), ("ok", "published")],
    ),
    ({"torch": "2.8.0+cu130"}, "unknown", [("unknown", "published")]),
    ({"torch": "2.7.0+cu118"}, "no", [("error", "published")]),
    ({"torch": "2.6.0+cu118", "os": "windows-11"}, "unknown", [("unknown", "platform")]),  # outside coverage
    ({"torch": "2.7.0+cu128", "os": "windows-11", "cuda": "12.8"}, "unknown", [("unknown", "platform")]),
    ({"torch": "2.9.0"}, "unknown", [("unknown", "published")]),
    ({"gpu": "T4", "torch": "2.6.0+cu118"}, "yes", [("ok", "every-gpu"), ("ok", "published"), ("ok", "sass")]),
    (
        {"gpu": "V100", "torch": "2.6.0+cu124"},
        "yes",
        [("ok", "every-gpu"), ("ok", "published"), ("ok", "sass"), ("warning", "sass")],
    ),
    ({"gpu": "RTX 5090", "torch": "2.6.0+cu124"}, "no", [("ok", "every-gpu"), ("ok", "published"), ("error", "sass")]),
    ({"gpu": "sm_90", "torch": "2.4.0+cu118"}, "yes", [("ok", "every-gpu"), ("ok", "published"), ("ok", "ptx")]),
    (
        {"gpu": ["T4", "RTX 5090"], "torch": "2.7.0+cu128"},
        "yes",
        [("ok", "every-gpu")] * 2 + [("ok", "published"), ("ok", "sass"), ("ok", "sass")],
    ),
    ({"torch": "2.6.0+cu124", "driver": "470"}, "no", [("ok", "published"), ("error", "minor-version")]),
    ({"torch": "2.6.0+cu124", "driver": "535"}, "yes", [("ok", "published"), ("warning", "minor-version")]),
    ({"torch": "2.6.0+cu124", "driver": "570"}, "yes", [("ok", "published"), ("ok", "older-runtime")]),
    (
        {"gpu": "sm_120", "torch": "2.4.0+cu118", "driver": "470"},
        "no",
        [
            ("ok", "every-gpu"),
            ("error", "drives"),
            ("ok", "published"),
            ("ok", "minor-version"),
            ("error", "ptx"),
        ],
    ),
    ({"torch": "2.6.0+cu124", "python": "3.13"}, "yes", [("ok", "published"), ("ok", "python")]),
    ({"torch": "2.6.0+cu124", "python": "3.8"}, "no", [("ok", "published"), ("error", "python")]),
    ({"torch": "2.6.0+cu124", "os": "rhel-7"}, "no", [("ok", "published"), ("error", "glibc")]),
    ({"torch": "2.6.0+cu118", "os": "rhel-7"}, "yes", [("ok", "published"), ("ok", "glibc")]),
    # CUDA: that of a wheel, or that of a toolkit beside it
    ({"torch": "2.6.0", "cuda": "11.8"}, "yes", [("ok", "published")]),
    (
        {"torch": "2.6.0", "cuda": "12.8", "gpu": "T4"},
        "yes",
        [("ok", "every-gpu"), ("ok", "published"), ("ok", "published"), ("ok", "sass"), ("ok", "toolkit-targets")],
    ),
    ({"cuda": "12.8", "gpu": "V100"}, "no", [("ok", "every-gpu"), ("error", "toolkit-targets")]),
    ({"cuda": "12.8", "driver": "470"}, "no", [("error", "minor-version")]),
    ({"cuda": "13.5"}, "unknown", [("unknown", "toolkit-targets")]),
    # packages
    ({"torch": "2.6.0+cu118", "packages": ["torchvision==0.21.0"]}, "yes", [("ok", "published"), ("ok", "published")]),
    (
        {"torch": "2.6.0+cu118", "packages": ["torchvision==0.22.0"]},
        "no",
        [("ok", "published"), ("error", "published")],
    ),
    ({"gpu": "T4", "packages": ["vllm"]}, "unknown", [("ok", "every-gpu"), ("unknown", "published")]),
    # images
    ({"image": "nvidia/cuda:12.8.1-base-ubuntu24.04"}, "yes", [("ok", "image-exists")]),
    ({"image": "nvidia/cuda:latest"}, "no", [("error", "image-exists")]),
    (
        {"image": "nvidia/cuda:12.8.1-base-ubuntu24.04", "gpu": "T4", "driver": "535"},
        "yes",
        [
            ("ok", "every-gpu"),
            ("ok", "drives"),
            ("ok", "kernel-module"),
            ("ok", "image-exists"),
            ("warning", "minor-version"),
            ("warning", "image-gate"),
        ],
    ),
]


@pytest.mark.parametrize("parts, verdict, wanted", CHECKS)
def test_check(parts: dict[str, Any], verdict: str, wanted: list[tuple[str, str]]) -> None:
    answer = check(**parts)
    assert (answer["verdict"], findings(answer)) == (verdict, wanted)
    assert answer["data_version"] == "2026.01.31"
    for row in answer["findings"]:
        assert row["rule"] in RULES
        assert row["because"][0]["text"] == row["text"]
    assert check(**parts) == answer


def test_a_yes_needs_no_explanation() -> None:
    answer = check(gpu="T4", torch="2.6.0+cu124", driver="570")
    assert (answer["verdict"], answer["conflict"], answer["fixes"]) == ("yes", None, [])
    assert answer["gpus"] == [
        {"asked": "T4", "id": "tesla-t4", "name": "Tesla T4", "compute_capability": "7.5", "architecture": "Turing"}
    ]


def test_a_no_is_explained_by_the_resolver() -> None:
    answer = check(gpu="RTX 5090", torch="2.6.0+cu124")
    assert {row["name"] for row in answer["conflict"]["constraints"]} == {"torch", "gpu"}
    assert "no code for GeForce RTX 5090" in answer["conflict"]["text"]
    assert [fix["kind"] for fix in answer["fixes"]] == ["torch"]
    assert answer["fixes"][0]["change"] == {"torch": "2.7.0+cu128"}


def test_the_build_that_fits_decides_where_none_was_named() -> None:
    """2.6.0 without a variant is that of the package index, too new for the driver; another variant of it runs."""
    answer = check(gpu="T4", torch="2.6.0", driver="470")
    assert answer["verdict"] == "yes"
    assert "brings torch 2.6.0+cu124, which does not work here; torch 2.6.0+cu118 does" in str(answer["findings"])


def test_a_no_that_the_resolver_does_not_share() -> None:
    """The toolkit beside the wheel makes no code for the GPU; the wheel itself is fine, so there is nothing to relax."""
    answer = check(gpu="V100", torch="2.6.0", cuda="12.8")
    assert (answer["verdict"], answer["conflict"], answer["fixes"]) == ("no", None, [])


def test_a_no_without_a_gpu_has_no_fixes() -> None:
    answer = check(torch="2.6.0+cu124", driver="470")
    assert (answer["verdict"], answer["conflict"], answer["fixes"]) == ("no", None, [])


def test_an_unknown_has_fixes_but_no_conflict() -> None:
    answer = check(gpu="T4", torch="2.8.0+cu130")
    assert (answer["verdict"], answer["conflict"]) == ("unknown", None)
    assert [fix["kind"] for fix in answer["fixes"]] == ["torch"]


def test_tegra_has_stacks_of_its_own() -> None:
    answer = check(gpu="Jetson Orin Nano", torch="2.6.0")
    assert answer["verdict"] == "unknown"
    assert [row["rule"] for row in answer["findings"]] == ["note"]
    assert [fix["kind"] for fix in answer["fixes"]] == ["jetpack", "jetpack"]


def test_what_is_said_twice_is_shown_once() -> None:
    answer = check(gpu=["T4", "Tesla T4"], torch="2.6.0+cu118")
    texts = [row["text"] for row in answer["findings"]]
    assert len(texts) == len(set(texts)) == 3
    assert len(answer["gpus"]) == 2


WRONG = [
    ({}, "name at least one part"),
    ({"python": "3.12"}, "name at least one part"),
    ({"gpu": "T4", "python": "snake"}, "`python` is a version"),
    ({"image": "NOT AN IMAGE"}, "`repository:tag`"),
]


@pytest.mark.parametrize("parts, says", WRONG)
def test_wrong(parts: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        check(**parts)


def test_nothing_but_bad_questions_is_raised() -> None:
    for parts in ({"gpu": "RX 7900"}, {"gpu": "GT 730"}, {"torch": "2.5"}, {"driver": "12.4"}, {"cuda": "570"}):
        with pytest.raises(BadQuestion):
            check(**parts)


def test_severities() -> None:
    from resolver.check import _SEVERITY

    assert _SEVERITY == SEVERITIES
