"""NVIDIA's list of data center drivers: `releases.json`, one entry a branch, one row a build (Linux only)."""

from __future__ import annotations

import json
from typing import Any

from matrices.catalogue import Catalogue
from matrices.collect.door import Pages
from matrices.collect.rows import Parsed, Row, Unrecognised
from matrices.versions import DriverVersion, InvalidVersion

__all__ = ["URL", "collect", "parse"]

URL = "https://docs.nvidia.com/datacenter/tesla/drivers/releases.json"

_TYPES = {
    "lts branch": "lts",
    "production branch": "production",
    "new feature branch": "new-feature",
}
_KNOWN = {"release_version", "release_date", "release_notes", "architectures", "runfile_url"}


def collect(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Ask for the list and read it."""
    return parse(pages.page("releases.json", URL, {}))


def parse(page: bytes) -> Parsed:
    """Rows of `branch`, `branch-released` and `branch-lifecycle` (its type alone; end dates are not in this list).

    Raises:
        Unrecognised: when the page is no such list or an empty one.
    """
    try:
        listed: dict[str, Any] = json.loads(page)
        branches = {number: (entry.get("type"), entry["driver_info"]) for number, entry in listed.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unrecognised("releases.json: not the list of data center drivers") from error
    rows: list[Row] = []
    unmatched: list[str] = []
    for number, (kind, builds) in branches.items():
        if not number.isdecimal():
            unmatched.append(f"branch {number}: not a number")
            continue
        branch = f"R{number}"
        seen = _builds(branch, builds, unmatched)
        if not seen:
            unmatched.append(f"branch {number}: no build could be read")
            continue
        rows.append(Row("branch", branch, values={"number": int(number)}, place=f"entry {number}"))
        rows.append(_released(branch, seen))
        named = _TYPES.get(str(kind).lower())
        if named:
            rows.append(Row("branch", branch, "branch-lifecycle", {"type": named}, place=f"type of entry {number}"))
        else:
            unmatched.append(f"branch {number}: type {kind!r}")
    if not rows:
        raise Unrecognised("releases.json: no branch could be read")
    return Parsed(tuple(rows), tuple(dict.fromkeys(unmatched)))


def _builds(branch: str, builds: list[dict[str, Any]], unmatched: list[str]) -> dict[DriverVersion, str | None]:
    seen: dict[DriverVersion, str | None] = {}
    for build in builds:
        unmatched += [f"unknown key {key!r}" for key in sorted(build.keys() - _KNOWN)]
        try:
            version = DriverVersion.parse(str(build.get("release_version", "")).strip())
        except InvalidVersion as error:
            unmatched.append(f"{branch}: {error}")
            continue
        seen[version] = build.get("release_date")
    return seen


def _released(branch: str, seen: dict[DriverVersion, str | None]) -> Row:
    latest = max(seen)
    values: dict[str, Any] = {
        "os": "linux",
        "versions": [str(version) for version in sorted(seen)],
        "latest": str(latest),
    }
    if seen[latest]:
        values["latest_on"] = seen[latest]
    return Row("branch", branch, "branch-released", values, grows="versions", place=f"builds of {branch}")
