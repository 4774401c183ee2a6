"""Texts that tools print: lines of nvidia-smi and lspci, labels, PCI ids, vGPU and MIG profiles, capabilities."""

from __future__ import annotations

import re
from dataclasses import dataclass

from matrices.versions import ComputeCapability

__all__ = [
    "Lspci",
    "PciId",
    "bare_capability",
    "capability_in",
    "inner_name",
    "lspci_in",
    "mig_in",
    "pci_id_in",
    "without_capability",
    "without_vgpu_profile",
]

# --- a name inside something else ---------------------------------------------------------------------------------

_INNER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"gpu ?\d{1,3} ?: ?(?P<name>.+?) ?(?:\(uuid:.*)?",
        r"_?cudadeviceproperties\(name='(?P<name>[^']+)'.*",
        r"[\w./-]*(?:gpu\.product|accelerator|(?:product|gpu|device|model)[ _]?name)[\"']? ?[:=] ?[\"']?(?P<name>[^\"']+)[\"']?,?",
        r"(?:\d{1,2}, ?)?(?P<name>(?:nvidia|tesla|quadro|geforce)[^,]+)(?:, ?[\d.]+(?: ?mib| ?w| ?%)?)+",
    )
)


def inner_name(text: str) -> str | None:
    """The product name in a line of a tool: `nvidia-smi -L`, a CSV row, a Kubernetes label, a torch property.

    >>> inner_name("GPU 0: NVIDIA A10 (UUID: GPU-5f1c2e3a)")
    'NVIDIA A10'
    >>> inner_name("nvidia.com/gpu.product=NVIDIA-L40S")
    'NVIDIA-L40S'
    """
    for pattern in _INNER:
        found = pattern.fullmatch(text)
        if found:
            return found["name"]
    return None


# --- PCI ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PciId:
    """Vendor and device, four lower-case hex digits each."""

    vendor: str
    device: str


_NVIDIA = "10de"
_PCI = tuple(
    re.compile(pattern)
    for pattern in (
        r"ven_(?P<vendor>[0-9a-f]{4})&dev_(?P<device>[0-9a-f]{4})(?![0-9a-f])",
        r"(?<![0-9a-z:])(?:0x)?(?P<vendor>[0-9a-f]{4})(?::|, ?| (?=0x))(?:0x)?(?P<device>[0-9a-f]{4})(?![0-9a-z:])",
        r"(?<![0-9a-z])(?P<vendor>10de)[-_]?(?P<device>[0-9a-f]{4})(?![0-9a-z])",
        r"^0x(?P<device>[0-9a-f]{4})(?P<vendor>10de)?$",
        r"(?<![0-9a-z])device (?P<device>[0-9a-f]{4})(?![0-9a-z:])",
    )
)


def pci_id_in(text: str, vendors: frozenset[str]) -> PciId | None:
    """The PCI id of an NVIDIA device or of one of the other vendors in a cleaned text.

    >>> pci_id_in("0x2b85", frozenset()), pci_id_in("pci\\\\ven_10de&dev_2504&subsys_1", frozenset())
    (PciId(vendor='10de', device='2b85'), PciId(vendor='10de', device='2504'))
    """
    for pattern in _PCI:
        for found in pattern.finditer(text):
            vendor = found.groupdict().get("vendor") or _NVIDIA
            if vendor == _NVIDIA or vendor in vendors:
                return PciId(vendor, found["device"])
    return None


@dataclass(frozen=True, slots=True)
class Lspci:
    """A device as lspci names it: the chip before the brackets, the product name in them."""

    chip: str
    name: str


_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_PCI_PAIR = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")
_CHIP = re.compile(r"(?<![a-z0-9])(?:ad|tu|g[a-z]?|mcp|c)\d{2,3}[a-z]{0,4}$")


def lspci_in(text: str) -> Lspci | None:
    """The chip and product name of a line of lspci, cleaned; None where there are no such brackets.

    >>> lspci_in("01:00.0 vga compatible controller [0300]: nvidia corporation ga102 [geforce rtx 3090] (rev a1)")
    Lspci(chip='ga102', name='geforce rtx 3090')
    """
    for found in _BRACKETS.finditer(text):
        chip = _CHIP.search(text[: found.start()].rstrip())
        if chip and not _PCI_PAIR.fullmatch(found[1]):
            return Lspci(chip[0], found[1])
    return None


# --- compute capability -------------------------------------------------------------------------------------------

_CAPABILITY = re.compile(
    r"(?<![a-z0-9])(?:with )?(?:(?:cuda|compute) ?)?(?:capability|capabilities|compute|cc|sm|arch|sm_arch)"
    r"(?: (?:sm|version|is))?[ _:=-]{0,3}(?P<major>\d{1,2}?)\.?(?P<minor>\d)[af]?(?![\w.])"
)
_BARE = re.compile(r"(?P<major>\d{1,2})\.(?P<minor>\d)[af]?")


def capability_in(text: str) -> ComputeCapability | None:
    """The compute capability that a cleaned text names with a word such as `sm`.

    >>> print(capability_in("sm_120"), capability_in("compute capability 7.5"), capability_in("cc8.6"))
    12.0 7.5 8.6
    """
    found = _CAPABILITY.search(text)
    return ComputeCapability(int(found["major"]), int(found["minor"])) if found else None


def bare_capability(text: str) -> ComputeCapability | None:
    """The compute capability that a text is, without any word: `8.6`."""
    found = _BARE.fullmatch(text)
    return ComputeCapability(int(found["major"]), int(found["minor"])) if found else None


def without_capability(text: str) -> str:
    """The text with the capability cut out."""
    return _CAPABILITY.sub(" ", text)


# --- parts of a GPU -----------------------------------------------------------------------------------------------

_MIG = re.compile(r"(?<![a-z0-9])(?:mig[- ]?)?(\d{1,2}g\.\d{1,3}gb)(?:\.me|\+me(?:\.all)?|\+gfx)?(?![a-z0-9])")
_MIG_REST = re.compile(r"(?<![a-z0-9])(?:mig|device \d+:?|\(?uuid:.*|nvidia\.com/.*)")
_VGPU = re.compile(r"-(?:[1-7]-)?\d{1,3}[abcq](?:me)?(?: ?\(?vgpu\)?)?$")


def mig_in(text: str) -> tuple[str, str] | None:
    """The MIG profile in a cleaned text, and the name before it if any.

    >>> mig_in("nvidia a100-sxm4-80gb mig 1g.10gb")
    ('1g.10gb', 'nvidia a100-sxm4-80gb')
    """
    found = _MIG.search(text)
    if found is None:
        return None
    return found[1], _MIG_REST.sub(" ", text[: found.start()]).strip(" -:(,")


def without_vgpu_profile(text: str) -> str | None:
    """The board of a vGPU profile; None if the text is not one.

    >>> without_vgpu_profile("nvidia a40-48q")
    'nvidia a40'
    """
    found = _VGPU.search(text)
    return text[: found.start()] if found else None
