"""A stack kept in a file: `resolve --save` writes it, `check --stack` and `doctor --stack` hold today against it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api import VERSION
from resolver.engine import Asked, Checked

__all__ = ["BadStackFile", "StackFile", "changed", "read_stack", "stack_text"]

FORMAT = 1
_MOST = 256 * 1024  # bytes


class BadStackFile(ValueError):
    """A file that is no stack file; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class StackFile:
    """A stack that was chosen, and the data it was chosen by.

    Attributes:
        gpus: names as the resolver takes them.
        driver_minimum: the least driver that the stack was good for.
        claims: ids of the claims it rested on.
    """

    data_version: str
    gpus: tuple[str, ...]
    os: str
    machine: str | None
    driver: str | None
    driver_minimum: str | None
    torch: str
    python: str | None
    packages: tuple[str, ...]
    claims: tuple[str, ...]

    def checked(self) -> Checked:
        """The stack as a question to the checker. Without an installed driver the least one is judged."""
        return Checked(
            gpu=self.gpus,
            driver=self.driver or self.driver_minimum,
            torch=self.torch,
            python=self.python,
            os=self.os,
            machine=self.machine,
            packages=self.packages,
        )


def stack_text(asked: Asked, answer: dict[str, Any]) -> str:
    """The first stack of an answer as TOML. Every text is written as a quoted TOML string.

    Raises:
        ValueError: when the answer has no stack that surely works.
    """
    if answer["verdict"] != "yes":
        raise ValueError("only a stack that surely works is saved")
    stack = answer["stacks"][0]
    torch = stack["torch"]
    packages = [f"{name}=={version}" for name, version in torch["companions"].items()]
    packages += [chosen["requirement"] for _, chosen in sorted(stack["packages"].items())]
    claims = sorted({reason["claim"] for reason in stack["because"] if reason["claim"]})
    lines = [
        "# A stack chosen by whichcuda. Hold it against today:  whichcuda check --stack FILE",
        f"format = {FORMAT}",
        f"code_version = {_quoted(VERSION)}",
        f"data_version = {_quoted(answer['data_version'])}",
        "",
        "[machine]",
        f"gpus = {_quoted([gpu['id'] or gpu['name'] for gpu in stack['gpus']])}",
        f"os = {_quoted(asked.os)}",
        *([f"machine = {_quoted(asked.machine)}"] if asked.machine else []),
        *([f"driver = {_quoted(asked.driver)}"] if asked.driver else []),
        *([f"driver_minimum = {_quoted(stack['driver']['minimum'])}"] if stack["driver"]["minimum"] else []),
        "",
        "[stack]",
        f"torch = {_quoted(torch['version'] + '+' + torch['variant'])}",
        *([f"python = {_quoted(asked.python)}"] if asked.python else []),
        f"packages = {_quoted(packages)}",
        *([f"index_url = {_quoted(torch['index_url'])}"] if torch["index_url"] else []),
        f"images = {_quoted([image['reference'] for image in stack['images']])}",
        f"install = {_quoted(stack['install']['pip'])}",
        "",
        "[evidence]",
        f"weakest = {_quoted(stack['evidence'])}",
        "claims = [",
        *(f"  {_quoted(claim)}," for claim in claims),
        "]",
        "",
    ]
    return "\n".join(lines)


def read_stack(path: str) -> StackFile:
    """The stack in a file.

    Raises:
        BadStackFile: when it cannot be read as one.
    """
    try:
        raw = Path(path).read_bytes()
        tables = tomllib.loads(raw[:_MOST].decode("utf-8"))
    except OSError as error:
        raise BadStackFile(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise BadStackFile(f"{path} is not TOML: {error}") from None
    if tables.get("format") != FORMAT:
        raise BadStackFile(f"{path} is no stack file of format {FORMAT}")
    try:
        machine, stack = tables["machine"], tables["stack"]
        return StackFile(
            data_version=_text(tables["data_version"]),
            gpus=tuple(map(_text, machine["gpus"])),
            os=_text(machine["os"]),
            machine=_text(machine["machine"]) if "machine" in machine else None,
            driver=_text(machine["driver"]) if "driver" in machine else None,
            driver_minimum=_text(machine["driver_minimum"]) if "driver_minimum" in machine else None,
            torch=_text(stack["torch"]),
            python=_text(stack["python"]) if "python" in stack else None,
            packages=tuple(map(_text, stack["packages"])),
            claims=tuple(map(_text, tables["evidence"]["claims"])),
        )
    except (KeyError, TypeError) as error:
        raise BadStackFile(f"{path} lacks {error}") from None


def changed(old: StackFile, known: set[str], answer: dict[str, Any], data_version: str) -> Iterator[str]:
    """What has changed since the stack was chosen, in sentences: the data, claims it rested on, a newer stack.

    `known` are the ids of all claims today; `answer` is the resolver's answer to the same machine today.
    """
    if data_version != old.data_version:
        yield f"The data was of {old.data_version} then and is of {data_version} now."
    gone = sorted(set(old.claims) - known)
    if gone:
        yield f"Claims it rested on are gone: {', '.join(gone)}."
    best = answer["stacks"][0] if answer["verdict"] == "yes" else None
    if best is not None:
        newest = f"{best['torch']['version']}+{best['torch']['variant']}"
        if newest != old.torch:
            yield f"The newest stack for this machine is torch {newest} now."


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text, not {value!r}")
    return value


def _quoted(value: str | list[str]) -> str:
    """As a TOML text or list: JSON's escapes are TOML's, but for the one control character that JSON lets through."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
