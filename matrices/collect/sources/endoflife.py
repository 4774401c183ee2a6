"""endoflife.date: `/api/v1/products/NAME/` and the older `/api/NAME.json`, for NVIDIA's drivers and GPUs.

Its driver cycles are `r580-linux` and `r580-windows`; end dates are its estimates. Its GPU cycles are architectures by
market (`consumer-pascal`); no relation holds what it says of them, so it only serves to notice a new architecture.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from matrices.catalogue import Catalogue
from matrices.collect.door import PageMissing, Pages
from matrices.collect.rows import Parsed, Row, Unrecognised
from matrices.model import Capability

__all__ = ["Cycle", "collect_drivers", "collect_gpus", "parse_cycles", "parse_drivers", "parse_gpus"]

_HOST = "https://endoflife.date/api"
_BRANCH = re.compile(r"r(\d{3})-(linux|windows)")
_MARKS = {"(NFB)": "new-feature", "(PB)": "production"}
_MARKETS = ("mobile-", "consumer-", "professional-")


@dataclass(frozen=True, slots=True)
class Cycle:
    """One release cycle; dates as ISO text, None where the page has none."""

    name: str
    label: str
    released: str | None
    lts: bool
    ends: str | None
    latest: str | None
    latest_on: str | None


def collect_drivers(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Ask for the driver cycles and read them."""
    return parse_drivers(_page(pages, "nvidia-driver", "nvidia"))


def collect_gpus(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Ask for the GPU cycles and read them."""
    return parse_gpus(_page(pages, "nvidia-gpu", "nvidia-gpu"), catalogue)


def _page(pages: Pages, name: str, product: str) -> bytes:
    try:
        return pages.page(f"{name}.json", f"{_HOST}/v1/products/{product}/", {})
    except PageMissing:
        return pages.page(f"{name}.json", f"{_HOST}/{product}.json", {})


def parse_cycles(page: bytes) -> list[Cycle]:
    """The cycles of a product, in either form of the interface.

    Raises:
        Unrecognised: when the page is of neither form, or lists nothing.
    """
    try:
        listed = json.loads(page)
        cycles = (
            [_new(item) for item in listed["result"]["releases"]]
            if isinstance(listed, dict)
            else list(map(_old, listed))
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unrecognised("endoflife.date: not a product") from error
    if not cycles:
        raise Unrecognised("endoflife.date: the product has no release cycles")
    return cycles


def _new(item: dict[str, Any]) -> Cycle:
    latest = item.get("latest") or {}
    return Cycle(
        item["name"],
        item.get("label", item["name"]),
        item.get("releaseDate"),
        bool(item.get("isLts")),
        item.get("eolFrom"),
        latest.get("name"),
        latest.get("date"),
    )


def _old(item: dict[str, Any]) -> Cycle:
    ends = item.get("eol")
    return Cycle(
        item["cycle"],
        item.get("releaseLabel", item["cycle"]),
        item.get("releaseDate"),
        bool(item.get("lts")),
        ends if isinstance(ends, str) else None,
        item.get("latest"),
        item.get("latestReleaseDate"),
    )


def parse_drivers(page: bytes) -> Parsed:
    """Rows of `branch`, `branch-released` and, from the Linux cycle, `branch-lifecycle`. Raises `Unrecognised`."""
    rows: list[Row] = []
    unmatched: list[str] = []
    for cycle in parse_cycles(page):
        found = _BRANCH.fullmatch(cycle.name)
        if found is None:
            unmatched.append(f"cycle {cycle.name}: not a driver branch")
            continue
        branch, os = f"R{found[1]}", found[2]
        place = f"cycle {cycle.name}"
        rows.append(Row("branch", branch, values={"number": int(found[1])}, place=place))
        if cycle.latest:
            values: dict[str, Any] = {"os": os, "latest": cycle.latest}
            if cycle.latest_on:
                values["latest_on"] = cycle.latest_on
            if os == "linux":
                values["versions"] = [cycle.latest]
            rows.append(Row("branch", branch, "branch-released", values, grows="versions", place=place))
        kind = "lts" if cycle.lts else next((kind for mark, kind in _MARKS.items() if mark in cycle.label), None)
        lifecycle = {"type": kind, "until": cycle.ends}
        known = {name: value for name, value in lifecycle.items() if value}
        if os == "linux" and known:
            rows.append(Row("branch", branch, "branch-lifecycle", known, place=f"{place}, its estimate"))
    if not rows:
        raise Unrecognised("endoflife.date: no driver branch among the cycles")
    return Parsed(tuple(rows), tuple(unmatched))


def parse_gpus(page: bytes, catalogue: Catalogue) -> Parsed:
    """No rows; in words each architecture that no capability of the catalogue carries, and the end dates given.

    Raises:
        Unrecognised: when the page lists no GPU architecture.
    """
    known = {re.sub(r"[^a-z]", "", item.architecture.lower()) for item in catalogue.entities(Capability).values()}
    unmatched: list[str] = []
    for cycle in parse_cycles(page):
        architecture = cycle.name
        for market in _MARKETS:
            architecture = architecture.removeprefix(market)
        if architecture == cycle.name:
            unmatched.append(f"cycle {cycle.name}: not an architecture by market")
        elif re.sub(r"[^a-z]", "", architecture) not in known:
            unmatched.append(f"cycle {cycle.name}: no compute capability has this architecture")
        elif cycle.ends:
            unmatched.append(f"cycle {cycle.name}: ends {cycle.ends}; no relation holds it")
    return Parsed((), tuple(unmatched))
