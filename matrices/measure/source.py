"""Measure a source archive: it holds no device code, so what its setup would compile for is all there is to read."""

from __future__ import annotations

import io
import re
import tarfile
from email.parser import BytesParser
from typing import Any

from packaging.utils import InvalidSdistFilename, parse_sdist_filename

from matrices.measure.builds import metadata_of
from matrices.versions import ArchTarget

__all__ = ["BadSource", "measure_source"]

_TOOL = "whichcuda measure wheel"
_TOOL_VERSION = "1"
_TOP = re.compile(r"[^/]+/(PKG-INFO|setup\.py)")
_TARGET = re.compile(r"code=(sm|compute)_(\d+[af]?)\b")
_LARGEST = 1 << 22
_METHOD = {
    "requires": "Requires-Dist of PKG-INFO; setup.py may add to it",
    "setup_targets": "the code=sm_ and code=compute_ names in setup.py outside of comments; which of them are compiled may"
    " depend on the compiler; null without setup.py",
}


class BadSource(ValueError):
    """The bytes are not a source archive of a project; the message says what is wrong."""


def measure_source(archive: bytes, file: str, *, sha256: str, measured_on: str) -> dict[str, Any]:
    """The observation of a source archive, ready to be written as JSON.

    `archive` is the whole file and `file` its name; `sha256` is what the index states; `measured_on` is
    a date. Raises `BadSource` for what is no gzipped source archive with its PKG-INFO.
    """
    try:
        project, version = parse_sdist_filename(file)
        texts = _texts(archive)
    except (InvalidSdistFilename, tarfile.TarError, EOFError, OSError) as error:
        raise BadSource(f"not a source archive: {file!r}") from error
    if "PKG-INFO" not in texts:
        raise BadSource(f"{file} has no PKG-INFO")
    return {
        "artefact": file,
        "id": f"{project}-{version}-source",
        "index": "package index",
        "kind": "source",
        "libraries": {},
        "measured_on": measured_on,
        "method": dict(_METHOD),
        "no_gpu": True,
        "project": project,
        "setup_targets": _targets(texts["setup.py"].decode("utf-8", "replace")) if "setup.py" in texts else None,
        "sha256": sha256,
        "size": len(archive),
        "tool": _TOOL,
        "tool_version": _TOOL_VERSION,
        "version": str(version),
        **metadata_of(BytesParser().parsebytes(texts["PKG-INFO"], headersonly=True)),
    }


def _texts(archive: bytes) -> dict[str, bytes]:
    """The files of the top folder that are read."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        for member in tar:
            top = _TOP.fullmatch(member.name)
            file = tar.extractfile(member) if top and member.size <= _LARGEST else None
            if top and file is not None:
                found[top[1]] = file.read()
    return found


def _targets(setup: str) -> dict[str, list[str]]:
    """Machine code and PTX that a setup script names outside of its comments, in order."""
    active = "\n".join(line.partition("#")[0] for line in setup.splitlines())
    named: dict[str, set[ArchTarget]] = {"sm": set(), "compute": set()}
    for kind, number in _TARGET.findall(active):
        named[kind].add(ArchTarget.parse(f"{kind}_{number}"))
    return {
        "ptx": [str(target) for target in sorted(named["compute"])],
        "sass": [str(target) for target in sorted(named["sm"])],
    }
