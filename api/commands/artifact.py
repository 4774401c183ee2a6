"""`artifact` and `dockerfile`: a file for the best stack, to standard output or where it belongs."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from api.commands.answers import BAD_USE, EXIT, asked, complain, print_json, read_names
from api.console import Console
from api.ladder import show_resolve
from api.problems import Problem
from resolver.artifacts.options import OPTIONS
from resolver.engine import Engine
from resolver.errors import BadQuestion, NoStack

__all__ = ["artifact"]

# what to do with a file once it is written
NEXT = {
    "dockerfile": "Build it:\n  docker build -t torch-gpu -f {path} .",
    "compose": "Its first lines say how to write the Dockerfile that belongs beside it, and how to start it.",
    "devcontainer": "The member `dockerfile` in it says how to write the Dockerfile that belongs beside it.",
    "kubernetes": "Apply it:\n  kubectl apply -f {path}",
    "apptainer": "Build it:\n  apptainer build torch.sif {path}",
    "requirements": "Install it:\n  pip install -r {path}",
    "uv": "In its folder:\n  uv sync",
    "conda": "Install it:\n  conda env create -f {path}",
    "pixi": "Install it:\n  pixi install --manifest-path {path}",
}


def artifact(options: argparse.Namespace) -> int:
    """Make a file and write it; the exit status."""
    engine = Engine.load()
    names = read_names(options.gpu)
    kind = getattr(options, "artifact", "dockerfile")
    try:
        made = engine.artifact(kind, asked(options, names), _given(options))
    except BadQuestion as error:
        complain(engine, Problem.of_question(error, names), names, options)
        return BAD_USE
    except NoStack as error:
        _show_no_stack(error, options)
        verdict = str(error.answer.get("verdict", "no"))
        return EXIT[verdict] or 1  # there may be a stack but no base image for it: that is a no too
    return _write(kind, made.text, options.output)


def _given(options: argparse.Namespace) -> dict[str, str]:
    """The options of the file that were given; `--kind` is kept as `object`, since `artifact` names a kind too."""
    found = {name: getattr(options, "object" if name == "kind" else name, None) for name in OPTIONS}
    return {name: value for name, value in found.items() if value is not None}


def _show_no_stack(error: NoStack, options: argparse.Namespace) -> None:
    if options.json:
        print_json(Problem.of_no_stack(error).document())
        return
    console = Console(sys.stderr)
    console.wrapped(str(error), first="whichcuda: ", rest="  ")
    if error.answer.get("verdict") == "yes":  # there is a stack, only no such file for it
        return
    show_resolve({"warnings": [], "fixes": [], "conflict": None, **error.answer, "stacks": []}, console)


def _write(kind: str, text: str, output: str | None) -> int:
    if output is None:
        sys.stdout.write(text)
        return 0
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        Console(sys.stderr).wrapped(f"{output}: {error.strerror}", first="whichcuda: ")
        return BAD_USE
    print(f"Wrote {output}. {NEXT[kind].format(path=shlex.quote(output))}", file=sys.stderr)
    return 0
