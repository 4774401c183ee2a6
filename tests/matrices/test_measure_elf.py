"""Reading what a library needs from its bytes, in pieces of any size."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices.measure.elf import ElfReader

NAMES = (b"libcudart.so.12", b"libc.so.6", b"not-a-library")
ADDRESS = 0x40_0000  # where the file lies in memory
STRINGS = 8192
DYNAMIC = 16384


def library(
    *, head: bytes = b"\x7fELF\x02\x01", load: int = 1, text: bytes = b"", needed: tuple[bytes, ...] = NAMES
) -> bytes:
    """A file with a table of texts before its dynamic section, as linkers write it."""
    texts = b"\0" + b"\0".join((*needed, b"GLIBC_2.2.5", b"GLIBC_2.17", b"GLIBC_2.x", text)) + b"\0"
    entries = [(1, texts.index(name)) for name in needed] + [(5, ADDRESS + STRINGS), (0, 0), (1, 1)]
    dynamic = b"".join(struct.pack("<qQ", *entry) for entry in entries)
    segments = [(load, 0, ADDRESS, 0x1_0000), (2, DYNAMIC, ADDRESS + DYNAMIC, len(dynamic))]
    header = head.ljust(32, b"\0") + struct.pack("<Q16xH", 64, len(segments)) + bytes(6)
    table = b"".join(
        struct.pack("<IIQQQQQQ", kind, 0, place, address, address, size, size, 0)
        for kind, place, address, size in segments
    )
    return (header + table).ljust(STRINGS, b"\0") + texts.ljust(DYNAMIC - STRINGS, b"\0") + dynamic + b"end"


def read(data: bytes, size: int = 1 << 20) -> ElfReader:
    reader = ElfReader()
    for at in range(0, len(data), size):
        reader.feed(data[at : at + size])
    return reader


@pytest.mark.parametrize("size", [97, 300, 4096, 1 << 20])
def test_needed_libraries_and_glibc_are_read(size: int) -> None:
    reader = read(library(text=b"Cuda compilation tools, release 12.8, V12.8.93\0Cuda compilation tools, none"), size)
    assert reader.needed == ["libc.so.6", "libcudart.so.12"]
    assert reader.glibc == "2.17"
    assert reader.compilers == {"12.8.93"}


def test_an_address_outside_of_all_segments_is_a_place() -> None:
    data = library(load=7).replace(struct.pack("<qQ", 5, ADDRESS + STRINGS), struct.pack("<qQ", 5, STRINGS))
    assert read(data).needed == ["libc.so.6", "libcudart.so.12"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"MZ" + bytes(100) + b"\0libc.so.6\0GLIBC_2.17\0",
        library(head=b"\x7fELF\x01\x01"),
        library(head=b"\x7fELF\x02\x02"),
    ],
)
def test_other_files_need_nothing(data: bytes) -> None:
    reader = read(data)
    assert (reader.needed, reader.glibc) == ([], None)


def test_a_file_without_a_table_of_texts_needs_nothing() -> None:
    data = library(needed=()).replace(struct.pack("<qQ", 5, ADDRESS + STRINGS), struct.pack("<qQ", 6, 1))
    assert read(data).needed == []


def test_a_dynamic_section_that_is_cut_off_ends_the_reading() -> None:
    assert read(library()[: DYNAMIC + 24]).needed == []


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_fault(data: bytes) -> None:
    for start in (b"", library()[:64]):
        reader = read(start + data)
        assert reader.needed == []
