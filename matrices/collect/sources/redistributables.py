"""NVIDIA's redistributable manifests: `redistrib_12.8.0.json`, one a toolkit release, and the folder that lists them."""

from __future__ import annotations

import json
import re
from typing import Any

from matrices.catalogue import Catalogue
from matrices.collect.door import PageMissing, Pages
from matrices.collect.rows import Parsed, Row, Unrecognised
from matrices.collect.tables import read_links
from matrices.model import ToolkitReleased, ToolkitShipsDriver
from matrices.versions import CudaVersion

__all__ = ["URL", "collect", "parse", "parse_listing"]

URL = "https://developer.download.nvidia.com/compute/cuda/redist/"

_NAME = re.compile(r"redistrib_(\d+\.\d+\.\d+)\.json")


def collect(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Read the folder, and of each release about which the catalogue lacks the day or the driver its manifest."""
    dated = {claim.release for claim in catalogue.claims(ToolkitReleased) if claim.on is not None}
    driven = {claim.release for claim in catalogue.claims(ToolkitShipsDriver)}
    rows: list[Row] = []
    unmatched: list[str] = []
    for release in parse_listing(pages.page("redist.html", URL, {})):
        name = f"redistrib_{release}.json"
        if release in dated and release in driven:
            rows += _exists(release, f"{name} in the folder")
            continue
        try:
            found = parse(pages.page(name, URL + name, {}), release)
        except (PageMissing, Unrecognised) as error:
            unmatched.append(str(error))
            continue
        rows += found.rows
        unmatched += found.unmatched
    return Parsed(tuple(rows), tuple(unmatched))


def parse_listing(page: bytes) -> list[str]:
    """The releases that have a manifest, oldest first.

    Raises:
        Unrecognised: when the page links to no manifest.
    """
    releases = {found[1] for address, _ in read_links(page) if (found := _NAME.fullmatch(address.rpartition("/")[2]))}
    if not releases:
        raise Unrecognised("redist.html: no manifest is listed")
    return sorted(releases, key=CudaVersion.parse)


def parse(page: bytes, release: str) -> Parsed:
    """Rows of one manifest: the toolkit, its day, the driver in its installer. `release` is that of the file's name.

    Raises:
        Unrecognised: when the page is no manifest, or one of another release.
    """
    name = f"redistrib_{release}.json"
    try:
        manifest: dict[str, Any] = json.loads(page)
        label, day = manifest.get("release_label", release), manifest["release_date"]
        components = {key: value for key, value in manifest.items() if isinstance(value, dict)}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unrecognised(f"{name}: not a manifest") from error
    if label != release or not components:
        raise Unrecognised(f"{name}: the manifest of {label} with {len(components)} components")
    rows = list(_exists(release, name))
    subject = rows[0].subject
    rows[1] = Row(
        "toolkit", subject, "toolkit-released", {"release": release, "on": day}, place=f"{name}, release_date"
    )
    driver = components.get("nvidia_driver", {}).get("version")
    if driver:
        values = {"release": release, "os": "linux", "driver": driver}
        rows.append(Row("toolkit", subject, "toolkit-ships-driver", values, place=f"{name}, nvidia_driver"))
    unmatched = [f"{name}: {key} has no version" for key, value in components.items() if "version" not in value]
    return Parsed(tuple(rows), tuple(unmatched))


def _exists(release: str, place: str) -> tuple[Row, Row]:
    subject = str(CudaVersion.parse(release).release)
    return (
        Row("toolkit", subject, place=place),
        Row("toolkit", subject, "toolkit-released", {"release": release}, place=place),
    )
