"""Ask the machine's own package index which wheels of a release there are.

The index is the one that pip is configured with, read at run time: this project names none. Its
answer is the JSON form of the simple API (PEP 691), which states a hash for every file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from matrices.measure.wheel import WheelName

__all__ = [
    "BadIndex",
    "IndexFile",
    "NoWheel",
    "choose_wheel",
    "index_url",
    "parse_project_page",
    "pip_configuration",
    "project_url",
]


class BadIndex(ValueError):
    """No index is configured, or its answer is not what the simple API promises."""


class NoWheel(LookupError):
    """The index has no wheel for the wanted release and platform; the message lists what it has."""


@dataclass(frozen=True, slots=True)
class IndexFile:
    """One file that the index lists: its name, where it is, and its SHA-256 in hexadecimal."""

    file: str
    url: str
    sha256: str


def pip_configuration() -> str:
    """What `pip config list` prints: one `section.name='value'` a line."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def index_url(configuration: str) -> str:
    """The index in `configuration`, as `pip_configuration` gives it.

    The environment goes before the command's own section and that before the global one, as in
    pip. Raises `BadIndex` when none is set: pip's built-in default is not taken, since a tool that
    asks a public index without being told to is a surprise behind a company's wall.
    """
    found: dict[str, str] = {}
    for line in configuration.splitlines():
        key, _, value = line.partition("=")
        found[key.strip()] = value.strip().strip("'\"")
    for key in (":env:.index-url", "download.index-url", "install.index-url", "global.index-url"):
        if found.get(key):
            return found[key]
    raise BadIndex(
        "pip is configured with no index: set PIP_INDEX_URL, or download the wheel with"
        " 'pip download --no-deps' and measure it with --file"
    )


def project_url(index: str, project: str) -> str:
    """The address of the page that lists the files of `project`."""
    return f"{index.rstrip('/')}/{project}/"


def parse_project_page(page: bytes, url: str) -> list[IndexFile]:
    """The files on a PEP 691 page that came from `url`, in the page's order.

    Files without a SHA-256 are left out, since an observation that cannot be tied to its artefact
    is worth nothing. Raises `BadIndex` for anything that is no such page, and for an empty one.
    """
    try:
        listed: list[dict[str, Any]] = json.loads(page)["files"]
        files = [
            IndexFile(item["filename"], urljoin(url, item["url"]), item["hashes"]["sha256"])
            for item in listed
            if "sha256" in item["hashes"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise BadIndex("the index does not answer with the JSON of the simple API") from error
    if not files:
        raise BadIndex("the index lists no file with a SHA-256")
    return files


def choose_wheel(
    files: Iterable[IndexFile], *, torch: str, python: str, os: str, machine: str
) -> tuple[IndexFile, WheelName]:
    """The wheel that pip would take: of several builds of one release the highest.

    Raises `NoWheel`, naming the Pythons and machines that there are for the release.
    """
    names: list[tuple[IndexFile, WheelName]] = []
    for file in files:
        try:
            name = WheelName.parse(file.file)
        except ValueError:
            continue  # source archives and other platforms
        if str(name.torch) == torch and name.local is None:
            names.append((file, name))
    wanted = [pair for pair in names if (str(pair[1].python), pair[1].os, pair[1].machine) == (python, os, machine)]
    if not wanted:
        there = sorted({f"{name.python} {name.os} {name.machine}" for _, name in names})
        raise NoWheel(f"no torch {torch} for Python {python}, {os}, {machine}; there are: {there}")
    return max(wanted, key=lambda pair: -1 if pair[1].build is None else pair[1].build)
