"""`doctor`: what stands between the programs of a machine and its GPU, and what mends it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from api.commands.answers import BAD_USE, EXIT, print_json
from api.commands.ask import standard_input
from api.console import Console
from api.doctor.facts import Facts, SeenGpu
from api.doctor.judging.findings import Finding, Judged, Verdict
from api.doctor.judging.judge import judge
from api.doctor.kernels import run_kernels, verdict_of
from api.doctor.outside import Here, Outside
from api.doctor.pasted import facts_of
from api.doctor.probes.examine import PROBES, examine
from api.doctor.probes.probe import Context
from api.doctor.report import report
from api.doctor.shown import show
from api.stackfile import BadStackFile, StackFile, changed, read_stack
from api.stackfile import judged as judged_today
from assistant.assistant import Assistant
from resolver.engine import Asked, Engine
from resolver.errors import BadQuestion

__all__ = ["doctor"]

_SET = ("os", "machine", "driver", "python")
# of a stack that was saved, by today's verdict on it
_STILL: dict[str, tuple[Verdict, str]] = {
    "yes": ("ok", "still fits by the data of today"),
    "no": ("error", "does not fit any more"),
    "unknown": ("unknown", "cannot be judged surely"),
}


class BadUse(Exception):
    """An option that cannot be used."""


def doctor(options: argparse.Namespace, outside: Outside | None = None, today: str | None = None) -> int:
    """Look, judge, show; the exit status is that of the verdict. `outside` is the machine, `today` a date as `YYYY-MM-DD`."""
    here = outside or Here()
    assistant = Assistant.load()
    try:
        facts = _facts(options, here, assistant.engine)
        stack = read_stack(options.stack) if options.stack is not None else None
    except (BadUse, BadStackFile) as error:
        Console(sys.stderr).wrapped(str(error), first="whichcuda: ", rest="  ")
        return BAD_USE
    judged = judge(facts, assistant)
    kernels = _kernels(options, here, facts, judged)
    if stack is not None:
        judged.findings += _against(stack, facts, judged, assistant.engine)
    if options.report:
        date = today or datetime.now(UTC).date().isoformat()
        print(json.dumps(report(facts, judged, kernels, date), ensure_ascii=False, indent=1, sort_keys=True))
    elif options.json:
        print_json(_plain(facts, judged, kernels))
    else:
        show(judged, Console(), next_step=options.paste is None or judged.verdict == "yes")
    return EXIT[judged.verdict]


def _probes_left_out(names: list[str]) -> list[str]:
    known = [probe.name for probe in PROBES]
    stray = next((name for name in names if name not in known), None)
    if stray is not None:
        raise BadUse(f"--skip: `{stray[:40]}` is no probe; they are {', '.join(known)}")
    return names


def _facts(options: argparse.Namespace, here: Outside, engine: Engine) -> Facts:
    if options.paste is not None:
        text = standard_input() if options.paste == "-" else _file(options.paste)
        facts = facts_of(text, engine)
    else:
        context = Context(options.python_of, options.time_limit)
        facts = examine(here, context, skip=_probes_left_out(options.skip), texts=_texts(options.from_))
    given = {name: getattr(options, name) for name in _SET if getattr(options, name) is not None}
    facts = replace(facts, **given)
    if options.gpu:
        facts.gpus = [SeenGpu(name) for name in options.gpu]
    return facts


def _texts(given: list[str]) -> Mapping[str, str]:
    """Saved texts by the probe whose place they take."""
    found = {}
    names = [probe.name for probe in PROBES]
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or name not in names:
            raise BadUse(f"--from: write PROBE=FILE, the probe one of {', '.join(names)}")
        found[name] = _file(path)
    return found


def _file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadUse(f"{path}: {error.strerror}") from None


def _kernels(options: argparse.Namespace, here: Outside, facts: Facts, judged: Judged) -> dict[str, Any] | None:
    """One tiny kernel per dtype where that was asked for; what they say is a finding."""
    if not options.probe:
        return None
    found = run_kernels(here, Context(options.python_of, options.time_limit))
    verdict, text = verdict_of(found)
    judged.findings.append(Finding("kernels", verdict, text))
    return found


def _against(stack: StackFile, facts: Facts, judged: Judged, engine: Engine) -> list[Finding]:
    """The machine and today's data beside a stack that was saved."""
    found: list[Finding] = []
    torch = facts.torch
    if torch is None:
        found.append(Finding("stack", "error", f"The stack has torch {stack.torch}, here is none."))
    elif torch.label != stack.torch:
        found.append(Finding("stack", "error", f"The stack has torch {stack.torch}, here is {torch.label}."))
    else:
        found.append(Finding("stack", "ok", f"torch {torch.label} is that of the stack."))
    for requirement in stack.packages:
        name, _, version = requirement.partition("==")
        has = torch.packages.get(name) if torch is not None else None
        if has is not None and has.partition("+")[0] != version:
            found.append(Finding("stack", "warning", f"The stack has {name} {version}, here is {has}."))
    try:
        old = {str(engine.reader.subject(name).capability) for name in stack.gpus}
    except BadQuestion as error:
        return [*found, Finding("stack", "unknown", f"The GPU of the stack is not known: {error}")]
    new = {gpu["compute_capability"] for gpu in (judged.resolved or {}).get("gpus", ())}
    if new and new != old:
        text = (
            f"The stack was chosen for compute capability {', '.join(sorted(old))}, here is {', '.join(sorted(new))}."
        )
        found.append(Finding("stack", "warning", text))
    driver = facts.driver or stack.driver or stack.driver_minimum
    checked = judged_today(engine, stack, replace(stack.checked(), driver=driver))
    level, words = _STILL[checked["verdict"]]
    wrong = [each["text"] for each in checked["findings"] if each["severity"] != "ok"]
    found.append(Finding("stack", level, f"The stack {words}.", tuple(wrong)))
    asked = Asked(gpus=stack.gpus, os=stack.os, machine=stack.machine, driver=facts.driver or stack.driver, limit=1)
    found += [
        Finding("stack", "info", text)
        for text in changed(stack, set(engine.catalogue.by_id), engine.resolve(asked), engine.data_version)
    ]
    return found


def _plain(facts: Facts, judged: Judged, kernels: dict[str, Any] | None) -> dict[str, Any]:
    stacks = judged.resolved["stacks"] if judged.resolved is not None else []
    return {
        "verdict": judged.verdict,
        "machine": facts.plain(),
        "findings": [finding.plain() for finding in judged.findings],
        "kernels": kernels,
        "stack": stacks[0] if stacks else None,
        "data_version": judged.data_version,
    }
