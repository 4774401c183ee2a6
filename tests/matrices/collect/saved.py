"""The small saved pages, and a small data folder to compare them with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from matrices.build import compiled, serialised
from matrices.catalogue import Catalogue
from matrices.collect.door import Saved
from matrices.load import DATA, load

__all__ = ["PAGES", "catalogue_of", "page", "pages", "world"]

PAGES = Path(__file__).parent / "pages"
_WORLD = Path(__file__).parent / "world"


def page(name: str) -> bytes:
    """One saved page."""
    return (PAGES / name).read_bytes()


def pages() -> Saved:
    """The door to the saved pages."""
    return Saved(PAGES)


def world(folder: Path) -> Path:
    """A copy of the small data in `folder`, with the real entities of the sources."""
    data = folder / "data"
    shutil.copytree(_WORLD, data)
    shutil.copy(DATA / "sources" / "refreshed.toml", data)
    return data


def catalogue_of(data: Path) -> Catalogue:
    """The catalogue that the data below a folder compile to."""
    return Catalogue(json.loads(serialised(compiled(load(data)))))
