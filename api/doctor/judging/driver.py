"""Whether the driver is there, is the right one, and talks."""

from __future__ import annotations

from typing import Any

from api.doctor.judging.judging import Judging, one_line
from api.doctor.judging.question import gpu_names, system
from resolver.engine import Checked

__all__ = ["judge_driver"]


def judge_driver(at: Judging, resolved: dict[str, Any] | None) -> None:
    """GPU, driver and system together, then what keeps the driver from working; `resolved` is what fits the machine."""
    facts = at.facts
    failed = facts.texts.get("nvidia-smi")
    if facts.driver and facts.node is not False and not _fit(at):
        if failed is not None:
            at.add("nvidia-smi", "info", f"nvidia-smi says: `{one_line(failed)}`.")
        return
    if failed is not None and at.diagnosed("driver", failed, "nvidia-smi fails"):
        return
    if facts.driver and facts.container and facts.node is False:
        at.symptom("driver", "container_gpu_flag_missing")
    elif facts.driver:
        _loaded(at, resolved)
    elif facts.wsl:
        at.symptom("driver", "wsl_libcuda_path" if facts.node else "wsl_gpu_blocked")
    elif facts.container and facts.cards:
        at.symptom("driver", "container_gpu_flag_missing")
    elif facts.cards:
        _without_module(at, resolved)
    elif facts.cards is None or facts.gpus:
        at.add("driver", "unknown", "No driver can be seen from here.")


def _loaded(at: Judging, resolved: dict[str, Any] | None) -> None:
    facts = at.facts
    flavour = f" ({facts.module_flavour} kernel module)" if facts.module_flavour else ""
    cuda = f"; it runs CUDA up to {facts.driver_cuda} natively" if facts.driver_cuda else ""
    at.add("driver", "ok", f"NVIDIA driver {facts.driver} is loaded{flavour}{cuda}.")
    if facts.smi is None and not {"nvidia-smi", "pasted"} & {*facts.unread, *facts.texts}:
        at.add("nvidia-smi", "warning", "nvidia-smi is not on this system, though the driver is loaded.")
    needed = resolved["stacks"][0]["driver"]["kernel_module"] if resolved and resolved["stacks"] else None
    has = facts.module_flavour
    if has is None or needed in (None, "either", has):
        return
    if needed == "mixed":
        at.add(
            "module",
            "error",
            "No one kernel module drives all of these GPUs: some need the open one, some the other.",
        )
    else:
        at.symptom("module", "open_module_required" if needed == "open" else "open_module_unsupported_gpu")


def _without_module(at: Judging, resolved: dict[str, Any] | None) -> None:
    held = {card.driver for card in at.facts.cards or ()}
    if held & {"nouveau", "nova_core", "nova"}:
        at.symptom("driver", "nouveau_conflict")
    elif "vfio-pci" in held:
        at.symptom("driver", "vm_passthrough")
    elif at.facts.smi is not None and at.facts.secure_boot:
        at.symptom("driver", "secure_boot_unsigned_module")
    elif at.facts.smi is not None:
        at.symptom("driver", "module_not_loaded_kernel_update")
    else:
        at.symptom("driver", "driver_not_installed", instead=_driver_steps(resolved))


def _driver_steps(resolved: dict[str, Any] | None) -> list[str]:
    """The resolver's own commands for the driver."""
    driver = resolved["stacks"][0]["driver"] if resolved and resolved["stacks"] else None
    commands = driver["install"].get("commands", ()) if driver is not None else ()
    if driver is None or not commands:
        return []
    sentence = f"Install branch {driver['recommended_branch']} ({driver['kernel_module']} kernel module), then restart."
    return [sentence, *(f"$ {command}" for command in commands)]


def _fit(at: Judging) -> bool:
    """Whether GPU, driver and system go together, as the resolver sees them; what does not is a finding."""
    facts = at.facts
    names = gpu_names(facts, at.engine)
    stack = Checked(gpu=names, driver=facts.driver, os=system(facts, at.engine), machine=facts.machine)
    before = len(at.findings)
    at.checked("fit", stack)
    return all(finding.verdict != "error" for finding in at.findings[before:])
