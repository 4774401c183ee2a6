"""`ask` and `chat`: the assistant on a terminal."""

from __future__ import annotations

import argparse
import select
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from api.commands.answers import BAD_USE, EXIT, print_json
from api.console import Console
from api.markdown import show_markdown
from api.problems import Problem, shortened
from api.settings import CONTEXT_KEYS
from assistant.assistant import MAX_MESSAGE, Assistant, Turn

__all__ = ["ask", "chat", "standard_input"]

MAX_VALUE = 300
WELCOME = "Paste an error text or ask a question. /reset forgets what was said, /quit or Ctrl-D leaves."
PROMPT = "> "
PASTE_PAUSE_S = 0.05  # the lines of a paste come closer together than this


class BadUse(Exception):
    """An option or a text that cannot be used."""


def ask(options: argparse.Namespace) -> int:
    """One message, one answer; 0 where a cause or an answer was found."""
    try:
        context = _context(options.context)
        message = _message(options.message)
    except BadUse as error:
        return _complain(str(error), as_json=options.json)
    found = Assistant.load().ask(message, (), context)
    if options.json:
        print_json(found)
    else:
        show_markdown(found["answer"], Console())
    return EXIT["yes" if _answered(found) else "unknown"]


def chat(options: argparse.Namespace) -> int:
    """Messages and answers until the end of the input."""
    try:
        context = _context(options.context)
    except BadUse as error:
        return _complain(str(error))
    assistant, console = Assistant.load(), Console()
    _forgive()
    if sys.stdin.isatty():
        _edit_lines()
        console.line(WELCOME)
    history: list[Turn] = []
    while (message := _next()) is not None:
        command = message.strip()
        if command == "/quit":
            break
        if command == "/reset":
            history.clear()
        elif command:
            found = assistant.ask(message, history, context)
            history += [Turn("user", message), Turn("assistant", found["answer"])]
            console.line()
            show_markdown(found["answer"], console)
            console.line()
    return 0


# --- what is asked ----------------------------------------------------------------------------------------------------


def _context(given: Sequence[str]) -> dict[str, str]:
    """The context from `key=value` texts."""
    context: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or key not in CONTEXT_KEYS:
            raise BadUse(f"--context `{shortened(text)}`: write one of {', '.join(CONTEXT_KEYS)} as key=value")
        if not value.strip() or len(value) > MAX_VALUE or not value.isprintable():
            raise BadUse(f"--context `{key}`: the value is one line of at most {MAX_VALUE} characters")
        context[key] = value.strip()
    return {key: context[key] for key in CONTEXT_KEYS if key in context}


def _message(words: Sequence[str]) -> str:
    """The text given, or that of standard input; of more than can be read, the end."""
    if words and list(words) != ["-"]:
        message = " ".join(words)
    else:
        message = standard_input()
    if not message.strip():
        raise BadUse("there is no text; give it in quotes or on standard input")
    if len(message) > MAX_MESSAGE:
        print(f"whichcuda: only the last {MAX_MESSAGE} characters are read", file=sys.stderr)
    return message[-MAX_MESSAGE:]


def standard_input() -> str:
    """All of standard input that can be read: of more, the end."""
    if sys.stdin.isatty():
        print("Paste the text, then press Ctrl-D:", file=sys.stderr)
    _forgive()
    text = ""
    while piece := sys.stdin.read(MAX_MESSAGE):
        text = text[-MAX_MESSAGE:] + piece
    return text


def _forgive() -> None:
    """Read bytes that are no text too: logs hold some."""
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _edit_lines() -> None:
    """Let lines be edited and recalled, where the system can do that."""
    try:
        import readline  # noqa: F401  # `input` uses it once it is there
    except ImportError:
        return


def _next() -> str | None:
    """The next message; None at the end. A paste of many lines is one message."""
    terminal = sys.stdin.isatty()
    try:
        lines = [input(PROMPT if terminal else "")]
        while terminal and _more_waits():
            lines.append(input())
    except EOFError:
        if terminal:
            print()
        return None
    return "\n".join(lines)


def _more_waits() -> bool:
    try:
        return bool(select.select([sys.stdin], [], [], PASTE_PAUSE_S)[0])
    except (OSError, ValueError):  # a system that can only wait for sockets
        return False


# --- what is said -----------------------------------------------------------------------------------------------------


def _answered(found: Mapping[str, Any]) -> bool:
    """Whether the message got a cause or an answer; that it is about something else is none."""
    diagnosis = found["diagnosis"]
    known = diagnosis is not None and not diagnosis["id"].startswith("out_of_scope")
    return known or bool(found["fixes"])


def _complain(text: str, *, as_json: bool = False) -> int:
    if as_json:
        print_json(Problem("invalid-request", text).document())
    else:
        Console(sys.stderr).wrapped(text, first="whichcuda: ", rest="  ")
    return BAD_USE
