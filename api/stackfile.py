"""A stack kept in a file: `resolve --save` writes it, `check --stack` and `doctor --stack` hold today against it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from api import VERSION
from resolver.engine import Asked, Checked, Engine
from resolver.labels import label_of

__all__ = ["BadStackFile", "StackFile", "changed", "judged", "read_stack", "stack_text"]

FORMAT = 1
_MOST = 256 * 1024  # bytes


class BadStackFile(ValueError):
    """A file that is no stack file; the message says what is wrong."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Machine(_Strict):
    gpus: list[str]
    os: str
    machine: str | None = None
    driver: str | None = None
    driver_minimum: str | None = None


class _Stack(_Strict):
    torch: str
    python: str | None = None
    packages: list[str]
    index_url: str | None = None
    images: list[str]
    install: str


class _Evidence(_Strict):
    weakest: str
    claims: list[str]


class _File(_Strict):
    format: int
    code_version: str
    data_version: str
    machine: _Machine
    stack: _Stack
    evidence: _Evidence


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
    images: tuple[str, ...]
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


def judged(engine: Engine, kept: StackFile, stack: Checked) -> dict[str, Any]:
    """What the checker finds on a stack, and on each image that was kept with it: whether it can be pulled and started there.

    An image that is known not to do makes the verdict a no; that it is not known is only said, since an image is one of several.

    Raises:
        BadQuestion: when a part cannot be read.
    """
    found = engine.check(stack)
    findings = list(found["findings"])
    verdict = found["verdict"]
    for image in kept.images:
        beside = engine.check(
            Checked(gpu=stack.gpu, driver=stack.driver, os=stack.os, machine=stack.machine, image=image)
        )
        new = [each for each in beside["findings"] if each["severity"] != "ok" and each not in findings]
        findings += [
            {**each, "severity": "warning" if each["severity"] == "unknown" else each["severity"]} for each in new
        ]
        if any(each["severity"] == "error" for each in new):
            verdict = "no"
    return {**found, "verdict": verdict, "findings": findings}


def stack_text(asked: Asked, answer: dict[str, Any]) -> str:
    """The first stack of an answer as TOML. Every text is written as a quoted TOML string.

    Raises:
        ValueError: when the answer has no stack that surely works.
    """
    if answer["verdict"] != "yes":
        raise ValueError("only a stack that surely works is saved")
    stack = answer["stacks"][0]
    torch = stack["torch"]
    if stack.get("jetpack") is not None:
        raise ValueError("on Jetson the JetPack release is the stack: keep that instead")
    packages = [f"{name}=={version}" for name, version in torch["companions"].items() if version]
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
        f"torch = {_quoted(label_of(torch))}",
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
        file = _File.model_validate(tables)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise BadStackFile(f"{path}: `{place}`: {fault['msg'].lower()}") from None
    machine, stack = file.machine, file.stack
    return StackFile(
        data_version=file.data_version,
        gpus=tuple(machine.gpus),
        os=machine.os,
        machine=machine.machine,
        driver=machine.driver,
        driver_minimum=machine.driver_minimum,
        torch=stack.torch,
        python=stack.python,
        packages=tuple(stack.packages),
        images=tuple(stack.images),
        claims=tuple(file.evidence.claims),
    )


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
        newest = label_of(best["torch"])
        if newest != old.torch:
            yield f"The newest stack for this machine is torch {newest} now."


def _quoted(value: str | list[str]) -> str:
    """As a TOML text or list: JSON's escapes are TOML's, but for the one control character that JSON lets through."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
