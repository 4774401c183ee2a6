"""The command `whichcuda`. Only the parser lives here; each command imports what it needs when it runs.

Exit status: 0 yes (`ask`: answered), 1 no, 2 bad use, 3 unknown; 70 a failure of the program itself.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from api import VERSION
from api.commands import refreshing
from matrices.measure import command as measuring

__all__ = ["main", "parser"]

FAILED = 70  # EX_SOFTWARE
DESCRIPTION = (
    "Tell it your GPU and it tells which driver, CUDA, PyTorch wheel and container image work, why, and what to type."
)
EXIT_STATUS = "exit status: 0 yes, 1 no, 2 bad use, 3 unknown"
EXIT_OF_ASK = (
    "exit status: 0 a cause or an answer was found, 2 bad use, 3 undecided, not known or not about NVIDIA GPUs"
)
ARTIFACTS = "dockerfile compose devcontainer kubernetes apptainer requirements uv conda pixi".split()
BASES = ("cuda", "pytorch", "ngc", "python")
MCP_USE = "exit status: 0 at the end, 2 where the library is not installed: pip install 'whichcuda[mcp]'"
RECONCILE_STATUS = "exit status: 0 nothing is contradicted, 1 a claim that counts or a rule is, 2 bad use"
CHAT_USE = "exit status: 0 at the end, 2 bad use"
CHANGES_USE = "exit status: 0 nothing changed, 1 something did, 2 bad use"
GPU_HELP = "as people write it: rtx5090, 'RTX 4090', sm_120, 10de:2b85, a line of `nvidia-smi -L`; - reads lines from standard input"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = parser().parse_args(arguments)
    command = options.command
    if arguments is None and command not in ("serve", "chat", "install", "mcp"):
        gc.disable()  # one short answer: what would be collected dies with the process
    try:
        if command == "serve":
            from api.commands.serve import serve

            return serve(options)
        if command in ("ask", "chat"):
            from api.commands.ask import ask, chat

            return ask(options) if command == "ask" else chat(options)
        if command == "doctor":
            from api.commands.doctor import doctor

            return doctor(options)
        if command == "install":
            from api.commands.install import install

            return install(options)
        if command == "gpus":
            from api.commands.gpus import gpus

            return gpus(options)
        if command == "mcp":
            from api.commands.mcp import mcp

            return mcp()
        if command == "changes":
            from api.commands.changes import changes

            return changes(options)
        if command == "measure":
            return measuring.measure(options)
        if command in ("artifact", "dockerfile"):
            from api.commands.artifact import artifact

            return artifact(options)
        if command == "refresh":
            from api.commands.refresh import refresh

            return refresh(options)
        if command == "reconcile":
            from api.commands.reconcile import reconcile

            return reconcile(options)
        from api.commands.answers import answer

        return answer(options)
    except BrokenPipeError:  # the reader had enough; nothing is left to say it to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception:  # a failure of our own must not look like a verdict: Python would exit with 1, which means no
        traceback.print_exc()
        return FAILED


def _port(text: str) -> int:
    """A port to listen on; 0 takes a free one."""
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("from 0 to 65535")
    return port


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    whole = argparse.ArgumentParser(prog="whichcuda", description=DESCRIPTION, epilog=EXIT_STATUS, allow_abbrev=False)
    whole.add_argument("--version", action="version", version=f"whichcuda {VERSION}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, help: str, epilog: str = EXIT_STATUS) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help, description=help, epilog=epilog, allow_abbrev=False)

    resolve = command("resolve", "which stacks work for one or several GPUs, best first")
    resolve.add_argument("gpu", nargs="+", help=GPU_HELP)
    _question(resolve)
    resolve.add_argument("--limit", type=_positive, default=5, help="how many stacks at most (5)")
    resolve.add_argument("--save", metavar="FILE", help="write the best stack to a file that `check --stack` reads")
    resolve.add_argument("--why", action="store_true", help="show the reasons for the best stack, with their sources")
    resolve.add_argument("--json", action="store_true", help="the answer of the HTTP interface")

    check = command("check", "whether a stack works; a part that is not named is not judged")
    check.add_argument("gpu", nargs="*", help=GPU_HELP)
    _parts(check)
    check.add_argument("--image", help="a container image with its tag")
    check.add_argument(
        "--stack", metavar="FILE", help="a stack kept by `resolve --save`: does it still work, what has changed"
    )
    check.add_argument("--json", action="store_true", help="the answer of the HTTP interface")

    ask = command("ask", "what broke and how to mend it: an error text, a log, a question", EXIT_OF_ASK)
    ask.add_argument("message", nargs="*", help="the text; without it, or with -, standard input is read")
    _context(ask)
    ask.add_argument("--json", action="store_true", help="the answer of the HTTP interface")

    chat = command(
        "chat", "the same in a conversation that remembers: /reset forgets, /quit or Ctrl-D leaves", CHAT_USE
    )
    _context(chat)

    dockerfile = command("dockerfile", "a pinned Dockerfile for the best stack")
    dockerfile.add_argument("gpu", nargs="+", help=GPU_HELP)
    _question(dockerfile)
    dockerfile.add_argument("--base", choices=BASES, default="cuda", help="the base image (cuda)")
    dockerfile.add_argument("--workload", choices=("run", "build"), default="run", help="build adds the compiler (run)")
    dockerfile.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of standard output")
    dockerfile.add_argument("--json", action="store_true", help="report what goes wrong as a problem document")

    build = command("build", "what to compile with: the toolkit, the lists of architectures, the host compiler")
    build.add_argument("gpu", nargs="+", help=GPU_HELP)
    _question(build)
    build.add_argument("--compiler", help="the host compiler: gcc-13 or clang-18 (that of the system named)")
    build.add_argument("--json", action="store_true", help="the answer of the HTTP interface")

    _machine_commands(command)
    _artifact(command)

    gpus = command("gpus", "the GPUs that are known, or those whose names hold the words given")
    gpus.add_argument("query", nargs="*", help="words of the name")
    gpus.add_argument("--architecture", help="such as Blackwell")
    gpus.add_argument("--compute-capability", metavar="X.Y", help="such as 8.6")
    gpus.add_argument("--json", action="store_true", help="the answer of the HTTP interface")

    measuring.add_arguments(command("measure", measuring.DESCRIPTION, measuring.EXIT_STATUS))
    refreshing.add_arguments(command("refresh", refreshing.DESCRIPTION, refreshing.EXIT_STATUS))
    compared = command("reconcile", "the claims and the rules beside what was observed", RECONCILE_STATUS)
    compared.add_argument("--observations", type=Path, help="a folder of observations; those of the project by default")
    compared.add_argument("--json", action="store_true", help="everything as JSON")

    command("mcp", "the answers as tools of the Model Context Protocol, over standard input and output", MCP_USE)

    changes = command("changes", "what a new catalogue changes: claims, and the verdicts that follow", CHANGES_USE)
    changes.add_argument("old", help="a catalogue.json of before; - reads standard input")
    changes.add_argument("new", nargs="?", help="the one of after (the one that is installed)")
    changes.add_argument("--json", action="store_true", help="as data instead of Markdown")

    serve = command("serve", "run the HTTP service")
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    serve.add_argument("--port", type=_port, default=8000, help="the port to listen on (8000)")
    serve.add_argument("--workers", type=_positive, default=1, help="how many processes (1)")
    return whole


def _machine_commands(command: Callable[..., argparse.ArgumentParser]) -> None:
    """The commands that look at the machine they run on."""
    doctor = command("doctor", "what stands between this machine's programs and its GPU, and what mends it")
    doctor.add_argument(
        "--gpu", action="append", default=[], metavar="NAME", help="in place of what is seen; may be repeated"
    )
    for name in ("os", "machine", "driver", "python"):
        doctor.add_argument(f"--{name}", help="in place of what is seen")
    _environment(doctor)
    doctor.add_argument(
        "--skip", action="append", default=[], metavar="PROBE", help="leave a probe out; may be repeated"
    )
    doctor.add_argument(
        "--from",
        dest="from_",
        action="append",
        default=[],
        metavar="PROBE=FILE",
        help="a saved text in place of a probe",
    )
    doctor.add_argument(
        "--paste", metavar="FILE", help="text from another machine instead of this one; - is standard input"
    )
    doctor.add_argument("--stack", metavar="FILE", help="a stack kept by `resolve --save`: is this machine like it")
    doctor.add_argument(
        "--probe", action="store_true", help="run one tiny kernel per dtype with the environment's torch"
    )
    shape = doctor.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="everything as JSON")
    shape.add_argument("--report", action="store_true", help="an observation as JSON, without private data")

    install = command("install", "install what fits this machine: shows the command and why, asks, runs it")
    install.add_argument("package", nargs="*", help="torch, torchvision, vllm, ... (torch and its companions)")
    install.add_argument(
        "--gpu", action="append", default=[], metavar="NAME", help="in place of what is seen; may be repeated"
    )
    install.add_argument("--driver", help="in place of what is seen")
    _environment(install)
    install.add_argument(
        "--with", dest="tool", choices=("pip", "uv"), help="the installer (uv where uv made the environment)"
    )
    install.add_argument("--yes", action="store_true", help="do not ask")
    install.add_argument("--dry-run", action="store_true", help="show only")
    install.add_argument("--json", action="store_true", help="the command and the stack as JSON; nothing is run")


def _environment(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--python-of", metavar="INTERPRETER", help="the Python whose packages count (the active environment's)"
    )
    parser.add_argument(
        "--time-limit", type=_seconds, default=10.0, metavar="SECONDS", help="for each program asked (10)"
    )


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError("more than 0 and at most 3600")
    return seconds


def _artifact(command: Callable[..., argparse.ArgumentParser]) -> None:
    """The files for the best stack."""
    artifact = command("artifact", "a file for the best stack, for Compose, Kubernetes, uv and others")
    artifact.add_argument("artifact", choices=ARTIFACTS, metavar="KIND", help=", ".join(ARTIFACTS))
    artifact.add_argument("gpu", nargs="+", help=GPU_HELP)
    _question(artifact)
    artifact.add_argument("--base", choices=BASES, help="the base image of a container")
    artifact.add_argument("--workload", choices=("run", "build"), help="build adds the compiler")
    artifact.add_argument("--name", help="what the result is called")
    artifact.add_argument("--image", help="the name of the built image, for compose and kubernetes")
    artifact.add_argument("--kind", choices=("pod", "job"), dest="object", help="which object of kubernetes")
    artifact.add_argument("--count", help="how many GPUs a container of kubernetes gets")
    artifact.add_argument("--mig", metavar="PROFILE", help="an instance of a GPU for kubernetes, such as 1g.10gb")
    artifact.add_argument("--runtime-class", metavar="NAME", help="the RuntimeClass of kubernetes")
    artifact.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of standard output")
    artifact.add_argument("--json", action="store_true", help="report what goes wrong as a problem document")


def _question(parser: argparse.ArgumentParser) -> None:
    _parts(parser)
    parser.add_argument(
        "--prefer", choices=("newest", "conservative"), default="newest", help="newest, or one minor back"
    )


def _parts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--os", help="such as ubuntu-24.04, windows-11, wsl2 (linux)")
    parser.add_argument("--machine", help="x86_64 or aarch64 (what the GPU is built into)")
    parser.add_argument("--driver", help="the driver installed: 570 or 570.124.06")
    parser.add_argument("--python", help="a version or specifier")
    parser.add_argument("--container-runtime", metavar="MODE", help="how containers get their GPUs: legacy or cdi")
    parser.add_argument("--torch", help="a version or specifier, with a variant where wanted: 2.6.0+cu124")
    parser.add_argument("--cuda", help="a version or specifier")
    parser.add_argument(
        "--package", action="append", default=[], metavar="REQUIREMENT", help="must fit too; may be repeated"
    )


def _context(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--context",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what is known of the machine: gpu, driver, torch, cuda, python, os, image; may be repeated",
    )


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:9]) <= 1000:
        raise argparse.ArgumentTypeError("a whole number from 1 on")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
