"""What a symptom file says: one cause, how it shows, what mends it. Data only; `assistant.match` decides.

One TOML per cause below `assistant/symptoms/`, named after its id, a label of the taxonomy. Texts for people stand in English and
Chinese side by side. `python -m assistant.build` checks the files and compiles them to `symptoms.json`, which is loaded at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

__all__ = ["Ask", "Code", "Cue", "Fix", "Symptom", "Text", "Verify"]

Weight = Literal["decisive", "strong", "weak"]
OsName = Literal["linux", "windows", "wsl", "container", "kubernetes", "jetson"]

_FORBID: dict[str, Any] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class Text:
    """The same words in both languages."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Cue:
    """Something in the text that speaks for the cause.

    Exactly one of:
        line: lower-case literals that stand in one line, in this order (`*` between them is implied).
        text: lower-case literals that all stand somewhere in the whole text.
        regex: a regular expression for one line, lower-case, tried only on lines that hold `needle`; it must not
            nest repetitions, and `.` repetitions are bounded.

    `weight`: decisive - a message printed for this cause and hardly any other; strong - speaks for it unless better
    evidence stands beside it; weak - one of many signs. `samples` are texts (as printed, any case) that it must match;
    `counter` are look-alikes that it must not match. `unless`: lower-case literals anywhere in the text that annul it.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    weight: Weight
    samples: tuple[str, ...]
    line: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    regex: str | None = None
    needle: str | None = None
    unless: tuple[str, ...] = ()
    counter: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fix:
    """One step. `commands` are shown each in a block of its own; `os` empty: for every system.

    `{...}` in commands and texts are filled from what was read and resolved, and a step whose value is not known is shown
    with a `<...>` in its place: {gpu} {capability} {arch_list} {driver} {driver_minimum} {driver_branch} {torch} {pip} {cuda}
    {toolkit} {image} {kernel} {python}.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    text: Text
    commands: tuple[str, ...] = ()
    os: tuple[OsName, ...] = ()


@dataclass(frozen=True, slots=True)
class Verify:
    """How one sees that it is mended."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    text: Text
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """The one question (and the command whose output answers it) that separates this cause from its look-alikes."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    text: Text
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Symptom:
    """One cause. `when` and `unless` name predicates of `assistant.evidence` over what was read and resolved:
    each of `when` that holds speaks strongly for it; one of `needs` must hold; one of `unless` excludes it."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    id: str
    group: Literal["A", "B", "C", "D", "E", "F", "M", "N"]
    title: Text
    cue: tuple[Cue, ...]
    explanation: Text
    fix: tuple[Fix, ...] = ()
    verify: Verify | None = None
    ask: Ask | None = None
    wrong_advice: tuple[Text, ...] = ()
    phrases: dict[Literal["en", "zh"], tuple[str, ...]] | None = None  # how people say it without a printed message
    when: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()  # causes that are its consequences: it stands before them
    stacks: bool = False  # whether the resolver's stack for the GPU and versions read is the fix
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Code:
    """A number with a meaning: an Xid, a CUDA runtime or driver error, an NVML return, an NCCL result."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _FORBID
    family: Literal["xid", "cuda-runtime", "cuda-driver", "nvml", "nccl", "windows-event"]
    number: int
    name: str
    meaning: Text
    action: Text
    source: str
    cause: str | None = None  # the symptom it points at
    weight: Weight = "strong"
