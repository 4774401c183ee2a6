"""`install`: the packages that fit this machine, by the command that is shown, after a yes."""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from api.commands.answers import BAD_USE, EXIT, print_json
from api.console import Console
from api.doctor.facts import Facts, SeenGpu
from api.doctor.judging.question import resolved_for
from api.doctor.outside import Here, Outside
from api.doctor.probes.examine import examine
from api.doctor.probes.probe import Context
from api.doctor.probes.programs import interpreter
from api.ladder import show_problem, show_resolve
from api.problems import Problem
from resolver.engine import Engine
from resolver.errors import BadQuestion
from resolver.labels import label_of

__all__ = ["install"]

Runner = Callable[[Sequence[str]], int]
_NOT_NEEDED = ("docker", "nvcc", "environment", "secure-boot")


def install(options: argparse.Namespace, outside: Outside | None = None, run: Runner | None = None) -> int:
    """Resolve for this machine, show the command and why, run it after a yes.

    The exit status is that of the installer, of the verdict where there is nothing to install, or 1 after a no.
    """
    here = outside or Here()
    engine = Engine.load()
    python = interpreter(here, options.python_of)
    facts = _facts(options, here, python)
    packages = [
        name for name in options.package if name != "torch"
    ]  # a pin of torch counts, its bare name says nothing
    try:
        found = resolved_for(facts, engine, packages=packages)
    except BadQuestion as error:
        problem = Problem.of_question(error, options.gpu)
        if options.json:
            print_json(problem.document())
        else:
            show_problem(problem, Console(sys.stderr))
        return BAD_USE
    if found is None:
        text = "no NVIDIA GPU is seen here: name one with --gpu, or see what is wrong with `whichcuda doctor`"
        Console(sys.stderr).wrapped(text, first="whichcuda: ", rest="  ")
        return EXIT["unknown"]
    answer = found[1]
    if answer["verdict"] != "yes":
        if options.json:
            print_json(answer)
        else:
            show_resolve(answer, Console())
        return EXIT[answer["verdict"]]
    stack = answer["stacks"][0]
    commands = _commands(stack, python, _tool(options, here, python), options.package)
    if options.json:
        print_json({"commands": commands, "stack": stack, "data_version": answer["data_version"]})
        return 0
    _show(stack, facts, commands, answer["warnings"])
    if options.dry_run:
        return 0
    if not options.yes and not _agreed():
        return 1
    return next((code for command in commands if (code := (run or _run)(command))), 0)


def _facts(options: argparse.Namespace, here: Outside, python: str) -> Facts:
    facts = examine(here, Context(python, options.time_limit), skip=_NOT_NEEDED)
    facts.driver = options.driver or facts.driver
    if options.gpu:
        facts.gpus = [SeenGpu(name) for name in options.gpu]
    return facts


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return found[0].lower().replace("_", "-") if found else ""


def _tool(options: argparse.Namespace, here: Outside, python: str) -> str:
    """`uv` for an environment that uv made (it has no pip), else `pip`; or what the asker wants."""
    if options.tool is not None:
        return str(options.tool)
    home = re.sub(r"[\\/](?:bin|Scripts)[\\/][^\\/]*$", "", python)
    settings = here.text(f"{home}/pyvenv.cfg") or ""
    return "uv" if re.search(r"^uv\s*=", settings, re.MULTILINE) else "pip"


def _commands(stack: dict[str, Any], python: str, tool: str, wanted: Sequence[str]) -> list[list[str]]:
    """The stack's own commands as words, for one interpreter; of torch and its companions only those wanted."""
    asked = {_name(text) for text in wanted} | {"torch"}
    companions = set(stack["torch"]["companions"]) if wanted else set()
    apart = {name: each["install"] for name, each in sorted(stack["packages"].items()) if each["install"]}
    alone = wanted and {_name(text) for text in wanted} <= apart.keys()  # what brings its own CUDA needs no torch
    texts = [] if alone else stack["install"][tool].split(" && ")  # what is compiled comes after torch
    head = ["uv", "pip", "install", "--python", python] if tool == "uv" else [python, "-m", "pip", "install"]
    found: list[list[str]] = []
    for text in (*texts, *apart.values()):
        words = shlex.split(text)
        rest = words[words.index("install") + 1 :]
        found.append([*head, *(word for word in rest if _name(word) not in companions or _name(word) in asked)])
    return found


def _show(stack: dict[str, Any], facts: Facts, commands: Sequence[Sequence[str]], warnings: Sequence[str]) -> None:
    console = Console()
    gpus = ", ".join(gpu["name"] for gpu in stack["gpus"])
    driver = f"driver {facts.driver}" if facts.driver else "a driver that is not installed yet"
    console.wrapped(f"torch {label_of(stack['torch'])} for {gpus} with {driver}, Python {facts.python or 'not known'}.")
    for reason in stack["because"]:
        console.wrapped(f"{reason['text']} [{reason['evidence']}]", first="  - ", rest="    ")
    for warning in warnings:
        console.wrapped(warning, first="!! ", rest="   ")
    console.line()
    for command in commands:
        console.line(shlex.join(command))


def _agreed() -> bool:
    """Whether the person says yes; without a terminal nobody is there to say it."""
    if not sys.stdin.isatty():
        print("whichcuda: nothing was run; say --yes where nobody can be asked", file=sys.stderr)
        return False
    try:
        return input("Run it? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _run(command: Sequence[str]) -> int:
    sys.stdout.flush()
    try:
        return subprocess.run(list(command), check=False).returncode  # noqa: S603  # shown, and agreed to
    except OSError as error:
        Console(sys.stderr).wrapped(f"{command[0]}: {error.strerror}", first="whichcuda: ")
        return BAD_USE
