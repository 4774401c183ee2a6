"""Answers for people at a terminal: a stack as a ladder from the GPU to the image, the action on the last line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from api.console import Console
from api.problems import Problem
from matrices.versions import PythonVersion
from resolver.labels import label_of, python_range

__all__ = ["show_build", "show_check", "show_problem", "show_resolve"]

Answer = Mapping[str, Any]
_COLUMN = 30  # the widest value that leaves room for words beside it

_RUNS_AS = {
    "native": "{who} runs it natively",
    "minor-version": "{who} runs it by minor-version compatibility",
    "forward": "{who} runs it with the cuda-compat package",
}
_KERNELS = {"sass": "machine code for the GPU", "ptx": "PTX, compiled for the GPU at the first start"}
_MODULES = {
    "open": "open kernel module",
    "proprietary": "proprietary kernel module",
    "either": "open or proprietary kernel module",
    "mixed": "no kernel module common to all",
}


def show_resolve(answer: Answer, console: Console, why: bool = False) -> None:
    """The answer of `resolve`; with `why` each reason of the best stack and its source."""
    verdict = answer["verdict"]
    stacks: Sequence[Answer] = answer["stacks"]
    if not stacks:
        console.wrapped(f"{verdict}: {_without_stack(answer)}", paint=(verdict, verdict))
        _conflict(answer, console)
        _notes(answer["warnings"], console)
        _fixes(answer["fixes"], console)
        return
    best = stacks[0]
    works = "works" if verdict == "yes" else "may work, which is not certain,"
    names = ", ".join(gpu["name"] for gpu in best["gpus"])
    console.wrapped(f"{verdict}: torch {label_of(best['torch'])} {works} on {names}", paint=(verdict, verdict))
    console.line()
    _ladder(best, console)
    if len(stacks) > 1:
        console.line()
        console.wrapped("Also: torch " + ", ".join(label_of(stack["torch"]) for stack in stacks[1:]))
    if why:
        _why(best, console)
    _notes(answer["warnings"], console)
    _ends(answer, console)
    _fixes(answer["fixes"], console)
    if verdict == "yes":
        _actions(best, console)


def _without_stack(answer: Answer) -> str:
    if answer["conflict"] is None:
        return "no stack can be named" if answer["verdict"] == "unknown" else "nothing fits"
    asked = [f"{part['name']} {part['asked']}" for part in answer["conflict"]["constraints"]]
    if answer["verdict"] == "unknown":
        return f"nothing known fits {', '.join(asked)}"
    return f"nothing works for {asked[0]}" if len(asked) == 1 else f"these do not go together: {', '.join(asked)}"


def _ladder(stack: Answer, console: Console) -> None:
    """One rung a part: its name, the value to know, and what to know about it."""
    rungs = [
        ("GPU", [(gpu["name"], _gpu(gpu)) for gpu in stack["gpus"]]),
        *_below(stack),
        ("torch", [_torch(stack)]),
        ("package", [(f"{name} {part['version']}", _package(part)) for name, part in stack["packages"].items()]),
        ("image", [(image["reference"], "") for image in stack["images"]]),
    ]
    column = max(
        (len(value) for _, lines in rungs for value, about in lines if about and len(value) <= _COLUMN), default=0
    )
    for name, lines in rungs:
        if name != "GPU" and lines:
            console.line(console.paint("    |", "dim"))
        for row, (value, about) in enumerate(lines):
            head = f"  {name if row == 0 else '':<8}{value:<{column}}  "
            if about and len(value) <= column:
                console.wrapped(about, first=head, rest=" " * len(head), paint=(value, "strong"))
                continue
            console.line(head.rstrip().replace(value, console.paint(value, "strong"), 1))
            if about:  # a long name leaves no room beside it
                console.wrapped(about, first=" " * (12 + column))


def _below(stack: Answer) -> list[tuple[str, list[tuple[str, str]]]]:
    """What a torch stands on: driver and CUDA, or the JetPack that brings both."""
    jetpack = stack.get("jetpack")
    if jetpack is None:
        return [("driver", [_driver(stack["driver"])]), ("CUDA", [_cuda(stack["cuda"], stack["driver"])])]
    about = f"L4T {jetpack['l4t']}" + (f", {jetpack['os']}" if jetpack["os"] else "")
    return [("JetPack", [(jetpack["release"], f"{about}; brings the driver and CUDA {jetpack['cuda']}")])]


def _gpu(gpu: Answer) -> str:
    architecture = f", {gpu['architecture']}" if gpu["architecture"] else ""
    return f"compute capability {gpu['compute_capability']}{architecture}"


def _driver(driver: Answer) -> tuple[str, str]:
    installed, minimum, last = driver["installed"], driver["minimum"], driver["maximum_branch"]
    needed = f"{minimum} up to branch {last}" if last else f"{minimum} or newer"
    about = [f"needs {needed}"] if installed and minimum else []
    if driver["recommended_branch"]:
        until = f" (supported until {driver['supported_until']})" if driver["supported_until"] else ""
        about.append(f"branch {driver['recommended_branch']} is recommended{until}")
    if driver["kernel_module"]:
        about.append(_MODULES[driver["kernel_module"]])
    value = f"{installed} installed" if installed else needed if minimum else "not known"
    return value, ", ".join(about)


def _cuda(cuda: Answer, driver: Answer) -> tuple[str, str]:
    """Without a driver installed it is the recommended branch that was judged; the oldest that does may run it otherwise."""
    about = ["inside the wheel"]
    who = "the driver" if driver["installed"] else f"branch {driver['recommended_branch']}"
    if cuda["runs_as"]:
        about.append(_RUNS_AS[cuda["runs_as"]].format(who=who))
    if cuda["build_toolkit"]["minimum"]:
        last = cuda["build_toolkit"]["maximum"]
        reach = f"to {last}" if last else "or newer"
        about.append(f"to compile, toolkit {cuda['build_toolkit']['minimum']} {reach}")
    return cuda["runtime"], "; ".join(about)


def _torch(stack: Answer) -> tuple[str, str]:
    torch = stack["torch"]
    about = [_KERNELS[torch["kernels"]]] if torch["kernels"] else ["built by NVIDIA for this JetPack"]
    if torch["python"]:
        about.append(f"Python {python_range(tuple(map(PythonVersion.parse, torch['python'])))}")
    return label_of(stack["torch"]), "; ".join(about)


def _package(package: Answer) -> str:
    about = [f"built for CUDA {package['cuda']}"] if package["cuda"] else []
    if package["compiled"]:
        about.append("compiled at installation")
    return ", ".join(about)


def _why(stack: Answer, console: Console) -> None:
    console.line()
    console.line("Why:")
    for because in stack["because"]:
        console.wrapped(because["text"], first="  - ")
        if because["evidence"]:
            console.wrapped(f"{because['evidence']}: {because['source']}", first="    ")


def _actions(stack: Answer, console: Console) -> None:
    commands = stack["driver"]["install"].get("commands", ())
    if commands and not stack["driver"]["installed"] and stack["driver"]["kernel_module"] != "mixed":
        console.line()
        console.line("Install the driver:")
        for command in commands:
            console.line(f"  {command}")
    console.line()
    console.line("Install torch:")
    console.line("  " + console.paint(stack["install"]["pip"], "strong"))
    for name, package in stack["packages"].items():
        if package["install"]:
            console.line()
            console.line(f"Install {name}, best in an environment of its own:")
            console.line("  " + console.paint(package["install"], "strong"))


def _conflict(answer: Answer, console: Console) -> None:
    if answer["conflict"] is None or not answer["conflict"]["causes"]:
        return
    console.line()
    for cause in answer["conflict"]["causes"]:
        console.wrapped(cause["text"], first="  - ")
        if cause["evidence"]:
            console.wrapped(f"{cause['evidence']}: {cause['source']}", first="    ")


def _notes(warnings: Sequence[str], console: Console) -> None:
    for warning in warnings:
        console.line()
        console.wrapped(warning, first="Note: ")


def _ends(answer: Answer, console: Console) -> None:
    """What ends, but for what stands elsewhere: the ladder tells how long the branch is supported, a warning that it is not."""
    telling = [notice for notice in answer["notices"] if not notice["id"].startswith("driver-end:")]
    if not telling:
        return
    console.line()
    console.line("What ends:")
    for notice in telling:
        console.wrapped(notice["text"], first="  - ")


def _fixes(fixes: Sequence[Answer], console: Console) -> None:
    if not fixes:
        return
    console.line()
    console.line("What would work:" if len(fixes) == 1 else "What would work, any one of these:")
    for number, fix in enumerate(fixes, start=1):
        head = f"  {number}. " if len(fixes) > 1 else "  "
        blank = " " * len(head)
        parts = [part for part in (fix.get("stack"), *fix.get("stacks", ())) if part]
        commands = dict.fromkeys(command for part in parts for command in _commands(part))
        # the command stands on a line of its own below
        text = re.sub(r": `(?:pip|uv|conda) [^`]*`", "", fix["text"])
        console.wrapped(text, first=head)
        for command in commands:
            console.line(blank + command)


def show_build(answer: Answer, console: Console) -> None:
    """The answer of `build`."""
    verdict, toolkit = answer["verdict"], answer["toolkit"]
    names = ", ".join(gpu["name"] for gpu in answer["gpus"])
    how = f"compile with CUDA {toolkit['recommended']}" if toolkit else "no toolkit is known"
    if toolkit and verdict != "yes":  # what stands below is in the way of it
        how = f"compiling with CUDA {toolkit['recommended']} {'does not work' if verdict == 'no' else 'may not work'} as asked"
    wheel = f", the one of torch {answer['torch']}" if answer["torch"] else ""
    console.wrapped(f"{verdict}: {how} for {names}{wheel}", paint=(verdict, verdict))
    console.line()
    _findings(answer["findings"], console)
    _fixes(answer["fixes"], console)
    if toolkit:
        console.line()
        console.line(f'export TORCH_CUDA_ARCH_LIST="{toolkit["arch_list"]}"')
        if toolkit["arch_list_specific"]:
            console.line(f'# for kernels of one architecture only: "{toolkit["arch_list_specific"]}"')
        console.line(f'cmake -DCMAKE_CUDA_ARCHITECTURES="{toolkit["cmake"]}"')
        console.line(f"nvcc {' '.join(toolkit['gencode'])}")


def _findings(findings: Sequence[Answer], console: Console) -> None:
    for finding in findings:
        severity = finding["severity"]
        head = f"  {severity:<9}"
        console.wrapped(finding["text"], first=head)
        for because in finding["because"]:
            if severity in ("error", "unknown") and because["evidence"]:
                console.wrapped(f"{because['evidence']}: {because['source']}", first=" " * len(head))


def _commands(part: Answer) -> list[str]:
    """What to type for the stack of a fix: torch with what is loaded into it, and each package apart from it."""
    return [part["install"]["pip"], *(each["install"] for each in part["packages"].values() if each["install"])]


def show_check(answer: Answer, console: Console) -> None:
    """The answer of `check`."""
    verdict = answer["verdict"]
    said = {
        "yes": "this stack works",
        "no": "this stack does not work",
        "unknown": "it is not known whether this stack works",
    }
    console.line(f"{console.paint(verdict, verdict)}: {said[verdict]}")
    console.line()
    _findings(answer["findings"], console)
    _ends(answer, console)
    _fixes(answer["fixes"], console)


def show_problem(problem: Problem, console: Console) -> None:
    """What was wrong with a question, and what may have been meant."""
    console.wrapped(problem.detail, first="whichcuda: ", rest="  ")
    unsaid = [name for name in problem.candidates if name not in problem.detail]
    if unsaid:
        console.line("Did you mean one of these?")
        for name in unsaid:
            console.line(f"  {name}")
