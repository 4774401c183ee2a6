"""The wheel index of PyTorch: one page of all torch wheels, or the page of one variant, in HTML."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from matrices.catalogue import Catalogue
from matrices.collect.door import Pages
from matrices.collect.rows import Parsed, Row, Unrecognised
from matrices.collect.tables import read_links
from matrices.collect.wheelnames import gather
from matrices.model import Wheel
from matrices.versions import TorchVersion

__all__ = ["URL", "collect", "expected", "parse"]

URL = "https://download.pytorch.org/whl/torch/"

_VARIANT = re.compile(r"cu\d{2,3}")


def collect(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Ask for the page of all variants and read it."""
    return parse(pages.page("pytorch-torch.html", URL, {}))


def parse(page: bytes) -> Parsed:
    """Rows of `torch`, `wheel`, `wheel-built-with` and `wheel-needs` for the CUDA variants.

    Raises:
        Unrecognised: when no link leads to a torch wheel.
    """
    links = read_links(page)
    files = dict.fromkeys(unquote(urlsplit(address).path).rpartition("/")[2] for address, _ in links)
    builds, unmatched = gather(file for file in files if file.endswith((".whl", ".tar.gz")))
    rows: list[Row] = []
    others: set[str] = set()
    for build in builds:
        if build.number is not None or not _VARIANT.fullmatch(build.local or ""):
            others.add(build.local or "no variant")
            continue
        wheel = f"torch-{build.torch}+{build.local}-{build.os}-{build.machine}"
        values = {"torch": build.torch, "variant": build.local, "os": build.os, "machine": build.machine}
        place = f"{len(build.files)} files of {build.torch}+{build.local}"
        rows += [
            Row("torch", build.torch, place=place),
            Row("wheel", wheel, values={**values, "channel": "pytorch-index"}, place=place),
            Row("wheel", wheel, "wheel-built-with", {"cuda": build.cuda}, place=place),
            Row("wheel", wheel, "wheel-needs", build.needs, place=place),
        ]
    if not rows:
        raise Unrecognised("pytorch-torch.html: no link to a CUDA wheel of torch")
    unmatched += [f"variant {name}: not CUDA" for name in sorted(others)]
    return Parsed(tuple(rows), tuple(unmatched))


def expected(catalogue: Catalogue, parsed: Parsed) -> list[str]:
    """The wheels that are held to be on this index, of the variants that the page has and no newer than it."""
    stated = [row.values for row in parsed.rows if row.kind == "wheel" and not row.relation]
    variants = {values["variant"] for values in stated}
    newest = max((TorchVersion.parse(values["torch"]) for values in stated), default=None)
    return [
        f"wheel:{wheel.id}"
        for wheel in catalogue.entities(Wheel).values()
        if wheel.channel == "pytorch-index" and wheel.build is None
        if wheel.variant in variants and newest is not None and wheel.torch <= newest
    ]
