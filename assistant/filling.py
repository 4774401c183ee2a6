"""Placeholders of the symptom files, filled from what was read and what the resolver found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assistant.reading import Reading
from resolver.labels import label_of

__all__ = ["complete", "fill", "values"]

_PLACE = re.compile(r"\{([a-z_]{2,20})\}")
_SAFE = re.compile(r"[A-Za-z0-9 ._+=:/<>,;'-]{1,300}")
_KINDS = {
    "driver": "driver",
    "torch": "torch",
    "cuda": "driver-cuda",
    "toolkit": "toolkit",
    "image": "image",
    "kernel": "kernel",
    "python": "python",
}


def values(reading: Reading, stack: Mapping[str, Any] | None) -> dict[str, str]:
    """What is known for each placeholder; only plain characters get in, so that nothing pasted becomes part of a command."""
    found: dict[str, str] = {}
    for name, kind in _KINDS.items():
        fact = reading.first(kind)
        if fact is not None:
            found[name] = str(fact.value)
    if stack is not None:
        found |= {
            "gpu": stack["gpus"][0]["name"],
            "capability": stack["gpus"][0]["compute_capability"],
            "arch_list": stack["cuda"]["build_toolkit"]["arch_list"],
            "driver_minimum": stack["driver"]["minimum"],
            "driver_branch": stack["driver"]["recommended_branch"],
            "torch": label_of(stack["torch"]),
            "cuda": stack["cuda"]["runtime"],
            "toolkit": stack["cuda"]["build_toolkit"]["recommended"] or stack["cuda"]["build_toolkit"]["minimum"],
            "pip": stack["install"]["pip"],
        }
        images = [image["reference"] for image in stack["images"]]
        found |= {"image": images[0]} if images else {}
    return {name: text for name, text in found.items() if text and _SAFE.fullmatch(text)}


def fill(text: str, known: Mapping[str, str]) -> str:
    """`text` with its placeholders replaced; one that is not known is shown as `<name>`.

    >>> fill("sudo apt install nvidia-driver-{driver_branch}", {"driver_branch": "580"})
    'sudo apt install nvidia-driver-580'
    >>> fill("TORCH_CUDA_ARCH_LIST={arch_list}", {})
    'TORCH_CUDA_ARCH_LIST=<arch list>'
    """
    return _PLACE.sub(lambda match: known.get(match[1], f"<{match[1].replace('_', ' ')}>"), text)


def complete(text: str, known: Mapping[str, str]) -> bool:
    """Whether every placeholder of a text has its value.

    >>> complete("pip install torch=={torch}", {}), complete("nvidia-smi", {})
    (False, True)
    """
    return all(match[1] in known for match in _PLACE.finditer(text))
