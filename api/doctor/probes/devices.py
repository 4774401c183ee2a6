"""The probes of the cards and of the driver that holds them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from api.doctor.facts import Card, Facts, SeenGpu
from api.doctor.outside import Outside
from api.doctor.probes.probe import Context, NoAnswer, Probe
from matrices.measure.machine import cuda_of_number, read_head, read_module, seen_gpu

__all__ = ["DEVICES"]

_QUERY = "name,compute_cap,pci.device_id,memory.total,driver_version"
_OLD_QUERY = "name,pci.device_id,memory.total,driver_version"  # old drivers know no compute_cap
_SMI = ("nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi", r"C:\Windows\System32\nvidia-smi.exe")
_NVML = """
import pynvml as n
n.nvmlInit()
print("driver", n.nvmlSystemGetDriverVersion()); print("cuda", n.nvmlSystemGetCudaDriverVersion_v2())
for i in range(n.nvmlDeviceGetCount()):
    h = n.nvmlDeviceGetHandleByIndex(i)
    print("gpu", *n.nvmlDeviceGetCudaComputeCapability(h), n.nvmlDeviceGetMemoryInfo(h).total >> 20,
          format(n.nvmlDeviceGetPciInfo(h).pciDeviceId, "08x"), n.nvmlDeviceGetName(h), sep="|")
"""


def _collect_pci(outside: Outside, _: Context) -> str | None:
    root = "/sys/bus/pci/devices"
    devices = outside.names(root)
    if not devices:
        return None
    lines = []
    for bus in devices:
        parts = [(outside.text(f"{root}/{bus}/{part}") or "").strip().removeprefix("0x") for part in _PARTS]
        lines.append(" ".join((bus, f"{parts[0]}:{parts[1]}", parts[2], outside.target(f"{root}/{bus}/driver") or "-")))
    return "\n".join(lines)


_PARTS = ("vendor", "device", "class")
_DISPLAY = ("0300", "0302")  # VGA and 3D controllers; a card also has audio and USB functions


def _read_pci(text: str, facts: Facts) -> None:
    facts.cards = []
    for line in text.splitlines():
        bus, pci_id, kind, driver = line.split()
        if pci_id.startswith("10de:") and kind.startswith(_DISPLAY):
            facts.cards.append(Card(bus, pci_id, None if driver == "-" else driver))


def _collect_module(outside: Outside, _: Context) -> str | None:
    version = outside.text("/sys/module/nvidia/version")
    proc = outside.text("/proc/driver/nvidia/version")
    return None if version is None and proc is None else f"{version or ''}\n{proc or ''}"


def _read_module(text: str, facts: Facts) -> None:
    version = re.search(r"\b(\d{3}\.\d{2,3}(?:\.\d{2})?)\b", text)
    facts.driver = version[1] if version else None
    facts.module_flavour = read_module(text)


def _collect_node(outside: Outside, _: Context) -> str | None:
    if outside.platform == "win32":
        return None
    there = [path for path in ("/dev/nvidiactl", "/dev/dxg") if outside.exists(path)]
    return " ".join(there) or "none"


def _read_node(text: str, facts: Facts) -> None:
    facts.node = "/dev/" in text


def _collect_smi(outside: Outside, context: Context) -> str | None:
    for program in _SMI:
        ran = outside.run((program,), context.seconds)
        if ran.failure == "absent":
            continue
        if ran.failure == "late":
            raise NoAnswer(f"nvidia-smi did not answer within {context.seconds:g} s")
        table = _query(outside, context, program)
        return f"{ran.out}\n{ran.err}\n== exit {ran.code} ==\n{table}"
    return None


def _query(outside: Outside, context: Context, program: str) -> str:
    for fields in (_QUERY, _OLD_QUERY):
        ran = outside.run((program, f"--query-gpu={fields}", "--format=csv,noheader,nounits"), context.seconds)
        if ran.code == 0 and "not a valid field" not in ran.out:
            return f"{fields}\n{ran.out}"
    return ""


def _read_smi(text: str, facts: Facts) -> None:
    said, _, rest = text.partition("\n== exit ")
    code, _, table = rest.partition(" ==\n")
    facts.smi = "works" if code == "0" else "fails"
    if facts.smi == "fails":
        facts.texts["nvidia-smi"] = said.strip()
    client = re.search(r"NVIDIA-SMI (\d{3}\.[\d.]+)", said) or re.search(r"NVML library version: (\d{3}\.[\d.]+)", said)
    facts.client = client[1].rstrip(".") if client else None
    facts.driver_cuda = read_head(said)
    driver = re.search(r"Driver Version: (\d{3}\.[\d.]+\d)", said)
    if driver and (facts.driver is None or facts.wsl):
        facts.driver = driver[1]
    fields, _, rows = table.partition("\n")
    for row in filter(None, rows.splitlines()):
        facts.gpus.append(_seen(dict(zip(fields.split(","), map(str.strip, row.split(",")), strict=True)), facts))


def _seen(row: Mapping[str, str], facts: Facts) -> SeenGpu:
    device = row["pci.device_id"].removeprefix("0x").lower()  # 0x2B8510DE: device, vendor
    if facts.driver is None and row["driver_version"][:1].isdigit():
        facts.driver = row["driver_version"]
    return SeenGpu(
        **seen_gpu(row["name"], row["memory.total"], row.get("compute_cap", "")),
        pci_id=_pci_id(device),
    )


def _pci_id(device: str) -> str | None:
    """`10de:2b85` of the `2b8510de` that the driver prints; None where the vendor is another."""
    return f"{device[4:]}:{device[:4]}" if re.fullmatch(r"[0-9a-f]{4}10de", device) else None


def _collect_nvml(outside: Outside, context: Context) -> str | None:
    ran = outside.run((sys.executable, "-c", _NVML), context.seconds)  # the extra is installed beside whichcuda
    if ran.failure == "late":
        raise NoAnswer(f"NVML did not answer within {context.seconds:g} s")
    return ran.out if ran.code == 0 else None  # pynvml is an extra, and NVML comes with the driver


def _read_nvml(text: str, facts: Facts) -> None:
    gpus: list[SeenGpu] = []
    for line in text.splitlines():
        if line.startswith("driver "):
            facts.client = facts.client or line[7:].strip()
        elif line.startswith("cuda "):
            facts.driver_cuda = facts.driver_cuda or cuda_of_number(int(line[5:]))
        elif line.startswith("gpu|"):
            _, major, minor, memory, device, name = line.split("|")
            gpus.append(SeenGpu(name, f"{major}.{minor}", _pci_id(device), int(memory)))
    if gpus and not facts.gpus:
        facts.gpus = gpus


def _collect_board(outside: Outside, _: Context) -> str | None:
    model = outside.text("/proc/device-tree/model") or ""
    return model if "NVIDIA" in model else None


def _read_board(text: str, facts: Facts) -> None:
    """The GPU of a Jetson is in the chip of its board: it is on no bus, and an old JetPack has no nvidia-smi."""
    if not facts.gpus:
        facts.gpus = [SeenGpu(text.strip("\0\n "))]


DEVICES = (
    Probe("pci", "`/sys/bus/pci/devices`: cards, and which kernel driver holds them", _collect_pci, _read_pci),
    Probe("module", "`/sys/module/nvidia/version`, `/proc/driver/nvidia/version`", _collect_module, _read_module),
    Probe("node", "`/dev/nvidiactl`, `/dev/dxg`", _collect_node, _read_node),
    Probe("nvidia-smi", "`nvidia-smi` and its CSV query", _collect_smi, _read_smi),
    Probe("nvml", "NVML, where nvidia-ml-py is installed", _collect_nvml, _read_nvml),
    Probe("board", "`/proc/device-tree/model`: a Jetson", _collect_board, _read_board),
)
