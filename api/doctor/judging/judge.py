"""Facts to findings: the resolver judges what goes together, the symptom files say what mends it, this package only asks them."""

from __future__ import annotations

from api.doctor.facts import Facts
from api.doctor.judging.driver import judge_driver
from api.doctor.judging.findings import Judged
from api.doctor.judging.gpus import judge_gpus
from api.doctor.judging.judging import Judging
from api.doctor.judging.programs import judge_surroundings, judge_torch
from api.doctor.judging.question import resolved_for
from assistant.answer import Page
from assistant.assistant import Assistant
from assistant.filling import values
from assistant.reading import read
from resolver.errors import BadQuestion

__all__ = ["judge"]

_VITAL = ("nvidia-smi", "module", "pci", "torch")  # probes without which nothing can be called well


def judge(facts: Facts, assistant: Assistant) -> Judged:
    """Everything that can be said about a machine, most fundamental first."""
    engine = assistant.engine
    found = cannot = None
    try:
        found = resolved_for(facts, engine)
    except BadQuestion as error:
        cannot = f"The resolver cannot judge this machine: {error}"
    resolved = found[1] if found is not None else None
    stacks = resolved["stacks"] if resolved is not None else []
    at = Judging(facts, assistant, Page("en", values(read("", engine.names), stacks[0] if stacks else None)))
    if cannot is not None:
        at.add("gpu", "unknown", cannot)
    judge_gpus(at)
    judge_driver(at, resolved)
    judge_torch(at)
    _pasted(at)
    judge_surroundings(at)
    for name, why in facts.unread.items():
        at.add(f"probe:{name}", "unknown" if name in _VITAL else "warning", f"The probe `{name}` gave nothing: {why}.")
    return Judged(at.findings, resolved, engine.data_version)


def _pasted(at: Judging) -> None:
    """The cause that a pasted text shows; a question in it is not one."""
    text = at.facts.texts.get("pasted", "")
    diagnosis = at.assistant.ask(text)["diagnosis"] if text else None
    if diagnosis is None or diagnosis["id"].startswith(("q_", "out_of_scope")):
        return
    if any(finding.verdict == "error" for finding in at.findings):  # the resolver's fixes know the versions
        at.add("pasted", "info", f"What the text shows: {diagnosis['title']}.", symptom=diagnosis["id"])
    else:
        at.symptom("pasted", diagnosis["id"])
