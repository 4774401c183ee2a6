"""Machine types of clouds: by their id, and by their siblings where only other sizes of a family are listed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from matrices.model import CloudInstance, Gpu

__all__ = ["Instances"]

_PREFIX = re.compile(r"^(?:standard-|ml\.)")
_SIZES = tuple(
    re.compile(pattern)
    for pattern in (
        # AWS, and those who name like it
        r"(?P<family>(?:ecs\.)?[a-z]{1,5}\d[a-z0-9]*(?:-[a-z]+\d+)?)(?:-c\d+g\d+)?\.(?:\d*x?large\d*|metal[\w-]*)",
        r"(?P<family>n[cdvg])\d{1,3}(?P<tail>[a-z]*(?:-[a-z0-9]+)*-v\d|[a-z]*)",  # Azure
        r"(?P<family>[a-z]\d[a-z]?-[a-z]+)-\d{1,3}g?",  # Google
        r"(?:vm|bm)(?P<family>\.gpu[\w.-]*?)\.\d{1,2}",  # Oracle
    )
)


class Instances:
    """What is inside rented machines.

    >>> Instances({}, {}).exactly("g5.xlarge")
    ()
    """

    def __init__(self, instances: Mapping[str, CloudInstance], gpus: Mapping[str, Gpu]) -> None:
        self._exact: dict[str, tuple[Gpu, ...]] = {}
        self._families: dict[str, dict[str, Gpu]] = {}
        for instance in instances.values():
            inside = tuple(gpus[gpu] for gpu in instance.gpus if gpu in gpus)
            name = _plain(instance.id)
            self._exact[name] = inside
            family = _family(name) or name  # "g5" stands for its sizes
            self._families.setdefault(family, {}).update((gpu.id, gpu) for gpu in inside)

    def exactly(self, text: str) -> tuple[Gpu, ...]:
        """The products in the machine type that a cleaned text is; empty if none is listed by that name."""
        return self._exact.get(_plain(text), ())

    def of_family(self, text: str) -> tuple[Gpu, ...]:
        """The products in the listed machine types that differ from a cleaned text in size only."""
        return tuple(self._families.get(_family(_plain(text)), {}).values())


def _plain(text: str) -> str:
    return _PREFIX.sub("", text.lower().replace("_", "-"))


def _family(name: str) -> str:
    """The name without its size; empty if it does not look like a machine type.

    >>> _family("g5.xlarge"), _family("nc6s-v3"), _family("a2-highgpu-1g"), _family("rtx 4090")
    ('g5', 'nc#s-v3', 'a2-highgpu', '')
    """
    for pattern in _SIZES:
        found = pattern.fullmatch(name)
        if found:
            groups = found.groupdict()
            return groups["family"] + (f"#{groups['tail']}" if "tail" in groups else "")
    return ""
