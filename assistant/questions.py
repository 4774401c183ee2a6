"""Questions that the resolver answers: which CUDA for a GPU, does a driver run a CUDA, is an old GPU still usable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from assistant.answer import Page
from assistant.machine import Machine
from assistant.symptom import Text
from resolver.words import say

__all__ = ["ABOUT_STACKS", "QUESTIONS", "show_answer", "show_check"]

Answer = Mapping[str, Any]
_FINDINGS = 6  # as many as anybody reads
_MOST_BUILDS = 12
_VERSIONS = re.compile("[=<>!~]")
_CUDA_MINOR = re.compile(r"(CUDA \d{1,2})\.\d{1,2}")


def show_answer(page: Page, answer: Answer) -> None:
    """A resolver's answer: the stack, or the conflict and what would work."""
    if answer["stacks"] and answer["verdict"] == "yes":
        page.stack(answer["stacks"][0])
    elif answer["conflict"] is not None:
        name = "no_stack" if answer["verdict"] == "no" else "unknown_stack"
        page.add(page.phrase(name, why=answer["conflict"]["text"]))
    else:
        page.add(page.phrase("unknown"))
    if answer["warnings"]:
        page.add("\n".join(f"- {warning}" for warning in answer["warnings"]))
    show_fixes(page, answer["fixes"])


def show_fixes(page: Page, fixes: list[Any]) -> None:
    """What would work, each change with its command."""
    if not fixes:
        return
    page.heading("would_work")
    for number, fix in enumerate(fixes[:4], 1):
        page.add(f"{number}. {fix['text']}")
        command = (fix.get("stack") or {}).get("install", {}).get("pip")
        if command is not None and f"`{command}`" not in fix["text"]:
            page.add(f"```sh\n{command}\n```")


def show_check(page: Page, found: Answer) -> None:
    """The verdict of a check, its findings as sentences, and the fixes."""
    page.add(page.phrase(found["verdict"]))
    wrong = [finding["text"] for finding in found["findings"] if finding["severity"] not in ("ok", "info")]
    shown = wrong or [finding["text"] for finding in found["findings"]]
    page.add("\n".join(f"- {text}" for text in _once(shown)[:_FINDINGS]))
    show_fixes(page, found["fixes"])


def _once(texts: list[str]) -> list[str]:
    """The first of the sentences that differ in the minor version of a CUDA alone: `CUDA 13` has several releases."""
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(_CUDA_MINOR.sub(r"\1", text), text)
    return list(first.values())


def _which_cuda(page: Page, machine: Machine) -> None:
    """The stacks for the GPUs; where a CUDA or a torch was named with them, first whether that goes."""
    found = machine.checked
    named = machine.wanted if machine.torch is not None and "+" not in machine.torch else None
    if named is not None and named["verdict"] == "yes":
        page.add(page.phrase("yes"))  # the build of that release which fits decides, whichever comes by default
        show_answer(page, named)
        return
    if machine.gpus and (machine.torch is not None or machine.cuda is not None) and found is not None:
        if found["verdict"] != "yes" or machine.torch is not None:
            show_check(page, found)
            return
        page.add(page.phrase(found["verdict"]))
        page.add("\n".join(f"- {finding['text']}" for finding in found["findings"]))
    if machine.resolved is None:
        page.add(page.phrase("which_gpu"))
    else:
        show_answer(page, machine.resolved)


def _compatible(page: Page, machine: Machine) -> None:
    """Whether what was named goes together; with a GPU named, or nothing to judge, as for its stacks."""
    named = machine.driver is not None or machine.torch is not None or machine.cuda is not None
    if machine.gpus or not named or machine.checked is None:
        _which_cuda(page, machine)
    else:
        show_check(page, machine.checked)


def _package(page: Page, machine: Machine) -> None:
    """Whether the packages named work on the GPUs, in which versions, and how they are installed."""
    if machine.packages and machine.gpus:
        _packages_on_gpus(page, machine)
    elif machine.checked is not None:
        show_check(page, machine.checked)
    else:
        page.add("\n".join(f"- {text}" for text in _torch_of(machine)))
        page.add(page.phrase("which_gpu"))


def _packages_on_gpus(page: Page, machine: Machine) -> None:
    found = machine.wanted
    if found is None:
        named = tuple(_VERSIONS.split(package)[0] for package in machine.packages)
        found = machine.resolved or replace(machine, packages=named).resolved
        missing = found is not None and machine.resolved is None
        packages = ", ".join(machine.packages)
        page.add(page.phrase("no_release", packages=packages) if missing else page.phrase("unknown"))
    elif found["verdict"] != "unknown":  # that it is not known is said by the rest
        parts = [*machine.packages, *(gpu["name"] for gpu in found["gpus"])]
        parts += [f"torch {machine.torch}"] if machine.torch is not None else []
        joint, colon = ("、", "：") if page.language == "zh" else (", ", ": ")
        page.add(f"**{joint.join(parts)}{colon}{page.phrase(found['verdict']).lower()}**")
    if found is not None:
        show_answer(page, found)
        _other_cuda(page, machine, found)


def _other_cuda(page: Page, machine: Machine, found: Answer) -> None:
    """Say of packages that are not loaded into torch that the CUDA named was not asked of them."""
    if machine.cuda is None or not found["stacks"]:
        return
    for name, part in found["stacks"][0]["packages"].items():
        if part["install"] is not None and part["cuda"] and part["cuda"].split(".")[0] != machine.cuda.split(".")[0]:
            page.add(
                page.phrase("other_cuda", cuda=machine.cuda, package=name, version=part["version"], has=part["cuda"])
            )


def _torch_of(machine: Machine) -> Iterator[str]:
    """Which torch the newest release goes with that each package named may be."""
    from packaging.requirements import Requirement

    releases = machine.engine.index.releases
    for text in machine.packages:
        wanted = Requirement(text)
        among = releases.among(releases.named(wanted.name, wanted.extras))
        fitting = [each for each in among if wanted.specifier.contains(each.version) and each.torch]
        if fitting:
            newest = fitting[-1]
            claim = newest.torch[0]
            kind = "package-torch" if claim.uncertain is None else "package-torch-unknown"
            yield say(kind, package=newest.package, version=newest.version, torch=claim.specifier)


_GPU = Text(
    "{name}: {architecture}, compute capability {capability}{module}.",
    "{name}：{architecture} 架构，计算能力 {capability}{module}。",
)
_MODULES = {
    "open": Text("; on Linux the open kernel modules only", "；Linux 上只能用开源内核模块"),
    "proprietary": Text("; on Linux the proprietary kernel modules only", "；Linux 上只能用闭源内核模块"),
    "either": Text(
        "; on Linux the open kernel modules, the proprietary ones work too", "；Linux 上用开源内核模块，闭源的也能用"
    ),
}
_FORMATS = {"bf16": "BF16", "tf32": "TF32", "fp8": "FP8", "fp4": "FP4"}
_HAS = {
    "native": Text("yes", "有"),
    "emulated": Text("emulated, slow", "只有模拟，很慢"),
    "absent": Text("no", "没有"),
}


def _explained(page: Page, machine: Machine) -> None:
    """Nothing to resolve: the explanation is the answer."""


def _about_gpus(page: Page, machine: Machine) -> None:
    """What each GPU named is, and which kernel modules drive it."""
    answer = machine.resolved
    if answer is None:
        return
    single = len(answer["gpus"]) == 1 and answer["stacks"]
    flavour = answer["stacks"][0]["driver"]["kernel_module"] if single else None
    module = page.words(_MODULES[flavour]) if flavour in _MODULES else ""
    template = _GPU.zh if page.language == "zh" else _GPU.en
    page.add(
        "\n".join(
            "- "
            + template.format(
                name=gpu["name"],
                architecture=gpu["architecture"],
                capability=gpu["compute_capability"],
                module=module,
            )
            for gpu in answer["gpus"]
        )
    )


def _formats(page: Page, machine: Machine) -> None:
    """Which number formats the GPUs named have."""
    answer = machine.resolved
    if answer is None or not answer["stacks"]:
        return
    features = answer["stacks"][0]["features"]
    shown = [f"{name} {page.words(_HAS[features[key]])}" for key, name in _FORMATS.items() if features.get(key) in _HAS]
    if shown:
        colon, comma = ("：", "，") if page.language == "zh" else (": ", ", ")
        page.add(f"**{', '.join(gpu['name'] for gpu in answer['gpus'])}**{colon}{comma.join(shown)}")


def _builds(page: Page, machine: Machine) -> None:
    """The CUDA builds of the torch release named, and whether the driver named runs each."""
    release = (machine.torch or "").split("+")[0]
    labels = {
        f"{build.wheel.torch}+{build.wheel.variant}": build.cuda
        for build in machine.engine.index.builds
        if f"{build.wheel.torch}.".startswith(f"{release}.") and build.wheel.machine == "x86_64"
    }
    if release and labels:
        newest = sorted(labels, key=lambda label: labels[label])[-_MOST_BUILDS:]
        rows = [f"- torch {label}" for label in newest]
        if machine.driver is not None:
            asked = [replace(machine, torch=label, cuda=None, gpus=()).checked for label in newest]
            joint = "：" if page.language == "zh" else ": "
            rows = [
                f"{row}{joint}{page.phrase(found['verdict'])}" if found else row
                for row, found in zip(rows, asked, strict=True)
            ]
        page.add("\n".join(rows))


QUESTIONS: dict[str, Callable[[Page, Machine], None]] = {
    "q_which_cuda_for_gpu": _which_cuda,
    "q_old_gpu_supported": _which_cuda,
    "q_driver_cuda_compat": _compatible,
    "q_package": _package,
    "q_gpu_facts": _about_gpus,
    "q_torch_builds": _builds,
    "q_precision_support": _formats,
    "q_memory_sizing": _explained,
    "q_token_speed": _explained,
    "q_card_numbers": _explained,
    "q_nvlink": _explained,
    "q_power_cooling": _explained,
    "q_code_portability": _explained,
}
ABOUT_STACKS = frozenset(name for name, answer in QUESTIONS.items() if answer in (_which_cuda, _compatible, _package))
