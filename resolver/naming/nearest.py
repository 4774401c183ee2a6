"""Proposals for a text that names nothing known: the products whose names look most like it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from matrices.model import Gpu
from resolver.naming.text import squash

__all__ = ["Nearest"]

_ALIKE = 65.0  # of 100, below which a proposal helps nobody
_DECORATION = re.compile(
    r"\(.*|\b(?:generation|blackwell|ada|laptop|gpu|embedded|edition|workstation|server|max-q|with|design|nvl|cnx"
    r"|sxm\d?|pcie|hbm\w+|\d+gb?)\b"
)
_NUMBER = re.compile(r"\d+")


class Nearest:
    """Products by likeness of the model in their names; the names are prepared when first asked for."""

    def __init__(self, gpus: Iterable[Gpu]) -> None:
        self._gpus = sorted(gpus, key=lambda gpu: "laptop" in gpu.family)

    @cached_property
    def _models(self) -> dict[str, list[Gpu]]:
        models: dict[str, list[Gpu]] = {}
        for gpu in self._gpus:
            models.setdefault(squash(_DECORATION.sub(" ", gpu.name.lower())), []).append(gpu)
        return models

    def proposals(self, text: str, most: int) -> tuple[Gpu, ...]:
        """At most `most` products whose models are alike to a cleaned text, most alike first."""
        from rapidfuzz import fuzz, process  # 10 ms to import, and rarely needed

        wanted = squash(text)
        number = _NUMBER.search(wanted)
        if number is None:
            return ()  # "rtx", "gpu": everything would be alike
        found = process.extract(wanted, self._models.keys(), scorer=fuzz.ratio, limit=20, score_cutoff=_ALIKE)
        found.sort(key=lambda alike: (_unlike(number, *alike[:2]), alike[0]))
        return tuple(gpu for model, _, _ in found for gpu in self._models[model])[:most]


def _unlike(ours: re.Match[str], model: str, likeness: float) -> tuple[float, bool, int]:
    """How unlike a name is: by spelling and length of number, then by the letters before it, then by its value."""
    theirs = _NUMBER.search(model)
    if theirs is None:
        return -likeness, True, 0
    longer = abs(len(ours[0]) - len(theirs[0]))
    far = abs(int(ours[0][:9]) - int(theirs[0][:9]))
    return 10 * longer - likeness, ours.string[: ours.start()] != model[: theirs.start()], far
