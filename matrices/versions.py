"""Versions as types: a compute capability is never a string or a float, and `580.95.05` keeps its text.

Every class here is immutable, ordered, hashable, parses with `parse` (raising `InvalidVersion`) and
prints with `str` in the spelling of its own field. `"12.10"` read as a float and `"2.1"` found inside
`"12.1"` are bugs that have happened to others; a type makes them impossible.
"""

from __future__ import annotations

import re
from typing import Any, Self

__all__ = [
    "ArchTarget",
    "ComputeCapability",
    "CudaVersion",
    "DriverVersion",
    "InvalidVersion",
    "PythonVersion",
    "TorchVersion",
]


class InvalidVersion(ValueError):
    """A text that is not a version of the wanted kind; `kind` and `text` say which."""

    def __init__(self, kind: str, text: object) -> None:
        shown = repr(text) if len(repr(text)) <= 80 else repr(text)[:77] + "..."
        super().__init__(f"not a {kind}: {shown}")
        self.kind = kind
        self.text = text


def _match(pattern: re.Pattern[str], kind: str, text: object) -> re.Match[str]:
    """The match of the whole of `text`, or `InvalidVersion`; only short ASCII text is looked at."""
    found = None
    if isinstance(text, str) and len(text) <= 40 and text.isascii():
        found = pattern.fullmatch(text.strip())
    if found is None:
        raise InvalidVersion(kind, text)
    return found


class _Version:
    """Shared behaviour: compared, hashed and validated through `key`."""

    __slots__ = ("hashed", "key")
    key: tuple[Any, ...]
    hashed: int  # versions are keys of many tables, so their hash is made once

    def _known_by(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self.hashed = hash(key)

    @classmethod
    def parse(cls, text: object) -> Self:
        raise NotImplementedError  # every kind reads its own spelling

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.key == other.key

    def __lt__(self, other: Self) -> bool:
        return self.key < other.key if type(self) is type(other) else NotImplemented

    def __le__(self, other: Self) -> bool:
        return self.key <= other.key if type(self) is type(other) else NotImplemented

    def __gt__(self, other: Self) -> bool:
        return self.key > other.key if type(self) is type(other) else NotImplemented

    def __ge__(self, other: Self) -> bool:
        return self.key >= other.key if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return self.hashed

    def __repr__(self) -> str:
        return f"{type(self).__name__}.parse({str(self)!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> Any:
        """Let pydantic read the type from its text and from nothing else (a TOML float is refused)."""
        from pydantic_core import core_schema

        def read(value: object) -> _Version:
            return value if isinstance(value, cls) else cls.parse(value)

        return core_schema.no_info_plain_validator_function(read, serialization=core_schema.to_string_ser_schema())


_CAPABILITY = re.compile(r"(\d{1,2})\.(\d)")


class ComputeCapability(_Version):
    """The compute capability of a GPU, such as 8.6.

    >>> ComputeCapability.parse("12.0") > ComputeCapability.parse("9.0")
    True
    """

    __slots__ = ("major", "minor")

    def __init__(self, major: int, minor: int) -> None:
        self.major = major
        self.minor = minor
        self._known_by((major, minor))

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read `"8.6"`; other spellings (`sm_86`) are people's, see `resolver.names`."""
        found = _match(_CAPABILITY, "compute capability", text)
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


_TARGET = re.compile(r"(\d{1,2})\.(\d)([af]?)")
_TARGET_CODE = re.compile(r"(?:sm|compute)_(\d{1,2})(\d)([af]?)")


class ArchTarget(_Version):
    """What a compiler was told to make code for: a capability and perhaps a suffix (`9.0a`, `10.0f`).

    >>> ArchTarget.parse("9.0a").code("sm")
    'sm_90a'
    >>> str(ArchTarget.parse("compute_120"))
    '12.0'
    """

    __slots__ = ("capability", "suffix")

    def __init__(self, capability: ComputeCapability, suffix: str = "") -> None:
        self.capability = capability
        self.suffix = suffix
        self._known_by((capability, suffix))

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read `"9.0a"`, `"sm_90a"` or `"compute_90a"`."""
        coded = isinstance(text, str) and "_" in text
        found = _match(_TARGET_CODE if coded else _TARGET, "architecture target", text)
        return cls(ComputeCapability(int(found[1]), int(found[2])), found[3])

    def code(self, prefix: str) -> str:
        """The compiler's spelling with `prefix` `sm` or `compute`."""
        return f"{prefix}_{self.capability.major}{self.capability.minor}{self.suffix}"

    def __str__(self) -> str:
        return f"{self.capability}{self.suffix}"


_DRIVER = re.compile(r"(\d{2,3})(?:\.(\d{1,3}))?(?:\.(\d{1,3}))?(?:\.(\d{1,3}))?")


class DriverVersion(_Version):
    """A driver version with its own text, or a bare branch number such as `570`.

    >>> str(DriverVersion.parse("580.95.05"))
    '580.95.05'
    >>> DriverVersion.parse("450.51.06") < DriverVersion.parse("450.80.02")
    True
    """

    __slots__ = ("parts", "text")

    def __init__(self, text: str, parts: tuple[int, ...]) -> None:
        self.text = text
        self.parts = parts
        # 440.33 and 440.33.00 are one version
        self._known_by(parts + (0,) * (4 - len(parts)))

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read one to four dot-separated numbers, the first of two or three digits."""
        found = _match(_DRIVER, "driver version", text)
        return cls(found[0], tuple(int(part) for part in found.groups() if part is not None))

    @property
    def major(self) -> int:
        """The first number, which names the branch on Linux."""
        return self.parts[0]

    @property
    def is_branch(self) -> bool:
        """Whether only a branch number was given, so that the point release is not known."""
        return len(self.parts) == 1

    def __str__(self) -> str:
        return self.text


_CUDA = re.compile(r"(\d{1,2})\.(\d{1,2})(?:\.(\d{1,3}))?")


class CudaVersion(_Version):
    """A CUDA version: major.minor, with the update where it matters (`12.8.1`).

    >>> CudaVersion.parse("12.10") > CudaVersion.parse("12.9")
    True
    """

    __slots__ = ("major", "minor", "update")

    def __init__(self, major: int, minor: int, update: int | None = None) -> None:
        self.major = major
        self.minor = minor
        self.update = update
        self._known_by((major, minor, -1 if update is None else update))

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read `"12.8"` or `"12.8.1"`."""
        found = _match(_CUDA, "CUDA version", text)
        return cls(int(found[1]), int(found[2]), None if found[3] is None else int(found[3]))

    @property
    def release(self) -> CudaVersion:
        """The major.minor alone: what decides compatibility with drivers."""
        return self if self.update is None else CudaVersion(self.major, self.minor)

    @property
    def variant(self) -> str:
        """How builds of torch for it are called.

        >>> CudaVersion.parse("12.8.1").variant
        'cu128'
        """
        return f"cu{self.major}{self.minor}"

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}"
        return text if self.update is None else f"{text}.{self.update}"


_PYTHON = re.compile(r"([23])\.(\d{1,2})(t?)")


class PythonVersion(_Version):
    """A CPython feature version; `t` marks the free-threaded build, which takes wheels of its own.

    >>> PythonVersion.parse("3.9") < PythonVersion.parse("3.13t")
    True
    """

    __slots__ = ("free_threaded", "major", "minor")

    def __init__(self, major: int, minor: int, free_threaded: bool = False) -> None:
        self.major = major
        self.minor = minor
        self.free_threaded = free_threaded
        self._known_by((major, minor, free_threaded))

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read `"3.12"` or `"3.13t"`."""
        found = _match(_PYTHON, "Python version", text)
        return cls(int(found[1]), int(found[2]), found[3] == "t")

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}{'t' if self.free_threaded else ''}"


_TORCH = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{1,2})")


class TorchVersion(_Version):
    """A released torch version without its local tag: `2.6.0`.

    >>> TorchVersion.parse("2.10.0") > TorchVersion.parse("2.9.1")
    True
    """

    __slots__ = ("major", "micro", "minor")

    def __init__(self, major: int, minor: int, micro: int) -> None:
        self.major = major
        self.minor = minor
        self.micro = micro
        self._known_by((major, minor, micro))

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read three numbers; a local tag such as `+cu124` is the wheel's, not the release's."""
        found = _match(_TORCH, "torch version", text)
        return cls(int(found[1]), int(found[2]), int(found[3]))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.micro}"
