"""Whether there is a GPU, and whether the driver shows it."""

from __future__ import annotations

from api.doctor.facts import SeenGpu
from api.doctor.judging.judging import Judging
from api.doctor.judging.question import one_name, unseen
from resolver.names import Products

__all__ = ["judge_gpus"]


def judge_gpus(at: Judging) -> None:
    """Every GPU that is seen, and every card of the bus that is not."""
    facts = at.facts
    if facts.gpus:
        for gpu in facts.gpus:
            _gpu(at, gpu)
        for card in unseen(facts):
            text = f"{_name_of(at, card.pci_id) or card.pci_id} is on the PCI bus, but the driver does not show it."
            at.add("gpu", "warning", text, ("The kernel log says why: look for NVRM.", "$ sudo dmesg | grep -i nvrm"))
    elif facts.cards:
        for card in facts.cards:
            known = _name_of(at, card.pci_id)
            held = f", held by the kernel driver {card.driver}" if card.driver else ""
            name = known or f"NVIDIA device {card.pci_id}"
            at.add("gpu", "ok" if known else "unknown", f"{name} is on the PCI bus ({card.pci_id}{held}).")
    elif facts.cards is None or facts.wsl or facts.container == "kubernetes":
        at.add("gpu", "unknown", "Whether there is an NVIDIA GPU cannot be seen from here.")
    else:
        at.add(
            "gpu",
            "error",
            "There is no NVIDIA GPU on the PCI bus: nothing that needs CUDA runs here.",
            (
                "A card that is built in and not listed: reseat it, check its power plugs, and the settings of the firmware.",
                "A virtual machine or a cloud instance: choose a type with a GPU, or pass one through.",
            ),
        )


def _gpu(at: Judging, gpu: SeenGpu) -> None:
    asked = one_name(gpu, at.engine)
    if asked is None:
        at.add("gpu", "unknown", f"`{gpu.name}` is not known to this data.")
        return
    subject = at.engine.reader.subject(asked)
    memory = f", {round(gpu.memory_mib / 1024)} GiB" if gpu.memory_mib else ""
    said = f"{gpu.name}: compute capability {subject.capability}{memory}."
    if gpu.compute_capability is not None and gpu.compute_capability != str(subject.capability):
        said = f"{gpu.name} says compute capability {gpu.compute_capability}, the data says {subject.capability}."
        at.add("gpu", "warning", said, ("Please report it with `whichcuda doctor --report`.",))
        return
    at.add("gpu", "ok", said)


def _name_of(at: Judging, pci_id: str) -> str | None:
    found = at.engine.names.recognise(pci_id)
    return found.gpus[0].name if isinstance(found, Products) and found.gpus else None
