"""How a build of torch is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["label_of"]


def label_of(torch: Mapping[str, Any]) -> str:
    """The build of an answer's `torch`: with its variant, where it has one (a build for Jetson has none).

    >>> label_of({"version": "2.6.0", "variant": "cu124"}), label_of({"version": "2.5.0a0", "variant": None})
    ('2.6.0+cu124', '2.5.0a0')
    """
    return f"{torch['version']}+{torch['variant']}" if torch["variant"] else str(torch["version"])
