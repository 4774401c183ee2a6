"""The question to the resolver that a machine amounts to: its facts in the words that the resolver takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from api.doctor.facts import Card, Facts, SeenGpu
from assistant.reading import read
from resolver.engine import Asked, Engine
from resolver.errors import BadQuestion

__all__ = ["gpu_names", "one_name", "python_of", "resolved_for", "system", "unseen"]


def resolved_for(facts: Facts, engine: Engine, *, packages: Sequence[str] = ()) -> tuple[Asked, dict[str, Any]] | None:
    """The question that a machine amounts to, and its answer; None where no GPU is known.

    Raises:
        BadQuestion: when the question cannot be judged.
    """
    names = gpu_names(facts, engine)
    if not names:
        return None
    asked = Asked(
        gpus=names,
        os=system(facts, engine),
        machine=facts.machine if facts.machine in ("x86_64", "aarch64") else None,
        driver=facts.driver,
        python=python_of(facts),
        packages=tuple(packages),
        limit=1,
    )
    return asked, engine.resolve(asked)


def gpu_names(facts: Facts, engine: Engine) -> tuple[str, ...]:
    """What to ask the resolver for each distinct GPU; those it does not know are left out."""
    cards = unseen(facts) if facts.gpus else facts.cards or ()
    seen = [*facts.gpus, *(SeenGpu("", None, card.pci_id) for card in cards)]
    return tuple(dict.fromkeys(name for gpu in seen if (name := one_name(gpu, engine)) is not None))


def unseen(facts: Facts) -> list[Card]:
    """Cards of the bus that the driver does not show, but those that are handed to virtual machines."""
    shown = Counter(gpu.pci_id for gpu in facts.gpus)
    if facts.container or not all(shown):
        return []
    found = []
    for card in facts.cards or ():
        if shown[card.pci_id]:
            shown[card.pci_id] -= 1
        elif card.driver != "vfio-pci":
            found.append(card)
    return found


def one_name(gpu: SeenGpu, engine: Engine) -> str | None:
    """A name that the resolver takes: the printed one, the PCI id, or the bare capability."""
    bare = f"cc {gpu.compute_capability}" if gpu.compute_capability else None
    for name in filter(None, (gpu.name, gpu.pci_id, bare)):
        try:
            engine.reader.subject(name)
        except BadQuestion:
            continue
        return name
    return None


def system(facts: Facts, engine: Engine) -> str:
    """The operating system by an id of the catalogue, else its family."""
    if facts.wsl:
        return "wsl2"
    name, _, version = (facts.os or "linux").partition("-")
    found = read(f"ID={name}\nVERSION_ID={version}", engine.names).first("os")
    for candidate in (facts.os or "linux", str(found.value) if found else name, name):
        try:
            return engine.reader.system(candidate).id
        except BadQuestion:
            continue
    return "linux"


def python_of(facts: Facts) -> str | None:
    """The Python of the environment as major.minor, with a `t` where it is free-threaded."""
    if facts.python is None:
        return None
    parts = facts.python.split(".")
    return ".".join(parts[:2]) + ("t" if facts.python.endswith("t") else "")
