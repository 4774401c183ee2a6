"""What a wheel says of itself in text: requirements, and the records that a build left behind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.message import Message
from email.parser import BytesParser
from typing import Any

from matrices.measure.remote_zip import RemoteZip

__all__ = ["BUILD_RECORDS", "metadata_of", "read_build_records", "read_metadata", "stated_cuda"]

BUILD_RECORDS = re.compile(
    r"(?:[\w.]+/)*(?:version|_version|version_info|build_info|build_and_package_info|_?cuda_version)\.py"
    r"|(?:[\w.]+/)*cpp_lib\.json"
)
"""Members in which builds write down what they were made with."""

_LARGEST_RECORD = 1 << 18
_STATEMENT = re.compile(
    r"""(?P<pair>\(['"])?(?P<key>\b\w*(?:cuda|cudnn|nccl|CUDA|CUDNN)\w*)['"]?   # a name, perhaps in quotes
        \s*(?(pair),|(?::\s*Optional\[str\]\s*=|[:=]))\s*      # a pair in a list of pairs, or an assignment
        (?:\[(?P<list>[^\]]*)\]|['"](?P<text>[^'"\n]*)['"]|(?P<number>\d[\d.]*))""",
    re.VERBOSE,
)
_LOCAL = re.compile(r"""(\w+)['"]?\s*[:=]\s*['"]([\w.]+\+cu\d{2,3})['"]""")
_TAG = re.compile(r".*\+cu(\d{1,2})(\d)")  # cu92 is 9.2, cu130 is 13.0
_RELEASE = re.compile(r"(\d+)\.(\d+)(?:\.\d+)*")
_PACKED = re.compile(r"(\d{2})(\d{2})")  # 1208 is 12.8


def read_metadata(archive: RemoteZip) -> dict[str, Any]:
    """`requires` (the lines of Requires-Dist, sorted) and `requires_python` of a wheel.

    Raises `BadArchive`, and `KeyError` for a wheel without METADATA.
    """
    member = next((name for name in archive.members if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)), None)
    if member is None:
        raise KeyError("the wheel has no METADATA")
    return metadata_of(BytesParser().parsebytes(archive.read(member), headersonly=True))


def metadata_of(headers: Message) -> dict[str, Any]:
    """`requires` and `requires_python` of the headers of a METADATA or PKG-INFO."""
    requires = sorted(" ".join(str(line).split()) for line in headers.get_all("Requires-Dist", []))
    return {"requires": requires, "requires_python": headers.get("Requires-Python")}


def read_build_records(archive: RemoteZip) -> dict[str, dict[str, str]]:
    """What the build records of a wheel say of CUDA, cuDNN and NCCL: member, then name and value.

    Raises `BadArchive`.
    """
    found = {}
    for member in sorted(archive.members):
        if BUILD_RECORDS.fullmatch(member) and archive.members[member].size <= _LARGEST_RECORD:
            said = _statements(archive.read(member).decode("utf-8", "replace"))
            if said:
                found[member] = said
    return found


def stated_cuda(records: Mapping[str, Mapping[str, str]]) -> tuple[str, str] | None:
    """The CUDA release such as `12.4`, and the record that states it; None where none does.

    Raises `ValueError` when two records differ.
    """
    stated: dict[str, str] = {}
    for member, said in records.items():
        for key in ("cuda", "cuda_version", "__version__"):
            release = _release(said.get(key, ""))
            if release:
                stated.setdefault(release, member)
    if len(stated) > 1:
        raise ValueError(f"several CUDA releases are stated: {stated}")
    return next(iter(stated.items()), None)


def _statements(text: str) -> dict[str, str]:
    said: dict[str, str] = {}
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            continue
        for found in _STATEMENT.finditer(line):
            value = found["text"] or found["number"] or ""
            if found["list"] is not None:
                value = " ".join(re.findall(r"[\w.+]+", found["list"]))
            if value:
                said.setdefault(found["key"], value)
        said.update(_LOCAL.findall(line))
    return said


def _release(text: str) -> str | None:
    for pattern in (_RELEASE, _PACKED, _TAG):
        found = pattern.fullmatch(text)
        if found:
            return f"{int(found[1])}.{int(found[2])}"
    return None
