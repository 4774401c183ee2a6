"""Measuring machines and kernels, with machines and a torch that are made up here."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from matrices.measure import __main__ as command
from matrices.measure.kernels import run_kernels
from matrices.measure.machine import Doors, _nvml, measure_machine, read_head, read_nvml, read_system, read_torch

DATE = "2026-11-30"
HEAD = "| NVIDIA-SMI 580.95.05    Driver Version: 580.95.05    CUDA Version: 13.0     |"
ROWS = "NVIDIA GeForce RTX 5090, 580.95.05, 32607, 12.0\nTesla V100-SXM2-16GB, 580.95.05, 16384, 7.0\n"
OLD_ROWS = "Tesla K80, 470.256.02, 11441\n"
OS_RELEASE = 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="24.04"\nbroken\n'
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05"


def doors(answers: dict[str, str] | None = None, files: dict[str, str] | None = None, **other: Any) -> Doors:
    """A machine that knows only these answers; a command is found by a part of it."""

    def run(command: Sequence[str], _timeout: float) -> str | None:
        text = " ".join(command)
        return next((said for part, said in (answers or {}).items() if part in text), None)

    fixed = {
        "nvml": lambda: None,
        "system": "Linux",
        "release": "6.8.0",
        "machine": "x86_64",
        "libc": ("glibc", "2.39"),
        "python": "python",
    }
    return Doors(run=run, read=lambda path: (files or {}).get(path, ""), **{**fixed, **other})


def test_a_machine_is_measured() -> None:
    answers = {"python -c": 'noise\n{"torch": "2.15.0"}\n', "compute_cap": ROWS, "nvidia-smi": HEAD}
    files = {"/etc/os-release": OS_RELEASE, "/proc/driver/nvidia/version": OPEN}
    found = measure_machine(doors(answers, files), measured_on=DATE)
    assert found["id"] == "machine-nvidia-geforce-rtx-5090-tesla-v100-sxm2-16gb-580.95.05-ubuntu-24.04"
    assert found["gpus"] == [
        {"compute_capability": "12.0", "memory_mib": 32607, "name": "NVIDIA GeForce RTX 5090"},
        {"compute_capability": "7.0", "memory_mib": 16384, "name": "Tesla V100-SXM2-16GB"},
    ]
    assert (found["driver"], found["cuda_of_driver"], found["kernel_module"]) == ("580.95.05", "13.0", "open")
    assert (found["os"], found["machine"], found["glibc"], found["wsl"]) == ("ubuntu-24.04", "x86_64", "2.39", False)
    assert (found["torch"], found["no_gpu"]) == ({"torch": "2.15.0"}, False)


def test_an_old_driver_is_asked_for_less() -> None:
    files = {"/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.256.02"}
    found = measure_machine(doors({"=name,driver_version,memory.total --": OLD_ROWS}, files), measured_on=DATE)
    assert found["gpus"] == [{"compute_capability": None, "memory_mib": 11441, "name": "Tesla K80"}]
    assert (found["driver"], found["kernel_module"]) == ("470.256.02", "proprietary")


def test_a_machine_without_a_gpu_is_an_observation_too() -> None:
    found = measure_machine(doors({"-c": "must not run"}), measured_on=DATE, probe=False)
    assert found["id"] == "machine-no-gpu-linux"
    assert (found["gpus"], found["driver"], found["cuda_of_driver"], found["kernel_module"]) == ([], None, None, None)
    assert (found["torch"], found["no_gpu"]) == (None, True)


def test_what_is_not_said_stays_open() -> None:
    found = measure_machine(doors({"compute_cap": "GPU, 550.1, [N/A], [N/A]\n"}), measured_on=DATE)
    assert found["gpus"] == [{"compute_capability": None, "memory_mib": None, "name": "GPU"}]


@pytest.mark.parametrize(
    ("text", "cuda"), [(HEAD, "13.0"), ("CUDA UMD Version: 13.2", "13.2"), ("CUDA Version: N/A", None), ("", None)]
)
def test_the_head_of_nvidia_smi_tells_the_cuda_of_the_driver(text: str, cuda: str | None) -> None:
    assert read_head(text) == cuda


class NVMLError(Exception):
    pass


def nvml(fails: str = "") -> Any:
    """The NVML binding of a machine with one GPU; a call whose name is in `fails` fails."""
    calls: list[str] = []

    def said(name: str, value: object) -> Any:
        def call(*_arguments: object) -> object:
            calls.append(name)
            if name == fails:
                raise NVMLError
            return value

        return call

    answers = {
        "nvmlInit": None,
        "nvmlShutdown": None,
        "nvmlDeviceGetCount": 1,
        "nvmlDeviceGetHandleByIndex": "handle",
        "nvmlDeviceGetName": b"NVIDIA H200",
        "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=143771 << 20),
        "nvmlDeviceGetCudaComputeCapability": (9, 0),
        "nvmlSystemGetCudaDriverVersion": 12080,
        "nvmlSystemGetDriverVersion": "570.124.06",
    }
    return SimpleNamespace(
        NVMLError=NVMLError, calls=calls, **{name: said(name, value) for name, value in answers.items()}
    )


def test_nvml_is_asked_where_there_is_no_nvidia_smi() -> None:
    found = measure_machine(doors(nvml=nvml), measured_on=DATE)
    assert found["gpus"] == [{"compute_capability": "9.0", "memory_mib": 143771, "name": "NVIDIA H200"}]
    assert (found["driver"], found["cuda_of_driver"]) == ("570.124.06", "12.8")


@pytest.mark.parametrize("fails", ["nvmlInit", "nvmlDeviceGetName"])
def test_nvml_without_a_driver_tells_nothing(fails: str) -> None:
    binding = nvml(fails)
    assert read_nvml(binding) == ([], None, None)
    assert ("nvmlShutdown" in binding.calls) is (fails != "nvmlInit")


def test_the_binding_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    binding = ModuleType("pynvml")
    monkeypatch.setitem(sys.modules, "pynvml", binding)
    assert _nvml() is binding
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert _nvml() is None


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ({"release": "5.15.0-microsoft-standard-WSL2"}, ("linux", "x86_64", "2.39", True)),
        ({"system": "Windows", "machine": "AMD64", "libc": ("", "")}, ("windows", "x86_64", None, False)),
        ({"system": "", "machine": "ARM64"}, ("unknown", "aarch64", "2.39", False)),
    ],
)
def test_the_system_is_named(other: dict[str, Any], shown: tuple[object, ...]) -> None:
    found = read_system(doors(**other))
    assert (found["os"], found["machine"], found["glibc"], found["wsl"]) == shown


@pytest.mark.parametrize("printed", [None, "", "Traceback", "[1]"])
def test_a_torch_that_does_not_answer_is_none(printed: str | None) -> None:
    answers = {} if printed is None else {"-c": printed}
    assert read_torch(doors(answers)) is None


def test_the_doors_lead_outside() -> None:
    real = Doors()
    assert real.run([sys.executable, "-c", "print('here')"], 60) == "here\n"
    assert real.run([sys.executable, "-c", "raise SystemExit(1)"], 60) is None
    assert real.run(["no-such-program"], 60) is None
    assert real.run([sys.executable, "-c", "import time; time.sleep(60)"], 0.2) is None
    assert real.read(__file__).startswith('"""')
    assert real.read("/no/such/file") == ""


def test_the_command_measures_this_machine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("matrices.measure.machine.Doors", lambda: doors({"compute_cap": ROWS, "-c": "{}"}))
    assert command.main(["machine", "--no-probe"], today=DATE) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["torch"], found["driver"]) == ("machine", None, "580.95.05")


# --- kernels --------------------------------------------------------------------------------


class Tensor:
    """A matrix of one value, or what stands for it."""

    def __init__(self, value: float = 1.0, rows: int = 16) -> None:
        self.value, self.rows = value, rows

    def __matmul__(self, _other: Tensor) -> Tensor:
        return Tensor(16 * self.value, self.rows)

    def to(self, _dtype: str) -> Tensor:
        return self

    t = double = sum = lambda self: self

    def item(self) -> float:
        return self.value * self.rows * 16


def torch(**other: Any) -> Any:
    """A torch with one GPU on which everything works, but for what `other` replaces."""
    cuda = SimpleNamespace(
        get_arch_list=lambda: ["sm_90"],
        is_available=lambda: True,
        device_count=lambda: 1,
        get_device_capability=lambda _device: (9, 0),
        get_device_name=lambda _device: "NVIDIA H200",
    )
    dtypes = "float32 float16 bfloat16 float64 float8_e4m3fn float8_e5m2 int8".split()
    parts = {
        "__version__": "2.15.0+cu132",
        "version": SimpleNamespace(cuda="13.2"),
        "cuda": cuda,
        "ones": lambda shape, **_options: Tensor(rows=shape[0] if shape else 1),
        "_scaled_mm": lambda left, right, **_options: left @ right,
        "_int_mm": lambda left, right: left @ right,
        **{name: name for name in dtypes},
    }
    return SimpleNamespace(**{**parts, **other})


def test_every_kind_of_kernel_is_run() -> None:
    found = run_kernels(torch())
    (device,) = found["devices"]
    assert (found["torch"], found["cuda"], found["arch_list"]) == ("2.15.0+cu132", "13.2", ["sm_90"])
    assert (device["compute_capability"], device["name"]) == ("9.0", "NVIDIA H200")
    assert set(device["kernels"].values()) == {"ok"}
    assert len(device["kernels"]) == 7
    assert found == json.loads(json.dumps(found))


def test_what_goes_wrong_is_the_finding() -> None:
    def fails(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("CUDA error: no kernel image, see /home/someone/log\nsecond line")

    def silent(*_arguments: object, **_options: object) -> None:
        raise ValueError

    kernels = run_kernels(torch(_scaled_mm=fails, _int_mm=silent))["devices"][0]["kernels"]
    assert kernels["float32"] == "ok"
    assert kernels["float8_e5m2"] == "RuntimeError: CUDA error: no kernel image, see <path>"
    assert kernels["int8"] == "ValueError: "


def test_a_type_that_a_torch_lacks_is_not_offered() -> None:
    old = torch()
    del old.float8_e5m2
    assert run_kernels(old)["devices"][0]["kernels"]["float8_e5m2"] == "not offered"


def test_a_wrong_result_is_said() -> None:
    found = run_kernels(torch(_int_mm=lambda left, _right: left))
    assert found["devices"][0]["kernels"]["int8"] == "wrong result"


def test_without_a_gpu_no_kernel_is_run() -> None:
    without = torch()
    without.cuda.is_available = lambda: False
    assert run_kernels(without)["devices"] == []
