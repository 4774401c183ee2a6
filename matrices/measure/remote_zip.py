"""Read single members of a zip archive through byte ranges, without fetching the whole archive.

A wheel is a zip of up to a gigabyte; what a measurement needs is a directory at its end and a few
members. `RemoteZip` knows zip and no network: it asks an injected function for bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["BadArchive", "FetchRange", "Member", "RemoteZip"]

_TAIL = 65_536 + 22  # the longest possible archive comment and the end record
_END = struct.Struct("<4s4H2IH")
_END64_LOCATOR = struct.Struct("<4sIQI")
_END64 = struct.Struct("<4sQ2H2I4Q")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_LOCAL = struct.Struct("<4s5H3I2H")
_STORED, _DEFLATED = 0, 8
_FULL32 = 0xFFFF_FFFF  # "the real value is in the zip64 field"


FetchRange = Callable[[str, int, int], bytes]
"""The door to the bytes: called with an address, a start and an end (not included)."""


class BadArchive(ValueError):
    """The bytes are not a zip archive that can be read here; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of the archive: its name, sizes in bytes, and where its local header starts."""

    name: str
    method: int
    compressed: int
    size: int
    offset: int
    crc: int


class RemoteZip:
    """The directory of the zip archive at `url`, of `size` bytes, and a way to stream its members.

    Raises `BadArchive` when there is no directory to read.
    """

    def __init__(self, url: str, size: int, fetch_range: FetchRange, step: int = 1 << 23) -> None:
        self.size = size
        self._url = url
        self._fetch = fetch_range
        self._step = step
        self.members = {member.name: member for member in self._directory()}

    def read(self, name: str) -> bytes:
        """The whole of the member `name`; for small members. Raises `BadArchive`, `KeyError`."""
        return b"".join(self.stream(name))

    def stream(self, name: str) -> Iterator[bytes]:
        """Pieces of the inflated member `name`, in order; the whole is never held.

        Raises `KeyError` for a name that is not there, and `BadArchive` for a method other than
        stored and deflated, for bytes that do not inflate and for a wrong length or checksum.
        """
        member = self.members[name]
        crc = total = 0
        for piece in self._inflated(member):
            crc = zlib.crc32(piece, crc)
            total += len(piece)
            yield piece
        if (total, crc) != (member.size, member.crc):
            raise BadArchive(f"{name}: length or checksum differs from the directory's")

    def _inflated(self, member: Member) -> Iterator[bytes]:
        start = self._data_start(member)
        pieces = (
            self._range(position, min(position + self._step, start + member.compressed))
            for position in range(start, start + member.compressed, self._step)
        )
        if member.method == _STORED:
            yield from pieces
            return
        if member.method != _DEFLATED:
            raise BadArchive(f"{member.name}: compression method {member.method}")
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            for piece in pieces:
                waiting = piece
                # bounded, so that a member of zeros cannot ask for a thousand times its size
                while waiting:
                    yield inflater.decompress(waiting, self._step)
                    waiting = inflater.unconsumed_tail
            yield inflater.flush()
        except zlib.error as error:
            raise BadArchive(f"{member.name}: {error}") from error

    def _data_start(self, member: Member) -> int:
        """Where the data start: the local header's extra field may differ from the directory's."""
        header = self._range(member.offset, member.offset + _LOCAL.size)
        fields = _unpack(_LOCAL, header, 0, b"PK\x03\x04")
        return member.offset + _LOCAL.size + int(fields[9]) + int(fields[10])

    def _directory(self) -> Iterator[Member]:
        tail_start = max(0, self.size - _TAIL)
        tail = self._range(tail_start, self.size)
        at = tail.rfind(b"PK\x05\x06")
        if at < 0:
            raise BadArchive("no end-of-central-directory record")
        fields = _unpack(_END, tail, at, b"PK\x05\x06")
        length, offset = int(fields[5]), int(fields[6])
        if _FULL32 in (length, offset):
            length, offset = self._directory_place64(tail, at)
        directory = self._range(offset, offset + length)
        position = 0
        while position < length:
            member, position = _entry(directory, position)
            yield member

    def _directory_place64(self, tail: bytes, end_at: int) -> tuple[int, int]:
        locator = _unpack(_END64_LOCATOR, tail, end_at - _END64_LOCATOR.size, b"PK\x06\x07")
        record = self._range(int(locator[2]), int(locator[2]) + _END64.size)
        fields = _unpack(_END64, record, 0, b"PK\x06\x06")
        return int(fields[8]), int(fields[9])

    def _range(self, start: int, end: int) -> bytes:
        if not 0 <= start <= end <= self.size:
            raise BadArchive(f"bytes {start}-{end} lie outside the archive of {self.size}")
        data = self._fetch(self._url, start, end)
        if len(data) != end - start:
            raise BadArchive(f"asked for bytes {start}-{end}, got {len(data)} bytes")
        return data


def _unpack(form: struct.Struct, data: bytes, at: int, signature: bytes) -> tuple[int | bytes, ...]:
    if at < 0 or at + form.size > len(data):
        raise BadArchive("a record is cut off")
    fields: tuple[int | bytes, ...] = form.unpack_from(data, at)
    if fields[0] != signature:
        raise BadArchive(f"a record starts with {fields[0]!r}, not {signature!r}")
    return fields


def _entry(directory: bytes, at: int) -> tuple[Member, int]:
    """The member whose directory entry starts at `at`, and where the next entry starts."""
    fields = _unpack(_ENTRY, directory, at, b"PK\x01\x02")
    method, crc, compressed, size = (int(fields[index]) for index in (4, 7, 8, 9))
    name_length, extra_length, comment_length = (int(fields[index]) for index in (10, 11, 12))
    offset = int(fields[16])
    name_at = at + _ENTRY.size
    extra_at = name_at + name_length
    end = extra_at + extra_length + comment_length
    name = directory[name_at:extra_at].decode("utf-8", "replace")
    wide = [value for value in (size, compressed, offset) if value == _FULL32]
    if wide:
        large = iter(_zip64_values(directory[extra_at : extra_at + extra_length], len(wide)))
        size, compressed, offset = (next(large) if value == _FULL32 else value for value in (size, compressed, offset))
    return Member(name, method, compressed, size, offset, crc), end


def _zip64_values(extra: bytes, count: int) -> tuple[int, ...]:
    """The first `count` 8-byte values of the zip64 field among the extra fields."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1 and length >= 8 * count and at + 4 + length <= len(extra):
            return struct.unpack_from(f"<{count}Q", extra, at + 4)
        at += 4 + length
    raise BadArchive("an entry promises a zip64 field that is not there")
