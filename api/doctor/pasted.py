"""The facts of another machine, from whatever text was pasted from it: logs, `nvidia-smi`, `collect_env`, an error."""

from __future__ import annotations

from api.doctor.facts import Facts, SeenGpu, TorchFacts
from assistant.machine import machine_of
from assistant.reading import Reading, read
from resolver.engine import Engine

__all__ = ["facts_of"]


def facts_of(text: str, engine: Engine) -> Facts:
    """What a text says of the machine it came from; what it does not say stays unknown."""
    reading = read(text, engine.names)
    machine = machine_of(reading, engine)
    facts = Facts(
        os=machine.os,
        machine=_said(reading, "machine"),
        kernel=_said(reading, "kernel"),
        glibc=_said(reading, "glibc"),
        wsl=machine.os == "wsl2",
        container=next((str(each.value) for each in reading.all("platform") if each.value in _CONTAINERS), None),
        gpus=[SeenGpu(name) for name in machine.gpus],
        driver=machine.driver,
        client=_said(reading, "client-library"),
        module_flavour=_said(reading, "module-flavour"),
        driver_cuda=_said(reading, "driver-cuda"),
        python=machine.python,
        nvcc=_said(reading, "toolkit"),
        texts={"pasted": text},
    )
    torch = reading.first("torch")
    if torch is not None:
        built = torch.value.cuda or (found.value if (found := reading.first("torch-cuda")) is not None else None)
        available = reading.first("cuda-available")
        facts.torch = TorchFacts(
            version=str(torch.value),
            cuda=None if built is None else f"{built.major}.{built.minor}",
            available=available.value if available is not None else None,
            python=machine.python,
        )
    return facts


_CONTAINERS = ("container", "kubernetes")


def _said(reading: Reading, kind: str) -> str | None:
    fact = reading.first(kind)
    return None if fact is None else str(fact.value)
