"""Questions shown in the OpenAPI document. Their answers there are the engine's own, made when the document is."""

from __future__ import annotations

from typing import Any

__all__ = ["EXAMPLES"]

EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "/resolve": {
        "a new GPU": {"gpu": "rtx5090"},
        "with the driver installed": {"gpu": "rtx5090", "os": "ubuntu-24.04", "driver": "570.124.06"},
        "a mixed fleet": {"gpu": ["v100", "rtx5090"]},
        "an answer of no": {"gpu": "rtx5090", "torch": "2.6.0+cu124"},
    },
    "/check": {
        "works, though nvidia-smi says 12.2": {"gpu": "a100", "driver": "535.183.01", "torch": "2.6.0+cu124"},
        "no code for the GPU": {"gpu": "rtx5090", "torch": "2.6.0+cu124", "python": "3.12"},
    },
    "/ask": {
        "an error text": {
            "message": "RuntimeError: CUDA error: no kernel image is available for execution on the device",
            "context": {"gpu": "RTX 5090", "torch": "2.6.0+cu124", "os": "ubuntu-24.04"},
        },
        "a question": {"message": "GTX 1080 Ti 该装哪个版本的 CUDA？"},
    },
    "/build": {
        "an extension for a fleet": {"gpu": ["a100", "h100"], "torch": "2.8.0", "os": "ubuntu-24.04"},
        "a compiler that is too new": {"gpu": "rtx4090", "cuda": "11.8", "compiler": "gcc-13"},
    },
    "/dockerfile": {
        "to run": {"gpu": "rtx5090"},
        "to compile in": {"gpu": ["a100", "h100"], "driver": "570", "workload": "build"},
    },
}
