"""A fixed set of questions, asked of two catalogues: what a change of the data does to answers.

The questions are people's commonest, not facts: which GPU, which driver, which system, which torch is pinned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from matrices.catalogue import Catalogue
from resolver.engine import Asked, Engine
from resolver.errors import BadQuestion

__all__ = ["Answer", "answers", "differences", "questions"]

GPUS = (
    "Tesla K80",
    "GTX 970",
    "GTX 1080 Ti",
    "Tesla P100",
    "V100",
    "T4",
    "RTX 2080 Ti",
    "A100",
    "RTX 3090",
    "RTX 4090",
    "L40S",
    "H100",
    "B200",
    "RTX 5090",
    "RTX PRO 6000 Blackwell",
)
SYSTEMS = ("linux", "ubuntu-24.04", "windows-11", "wsl2")
DRIVERS = (None, "470", "535", "570", "580", "595")
TORCHES = ("1.13.1", "2.4.1", "2.6.0", "2.7.1+cu128", "2.9.1", "2.11.0", "2.14.1+cu126", ">=2.14")


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict, and the best build where there is one."""

    verdict: str
    build: str = ""


def questions() -> Iterator[tuple[str, Asked]]:
    """Every question with a label that is for ever."""
    for gpu in GPUS:
        for os in SYSTEMS:
            for driver in DRIVERS:
                label = f"{gpu}, {os}" + (f", driver {driver}" if driver else "")
                yield label, Asked(gpus=(gpu,), os=os, driver=driver, limit=1)
        for torch in TORCHES:
            yield f"{gpu}, linux, torch {torch}", Asked(gpus=(gpu,), torch=torch, limit=1)
    yield "GH200, linux, aarch64", Asked(gpus=("GH200",), machine="aarch64", limit=1)


def answers(catalogue: Catalogue) -> dict[str, Answer]:
    """The answer to every question by its label."""
    engine = Engine(catalogue)
    return {label: _answer(engine, asked) for label, asked in questions()}


def _answer(engine: Engine, asked: Asked) -> Answer:
    try:
        found = engine.resolve(asked)
    except BadQuestion as error:
        return Answer(type(error).__name__)
    if not found["stacks"]:
        return Answer(found["verdict"])
    torch = found["stacks"][0]["torch"]
    return Answer(found["verdict"], f"{torch['version']}+{torch['variant']}")


def differences(before: dict[str, Answer], after: dict[str, Answer]) -> list[str]:
    """In lines: how many verdicts change, each of them, and how often the best build is another one."""
    labels = [label for label in before if label in after]
    turned = [label for label in labels if before[label].verdict != after[label].verdict]
    counted = Counter((before[label].verdict, after[label].verdict) for label in turned)
    lines = [f"{_stacks(number)} {old} -> {new}" for (old, new), number in sorted(counted.items())]
    lines += [f"  {label}: {before[label].verdict} -> {after[label].verdict}" for label in turned]
    rebuilt = Counter(
        (before[label].build, after[label].build)
        for label in labels
        if label not in turned and before[label].build != after[label].build
    )
    lines += [
        f"{_stacks(number)} with another best build: {old} -> {new}" for (old, new), number in sorted(rebuilt.items())
    ]
    return lines or [f"no verdict of {len(labels)} changes"]


def _stacks(number: int) -> str:
    return f"{number} stack" + ("" if number == 1 else "s")
