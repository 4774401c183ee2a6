"""One tiny kernel per dtype, in the environment's own torch: what a GPU really does, beside what the resolver says of it."""

from __future__ import annotations

from typing import Any, Literal

from api.doctor.outside import Outside
from api.doctor.probes.probe import Context
from api.doctor.probes.programs import interpreter
from matrices.measure.machine import KERNEL_SECONDS, kernel_command, read_kernels

__all__ = ["run_kernels", "verdict_of"]

_FINE = ("ok", "not offered")


def run_kernels(outside: Outside, context: Context) -> dict[str, Any] | None:
    """What the kernels say, as `matrices.measure.kernels` tells it; None where there is no torch or it does not end."""
    command = kernel_command(interpreter(outside, context.python))
    return read_kernels(outside.run(command, max(context.seconds, KERNEL_SECONDS)).out)


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
