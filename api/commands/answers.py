"""`resolve`, `check` and `build`: one question to the engine, one answer in text or JSON."""

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
from resolver.errors import BadQuestion

__all__ = ["BAD_USE", "EXIT", "answer", "asked", "complain", "print_json", "read_names"]

EXIT = {"yes": 0, "no": 1, "unknown": 3}
BAD_USE = 2
MAX_INPUT = 64 * 1024


def answer(options: argparse.Namespace) -> int:
    """Ask and show; the exit status."""
    engine = Engine.load()
    names = read_names(options.gpu)
    if getattr(options, "stack", None) is not None:
        return _check_kept(engine, options)
    try:
        found = _found(engine, options, names)
    except BadQuestion as error:
        complain(engine, Problem.of_question(error, names), names, options)
        return BAD_USE
    if getattr(options, "save", None) is not None and not _saved(engine, options, names, found):
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
        return engine.build(asked(options, names), options.compiler)
    return engine.resolve(asked(options, names))


def read_names(names: Iterable[str]) -> list[str]:
    """The names given; `-` stands for the lines of standard input."""
    found: list[str] = []
    for name in names:
        if name == "-":
            found += [line.strip() for line in sys.stdin.read(MAX_INPUT).splitlines() if line.strip()]
        else:
            found.append(name)
    return found


def asked(options: argparse.Namespace, names: Sequence[str]) -> Asked:
    """The question in the words of a command."""
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
        container_runtime=options.container_runtime,
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
            container_runtime=options.container_runtime,
        )
    )


def _saved(engine: Engine, options: argparse.Namespace, names: Sequence[str], found: dict[str, Any]) -> bool:
    """False where the file of `--save` cannot be written. An answer without a sure stack leaves none, and says so."""
    from api.stackfile import stack_text

    console = Console(sys.stderr)
    try:
        Path(options.save).write_text(stack_text(asked(options, names), found), encoding="utf-8")
    except ValueError as error:
        console.wrapped(f"nothing was saved: {error}", first="whichcuda: ")
        return True
    except OSError as error:
        console.wrapped(f"{options.save}: {error.strerror}", first="whichcuda: ")
        return False
    print(
        f"Wrote {options.save}. Hold it against today:\n  whichcuda check --stack {shlex.quote(options.save)}",
        file=sys.stderr,
    )
    return True


def _check_kept(engine: Engine, options: argparse.Namespace) -> int:
    """A stack that was kept, judged by the data of today; parts named on the command line take the place of its own."""
    from api.stackfile import BadStackFile, changed, judged, read_stack

    try:
        kept = read_stack(options.stack)
        stack = kept.checked()
        for part in ("driver", "torch", "cuda", "image", "python", "os", "machine"):
            if getattr(options, part) is not None:
                setattr(stack, part, getattr(options, part))
        stack.gpu = read_names(options.gpu) or stack.gpu
        stack.packages = tuple(options.package) or stack.packages
        found = judged(engine, kept, stack)
        asked = Asked(
            gpus=stack.gpu,
            os=stack.os or "linux",
            machine=stack.machine,
            driver=stack.driver,
            python=stack.python,
            limit=1,
        )
        news = list(changed(kept, set(engine.catalogue.by_id), engine.resolve(asked), engine.data_version))
    except BadStackFile as error:
        Console(sys.stderr).wrapped(str(error), first="whichcuda: ", rest="  ")
        return BAD_USE
    except BadQuestion as error:
        complain(engine, Problem.of_question(error, ()), (), options)
        return BAD_USE
    if options.json:
        print_json({**found, "changed": news})
    else:
        console = Console()
        show_check(found, console)
        for text in news:
            console.wrapped(text, first="-- ", rest="   ")
    return EXIT[found["verdict"]]


def complain(engine: Engine, problem: Problem, names: Sequence[str], options: argparse.Namespace) -> None:
    """Say what is wrong with a question; where several words may be one name, how to write that."""
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
