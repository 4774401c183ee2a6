"""An observation of a machine that can be sent to anybody: versions and verdicts, nothing of a person or a host."""

from __future__ import annotations

from typing import Any

from api import VERSION
from api.doctor.facts import Facts
from api.doctor.judging.findings import Judged
from matrices.measure.machine import observation

__all__ = ["report"]

_OF_A_GPU = ("compute_capability", "memory_mib", "name")  # not its address


def report(facts: Facts, judged: Judged, kernels: dict[str, Any] | None, measured_on: str) -> dict[str, Any]:
    """The observation in the form of `whichcuda measure machine`, and beside it what follows from it by today's data.

    Left out on purpose: host and user names, paths, serial numbers, UUIDs, bus addresses, error texts, and the packages of the
    environment. `measured_on` is a date, as a clock is the caller's business.
    """
    system = {"glibc": facts.glibc, "machine": facts.machine, "os": facts.os or "unknown", "wsl": facts.wsl}
    torch = facts.torch
    installed = None
    if torch is not None:
        installed = {"available": torch.available, "cuda": torch.cuda, "version": torch.version}
    return {
        **observation(
            [{name: getattr(gpu, name) for name in _OF_A_GPU} for gpu in facts.gpus],
            system,
            driver=facts.driver,
            cuda_of_driver=facts.driver_cuda,
            kernel_module=facts.module_flavour,
            torch=kernels,
            measured_on=measured_on,
            tool="whichcuda doctor",
            tool_version=VERSION,
        ),
        "cards": None if facts.cards is None else sorted(card.pci_id for card in facts.cards),
        "container": facts.container is not None,
        "data_version": judged.data_version,
        "findings": [{"id": each.id, "symptom": each.symptom, "verdict": each.verdict} for each in judged.findings],
        "torch_installed": installed,
        "verdict": judged.verdict,
    }
