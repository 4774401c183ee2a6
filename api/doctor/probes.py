"""The probes, in the order in which they look; each collects a text and reads it, so that a saved text can take its place.

A probe that finds nothing says nothing; one that should have answered and did not leaves a word in `Facts.unread`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from api.doctor.facts import Card, Facts, SeenGpu, TorchFacts
from api.doctor.outside import Outside, Ran

__all__ = ["PROBES", "TORCH_SECONDS", "Context", "Probe", "examine", "interpreter"]

SECONDS = 10.0  # for one program; a broken driver makes nvidia-smi hang
TORCH_SECONDS = 60.0  # the first import of torch reads gigabytes
_QUERY = "name,compute_cap,pci.device_id,memory.total,driver_version"
_OLD_QUERY = "name,pci.device_id,memory.total,driver_version"  # drivers before R470 know no compute_cap
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
_TORCH = """
import json, platform, sysconfig
from importlib import metadata
found = {"python": platform.python_version() + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")}
named = ("torch", "torchvision", "torchaudio", "triton", "vllm", "flash-attn", "xformers", "bitsandbytes", "tensorflow", "jax", "onnxruntime-gpu")
found["packages"] = {}
for name in named:
    try:
        found["packages"][name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
if "torch" in found["packages"]:
    try:
        import torch
        found.update(version=torch.__version__, cuda=torch.version.cuda, available=torch.cuda.is_available(), arch_list=torch.cuda.get_arch_list())
        if torch.version.cuda and not found["available"]:
            torch.cuda.init()
        found["devices"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """One look at the machine.

    Attributes:
        name: by which `--skip` and `--from` name it.
        about: what it looks at, for the documents.
        collect: the text it sees; None where there is nothing to see. Raises `NoAnswer` where it should have been.
        read: puts what a text says into the facts.
    """

    name: str
    about: str
    collect: Callable[[Outside, Context], str | None]
    read: Callable[[str, Facts], None]


@dataclass(frozen=True, slots=True)
class Context:
    """What the asker fixes: the interpreter that is asked for torch, and the time in seconds that a program has."""

    python: str | None = None
    seconds: float = SECONDS


class NoAnswer(Exception):
    """A probe that should have answered; the message says why not."""


def examine(
    outside: Outside, context: Context, *, skip: Sequence[str] = (), texts: Mapping[str, str] | None = None
) -> Facts:
    """The facts of a machine: every probe in order, but those in `skip`; `texts` take the place of what a probe sees."""
    facts = Facts()
    given = texts or {}
    for probe in PROBES:
        if probe.name in skip:
            continue
        try:
            text = given[probe.name] if probe.name in given else probe.collect(outside, context)
            if text is not None:
                probe.read(text, facts)
        except NoAnswer as silence:
            facts.unread[probe.name] = str(silence)
        except (ValueError, KeyError, IndexError, TypeError) as error:
            facts.unread[probe.name] = f"what it says cannot be read ({type(error).__name__})"
    return facts


# --- the system ---------------------------------------------------------------------------------------------------------


def _collect_system(outside: Outside, context: Context) -> str | None:
    if outside.platform == "win32":
        ran = outside.run(("cmd", "/c", "ver"), context.seconds)
        return f"windows {ran.out.strip()}\nmachine {outside.environment.get('PROCESSOR_ARCHITECTURE', '')}"
    release = outside.text("/etc/os-release") or ""
    uname = outside.run(("uname", "-srm"), context.seconds).out.strip()
    libc = outside.run(("getconf", "GNU_LIBC_VERSION"), context.seconds).out.strip()
    proc = (outside.text("/proc/version") or "").strip()
    return f"{release}\nuname {uname}\nlibc {libc}\nproc {proc}"


def _read_system(text: str, facts: Facts) -> None:
    named = dict(re.findall(r'^(ID|VERSION_ID)="?([^"\n]*)"?$', text, re.MULTILINE))
    uname = re.search(r"^uname (\S+) (\S+) (\S+)$", text, re.MULTILINE)
    if text.startswith("windows"):
        build = re.search(r"10\.0\.(\d{5})", text)
        facts.os = "windows" if build is None else "windows-11" if int(build[1]) >= 22000 else "windows-10"
        facts.machine = "aarch64" if "ARM64" in text else "x86_64"
        return
    facts.kernel, facts.machine = (uname[2], uname[3].replace("arm64", "aarch64")) if uname else (None, None)
    libc = re.search(r"^libc glibc (\d+\.\d+)", text, re.MULTILINE)
    facts.glibc = libc[1] if libc else None
    facts.wsl = "microsoft" in text.lower()
    facts.os = "linux"
    if named.get("ID"):
        facts.os = f"{named['ID']}-{named['VERSION_ID']}" if named.get("VERSION_ID") else named["ID"]


def _collect_container(outside: Outside, _: Context) -> str | None:
    for path, kind in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if outside.exists(path):
            return kind
    if outside.environment.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    if outside.environment.get("APPTAINER_CONTAINER") or outside.environment.get("SINGULARITY_CONTAINER"):
        return "apptainer"
    found = re.search(r"docker|kubepods|containerd|libpod|lxc", outside.text("/proc/1/cgroup") or "")
    return found[0] if found else None


def _read_container(text: str, facts: Facts) -> None:
    facts.container = text.strip() or None


_SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def _collect_secure_boot(outside: Outside, _: Context) -> str | None:
    raw = outside.text(_SECURE_BOOT)
    return None if raw is None else f"secure boot {'on' if raw.endswith(chr(1)) else 'off'}"


def _read_secure_boot(text: str, facts: Facts) -> None:
    facts.secure_boot = text.strip().endswith("on")


# --- the cards and the driver -------------------------------------------------------------------------------------------


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
    if "NVRM" in text:
        facts.module_flavour = "open" if "Open Kernel Module" in text else "proprietary"


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
    cuda = re.search(r"CUDA (?:UMD )?Version: *(\d+\.\d+)", said)
    facts.driver_cuda = cuda[1] if cuda else None
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
    capability = row.get("compute_cap", "")
    return SeenGpu(
        name=row["name"],
        compute_capability=capability if re.fullmatch(r"\d{1,2}\.\d", capability) else None,
        pci_id=f"{device[4:]}:{device[:4]}" if re.fullmatch(r"[0-9a-f]{4}10de", device) else None,
        memory_mib=int(row["memory.total"]) if row["memory.total"].isdigit() else None,
    )


def _collect_nvml(outside: Outside, context: Context) -> str | None:
    ran = outside.run((interpreter(outside, None), "-c", _NVML), context.seconds)
    if ran.failure == "late":
        raise NoAnswer(f"NVML did not answer within {context.seconds:g} s")
    return ran.out if ran.code == 0 else None  # pynvml is an extra, and NVML comes with the driver


def _read_nvml(text: str, facts: Facts) -> None:
    gpus: list[SeenGpu] = []
    for line in text.splitlines():
        if line.startswith("driver "):
            facts.client = facts.client or line[7:].strip()
        elif line.startswith("cuda "):
            number = int(line[5:])
            facts.driver_cuda = facts.driver_cuda or f"{number // 1000}.{number % 1000 // 10}"
        elif line.startswith("gpu|"):
            _, major, minor, memory, device, name = line.split("|")
            pci_id = f"{device[4:]}:{device[:4]}" if device.endswith("10de") else None
            gpus.append(SeenGpu(name, f"{major}.{minor}", pci_id, int(memory)))
    if gpus and not facts.gpus:
        facts.gpus = gpus


# --- what runs on it ----------------------------------------------------------------------------------------------------


def interpreter(outside: Outside, given: str | None) -> str:
    """The Python whose packages count: the one named, that of the active environment, or the first on the path."""
    if given is not None:
        return given
    windows = outside.platform == "win32"
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        home = outside.environment.get(name)
        if home:
            conda = name == "CONDA_PREFIX"
            inner = "\\python.exe" if windows and conda else "\\Scripts\\python.exe" if windows else "/bin/python"
            return home + inner
    return "python" if windows else "python3"


def _collect_torch(outside: Outside, context: Context) -> str | None:
    python = interpreter(outside, context.python)
    ran = outside.run((python, "-c", _TORCH), max(context.seconds, TORCH_SECONDS))
    if ran.failure == "late":
        raise NoAnswer(f"torch was not imported within {max(context.seconds, TORCH_SECONDS):g} s")
    if ran.failure is not None or ran.code != 0:
        if context.python is not None:
            raise NoAnswer(f"{context.python} cannot be run")
        return _crash(ran)
    return ran.out


def _crash(ran: Ran) -> str | None:
    """An interpreter that died while it imported torch says why on standard error."""
    return json.dumps({"error": ran.err.strip()[-2000:], "packages": {}}) if ran.err and ran.failure is None else None


def _read_torch(text: str, facts: Facts) -> None:
    said = json.loads(text.strip().splitlines()[-1])
    facts.python = said.get("python")
    packages = {str(name): str(version) for name, version in said["packages"].items()}
    version = said.get("version") or packages.get("torch")
    error = said.get("error")
    facts.torch_missing = version is None and error is None
    if error:
        facts.texts["torch"] = str(error)
    if version is None:
        return
    facts.torch = TorchFacts(
        version=str(version),
        cuda=said.get("cuda"),
        available=said.get("available"),
        python=said.get("python"),
        error=error,
        devices=list(said.get("devices", ())),
        arch_list=list(said.get("arch_list", ())),
        packages={name: number for name, number in packages.items() if name != "torch"},
    )


def _collect_nvcc(outside: Outside, context: Context) -> str | None:
    home = outside.environment.get("CUDA_HOME") or outside.environment.get("CUDA_PATH") or "/usr/local/cuda"
    for program in ("nvcc", f"{home}/bin/nvcc"):
        ran = outside.run((program, "--version"), context.seconds)
        if ran.code == 0:
            return ran.out
    return None


def _read_nvcc(text: str, facts: Facts) -> None:
    release = re.search(r"release (\d{1,2}\.\d{1,2})", text)
    facts.nvcc = release[1] if release else None


def _collect_docker(outside: Outside, context: Context) -> str | None:
    info = outside.run(("docker", "info", "--format", "{{json .Runtimes}}\t{{json .CDISpecDirs}}"), context.seconds)
    toolkit = outside.run(("nvidia-ctk", "--version"), context.seconds)
    if info.failure == "absent":
        return None
    if info.failure == "late":
        raise NoAnswer(f"docker did not answer within {context.seconds:g} s")
    if info.code != 0:
        raise NoAnswer("docker refuses: its service does not run, or this user may not ask it")
    specs = [*outside.names("/etc/cdi"), *outside.names("/var/run/cdi")]
    return f"{info.out.strip()}\n{toolkit.out.strip()}\ncdi {' '.join(specs)}"


def _read_docker(text: str, facts: Facts) -> None:
    runtimes = text.splitlines()[0].partition("\t")[0]
    facts.docker_runtimes = sorted(json.loads(runtimes) or {})
    toolkit = re.search(r"Toolkit CLI version (\d+\.\d+\.\d+)", text)
    facts.container_toolkit = toolkit[1] if toolkit else None
    facts.cdi = "nvidia" in text.rpartition("\ncdi ")[2]


_VARIABLES = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_DISABLE_REQUIRE")


def _collect_environment(outside: Outside, _: Context) -> str | None:
    return (
        "\n".join(f"{name}={outside.environment[name]}" for name in _VARIABLES if name in outside.environment) or None
    )


def _read_environment(text: str, facts: Facts) -> None:
    named = (line.partition("=") for line in text.splitlines())
    facts.environment = {name: value for name, _, value in named if name in _VARIABLES}


PROBES = (
    Probe("system", "`/etc/os-release`, `uname`, the C library, `/proc/version` (WSL)", _collect_system, _read_system),
    Probe("container", "signs of Docker, Podman, Kubernetes, Apptainer", _collect_container, _read_container),
    Probe("secure-boot", "the firmware's SecureBoot variable", _collect_secure_boot, _read_secure_boot),
    Probe("pci", "`/sys/bus/pci/devices`: cards, and which kernel driver holds them", _collect_pci, _read_pci),
    Probe("module", "`/sys/module/nvidia/version`, `/proc/driver/nvidia/version`", _collect_module, _read_module),
    Probe("node", "`/dev/nvidiactl`, `/dev/dxg`", _collect_node, _read_node),
    Probe("nvidia-smi", "`nvidia-smi` and its CSV query", _collect_smi, _read_smi),
    Probe("nvml", "NVML, where nvidia-ml-py is installed", _collect_nvml, _read_nvml),
    Probe("torch", "torch and its kin in the environment", _collect_torch, _read_torch),
    Probe("nvcc", "`nvcc --version`", _collect_nvcc, _read_nvcc),
    Probe("docker", "`docker info`, `nvidia-ctk`, CDI specifications", _collect_docker, _read_docker),
    Probe("environment", "variables that hide GPUs", _collect_environment, _read_environment),
)
