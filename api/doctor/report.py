"""An observation of a machine that can be sent to anybody: versions and verdicts, nothing of a person or a host."""

from __future__ import annotations

import re
from typing import Any

from api import VERSION
from api.doctor.facts import Facts
from api.doctor.judge import Judged

__all__ = ["report"]

_METHOD = {
    "gpus": "nvidia-smi --query-gpu, or NVML where there is no nvidia-smi",
    "cuda_of_driver": "the head of nvidia-smi, or NVML: the highest CUDA that the driver runs natively",
    "torch": "one multiplication of small matrices per data type and GPU, in a process of its own",
}


def report(facts: Facts, judged: Judged, kernels: dict[str, Any] | None, measured_on: str) -> dict[str, Any]:
    """The observation in the form of `whichcuda measure machine`, and beside it what follows from it by today's data.

    Left out on purpose: host and user names, paths, serial numbers, UUIDs, bus addresses, error texts, and the packages of the
    environment. `measured_on` is a date, as a clock is the caller's business.
    """
    gpus = [
        {"compute_capability": gpu.compute_capability, "memory_mib": gpu.memory_mib, "name": gpu.name}
        for gpu in facts.gpus
    ]
    names = sorted({gpu.name for gpu in facts.gpus}) or ["no-gpu"]
    parts = ["machine", *names, *([facts.driver] if facts.driver else []), facts.os or "unknown"]
    torch = facts.torch
    return {
        "cards": None if facts.cards is None else sorted(card.pci_id for card in facts.cards),
        "container": facts.container is not None,
        "cuda_of_driver": facts.driver_cuda,
        "data_version": judged.data_version,
        "driver": facts.driver,
        "findings": [{"id": each.id, "symptom": each.symptom, "verdict": each.verdict} for each in judged.findings],
        "glibc": facts.glibc,
        "gpus": gpus,
        "id": re.sub(r"[^a-z0-9.]+", "-", "-".join(parts).lower()),
        "kernel_module": facts.module_flavour,
        "kind": "machine",
        "machine": facts.machine,
        "measured_on": measured_on,
        "method": dict(_METHOD),
        "no_gpu": not gpus,
        "os": facts.os or "unknown",
        "tool": "whichcuda doctor",
        "tool_version": VERSION,
        "torch": kernels,
        "torch_installed": None
        if torch is None
        else {"available": torch.available, "cuda": torch.cuda, "version": torch.version},
        "verdict": judged.verdict,
        "wsl": facts.wsl,
    }
