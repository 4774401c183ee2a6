"""Predicates about packages beside torch: whether somebody asks for one, and whether those installed go together."""

from __future__ import annotations

import re

from assistant.case import Case, Proof, predicate
from assistant.machine import installed

__all__: list[str] = []

_FEW_WORDS = 12  # a line of so many words that names a package and a GPU asks whether they go together
_MODEL_SIZE = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d)? ?b(?![a-z0-9])")  # whether a model has room is another question
_COMPLAINT = re.compile(
    r"(?:not|n't) (?:work|run|start|load|find|use|see|detect)|no longer|fail|crash|broken|breaks?\b|error|unable|cannot|stuck|hang|freez|slow|killed"
    r"|\bnan\b|black image|out of memory|\boom\b|报错|错误|失败|崩|卡住|卡死|很慢|太慢|变慢|用不了|装不上|跑不起来|起不来|没反应|(?<!能)不能|(?<!可)不可以|无法|找不到"
)


@predicate("package-asked")
def package_asked(case: Case) -> Proof | None:
    """Somebody asks for a package on a machine, and nothing fails."""
    packages = case.all("requirement")
    machine = [fact for kind in ("gpu", "gpu-capability", "driver", "torch", "cuda") for fact in case.all(kind)]
    if not packages or case.holds("error-text", "gpu-not-seen"):
        return None
    if not machine and not ("torch" in case.haystack and "=" in packages[0].value):
        return None
    lines = [line for line in case.reading.text.splitlines() if line.strip()]
    short = len(lines) == 1 and len(lines[0].split()) <= _FEW_WORDS
    said = [line.lower() for line in lines[:40]]
    other = any(pattern.search(line) for line in said for pattern in (_COMPLAINT, _MODEL_SIZE))
    return Proof.of(packages[0]) if not other and (short or case.holds("question")) else None


@predicate("packages-differ")
def packages_differ(case: Case) -> Proof | None:
    """A list shows a package together with a torch that it was not made for."""
    from packaging.specifiers import SpecifierSet

    torch = next((fact for fact in case.all("torch") if fact.value.release is not None), None)
    if torch is None:
        return None
    lines = {fact.value.name.replace("_", "-"): fact for fact in reversed(case.all("package"))}
    releases = case.index.releases
    for package in installed(case.reading, case.engine):
        for release in releases.among(releases.named(package.name, ())):
            if release.version == package.version and release.torch:
                fits = [
                    claim.uncertain or torch.value.version in SpecifierSet(claim.specifier) for claim in release.torch
                ]
                if not any(fits):
                    return Proof.of(lines[package.name], torch)
    return None
