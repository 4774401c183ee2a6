"""Questions that the resolver answers: which CUDA for a GPU, does a driver run a CUDA, is an old GPU still usable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assistant.answer import Page
from assistant.machine import Machine
from resolver.engine import Engine

__all__ = ["QUESTIONS", "show_answer", "show_check"]

Answer = Mapping[str, Any]
_FINDINGS = 6  # as many as anybody reads


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
    page.add("\n".join(f"- {text}" for text in shown[:_FINDINGS]))
    show_fixes(page, found["fixes"])


def _which_cuda(page: Page, machine: Machine, engine: Engine) -> Answer | None:
    """The stacks for the GPUs; where a CUDA or a torch was named with them, first whether that goes."""
    if machine.gpus and (machine.torch is not None or machine.cuda is not None):
        found = machine.check(engine)
        if found is not None and (found["verdict"] != "yes" or machine.torch is not None):
            show_check(page, found)
            return found
        if found is not None:
            page.add(page.phrase(found["verdict"]))
            page.add("\n".join(f"- {finding['text']}" for finding in found["findings"]))
    answer = machine.resolve(engine)
    if answer is None:
        page.add(page.phrase("which_gpu"))
        return None
    show_answer(page, answer)
    return answer


def _compatible(page: Page, machine: Machine, engine: Engine) -> Answer | None:
    """Whether what was named goes together; with only a GPU named, the stacks for it."""
    if machine.gpus or (machine.driver is None and machine.torch is None and machine.cuda is None):
        return _which_cuda(page, machine, engine)
    found = machine.check(engine)
    if found is None:
        return _which_cuda(page, machine, engine)
    show_check(page, found)
    return found


QUESTIONS: dict[str, Callable[[Page, Machine, Engine], Answer | None]] = {
    "q_which_cuda_for_gpu": _which_cuda,
    "q_old_gpu_supported": _which_cuda,
    "q_driver_cuda_compat": _compatible,
}
