"""Invented machines for the doctor: files, links and programs as such a machine has them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from api.doctor.outside import Ran

UBUNTU = 'PRETTY_NAME="Ubuntu 24.04.1 LTS"\nNAME="Ubuntu"\nVERSION_ID="24.04"\nVERSION="24.04.1 LTS"\nID=ubuntu\n'
ROCKY_9 = 'NAME="Rocky Linux"\nVERSION="9.4"\nID="rocky"\nVERSION_ID="9.4"\n'


@dataclass
class Machine:
    """A machine that answers from tables; a program that is not in `programs` is absent."""

    files: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    programs: dict[str, Ran] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    platform: str = "linux"
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def text(self, path: str) -> str | None:
        return self.files.get(path)

    def names(self, path: str) -> list[str]:
        below = (name.removeprefix(f"{path}/").split("/")[0] for name in self.files if name.startswith(f"{path}/"))
        return sorted(set(below))

    def target(self, path: str) -> str | None:
        return self.links.get(path)

    def exists(self, path: str) -> bool:
        return path in self.files

    def run(self, command: Sequence[str], seconds: float, *, text: str = "") -> Ran:
        self.asked.append(tuple(command))
        program = command[0]
        if "--query-gpu" in " ".join(command):
            old = f"{program} old query"
            if old in self.programs:
                refused = Ran(2, 'Field "compute_cap" is not a valid field to query.\n')
                return refused if "compute_cap" in " ".join(command) else self.programs[old]
            program += " query"
        elif "-c" in command:
            program = (
                "python nvml" if "pynvml" in command[2] else "python kernels" if "dtype" in command[2] else "python"
            )
        return self.programs.get(program, Ran(failure="absent"))

    def with_(self, **changes: object) -> Machine:
        """The same machine with other parts: mappings are merged, None takes an entry away."""
        found = {}
        for name, change in changes.items():
            merged = {**getattr(self, name), **change} if isinstance(change, dict) else change
            if isinstance(merged, dict):
                merged = {key: value for key, value in merged.items() if value is not None}
            found[name] = merged
        return replace(self, asked=[], **found)


def card(pci_id: str, driver: str | None = None, bus: str = "0000:01:00.0") -> dict[str, dict[str, str]]:
    """An NVIDIA card on the bus, with its audio function beside it."""
    root, audio = f"/sys/bus/pci/devices/{bus}", f"/sys/bus/pci/devices/{bus[:-1]}1"
    vendor, device = pci_id.split(":")
    files = {f"{root}/vendor": f"0x{vendor}\n", f"{root}/device": f"0x{device}\n", f"{root}/class": "0x030000\n"}
    files |= {f"{audio}/vendor": "0x10de\n", f"{audio}/device": "0x22e8\n", f"{audio}/class": "0x040300\n"}
    return {"files": files, "links": {f"{root}/driver": driver} if driver else {}}


def driver(version: str, flavour: str = "open", cuda: str = "13.0", rows: Sequence[str] = ()) -> dict[str, dict]:
    """A driver that is loaded and well. `rows`: `name, capability, device id, MiB` of each GPU."""
    kind = "NVIDIA UNIX Open Kernel Module" if flavour == "open" else "NVIDIA UNIX x86_64 Kernel Module"
    head = f"| NVIDIA-SMI {version}      Driver Version: {version}      CUDA Version: {cuda}     |"
    return {
        "files": {
            "/sys/module/nvidia/version": f"{version}\n",
            "/proc/driver/nvidia/version": f"NVRM version: {kind} for x86_64  {version}  Release Build\n",
            "/dev/nvidiactl": "",
        },
        "programs": {
            "nvidia-smi": Ran(0, f"{head}\n"),
            "nvidia-smi query": Ran(0, "".join(f"{row}, {version}\n" for row in rows)),
        },
    }


def torch(version: str, cuda: str | None, *, available: bool = True, error: str | None = None, **packages: str) -> Ran:
    """The environment's Python with a torch."""
    said = {
        "python": "3.12.3",
        "packages": {"torch": version, **{name.replace("_", "-"): number for name, number in packages.items()}},
        "version": version,
        "cuda": cuda,
        "available": available,
        "arch_list": [],
        "devices": ["a GPU"] if available else [],
    }
    return Ran(0, json.dumps({**said, **({"error": error} if error else {})}) + "\n")


BARE = Machine(
    files={"/etc/os-release": UBUNTU, "/proc/version": "Linux version 6.8.0-45-generic\n"},
    programs={
        "uname": Ran(0, "Linux 6.8.0-45-generic x86_64\n"),
        "getconf": Ran(0, "glibc 2.39\n"),
        "python": Ran(0, json.dumps({"python": "3.12.3", "packages": {}})),
    },
)
NO_GPU = BARE.with_(files={"/sys/bus/pci/devices/0000:00:02.0/vendor": "0x8086\n", "/sys/bus/pci/devices/0000:00:02.0/device": "0x46a6\n",
                           "/sys/bus/pci/devices/0000:00:02.0/class": "0x030000\n"})  # fmt: skip
RTX_5090 = "NVIDIA GeForce RTX 5090, 12.0, 0x2B8510DE, 32607"
V100 = "Tesla V100-SXM2-16GB, 7.0, 0x1DB110DE, 16384"
T4 = "Tesla T4, 7.5, 0x1EB810DE, 15360"


def machine(
    pci_id: str, loaded: dict[str, dict] | None = None, held: str | None = "nvidia", **programs: Ran
) -> Machine:
    """Ubuntu with one card, and a driver where one is loaded."""
    found = NO_GPU.with_(**card(pci_id, held if loaded or held != "nvidia" else None))
    if loaded is not None:
        found = found.with_(**loaded)
    named = {"smi": "nvidia-smi", "smi_query": "nvidia-smi query"}
    return found.with_(programs={named.get(name, name): ran for name, ran in programs.items()})


HEALTHY = machine(
    "10de:2b85",
    driver("580.95.05", rows=[RTX_5090]),
    python=torch("2.14.1+cu130", "13.0", torchvision="0.29.1+cu130"),
)
NO_DRIVER = machine("10de:2b85")
NOUVEAU = machine("10de:1eb8", held="nouveau")
MISMATCH = machine(
    "10de:1eb8",
    driver("580.95.05", rows=[]),
    smi=Ran(18, "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.105\n"),
    smi_query=Ran(18, "Failed to initialize NVML: Driver/library version mismatch\n"),
)
NOT_LOADED = machine(
    "10de:2b85",
    smi=Ran(
        9,
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n",
    ),
)
OLD_DRIVER = machine(
    "10de:1eb8",
    driver("450.80.02", "proprietary", "11.0", [T4]),
    python=torch(
        "2.8.0+cu128",
        "12.8",
        available=False,
        error="RuntimeError: The NVIDIA driver on your system is too old (found version 11000).",
    ),
)
TOO_OLD_FOR_GPU = machine(
    "10de:2b85",
    driver("550.163.01", "open", "12.4"),
    smi=Ran(6, "No devices were found\n"),
    smi_query=Ran(6, "No devices were found\n"),
)
WRONG_TORCH = machine(
    "10de:2b85", driver("570.133.20", "open", "12.8", [RTX_5090]), python=torch("2.6.0+cu124", "12.4")
)
CPU_TORCH = machine("10de:2b85", driver("580.95.05", rows=[RTX_5090]), python=torch("2.8.0+cpu", None, available=False))
MIXED = machine(
    "10de:1db1", driver("580.95.05", "proprietary", rows=[V100]), python=torch("2.8.0+cu128", "12.8")
).with_(**card("10de:2b85", "nvidia", bus="0000:02:00.0"))
CONTAINER = NO_GPU.with_(**card("10de:2b85", "nvidia")).with_(
    files={"/.dockerenv": "", "/sys/module/nvidia/version": "580.95.05\n"}
)
WSL = BARE.with_(
    files={"/proc/version": "Linux version 5.15.153.1-microsoft-standard-WSL2\n", "/dev/dxg": ""},
    programs={
        "nvidia-smi": Ran(0, "| NVIDIA-SMI 580.82  Driver Version: 581.29  CUDA Version: 13.0 |\n"),
        "nvidia-smi query": Ran(0, f"{RTX_5090}, 581.29\n"),
    },
)
HANGS = machine("10de:2b85", driver("580.95.05"), smi=Ran(failure="late"))

NO_SMI = machine("10de:2b85", {**driver("580.95.05"), "programs": {}})
VFIO = machine("10de:2b85", held="vfio-pci")
_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
SECURE_BOOT = NO_DRIVER.with_(
    files={_BOOT: "\x06\x00\x00\x00\x01"}, programs={"nvidia-smi": Ran(0, ""), "nvidia-smi query": Ran(0, "")}
)
WRONG_MODULE = machine("10de:2b85", driver("580.95.05", "proprietary"))
CONTAINER_BARE = NO_GPU.with_(**card("10de:2b85")).with_(files={"/.dockerenv": ""})
WSL_WITHOUT_GPU = BARE.with_(files={"/proc/version": "Linux version 5.15.153.1-microsoft-standard-WSL2\n"})
HIDDEN = HEALTHY.with_(
    environment={"CUDA_VISIBLE_DEVICES": ""}, programs={"python": torch("2.14.1+cu130", "13.0", available=False)}
)
BLIND = BARE
TORCH_BLIND = HEALTHY.with_(programs={"python": torch("2.14.1+cu130", "13.0", available=False)})
TORCH_BROKEN = HEALTHY.with_(
    programs={
        "python": torch(
            "2.14.1+cu130",
            "13.0",
            available=False,
            error="ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory",
        )
    }
)
TORCH_CRASHES = HEALTHY.with_(programs={"python": Ran(139, "", "Segmentation fault (core dumped)\n")})
UNKNOWN_GPU = HEALTHY.with_(
    programs={"nvidia-smi query": Ran(0, "NVIDIA Fancy 1, [N/A], 0xFFFF10DE, [N/A], 580.95.05\n")}
)
UNKNOWN_CARD = machine("10de:ffff", driver("580.95.05"))
LYING = HEALTHY.with_(programs={"nvidia-smi query": Ran(0, RTX_5090.replace("12.0", "9.9") + ", 580.95.05\n")})
_RUNTIMES = '{"nvidia":{"path":"nvidia-container-runtime"},"runc":{"path":"runc"}}\t["/etc/cdi"]\n'
DOCKER = HEALTHY.with_(
    files={"/var/run/cdi/nvidia.yaml": ""},
    programs={"docker": Ran(0, _RUNTIMES), "nvidia-ctk": Ran(0, "NVIDIA Container Toolkit CLI version 1.18.0\n")},
)
DOCKER_PLAIN = HEALTHY.with_(programs={"docker": Ran(0, '{"runc":{"path":"runc"}}\t[]\n')})
DOCKER_UNKNOWING = DOCKER_PLAIN.with_(programs={"nvidia-ctk": Ran(0, "NVIDIA Container Toolkit CLI version 1.18.0\n")})
DOCKER_DOWN = HEALTHY.with_(programs={"docker": Ran(1, "", "permission denied\n")})
NVCC = HEALTHY.with_(programs={"nvcc": Ran(0, "Cuda compilation tools, release 12.4, V12.4.131\n")})
WINDOWS = Machine(
    platform="win32",
    environment={"PROCESSOR_ARCHITECTURE": "AMD64"},
    programs={
        "cmd": Ran(0, "Microsoft Windows [Version 10.0.26100.2033]\n"),
        "nvidia-smi": Ran(0, "| NVIDIA-SMI 581.29  Driver Version: 581.29  CUDA Version: 13.0 |\n"),
        "nvidia-smi query": Ran(0, f"{RTX_5090}, 581.29\n"),
        "python": Ran(0, json.dumps({"python": "3.12.3", "packages": {}})),
    },
)
OLD_SMI = machine("10de:1db1", driver("450.80.02", "proprietary", "11.0")).with_(
    programs={"nvidia-smi old query": Ran(0, "Tesla V100-SXM2-16GB, 0x1DB110DE, 16384, 450.80.02\n")}
)
JETSON = NO_GPU.with_(
    files={
        "/etc/os-release": UBUNTU.replace("24.04", "22.04"),
        "/proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0",
    },
    programs={"uname": Ran(0, "Linux 5.15.148-tegra aarch64\n")},
)
JETSON_WITH_SMI = JETSON.with_(
    programs={
        "nvidia-smi": Ran(0, "| NVIDIA-SMI 540.4.0      Driver Version: 540.4.0      CUDA Version: 12.6     |\n"),
        "nvidia-smi query": Ran(0, "Orin (nvgpu), [N/A], [N/A], [N/A], 540.4.0\n"),
    }
)
ROCKY = NO_DRIVER.with_(files={"/etc/os-release": ROCKY_9})
