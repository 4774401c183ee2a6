"""Read from a stream of bytes which libraries a Linux library needs and which glibc it asks for.

The names that a library needs are texts whose places its dynamic section tells, and the texts come
before that section in the file. So every text that could be such a name is noted with its place as
it passes, and the dynamic section picks from the notes when it comes: one pass, little memory.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["ElfReader"]

_HEADER = struct.Struct("<4sBB10x16xQ16xH")  # only magic, word size, byte order; place, count of segments
_SEGMENT = struct.Struct("<IIQQQQ")
_SEGMENT_SIZE = 56
_DYNAMIC_ENTRY = struct.Struct("<qQ")
_LOAD, _DYNAMIC = 1, 2
_END, _NEEDED, _STRING_TABLE = 0, 1, 5
_HEAD = 8192  # bytes; the segments are described here
_LONGEST_NAME = 200
_LONGEST_DYNAMIC = 1 << 16
_NAME = re.compile(rb"[\w.+@-]+\.so(?:\.[\w.]+)?")
_GLIBC = re.compile(rb"GLIBC_(\d+\.\d+)")
_COMPILER = re.compile(rb"Cuda compilation tools, release \d+\.\d+, V(\d+\.\d+\.\d+)(?=[^\d.])")


@dataclass(slots=True)
class ElfReader:
    """Takes the bytes of a file piece by piece; ask the properties after the last one.

    A file that is not a 64-bit little-endian ELF file needs nothing and asks for no glibc.
    """

    compilers: set[str] = field(default_factory=set)
    """Versions of CUDA compilers that name themselves in the file, such as `12.8.93`."""
    _head: bytearray = field(default_factory=bytearray)
    _dynamic: bytearray = field(default_factory=bytearray)
    _rest: bytes = b""
    _position: int = 0  # of the next piece
    _names: dict[int, bytes] = field(default_factory=dict)
    _glibc: set[tuple[int, ...]] = field(default_factory=set)

    def feed(self, piece: bytes) -> None:
        """Go on with the next `piece` of the file."""
        if len(self._head) < _HEAD:
            self._head += piece[: _HEAD - len(self._head)]
        start, size = self._segment(_DYNAMIC)
        begin, end = max(start, self._position), min(start + size, self._position + len(piece))
        if begin < end:
            self._dynamic += piece[begin - self._position : end - self._position]
        text = self._rest + piece
        self._note(text, self._position - len(self._rest))
        self._position += len(piece)
        self._rest = text[-_LONGEST_NAME:]

    @property
    def needed(self) -> list[str]:
        """The names of the libraries that the loader must find, sorted."""
        entries = dict[int, list[int]]()
        for tag, value in _dynamic_entries(self._dynamic):
            entries.setdefault(tag, []).append(value)
        (table,) = entries.get(_STRING_TABLE, [0])[:1]
        texts = self._place(table)
        found = (self._names.get(texts + name) for name in entries.get(_NEEDED, ()))
        return sorted({name.decode("ascii", "replace") for name in found if name})

    @property
    def glibc(self) -> str | None:
        """The newest version of glibc that the file names, such as `2.17`."""
        return ".".join(map(str, max(self._glibc))) if self._glibc and self._segments() else None

    def _note(self, text: bytes, place: int) -> None:
        for at in _places(text, b".so"):
            start = text.rfind(b"\0", max(0, at - _LONGEST_NAME), at) + 1
            end = text.find(b"\0", at)
            name = text[start : max(end, start)]  # empty where it is cut in two: it is whole in the next piece
            if start and _NAME.fullmatch(name):
                self._names[place + start] = name
        for at in _places(text, b"GLIBC_2."):
            found = _GLIBC.match(text, at)
            if found and text[found.end() : found.end() + 1] in (b"\0", b"."):
                self._glibc.add(tuple(map(int, found[1].split(b"."))))
        for at in _places(text, b"Cuda compilation tools, "):
            compiler = _COMPILER.match(text, at)
            if compiler:
                self.compilers.add(compiler[1].decode("ascii"))

    def _place(self, address: int) -> int:
        """Where in the file the memory `address` comes from; the address itself where nothing says."""
        for kind, _flags, offset, start, _physical, size in self._segments():
            if kind == _LOAD and start <= address < start + size:
                return address - start + offset
        return address

    def _segment(self, wanted: int) -> tuple[int, int]:
        """Place and size of the first segment of a kind; no size where there is none."""
        for kind, _flags, offset, _address, _physical, size in self._segments():
            if kind == wanted:
                return offset, min(size, _LONGEST_DYNAMIC)
        return 0, 0

    def _segments(self) -> list[tuple[int, ...]]:
        if len(self._head) < 64:
            return []
        magic, bits, order, place, count = _HEADER.unpack_from(self._head)
        if (magic, bits, order) != (b"\x7fELF", 2, 1):  # 64-bit, little-endian: so are all wheels for GPUs
            return []
        places = range(place, min(place + count * _SEGMENT_SIZE, len(self._head) - _SEGMENT_SIZE + 1), _SEGMENT_SIZE)
        return [_SEGMENT.unpack_from(self._head, at) for at in places]


def _dynamic_entries(section: bytes | bytearray) -> Iterator[tuple[int, int]]:
    for at in range(0, len(section) - _DYNAMIC_ENTRY.size + 1, _DYNAMIC_ENTRY.size):
        tag, value = _DYNAMIC_ENTRY.unpack_from(section, at)
        if tag == _END:
            return
        yield tag, value


def _places(text: bytes, wanted: bytes) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)
