"""Predicates about accelerators of other makers: what is about them is out of scope, even in the words of CUDA."""

from __future__ import annotations

import re

from assistant.case import Case, Proof, predicate

__all__: list[str] = []


def _foreign(case: Case, *makers: str) -> Proof | None:
    """Another maker's product, where none of NVIDIA's is named."""
    found = [fact for fact in case.all("other-gpu") if fact.value in makers]
    return Proof.of(*found) if found and not case.all("gpu") else None


def _no_nvidia(case: Case) -> bool:
    return not case.all("gpu") and "nvidia" not in case.haystack and "geforce" not in case.haystack


_A_CARD = re.compile(r"(?<![a-z0-9])a ?卡(?!\d)")  # "A card", as Chinese users call one of AMD
_GFX = re.compile(r"\bgfx(?:9|10|11|12)[0-9a-f]{2}\b")
_RADEON = re.compile(
    r"\brx ?-?(?:4|5|6|7|9)\d{2,3}(?: ?xtx?| ?gre|m)?\b|\bmi ?(?:50|60|100|210|250x?|300[ax]?|325x|355x)\b|\b[5-9]\d00 ?xt\b"
)


@predicate("amd")
def amd(case: Case) -> Proof | None:
    """It is about a GPU of AMD or about ROCm, and not about one of NVIDIA."""
    sure = case.word("rocminfo", "hipblas", "hiperrornobinaryforgpu", "miopen", "hipcc") or case.said(
        "hip error", "hiperror"
    )
    if sure:
        return sure
    if not _no_nvidia(case):
        return None
    line = case.haystack.line_matching(_GFX, "gfx")
    if line is not None:
        return Proof((line,))
    line = case.haystack.line_matching(_A_CARD, "卡")
    if line is not None:
        return Proof((line,))
    for needle in ("rx", "mi", "xt"):
        line = case.haystack.line_matching(_RADEON, needle) if needle in case.haystack else None
        if line is not None:
            return Proof((line,))
    return case.word("rocm", "radeon", "amdgpu", "hip") or _foreign(case, "AMD")


@predicate("intel")
def intel(case: Case) -> Proof | None:
    """It is about a GPU of Intel, and not about one of NVIDIA."""
    sure = case.word("xpu", "ipex", "oneapi", "sycl") or case.said("intel arc", "torch.xpu")
    return (sure if _no_nvidia(case) else None) or _foreign(case, "Intel")


@predicate("apple")
def apple(case: Case) -> Proof | None:
    """It is about a Mac or about Metal."""
    words = case.word("mps", "macos", "macbook", "osx", "darwin", "metal", "imac") or case.said(
        "apple silicon", "mac os"
    )
    if words and not case.all("gpu") and not _daemon(case):
        return words
    return _foreign(case, "Apple")


def _daemon(case: Case) -> Proof | None:
    """MPS in its other meaning: NVIDIA's Multi-Process Service."""
    return case.said(
        "mps daemon", "mps control", "mps server", "mps client", "nvidia-cuda-mps", "mps 模式", "multi-process service"
    )


_OTHERS = (
    "Huawei Ascend", "Cambricon", "Moore Threads", "Biren", "MetaX", "Iluvatar", "T-Head", "Hygon", "Kunlun", "Enflame", "Jingjia Micro",
    "Lisuan", "Google TPU", "AWS Neuron", "Groq", "Cerebras", "Graphcore",
)  # fmt: skip


@predicate("other-accelerator")
def other_accelerator(case: Case) -> Proof | None:
    """It is about an accelerator of yet another maker."""
    said = case.word("npu", "torch_npu", "cann", "mlu", "musa", "dcu") or case.said(
        "npu-smi", "昇腾", "升腾", "寒武纪", "摩尔线程", "edge tpu", "cloud tpu", "tpu v"
    )
    return (said if not case.all("gpu") else None) or _foreign(case, *_OTHERS)
