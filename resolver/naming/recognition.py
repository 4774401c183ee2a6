"""What a text turned out to name: products, a bare compute capability, another maker's product, or nothing known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from matrices.model import Gpu
from matrices.versions import ComputeCapability

__all__ = ["BareCapability", "NotNvidia", "Products", "Recognition", "Unknown", "common_name"]


@dataclass(frozen=True, slots=True)
class Products:
    """One product, or several that the text cannot tell apart, best first.

    Attributes:
        gpus: the candidates; never empty.
        certain: whether the reading left nothing corrected, ignored or contradicted.
        how: one word for the way it was read: `driver-name`, `name`, `model`, `prefix`, `memory`,
            `words`, `typo`, `pci-id`, `lspci`, `chip`, `vgpu`, `mig`, `instance`.
        reading: what the text was understood as.
    """

    gpus: tuple[Gpu, ...]
    certain: bool
    how: str
    reading: str


@dataclass(frozen=True, slots=True)
class BareCapability:
    """A compute capability without a product: `sm_120`, `cc 8.6`."""

    compute_capability: ComputeCapability


@dataclass(frozen=True, slots=True)
class NotNvidia:
    """A GPU, accelerator or virtual adapter of another maker; `reading` says whose."""

    reading: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No such product, or not understood; `candidates` are proposals, nearest first, at most five."""

    candidates: tuple[Gpu, ...] = ()


Recognition = Products | BareCapability | NotNvidia | Unknown


def common_name(gpus: Sequence[Gpu]) -> str:
    """What the names of products have in common, with the model in it; the first name where that is too little.

    The words all share, and of the next one the beginning where it ends in a number: K40c and K40m are both K40.
    """
    if len(gpus) == 1:
        return gpus[0].name
    names = [gpu.name.split() for gpu in gpus]
    common = [words[0] for words in zip(*names, strict=False) if len(set(words)) == 1]
    if any(character.isdigit() for word in common for character in word):
        return " ".join(common)
    columns = zip(*(gpu.name for gpu in gpus), strict=False)
    start = "".join(column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns))
    whole = all(not gpu.name[len(start) :][:1].isdigit() for gpu in gpus)
    return start if start[-1:].isdigit() and whole else gpus[0].name
