"""The command that measures: its arguments, and what each kind of measurement does.

What a measurement needs is imported when it runs, since the arguments are also part of `whichcuda`.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

__all__ = ["DESCRIPTION", "EXIT_STATUS", "add_arguments", "measure"]

DESCRIPTION = "read facts from the things themselves, and print them or write them as an observation"
EXIT_STATUS = "exit status: 0 measured, 1 not measured, 2 bad use"


class BadUse(Exception):
    """What was asked for cannot be understood."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the kinds of measurements and their arguments."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")

    def kind(name: str, help: str) -> argparse.ArgumentParser:
        return kinds.add_parser(name, help=help, description=help, epilog=EXIT_STATUS, allow_abbrev=False)

    _wheel_arguments(
        kind(
            "wheel", "the GPU code of a wheel and what it needs, or that there is a source archive only; without a GPU"
        )
    )
    _toolkit_arguments(kind("toolkit", "what a CUDA compiler makes code for; runs it, without a GPU"))
    _machine_arguments(kind("machine", "the GPUs, the driver and the torch of this machine"))
    for parser in kinds.choices.values():
        parser.add_argument("--output", type=Path, metavar="FOLDER", help="the observations folder; default: print")


def measure(options: argparse.Namespace, today: str | None = None) -> int:
    """Measure and print or write; 0, else one line on standard error and 1, or 2 for what cannot be asked.

    `today` is the date to write, `YYYY-MM-DD`; by default that of the clock, in UTC.
    """
    from matrices.measure.observation import as_text, write_observation

    date = today or datetime.now(UTC).date().isoformat()
    try:
        observation = _KINDS[options.kind](options, date)
        if options.output is None:
            sys.stdout.write(as_text(observation))
        else:
            print(write_observation(observation, options.output))
    except BadUse as error:
        print(f"measure: {error}", file=sys.stderr)
        return 2
    except (OSError, ValueError, LookupError) as error:
        print(f"measure: {_shown_error(error)}", file=sys.stderr)
        return 1
    return 0


def _wheel_arguments(wheel: argparse.ArgumentParser) -> None:
    what = wheel.add_mutually_exclusive_group(required=True)
    what.add_argument("requirement", nargs="?", help="PROJECT==VERSION, read through byte ranges")
    what.add_argument("--file", type=Path, help="a wheel that lies on this machine")
    wheel.add_argument("--python", help="such as 3.12 or 3.13t; default: the newest that there is a wheel for")
    wheel.add_argument("--machine", default="x86_64", help="x86_64 or aarch64 (x86_64)")
    wheel.add_argument("--os", default="linux", help="linux or windows (linux)")
    wheel.add_argument("--index-url", metavar="URL", help="an index with byte ranges; default: the one pip asks")


def _wheel(options: argparse.Namespace, date: str) -> dict[str, Any]:
    from matrices.measure import door
    from matrices.measure.names import WheelName
    from matrices.measure.remote_zip import RemoteZip
    from matrices.measure.wheel import measure_wheel

    if options.file is not None:
        path: Path = options.file
        archive = RemoteZip(str(path), path.stat().st_size, door.file_range)
        sha256 = door.file_sha256(str(path))
        return measure_wheel(archive, WheelName.parse(path.name), sha256=sha256, files=None, measured_on=date)
    from matrices.measure.index import (
        NoWheel,
        choose_wheel,
        find_source,
        parse_project_page,
        pip_default,
        project_url,
    )
    from matrices.measure.source import measure_source

    project, _, version = options.requirement.partition("==")
    if not version:
        raise BadUse("what is measured is named PROJECT==VERSION")
    page_url = project_url(options.index_url or pip_default(), project)
    files = parse_project_page(door.fetch_page(page_url), page_url)
    try:
        file, name = choose_wheel(files, version=version, python=options.python, os=options.os, machine=options.machine)
    except NoWheel:
        source = find_source(files, version)
        if source is None:
            raise
        body = door.fetch_range(source.url, 0, door.fetch_size(source.url))
        return measure_source(body, source.file, sha256=source.sha256, measured_on=date)
    archive = RemoteZip(file.url, door.fetch_size(file.url), door.fetch_range)
    listed = [each.file for each in files]
    return measure_wheel(archive, name, sha256=file.sha256, files=listed, measured_on=date)


def _toolkit_arguments(toolkit: argparse.ArgumentParser) -> None:
    toolkit.add_argument("cuda", help="a release such as 12.8, or a build of its compiler such as 12.8.61")
    toolkit.add_argument("--index-url", metavar="URL", help="an index with byte ranges; default: the one pip asks")


def _toolkit(options: argparse.Namespace, date: str) -> dict[str, Any]:
    import platform

    from matrices.measure import door
    from matrices.measure.index import parse_project_page, pip_default, project_url
    from matrices.measure.remote_zip import RemoteZip
    from matrices.measure.toolkit import CompilerWheel, compiler_projects, measure_toolkit, newest_compiler

    index = options.index_url or pip_default()
    wheels: list[CompilerWheel] = []
    for project in compiler_projects(options.cuda):
        page_url = project_url(index, project)
        files = parse_project_page(door.fetch_page(page_url), page_url)
        build = str(wheels[0].name.version) if wheels else options.cuda
        file, name = newest_compiler(files, build, "linux", platform.machine())
        wheels.append(CompilerWheel(file, name, RemoteZip(file.url, door.fetch_size(file.url), door.fetch_range)))
    return measure_toolkit(wheels, door.run_program, measured_on=date)


def _machine_arguments(machine: argparse.ArgumentParser) -> None:
    machine.add_argument("--no-probe", action="store_true", help="do not run torch")


def _machine(options: argparse.Namespace, date: str) -> dict[str, Any]:
    from matrices.measure.machine import Doors, measure_machine

    return measure_machine(Doors(), measured_on=date, probe=not options.no_probe)


_KINDS = {"machine": _machine, "toolkit": _toolkit, "wheel": _wheel}


def _shown_error(error: Exception) -> str:
    from urllib.error import HTTPError, URLError

    if isinstance(error, HTTPError):
        return f"the package index answers {error.code}"
    if isinstance(error, URLError):
        return "the package index cannot be reached"  # the cause would show its address
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error.args[0]) if error.args else type(error).__name__
