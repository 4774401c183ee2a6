"""Every source that can be refreshed, under the name it is asked for by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from matrices.catalogue import Catalogue
from matrices.collect.door import Pages
from matrices.collect.rows import Parsed, Row
from matrices.collect.sources import (
    driver_releases,
    endoflife,
    images,
    package_index,
    pytorch_index,
    redistributables,
    release_notes,
)
from matrices.model import Documented, Evidence, Measured

__all__ = ["COLLECTORS", "Collector"]


def _none(catalogue: Catalogue, parsed: Parsed) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Collector:
    """How one source is read, and what evidence its rows are.

    `source` is its entity in the data. `expected` gives the keys that the source, having said what it says, ought to
    state too.
    """

    name: str
    source: str
    collect: Callable[[Pages, Catalogue], Parsed]
    expected: Callable[[Catalogue, Parsed], Iterable[str]] = _none
    kind: Literal["documented", "measured"] = "documented"

    def evidence(self, row: Row, on: date) -> dict[str, Any]:
        """The evidence of a row, as the TOML holds it."""
        if self.kind == "measured":
            how = "whichcuda refresh: file names of the release, METADATA"
            return {"kind": "measured", "artefact": f"package index: {row.place}", "on": on, "how": how}
        return {"kind": "documented", "source": self.source, "on": on, "place": row.place}

    def is_own(self, piece: Evidence) -> bool:
        """Whether a piece of evidence comes from this source."""
        if isinstance(piece, Measured):
            return self.kind == "measured" and piece.artefact.startswith("package index")
        return self.source == (piece.source if isinstance(piece, Documented) else piece.link)


COLLECTORS: dict[str, Collector] = {
    collector.name: collector
    for collector in (
        Collector("package-index", "package-index", package_index.collect, package_index.expected, "measured"),
        Collector("pytorch-index", "pytorch-wheel-index", pytorch_index.collect, pytorch_index.expected),
        Collector("driver-releases", "nvidia-driver-releases", driver_releases.collect),
        Collector("release-notes", "cuda-release-notes", release_notes.collect),
        Collector("redistributables", "cuda-redistributables", redistributables.collect),
        Collector("cuda-images", "docker-hub-cuda", images.collect_cuda, images.expected("nvidia/cuda")),
        Collector("pytorch-images", "docker-hub-pytorch", images.collect_pytorch, images.expected("pytorch/pytorch")),
        Collector("ngc-images", "ngc-pytorch-tags", images.collect_ngc, images.expected(images.NGC)),
        Collector("endoflife-drivers", "endoflife-nvidia-driver", endoflife.collect_drivers),
        Collector("endoflife-gpus", "endoflife-nvidia-gpu", endoflife.collect_gpus),
    )
}
