"""One tiny kernel per dtype, in the environment's own torch: what a GPU really does, beside what the resolver says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from api.doctor.outside import Outside
from api.doctor.probes import Context, interpreter
from matrices.measure import kernels

__all__ = ["KERNEL_SECONDS", "run_kernels", "verdict_of"]

KERNEL_SECONDS = 180.0  # the first kernel of a process may be compiled
_FINE = ("ok", "not offered")


def run_kernels(outside: Outside, context: Context) -> dict[str, Any] | None:
    """What the kernels say, as `matrices.measure.kernels` tells it; None where there is no torch or it does not end."""
    source = Path(kernels.__file__).read_text(encoding="utf-8")
    ran = outside.run((interpreter(outside, context.python), "-c", source), max(context.seconds, KERNEL_SECONDS))
    try:
        found = json.loads(ran.out.splitlines()[-1])
    except (ValueError, IndexError):
        return None
    return found if isinstance(found, dict) else None


def verdict_of(found: dict[str, Any] | None) -> tuple[Literal["ok", "warning", "error", "unknown"], str]:
    """The verdict on what the kernels said, and a sentence: float32 must run, another dtype that does not is a warning."""
    if found is None:
        return "unknown", "No kernel could be tried: torch is not there, or it did not end."
    devices = found["devices"]
    if not devices:
        return "error", f"torch {found['torch']} sees no GPU to run a kernel on."
    failed = {
        f"{name} on {device['name']}": said
        for device in devices
        for name, said in device["kernels"].items()
        if said not in _FINE
    }
    ran = sorted({name for device in devices for name, said in device["kernels"].items() if said == "ok"})
    told = "; ".join(f"{what}: {why.replace('`', chr(39))}" for what, why in failed.items())
    if any(what.startswith("float32 ") for what in failed):
        return "error", f"Kernels fail: {told}."
    if failed:
        return "warning", f"Kernels ran for {', '.join(ran)}, but not for {told}."
    return "ok", f"Kernels ran on {len(devices)} GPU(s) for {', '.join(ran)}."
