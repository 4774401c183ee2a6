"""What the probes found out about a machine. None everywhere means: not known."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Card", "Facts", "SeenGpu", "TorchFacts"]


@dataclass(slots=True)
class Card:
    """An NVIDIA display device on the PCI bus, driver or not; `pci_id` as `10de:2b85`."""

    bus: str
    pci_id: str
    driver: str | None


@dataclass(slots=True)
class SeenGpu:
    """A GPU as the driver tells of it; `memory_mib` in MiB."""

    name: str
    compute_capability: str | None = None
    pci_id: str | None = None
    memory_mib: int | None = None


@dataclass(slots=True)
class TorchFacts:
    """torch in one Python environment; `version` with its local tag as printed."""

    version: str
    cuda: str | None = None
    available: bool | None = None
    python: str | None = None
    error: str | None = None
    devices: list[str] = field(default_factory=list)
    arch_list: list[str] = field(default_factory=list)
    packages: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The version with the CUDA it was built for, which the package index's own builds leave out."""
        if self.cuda is None or "+" in self.version:
            return self.version
        return f"{self.version}+cu{self.cuda.replace('.', '')}"


@dataclass(slots=True)
class Facts:
    """Everything that is known of a machine.

    Attributes:
        os: an id of the catalogue such as `ubuntu-24.04`, or the bare family.
        cards: None where the bus cannot be looked at, empty where no NVIDIA device is on it.
        driver: the version of the kernel module that is loaded, on Windows of the driver.
        client: the version of the user-space libraries.
        node: whether the device files that a program needs are there.
        unread: probes that gave nothing although they should, with the reason.
        texts: error texts of programs, for the assistant.
    """

    os: str | None = None
    machine: str | None = None
    glibc: str | None = None
    kernel: str | None = None
    wsl: bool = False
    container: str | None = None
    secure_boot: bool | None = None
    cards: list[Card] | None = None
    gpus: list[SeenGpu] = field(default_factory=list)
    driver: str | None = None
    client: str | None = None
    module_flavour: str | None = None
    driver_cuda: str | None = None
    node: bool | None = None
    smi: str | None = None
    python: str | None = None
    torch: TorchFacts | None = None
    torch_missing: bool = False
    nvcc: str | None = None
    docker_runtimes: list[str] | None = None
    container_toolkit: str | None = None
    cdi: bool | None = None
    environment: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)

    @property
    def gpus_hidden(self) -> bool:
        """Whether a variable of the environment hides every GPU."""
        return self.environment.get("CUDA_VISIBLE_DEVICES") in ("", "-1")

    def plain(self) -> dict[str, Any]:
        """As JSON values, without error texts: those may hold paths and names of a person."""
        found = asdict(self)
        del found["texts"]
        if found["torch"] is not None:
            del found["torch"]["error"]
        return found
