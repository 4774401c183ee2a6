"""What follows from a text together with the resolver: named predicates, each a small pure function.

Symptom files name them in `when`, `needs` and `unless`. A predicate gives a `Proof` with the lines that show it, or None.
"""

from __future__ import annotations

from assistant import beside, comparisons, makers, memory, surroundings  # noqa: F401 - they enter their predicates
from assistant.case import PREDICATES, Case, Predicate, Proof, both

__all__ = ["COMPARISONS", "PREDICATES", "Case", "Predicate", "Proof", "both"]

# What two facts show together, which no wording can: it weighs more than any message.
COMPARISONS = frozenset(
    {
        "gpu-newer-than-build", "gpu-older-than-build", "kernel-image-error-in-build", "driver-too-old-for-torch", "driver-too-old-for-cuda",
        "driver-dropped-gpu", "driver-too-old-for-gpu", "arch-newer-than-nvcc", "arch-older-than-nvcc", "versions-differ", "oom-larger-than-card",
        "tensorflow-without-gpu-on-windows",
    }
)  # fmt: skip
