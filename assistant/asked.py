"""Questions without an error: which of them a text asks, from what it names; and what a printed error does to them."""

from __future__ import annotations

import re

from assistant.case import Case, Proof
from assistant.load import Library
from assistant.tally import STRONG, Mark, Tally

__all__ = ["asked", "weigh_questions"]

QUESTION = 2.0  # for every question about versions, where somebody asks and nothing fails
NAMED = 1.0  # more for the one that is asked with what is named
_ABOUT_VERSIONS = (
    "q_package",
    "q_which_cuda_for_gpu",
    "q_old_gpu_supported",
    "q_driver_cuda_compat",
    "no_prebuilt_wheel",
)

_SOFTWARE = (
    "torch",
    "cuda",
    "tensorflow",
    "driver",
    "驱动",
    "版本",
    "paddle",
    "jax",
    "深度学习",
    "deep learning",
    "框架",
    "framework",
)
_CUDA = re.compile(r"(?<![\d.])(?:[89]|1[0-3])\.\d(?![\d.])")
_BESIDE = (
    "same machine",
    "side by side",
    "both",
    "multiple",
    "several",
    "next to",
    "switch",
    "共存",
    "多个",
    "同时",
    "切换",
    "多版本",
    "两个",
)
_DOUBT = ("still", "old", "dropped", "supported", "support", "usable", "还能", "还支持", "老", "淘汰", "支持", "能用")


def weigh_questions(case: Case, found: dict[str, Tally], library: Library) -> None:
    """A printed error is no question about versions; a question without one is, and what it names tells which."""
    printed = case.holds("error-text") and any(
        tally.symptom.group not in "FMN" and tally.score >= STRONG for tally in found.values()
    )
    printed = printed or case.holds("gpu-not-seen")
    if case.holds("package-asked"):
        _leave_to_package(found)
    if case.holds("question") and not case.holds("error-text", "gpu-not-seen") and case.proof("gpu-named"):
        _leave_to_question(case, found)
    asks = case.holds("question", "package-asked") and not case.holds("error-text", "gpu-not-seen")
    if asks and all(tally.symptom.group == "F" or tally.score < STRONG for tally in found.values()):
        label, proof = asked(case)
        if label in library.symptoms and (label != "q_package" or label in found):
            tally = found.setdefault(label, Tally(library.symptoms[label]))
            tally.marks.append(Mark("strong", "what the question names", proof.lines[0] if proof.lines else None))
            tally.bonus += NAMED
    for tally in found.values():
        if tally.symptom.group == "F":
            tally.bonus += QUESTION if asks else -tally.score / 2 if printed else 0.0


def _leave_to_question(case: Case, found: dict[str, Tally]) -> None:
    """Who asks whether a GPU and a torch go together has seen no failure: that they do not is the answer, not a cause."""
    if not case.all("torch"):
        return
    for name in [
        each for each, tally in found.items() if {mark.weight for mark in tally.marks} <= {"compared", "rule"}
    ]:
        del found[name]


def _leave_to_package(found: dict[str, Tally]) -> None:
    """Who asks for a package is answered with it, unless a message or another question speaks for something else.

    That two facts do not fit is then the answer, not a cause: nothing has failed.
    """
    compared = [name for name, tally in found.items() if {mark.weight for mark in tally.marks} <= {"compared", "rule"}]
    for name in compared:
        del found[name]
    if any(tally.score >= STRONG for name, tally in found.items() if name not in _ABOUT_VERSIONS):
        found.pop("q_package", None)


def asked(case: Case) -> tuple[str, Proof]:
    """The question that a text without an error asks; an empty name where what it names does not tell."""
    versions = {version for _, version in case.haystack.all_matching(_CUDA, ".")} if "cuda" in case.haystack else ()
    several = case.said(*_BESIDE) if len(versions) > 1 else None
    if several:
        return "q_multi_cuda", several
    package = case.proof("package-asked")
    if package:
        return "q_package", package
    driver, cuda, gpu = case.proof("driver-named"), case.all("cuda") or case.all("toolkit"), _gpu(case)
    if driver and cuda and not gpu:
        return "q_driver_cuda_compat", driver
    if "nvcc" in case.haystack and "nvidia-smi" in case.haystack:
        return "q_smi_vs_nvcc", case.said("nvcc") or Proof()
    software = case.said(*_SOFTWARE)
    if gpu and software:
        old = case.holds("driver-dropped") and case.said(*_DOUBT)
        return ("q_old_gpu_supported" if old else "q_which_cuda_for_gpu"), gpu
    return "", Proof()


def _gpu(case: Case) -> Proof | None:
    series = case.all("gpu-series")
    return case.proof("gpu-named") or (Proof.of(series[0]) if series else None)
