"""Ask the machine's own package index which wheels of a release there are.

The index is the one that pip would ask, read at run time: this project names none. Its
answer is the JSON form of the simple API (PEP 691), which states a hash for every file.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

from matrices.measure.names import WheelName, preference

__all__ = [
    "BadIndex",
    "IndexFile",
    "NoWheel",
    "choose_wheel",
    "find_source",
    "index_url",
    "parse_project_page",
    "pip_default",
    "project_url",
]


class BadIndex(ValueError):
    """pip names no index, or the answer is not what the simple API promises."""


class NoWheel(LookupError):
    """The index has no wheel for the wanted release and platform; the message lists what it has."""


@dataclass(frozen=True, slots=True)
class IndexFile:
    """One file that the index lists: its name, where it is, and its SHA-256 in hexadecimal."""

    file: str
    url: str
    sha256: str


def pip_default() -> str:
    """The index that pip itself would ask: its help shows the address that it is configured with or built with.

    Raises `BadIndex` when there is no pip or its help names none.
    """
    command = [sys.executable, "-m", "pip", "download", "--help"]
    wide = {**os.environ, "COLUMNS": "2000"}  # an address must not be cut into lines
    try:
        text = subprocess.run(command, capture_output=True, check=True, text=True, env=wide).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadIndex("pip cannot be asked for its index: name one with --index-url") from error
    return index_url(text)


def index_url(help: str) -> str:
    """The index that the help of pip names as its default. Raises `BadIndex` when it names none."""
    found = re.search(r"--index-url <url>.*?\(default:? (https?://[^\s)]+)\)", help, re.DOTALL)
    if found is None:
        raise BadIndex("pip names no index: give one with --index-url")
    if "****" in found[1]:
        raise BadIndex("pip shows no password of its index: give its address with --index-url")
    return found[1]


def project_url(index: str, project: str) -> str:
    """The address of the page that lists the files of `project`, in any spelling of its name."""
    return f"{index.rstrip('/')}/{canonicalize_name(project)}/"


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
    files: Iterable[IndexFile], *, version: str, python: str | None, os: str, machine: str
) -> tuple[IndexFile, WheelName]:
    """The wheel that pip would take: of several builds of one release the highest.

    Without a `python` the one for the newest ordinary Python is taken. Raises `NoWheel`, naming
    what there is for the release, and `ValueError` for what is no version.
    """
    wanted = Version(version)
    names: list[tuple[IndexFile, WheelName]] = []
    others: list[str] = []
    for file in files:
        try:
            name = WheelName.parse(file.file)
        except ValueError:
            others.append(file.file)  # source archives and other platforms
            continue
        if name.version == wanted:
            names.append((file, name))
    fitting = [pair for pair in names if pair[1].fits(os, machine, python)]
    if not fitting:
        there = sorted({f"{name.python} {name.os} {name.machine}" for _, name in names})
        sources = sorted(file for file in others if f"-{version}.tar.gz" in file or f"-{version}.zip" in file)
        raise NoWheel(f"no {version} for Python {python or 'any'}, {os}, {machine}; there are: {there + sources}")
    return max(fitting, key=lambda pair: (preference(pair[1].python), pair[1].build or -1, pair[1].file))


def find_source(files: Iterable[IndexFile], version: str) -> IndexFile | None:
    """The gzipped source archive of a release of which there is no wheel at all; None where there is one or neither.

    Where there are wheels, but none that fits, the archive is not what was asked for.
    """
    wanted = Version(version)
    found = None
    for file in files:
        try:
            if file.file.endswith(".whl"):
                if parse_wheel_filename(file.file)[1] == wanted:
                    return None
            elif file.file.endswith(".tar.gz") and parse_sdist_filename(file.file)[1] == wanted:
                found = file
        except (InvalidWheelFilename, InvalidSdistFilename):
            continue  # files of other kinds
    return found
