"""`python -m matrices.measure wheel torch==2.14.1 --python 3.12`: measure, show or write it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

from matrices.measure import door
from matrices.measure.index import (
    NoWheel,
    choose_wheel,
    index_url,
    parse_project_page,
    pip_configuration,
    project_url,
)
from matrices.measure.remote_zip import RemoteZip
from matrices.measure.wheel import WheelName, measure_wheel

__all__ = ["main", "write_observation"]


def main(arguments: Sequence[str] | None = None, today: str | None = None) -> int:
    """Run the command; the exit code is 0, or 1 with one line on standard error.

    `today` is the date to write, `YYYY-MM-DD`; by default that of the clock, in UTC.
    """
    options = _parser().parse_args(arguments)
    date = today or datetime.now(UTC).date().isoformat()
    try:
        if options.file is None:
            observation = _measure_remote(options, date)
        else:
            observation = _measure_file(options.file, date)
        if options.output is None:
            sys.stdout.write(_as_text(observation))
        else:
            print(write_observation(observation, options.output))
    except (OSError, ValueError, KeyError, NoWheel) as error:
        print(f"measure: {_shown_error(error)}", file=sys.stderr)
        return 1
    return 0


def write_observation(observation: dict[str, Any], folder: Path) -> Path:
    """Write `observation` as `folder/YYYY/MM/id.json` and return that path.

    Observations are append-only: raises `FileExistsError` when the file is there and differs.
    """
    year, month, _ = str(observation["measured_on"]).split("-")
    path = folder / year / month / f"{observation['id']}.json"
    text = _as_text(observation)
    if path.exists():
        if path.read_text(encoding="utf-8") == text:
            return path
        raise FileExistsError(f"{path.name} was observed before, and differently")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _measure_remote(options: argparse.Namespace, date: str) -> dict[str, Any]:
    project, _, version = str(options.requirement).partition("==")
    if project != "torch" or not version:
        raise ValueError("only 'torch==VERSION' can be measured")
    page_url = project_url(options.index_url or index_url(pip_configuration()), project)
    files = parse_project_page(door.fetch_page(page_url), page_url)
    file, name = choose_wheel(files, torch=version, python=options.python, os=options.os, machine=options.machine)
    archive = RemoteZip(file.url, door.fetch_size(file.url), door.fetch_range)
    listed = [each.file for each in files]
    return measure_wheel(archive, name, sha256=file.sha256, files=listed, measured_on=date)


def _measure_file(path: Path, date: str) -> dict[str, Any]:
    archive = RemoteZip(str(path), path.stat().st_size, door.file_range)
    return measure_wheel(
        archive,
        WheelName.parse(path.name),
        sha256=door.file_sha256(str(path)),
        files=None,
        measured_on=date,
    )


def _as_text(observation: dict[str, Any]) -> str:
    return json.dumps(observation, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _shown_error(error: Exception) -> str:
    if isinstance(error, HTTPError):
        return f"the package index answers {error.code}"
    if isinstance(error, URLError):
        return "the package index cannot be reached"  # the cause would show its address
    return f"{type(error).__name__}: {error}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m matrices.measure", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    wheel = kinds.add_parser("wheel", help="read the GPU code of a torch wheel; needs no GPU")
    what = wheel.add_mutually_exclusive_group(required=True)
    what.add_argument("requirement", nargs="?", help="torch==VERSION, read through byte ranges")
    what.add_argument("--file", type=Path, help="a wheel that lies on this machine")
    wheel.add_argument("--python", default="3.12", help="such as 3.12 or 3.13t")
    wheel.add_argument("--machine", default="x86_64", help="x86_64 or aarch64")
    wheel.add_argument("--os", default="linux", help="linux or windows")
    wheel.add_argument("--index-url", help="an index with byte ranges; default: pip's configuration")
    wheel.add_argument("--output", type=Path, help="the observations folder; default: print")
    return parser


if __name__ == "__main__":  # pragma: no cover - the way in, `main` is tested
    raise SystemExit(main())
