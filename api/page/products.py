"""A product as its page shows it: figures with their units, the newest stack, what it can do, and the claims behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from api.page.ladder import features, rungs
from api.page.words import Words
from api.views import Views
from resolver.engine import Asked
from resolver.errors import AmbiguousGpu
from resolver.words import speaking

__all__ = ["figures", "product", "products"]

_UNITS = {
    "bandwidth_gb_s": "GB/s",
    "nvlink_gb_s": "GB/s",
    "fp32_tflops": "TFLOPS",
    "fp64_tflops": "TFLOPS",
    "fp16_tensor_dense_tflops": "TFLOPS",
    "tdp_w": "W",
}


def product(gpu: Mapping[str, Any], words: Words, views: Views) -> dict[str, Any]:
    """What the page of one product shows beside its data."""
    with speaking(words.language):
        asked, answer = _newest(gpu, views)
    best = answer["stacks"][0] if answer["stacks"] else None
    return {
        "figures": list(figures(gpu, words)),
        "asked": asked,
        "answer": answer,
        "rungs": rungs(best, words, views) if best else [],
        "features": features(best, words, views) if best else [],
    }


def _newest(gpu: Mapping[str, Any], views: Views) -> tuple[str, dict[str, Any]]:
    """What was asked, and the answer: by the name, or by the capability where the name means other products too."""
    try:
        return gpu["name"], views.engine.resolve(Asked([gpu["name"]], limit=1))
    except AmbiguousGpu:
        asked = f"cc {gpu['compute_capability']}"
        return asked, views.engine.resolve(Asked([asked], limit=1))


def figures(gpu: Mapping[str, Any], words: Words) -> Iterable[tuple[str, str]]:
    """Name and value of each figure that is known, with its unit."""
    for name in ("architecture", "chip", "compute_capability", "family", "released"):
        if gpu[name]:
            yield words(f"spec.{name}"), str(gpu[name])
    if gpu["memory_gb"]:
        yield words("spec.memory_gb"), " / ".join(f"{size:g}" for size in gpu["memory_gb"]) + " GB"
    for name, value in (gpu["specs"] or {}).items():
        if isinstance(value, bool):
            yield words(f"spec.{name}"), words("yes" if value else "no")
        elif value is not None:
            unit = _UNITS.get(name)
            yield words(f"spec.{name}"), f"{value} {unit}" if unit else str(value)
    yield words("spec.machines"), ", ".join(gpu["machines"])
    if gpu["kernel_module"]:
        kinds = gpu["kernel_module"]["works_with"]
        yield words("spec.kernel_module"), words(f"module.{kinds[0] if len(kinds) == 1 else 'either'}")
    if gpu["pci_ids"]:
        yield words("spec.pci_ids"), ", ".join(gpu["pci_ids"])


def products(listed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Products in groups of one architecture, the newest first."""
    groups: dict[str, list[Any]] = {}
    for row in listed["gpus"]:  # lowest capability first
        groups.setdefault(row["architecture"], []).append(row)
    return [
        {
            "architecture": architecture,
            "capabilities": list(dict.fromkeys(row["compute_capability"] for row in rows)),
            "gpus": sorted(rows, key=lambda row: row["name"]),
        }
        for architecture, rows in reversed(groups.items())
    ]
