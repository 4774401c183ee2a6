"""The parts of the documents that the program can write itself: routes, commands, settings, rules, checks, examples.

`python -m api.reference --write` renews them, `--check` fails when one is stale.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from api.problems import PROBLEMS
from api.settings import Settings
from matrices.statistics import keep, renewed
from resolver.engine import Engine
from resolver.rules import RULES
from resolver.statistics import cells_table

__all__ = ["commands", "examples", "main", "problems", "routes", "rules", "settings"]

ROOT = Path(__file__).parent.parent
_EXAMPLE = re.compile(r"```console\n\$ whichcuda (.*?)\n(.*?)```", re.DOTALL)
_SETTING = re.compile(r"^ {4}(\w+): (.*?(WHICHCUDA_\w+).*?)(?=^ {4}\w+: |\Z)", re.DOTALL | re.MULTILINE)


def routes() -> str:
    """Every route with its methods, its parameters and what it answers, as a Markdown table."""
    from api.app import create_app

    lines = ["| route | parameters | answers |", "|---|---|---|"]
    for path, operations in sorted(create_app(settings=Settings()).openapi()["paths"].items()):
        methods = ", ".join(sorted(method.upper() for method in operations))
        names = dict.fromkeys(
            part["name"] for operation in operations.values() for part in operation.get("parameters", ())
        )
        said = next(iter(operations.values())).get("description", "")
        lines.append(f"| `{methods} {path}` | {' '.join(f'`{name}`' for name in names)} | {_cell(said)} |")
    return "\n".join(lines)


def commands() -> str:
    """Every command with its arguments and options, as Markdown."""
    from api.cli import parser

    return "\n".join(_command("whichcuda", parser()))


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    """A command, and below it those that it leads to."""
    yield from (f"### `{name}`", "", _sentence(command.description or ""), "")
    rows, further = [], {}
    for action in command._actions:  # noqa: SLF001 - argparse lists them nowhere else
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - the class has no public name
            further = dict(action.choices)
        elif action.dest != "help":
            written = ", ".join(f"`{option}`" for option in action.option_strings) or f"`{action.dest}`"
            rows.append(f"| {written} | {_cell(action.help or '')} |")
    yield from (["| argument | meaning |", "|---|---|", *rows, ""] if rows else ())
    for word, below in further.items():
        yield from _command(f"{name} {word}", below)


def settings() -> str:
    """Every setting with its default, as a Markdown table; the words are those of `api.settings`."""
    lines = ["| setting | default | meaning |", "|---|---|---|"]
    defaults = Settings()
    for name, says, variable in _SETTING.findall(inspect.cleandoc(Settings.__doc__ or "")):
        default = getattr(defaults, name)
        shown = str(int(default) if isinstance(default, bool) else default) if default else "unset"
        lines.append(f"| `{variable}` | {shown} | {_cell(_sentence(says.replace(f' (`{variable}`)', '')))} |")
    return "\n".join(lines)


def rules() -> str:
    """Every rule with what it says, where that is written and which relations it reads, as a Markdown table."""
    lines = ["| rule | says | reads | written in |", "|---|---|---|---|"]
    for rule in RULES.values():
        reads = ", ".join(f"`{relation}`" for relation in rule.reads)
        lines.append(f"| `{rule.id}` | {_cell(rule.says)} | {reads} | {_cell(rule.citation)} |")
    return "\n".join(lines)


def problems() -> str:
    """Every type of problem document, as a Markdown table."""
    lines = ["| type | status | title |", "|---|---:|---|"]
    lines += [
        f"| `{name}` | {status}{', 400 where even its form cannot be read' if name == 'invalid-request' else ''} | {title} |"
        for name, (title, status) in PROBLEMS.items()
    ]
    return "\n".join(lines)


def examples(page: str) -> str:
    """`page` with what each `$ whichcuda ...` of it prints today."""
    return _EXAMPLE.sub(lambda found: f"```console\n$ whichcuda {found[1]}\n{_printed(found[1])}```", page)


def _printed(command: str) -> str:
    from api.cli import main as run

    with contextlib.redirect_stdout(io.StringIO()) as shown:
        run(shlex.split(command))
    return shown.getvalue()


def _cell(text: str) -> str:
    """A text for a cell of a table: one line, first paragraph, no bars."""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def _sentence(text: str) -> str:
    clean = text.strip()
    return f"{clean[:1].upper()}{clean[1:]}" + ("" if clean.endswith(".") else ".")


# what is generated, by page: the name of the part and who writes it
PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"cells": lambda: cells_table(Engine.load())},
    "docs/reference.md": {
        "routes": routes,
        "problems": problems,
        "commands": commands,
        "settings": settings,
        "rules": rules,
    },
}
EXAMPLES = ("README.md",)


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Renew (`--write`) or compare (`--check`) the documents; 0 when all is well."""
    return keep(root, {name: partial(_fresh, name) for name in PARTS}, write="--write" in arguments)


def _fresh(name: str, page: str) -> str:
    page = renewed(page, {part: write() for part, write in PARTS[name].items()})
    return examples(page) if name in EXAMPLES else page


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
