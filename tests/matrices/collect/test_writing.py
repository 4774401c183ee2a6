"""New rows in the TOML: what they look like there, and that nothing else moves."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from matrices.collect import writing
from matrices.collect.compare import Comparison, compare
from matrices.collect.rows import Parsed, Row
from matrices.collect.writing import NotWritten, apply
from matrices.load import load
from tests.matrices.collect.saved import catalogue_of

TODAY = date(2026, 2, 3)
PIECE = '{ kind = "documented", source = "page", on = 2026-02-03, place = "here" }'


def evidence(row: Row) -> Mapping[str, Any]:
    return {"kind": "documented", "source": "page", "on": TODAY, "place": row.place or "here"}


def applied(data: Path, *rows: Row) -> list[str]:
    return apply(compare(Parsed(rows), catalogue_of(data)), data, evidence, TODAY)


def added(data: Path, name: str, *rows: Row) -> tuple[list[str], list[str]]:
    """The lines that a file gains and loses."""
    before = (data / name).read_text(encoding="utf-8").splitlines() if (data / name).exists() else []
    assert applied(data, *rows) == sorted(["about.toml", name])
    after = (data / name).read_text(encoding="utf-8").splitlines()
    assert catalogue_of(data).data_version == "2026.02.03"
    assert compare(Parsed(rows), catalogue_of(data)).confirmed == len(rows)  # it says what the rows say
    return [line for line in after if line not in before], [line for line in before if line not in after]


def test_nothing_new_touches_nothing(data: Path) -> None:
    assert applied(data, Row("torch", "2.9.1")) == []
    assert catalogue_of(data).data_version == "2026.01.31"


def test_a_new_subject_stands_at_the_end_of_its_file(data: Path) -> None:
    values = {"torch": "2.9.1", "variant": "cu130", "os": "linux", "machine": "x86_64", "channel": "pytorch-index"}
    wheel = "torch-2.9.1+cu130-linux-x86_64"
    gained, lost = added(
        data,
        "torch/2.9.toml",
        Row("wheel", wheel, values=values),
        Row("wheel", wheel, "wheel-built-with", {"cuda": "13.0"}),
        Row("wheel", wheel, "wheel-needs", {"python": ["3.12", "3.13t"], "glibc": "2.28"}),
    )
    assert lost == []
    assert gained == [
        f'id = "{wheel}"',
        'variant = "cu130"',
        f"evidence = [{PIECE}]",
        'built-with = { cuda = "13.0" }',
        'needs = { python = ["3.12", "3.13t"], glibc = "2.28" }',
    ]


def test_a_new_subject_may_need_a_new_file(data: Path) -> None:
    builds = [
        Row("branch", "R610", "branch-released", {"os": os, "latest": "610.1"}, place=f"list of {os}")
        for os in ("linux", "windows")
    ]
    gained, _ = added(data, "drivers/r610.toml", Row("branch", "R610", values={"number": 610}), *builds)
    assert gained == [
        "# r610, as the sources read by `whichcuda refresh` say.",
        "",
        "[[branch]]",
        'id = "R610"',
        "number = 610",
        "released = [",
        f'  {{ os = "linux", latest = "610.1", evidence = [{PIECE.replace("here", "list of linux")}] }},',
        f'  {{ os = "windows", latest = "610.1", evidence = [{PIECE.replace("here", "list of windows")}] }},',
        "]",
    ]


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (Row("torch", "2.99.0", values={"released": "2026-02-01"}), "torch/2.99.toml"),
        (Row("toolkit", "13.9"), "cuda/13.9.toml"),
        (Row("cuda-family", "14"), "cuda-families.toml"),
        (Row("image", "nvidia/cuda:14.0.0-x", values={"repository": "nvidia/cuda", "role": "cuda", "tags": []}), "images/nvidia-cuda-14.toml"),
        (Row("image", "pytorch/pytorch:9", values={"repository": "pytorch/pytorch", "role": "pytorch", "tags": []}), "images/pytorch.toml"),
        (Row("image", "nvcr.io/nvidia/pytorch:9", values={"repository": "nvcr.io/nvidia/pytorch", "role": "ngc", "tags": []}), "images/ngc-pytorch.toml"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.subject,
)  # fmt: skip
def test_where_a_subject_belongs(data: Path, row: Row, name: str) -> None:
    gained, _ = added(data, name, row)
    assert f'id = "{row.subject}"' in gained


@pytest.mark.parametrize(
    "row",
    [
        Row("os", "plan-9", values={"name": "Plan 9", "family": "linux"}),
        Row("image", "other/image:1", values={"repository": "other/image", "role": "other", "tags": []}),
        Row("toolkit", "99.9", "toolkit-released", {"release": "99.9.0"}),  # a claim, and its subject is not there
    ],
    ids=lambda row: row.key,
)
def test_what_has_no_place_is_refused(data: Path, row: Row) -> None:
    with pytest.raises(NotWritten):
        applied(data, row)


def test_a_claim_joins_the_list_of_its_siblings(data: Path) -> None:
    row = Row("torch", "2.9.1", "torch-pairs-with", {"package": "triton", "version": "3.5.1"})
    gained, lost = added(data, "torch/2.9.toml", row)
    assert gained == [f'  {{ package = "triton", version = "3.5.1", evidence = [{PIECE}] }},']
    assert lost == []


def test_the_first_claim_of_a_kind(data: Path) -> None:
    row = Row("torch", "2.8.0", "torch-default-cuda", {"machine": "x86_64", "cuda": "12.8"})
    gained, lost = added(data, "torch/2.9.toml", row)
    assert gained == [f'default-cuda = {{ machine = "x86_64", cuda = "12.8", evidence = [{PIECE}] }}']
    assert lost == []


def test_a_claim_alone_becomes_a_list(data: Path) -> None:
    row = Row("toolkit", "12.8", "toolkit-ships-driver", {"release": "12.8.1", "os": "linux", "driver": "570.124.06"})
    gained, lost = added(data, "cuda/12.8.toml", row)
    assert lost == ['ships-driver = { release = "12.8.0", os = "linux", driver = "570.86.10" }']
    assert gained == [
        "ships-driver = [",
        '  { release = "12.8.0", os = "linux", driver = "570.86.10" },',
        f'  {{ release = "12.8.1", os = "linux", driver = "570.124.06", evidence = [{PIECE}] }},',
    ]


def test_a_claim_joins_tables_of_their_own(data: Path) -> None:
    row = Row("branch", "R580", "branch-released", {"os": "windows", "latest": "582.78", "latest_on": "2026-08-03"})
    gained, lost = added(data, "drivers/r580.toml", row)
    assert gained == ['os = "windows"', 'latest = "582.78"', "latest_on = 2026-08-03", f"evidence = [{PIECE}]"]
    assert lost == []
    assert "]\n\n[branch.lifecycle]\n" in (data / "drivers/r580.toml").read_text(encoding="utf-8")


def test_a_list_of_things_seen_gains_items_and_evidence(data: Path) -> None:
    values = {"os": "linux", "versions": ["580.95.05", "580.126.09"], "latest": "580.126.09", "latest_on": "2026-01-13"}
    row = Row("branch", "R580", "branch-released", values, grows="versions")
    gained, lost = added(data, "drivers/r580.toml", row)
    assert lost == ['latest = "580.95.05"', "latest_on = 2025-09-30"]
    assert gained == [
        'latest = "580.126.09"',
        "latest_on = 2026-01-13",
        '  "580.95.05", "580.126.09",',
        f'evidence = ["page", {PIECE}]',
    ]


def test_a_short_list_grows_in_its_line(data: Path) -> None:
    tags = ["13.0.0-cudnn-devel-ubuntu24.04"]
    row = Row("image", "nvidia/cuda:13.0.0-ubuntu24.04", values={"tags": tags}, grows="tags")
    gained, lost = added(data, "images/nvidia-cuda-13.toml", row)
    assert lost == ['tags = ["13.0.0-base-ubuntu24.04", "13.0.0-devel-ubuntu24.04"]']
    assert gained == [lost[0].replace("]", f', "{tags[0]}"]')]


@pytest.mark.parametrize(
    ("branch", "inherited"),
    [("R535", '"page", '), ("R570", '"page", ')],  # written in the claim; by default
)
def test_a_list_that_was_left_out_begins(data: Path, branch: str, inherited: str) -> None:
    version = f"{branch[1:]}.999.01"
    row = Row("branch", branch, "branch-released", {"os": "linux", "versions": [version]}, grows="versions")
    gained, _ = added(data, f"drivers/{branch.lower()}.toml", row)
    assert any(version in line for line in gained)
    assert any(f"evidence = [{inherited}{PIECE}]" in line for line in gained)


def test_a_claim_gains_a_field_and_keeps_its_comment(data: Path) -> None:
    row = Row("toolkit", "12.8", "toolkit-released", {"release": "12.8.1", "on": "2025-03-06"})
    gained, lost = added(data, "cuda/12.8.toml", row)
    assert lost == ['  { release = "12.8.1" }, # the day is not known']
    assert gained == [
        f'  {{ release = "12.8.1", on = 2025-03-06, evidence = ["page", {PIECE}] }}, # the day is not known'
    ]


def test_an_image_that_exists_was_seen_that_day(data: Path) -> None:
    image = "nvidia/cuda:13.9.0-ubuntu24.04"
    rows = (
        Row("image", image, values={"repository": "nvidia/cuda", "role": "cuda", "tags": ["13.9.0-base-ubuntu24.04"]}),
        Row("image", image, "image-exists", {"status": "exists"}),
    )
    gained, _ = added(data, "images/nvidia-cuda-13.toml", *rows)
    assert 'exists = { status = "exists", seen_on = 2026-02-03 }' in gained


def test_without_its_tool_nothing_is_written(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "find_spec", lambda name: None)
    with pytest.raises(NotWritten, match="tomlkit is not installed"):
        applied(data, Row("toolkit", "13.9"))


def test_when_the_data_would_not_load_every_file_is_as_it_was(data: Path) -> None:
    before = {path: path.read_bytes() for path in data.rglob("*.toml")}
    good = Row("toolkit", "13.9")
    for bad in (
        Row("torch", "2.9.1", "torch-pairs-with", {"package": "numpy", "version": "2.0"}),
        Row("torch", "2.9.1", values={"released": "2026-02-01"}, grows="released"),
    ):
        comparison = Comparison((good, bad), (), (), (), (), 0)
        with pytest.raises(NotWritten):
            apply(comparison, data, evidence, TODAY)
        assert {path: path.read_bytes() for path in data.rglob("*.toml")} == before


def test_a_row_that_does_not_arrive_is_noticed(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_appended", lambda text, rows, evidence: text)
    with pytest.raises(NotWritten, match=r"toolkit:13\.9: not in the data after it was written"):
        applied(data, Row("toolkit", "13.9"))
    assert not (data / "cuda" / "13.9.toml").exists()


def test_a_subject_in_an_unusual_place_is_left_alone(data: Path) -> None:
    (data / "odd.toml").write_text('toolkit = [{ id = "12.9" }]\n', encoding="utf-8")
    load(data)
    row = Row("toolkit", "12.9", "toolkit-released", {"release": "12.9.0"})
    with pytest.raises(NotWritten, match="stands in no block of its own"):
        apply(Comparison((row,), (), (), (), (), 0), data, evidence, TODAY)
