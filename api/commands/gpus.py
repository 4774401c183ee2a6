"""`gpus`: the products that are known."""

from __future__ import annotations

import argparse
import sys

from api.commands.answers import BAD_USE, print_json
from api.console import Console
from api.ladder import show_problem
from api.problems import Problem
from api.views import Views
from resolver.engine import Engine
from resolver.errors import BadQuestion

__all__ = ["gpus"]


def gpus(options: argparse.Namespace) -> int:
    """List; 0 when there is something to list, 1 when nothing fits."""
    views = Views(Engine.load())
    try:
        found = views.listed(" ".join(options.query), options.architecture, options.compute_capability)
    except BadQuestion as error:
        problem = Problem.of_question(error)
        if options.json:
            print_json(problem.document())
        else:
            show_problem(problem, Console(sys.stderr))
        return BAD_USE
    if options.json:
        print_json(found)
    else:
        console = Console()
        for row in found["gpus"]:
            console.line(f"{row['compute_capability']:>5}  {row['architecture']:<13} {row['name']}")
        if not found["gpus"]:
            Console(sys.stderr).line("whichcuda: no GPU that is known fits")
    return 0 if found["gpus"] else 1
