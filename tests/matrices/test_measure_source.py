"""Measuring source archives, which hold no device code."""

from __future__ import annotations

import io
import json
import tarfile

import pytest

from matrices.measure import __main__ as command
from matrices.measure import door
from matrices.measure.source import BadSource, measure_source

DATE = "2026-11-30"
HASH = "ab" * 32
FILE = "flash_attn-2.8.3.tar.gz"
INFO = b"Name: flash_attn\nRequires-Python: >=3.9\nRequires-Dist: torch\nRequires-Dist: einops\n\ntext"
SETUP = b"""
flags.append("arch=compute_90,code=sm_90a")
flags.append("arch=compute_80,code=sm_80")  # not code=sm_70
# flags.append("arch=compute_75,code=sm_75")
flags.append("arch=compute_90,code=compute_90")
"""


def archive(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        folder = tarfile.TarInfo("setup.py/setup.py")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
    return buffer.getvalue()


def test_a_source_archive_is_measured() -> None:
    data = archive({"f/PKG-INFO": INFO, "f/setup.py": SETUP, "f/deep/PKG-INFO": b"other"})
    found = measure_source(data, FILE, sha256=HASH, measured_on=DATE)
    assert (found["id"], found["kind"], found["libraries"]) == ("flash-attn-2.8.3-source", "source", {})
    assert (found["project"], found["version"], found["size"]) == ("flash-attn", "2.8.3", len(data))
    assert (found["requires"], found["requires_python"]) == (["einops", "torch"], ">=3.9")
    assert found["setup_targets"] == {"sass": ["8.0", "9.0a"], "ptx": ["9.0"]}
    assert found == json.loads(json.dumps(found))


def test_without_a_setup_script_nothing_is_said_of_targets() -> None:
    found = measure_source(archive({"f/PKG-INFO": INFO}), FILE, sha256=HASH, measured_on=DATE)
    assert found["setup_targets"] is None


@pytest.mark.parametrize(
    ("data", "file", "message"),
    [
        (archive({"f/setup.py": SETUP}), FILE, "no PKG-INFO"),
        (archive({"f/PKG-INFO": INFO})[:40], FILE, "not a source archive"),
        (b"plain", FILE, "not a source archive"),
        (archive({"f/PKG-INFO": INFO}), "flash_attn.whl", "not a source archive"),
    ],
    ids=["no information", "cut off", "no archive", "another name"],
)
def test_what_is_no_source_archive_is_refused(data: bytes, file: str, message: str) -> None:
    with pytest.raises(BadSource, match=message):
        measure_source(data, file, sha256=HASH, measured_on=DATE)


def test_the_command_says_that_there_is_only_a_source(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = archive({"f/PKG-INFO": INFO})
    listed = {"files": [{"filename": FILE, "url": FILE, "hashes": {"sha256": HASH}}]}
    monkeypatch.setattr(door, "fetch_page", lambda _url: json.dumps(listed).encode())
    monkeypatch.setattr(door, "fetch_size", lambda _url: len(data))
    monkeypatch.setattr(door, "fetch_range", lambda _url, start, end: data[start:end])
    assert command.main(["wheel", "flash-attn==2.8.3", "--index-url", "http://a"], today=DATE) == 0
    assert json.loads(capsys.readouterr().out)["artefact"] == FILE
