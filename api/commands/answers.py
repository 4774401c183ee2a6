"""`resolve`, `check`, `build` and `dockerfile`: one question to the engine, one answer in text or JSON."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from api.console import Console
from api.ladder import show_build, show_check, show_problem, show_resolve
from api.problems import Problem
from resolver.engine import Asked, Checked, Engine
from resolver.errors import BadQuestion, NoStack

__all__ = ["answer", "read_names"]

EXIT = {"yes": 0, "no": 1, "unknown": 3}
BAD_USE = 2
MAX_INPUT = 64 * 1024


def answer(options: argparse.Namespace) -> int:
    """Ask and show; the exit status."""
    engine = Engine.load()
    names = read_names(options.gpu)
    try:
        if options.command == "dockerfile":
            return _dockerfile(engine, options, names)
        found = _found(engine, options, names)
    except BadQuestion as error:
        _complain(engine, Problem.of_question(error, names), names, options)
        return BAD_USE
    if options.json:
        print_json(found)
    elif options.command == "check":
        show_check(found, Console())
    elif options.command == "build":
        show_build(found, Console())
    else:
        show_resolve(found, Console(), options.why)
    return EXIT[found["verdict"]]


def _found(engine: Engine, options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    if options.command == "check":
        return _check(engine, options, names)
    if options.command == "build":
        return engine.build(_asked(options, names), options.compiler)
    return engine.resolve(_asked(options, names))


def read_names(names: Iterable[str]) -> list[str]:
    """The names given; `-` stands for the lines of standard input."""
    found: list[str] = []
    for name in names:
        if name == "-":
            found += [line.strip() for line in sys.stdin.read(MAX_INPUT).splitlines() if line.strip()]
        else:
            found.append(name)
    return found


def _asked(options: argparse.Namespace, names: Sequence[str]) -> Asked:
    return Asked(
        gpus=names,
        os=options.os or "linux",
        machine=options.machine,
        driver=options.driver,
        python=options.python,
        torch=options.torch,
        cuda=options.cuda,
        packages=tuple(options.package),
        prefer=options.prefer,
        limit=getattr(options, "limit", 1),
    )


def _check(engine: Engine, options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    return engine.check(
        Checked(
            gpu=names,
            driver=options.driver,
            torch=options.torch,
            cuda=options.cuda,
            image=options.image,
            python=options.python,
            os=options.os,
            machine=options.machine,
            packages=tuple(options.package),
        )
    )


def _dockerfile(engine: Engine, options: argparse.Namespace, names: Sequence[str]) -> int:
    try:
        text = engine.dockerfile(_asked(options, names), options.base, options.workload)
    except NoStack as error:
        if options.json:
            print_json(Problem.of_no_stack(error).document())
        else:
            console = Console(sys.stderr)
            console.wrapped(str(error), first="whichcuda: ", rest="  ")
            show_resolve({"warnings": [], "fixes": [], "conflict": None, **error.answer, "stacks": []}, console)
        verdict = str(error.answer.get("verdict", "no"))
        return EXIT[verdict] or 1  # there may be a stack but no base image for it: that is a no too
    if options.output is None:
        sys.stdout.write(text)
        return 0
    try:
        Path(options.output).write_text(text, encoding="utf-8")
    except OSError as error:
        Console(sys.stderr).wrapped(f"{options.output}: {error.strerror}", first="whichcuda: ")
        return BAD_USE
    print(
        f"Wrote {options.output}. Build it:\n  docker build -t torch-gpu -f {shlex.quote(options.output)} .",
        file=sys.stderr,
    )
    return 0


def _complain(engine: Engine, problem: Problem, names: Sequence[str], options: argparse.Namespace) -> None:
    if options.json:
        print_json(problem.document())
        return
    console = Console(sys.stderr)
    show_problem(problem, console)
    whole = " ".join(names)
    if problem.type in ("unknown-gpu", "ambiguous-gpu") and len(names) > 1 and _means_one(engine, whole):
        console.line(
            f"Each word was taken for a GPU. For one GPU, quote its name:\n  whichcuda {options.command} {shlex.quote(whole)}"
        )


def _means_one(engine: Engine, name: str) -> bool:
    try:
        engine.reader.subject(name)
    except BadQuestion:
        return False
    return True


def print_json(found: Mapping[str, Any]) -> None:
    """An answer as JSON for programs and people."""
    print(json.dumps(found, ensure_ascii=False, indent=2))
