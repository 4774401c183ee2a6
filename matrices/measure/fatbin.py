"""Find the fat binaries in a stream of bytes and read which GPUs each one holds code for.

A fat binary is a container of one file that was compiled for GPUs: sixteen bytes of header, then
entries, each with a header that names its kind (PTX or machine code), its architecture and its
length. Only headers are read, so compressed code is no harder than plain code. The layout is not
documented by its maker; it was checked against the `-arch` note inside the code of torch 2.15.0,
suffixes included. Every field is tested, since the magic number alone also occurs in the machine
code of programs that look for it.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from matrices.versions import ArchTarget, ComputeCapability

__all__ = ["FatbinCensus", "FatbinScanner", "TargetSet", "take_census"]

_MAGIC = struct.pack("<I", 0xBA55ED50)
_CONTAINER = struct.Struct("<IHHQ")  # magic, version, header length, length of the entries
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")  # 64 bytes; longer headers carry names and notes
_ENTRY_VERSION = 0x101
_PTX, _MACHINE_CODE = 1, 2
_ARCHES = range(10, 1000)  # ten times the capability
_ALIGNMENT = 8
_ARCH_SPECIFIC = 0x10_0000  # sm_90a: runs on that capability alone
_FAMILY_SPECIFIC = 0x20_0000  # sm_103f: runs within that family
_LARGEST = 1 << 29  # bytes; a longer container is taken for chance bytes


@dataclass(frozen=True, slots=True)
class TargetSet:
    """What one fat binary holds: targets with machine code (`sass`) and targets with `ptx`."""

    sass: frozenset[ArchTarget]
    ptx: frozenset[ArchTarget]


@dataclass(slots=True)
class FatbinCensus:
    """How often each set of targets occurs among the fat binaries of one library.

    `own` counts only the fat binaries whose bytes name one of the wanted symbols; the others come
    from libraries that were linked in, and tell nothing about the library's own code.
    """

    sets: Counter[TargetSet] = field(default_factory=Counter)
    own: Counter[TargetSet] = field(default_factory=Counter)

    @property
    def fatbins(self) -> int:
        """The number of fat binaries."""
        return self.sets.total()

    @property
    def sass(self) -> frozenset[ArchTarget]:
        """Every target with machine code in any fat binary."""
        return frozenset[ArchTarget]().union(*(targets.sass for targets in self.sets))

    @property
    def ptx(self) -> frozenset[ArchTarget]:
        """Every target with PTX in any fat binary."""
        return frozenset[ArchTarget]().union(*(targets.ptx for targets in self.sets))


class FatbinScanner:
    """Takes the bytes of a library piece by piece and counts its fat binaries in `census`.

    `symbols` are byte strings that mark a fat binary as the library's own. Names survive in
    compressed code, whose first occurrence of a text is stored as it is. At most one container
    and one piece are held.
    """

    def __init__(self, symbols: Iterable[bytes] = ()) -> None:
        self.census = FatbinCensus()
        self._symbols = tuple(symbols)
        self._waiting = bytearray()
        self._position = 0  # of the first waiting byte, since alignment counts from the start

    def feed(self, piece: bytes) -> None:
        """Go on with the next `piece` of the library."""
        self._waiting += piece
        self._scan(more_comes=True)

    def close(self) -> None:
        """Say that the library ends here: a container that waits for its end is none, then."""
        self._scan(more_comes=False)

    def _scan(self, *, more_comes: bool) -> None:
        at = 0
        while True:
            at = self._waiting.find(_MAGIC, at)
            if at < 0:
                at = max(0, len(self._waiting) - len(_MAGIC) + 1)  # the magic may be cut in two
                break
            if at + _CONTAINER.size > len(self._waiting):
                break
            length = self._container_length(at)
            if length is None:
                at += 1
                continue
            whole = at + length <= len(self._waiting)
            if not whole and more_comes:
                break
            at += length if whole and self._count(at, length) else 1
        del self._waiting[:at]
        self._position += at

    def _container_length(self, at: int) -> int | None:
        """The length in bytes of the container at `at`, or None if there is none."""
        _, version, header, entries = _CONTAINER.unpack_from(self._waiting, at)
        aligned = (self._position + at) % _ALIGNMENT == 0
        sized = _ENTRY.size <= entries <= _LARGEST
        if version == 1 and header == _CONTAINER.size and aligned and sized:
            return _CONTAINER.size + int(entries)
        return None

    def _count(self, at: int, length: int) -> bool:
        container = bytes(self._waiting[at : at + length])
        targets = _read_targets(container)
        if targets is None:
            return False
        self.census.sets[targets] += 1
        if any(symbol in container for symbol in self._symbols):
            self.census.own[targets] += 1
        return True


def take_census(pieces: Iterable[bytes], symbols: Iterable[bytes] = ()) -> FatbinCensus:
    """The fat binaries in a whole library, given in pieces."""
    scanner = FatbinScanner(symbols)
    for piece in pieces:
        scanner.feed(piece)
    scanner.close()
    return scanner.census


class _ChanceBytes(Exception):
    """What looked like a container is none."""


def _read_targets(container: bytes) -> TargetSet | None:
    """The targets of all entries, or None when one of them is not an entry."""
    found: dict[int, set[ArchTarget]] = {_PTX: set(), _MACHINE_CODE: set()}
    try:
        for kind, target in _entries(container):
            if kind in found:  # other kinds exist (relocatable code for the linker) and run nowhere
                found[kind].add(target)
    except _ChanceBytes:
        return None
    return TargetSet(frozenset(found[_MACHINE_CODE]), frozenset(found[_PTX]))


def _entries(container: bytes) -> Iterator[tuple[int, ArchTarget]]:
    """Kind and target of each entry; raises `_ChanceBytes` at the first that is not one."""
    at = _CONTAINER.size
    while at < len(container):
        if at + _ENTRY.size > len(container):
            raise _ChanceBytes
        fields = _ENTRY.unpack_from(container, at)
        kind, version, header, payload, arch, flags = (fields[i] for i in (0, 1, 2, 3, 8, 11))
        at += header + payload
        entry_like = version == _ENTRY_VERSION and header >= _ENTRY.size and arch in _ARCHES
        if not entry_like or at > len(container):
            raise _ChanceBytes
        yield kind, ArchTarget(ComputeCapability(*divmod(arch, 10)), _suffix(flags))


def _suffix(flags: int) -> str:
    if flags & _ARCH_SPECIFIC:
        return "a"
    return "f" if flags & _FAMILY_SPECIFIC else ""
