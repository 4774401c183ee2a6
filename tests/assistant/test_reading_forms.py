"""Odd cases of the printed forms: cut short, wrapped, of other versions, or only looking like one."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.reading import read, values
from assistant.reading.form import starting
from resolver.engine import Engine
from resolver.names import Products

FORMS = {
    # nvidia-smi
    "|   0  ERR!                Off  | 00000000:01:00.0 Off |                 ERR! |": ["state=err"],
    "|   0  Quadro RTX 600...   TCC  | 00000000:01:00.0 Off |                  Off |": ["gpu=quadro-rtx-6000?", "state=tcc"],
    "|   0  NVIDIA GeForce ...  Off  | 00000000:01:00.0 Off |                  N/A |": [],
    "| 0000 is the number": [],
    "|    0   12345    C   no memory shown                       mib |": [],
    "| CUDA Version: ERR!     |": [],
    "gpu 0: name unknown": [],
    "GPU 0: A100-SXM4-40GB\nsomething else": ["gpu=a100-sxm4-40gb"],
    "driver_version of this machine": [],
    "name, driver_version\nTesla T4": ["gpu=tesla-t4"],
    "index, name\n0, Tesla T4\n1, Tesla P4": ["gpu=tesla-t4", "gpu=tesla-p4"],
    "driver_version\n12": [],
    "nvidia-smi --query-gpu=driver_version": [],
    "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.": ["nvml-error=gpu is lost"],
    # lspci
    "01:00.0 VGA compatible controller: NVIDIA Corporation Foo": [],
    "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GP102 [GeForce GTX 1080 Ti] [10de:ffff]": [
        "gpu=geforce-gtx-1080-ti"
    ],
    "card (id: zzzz)": [],
    "Sorry, your Nvidia card (id: 2204) is not supported by nvidia-390xx-dkms.": ["gpu=geforce-rtx-3090"],
    "the display controller of my monitor": [],
    # kernel log
    "kernel module nvidia is missing": [],
    "modinfo nvidia\nmodinfo: ERROR: Module nvidia not found.": [],
    "cat /sys/module/nvidia/version\n535.104.05": ["kernel-module=535.104.05"],
    "The NVIDIA GPU is supported through the NVIDIA 390.xx Legacy drivers.": ["legacy-driver=390"],
    # collect_env and torch
    "PyTorch version: 2.5.0\nCUDA used to build PyTorch: N/A\nROCM used to build PyTorch: 6.2.41133": [
        "torch=2.5.0+rocm6.2.41133"
    ],
    "PyTorch version: unknown": [],
    "PyTorch version: 2.5.0": ["torch=2.5.0"],
    "Name: torch\nSummary: x": [],
    "Name: torchvision\nVersion: 0.1.0": [],
    ">>> torch.__version__": [],
    ">>> torch.__version__\nTraceback": [],
    ">>> torch.__version__\n\n'2.4.0'": ["torch=2.4.0"],
    ">>> torch.version.cuda\nNone": [],
    "torch.cuda.is_available()\nOut[3]: True": [],
    "print(torch.cuda.is_available()) returns False": ["cuda-available=False"],
    # capabilities
    "sm_999 compute_999 capabilities sm_999": [],
    "capabilities sm_999 sm_70": ["arch-list=7.0"],
    "['sm_70', 'sm_80', 'compute_80']": ["arch-list=7.0 8.0", "ptx-list=8.0"],
    "99.99 which supports hardware cc": [],
    "which supports hardware cc": [],
    "minimum and maximum cuda capability supported by this version of pytorch is": [],
    "- 8.0 which supports hardware CC >=8.0": ["arch-list=8.0"],
    # toolkit
    "-gencode arch=compute_80,code=[sm_80,compute_80]": ["requested-arch=8.0"],
    "apt install cuda-toolkit-99-9": [],
    # packages
    "ii  bash  5.2  amd64  shell": [],
    "ii  libnvidia-gl-535  535.183.01  amd64": ["package=libnvidia-gl-535 535.183.01"],
    "un  nvidia-driver-470  <none>": [],
    "rc  is what I run, nvidia-driver-535": [],
    "libnvidia-gl-1:amd64 (535.1-0, automatic)": ["package=libnvidia-gl-1 535.1-0"],
    "a:amd64 (1, 2)": [],
    "nvidia 570.86.16-2": ["package=nvidia 570.86.16-2", "driver=570.86.16"],
    "docker-ce-3:27.3.1-1.el9.x86_64": ["platform=container", "package=docker-ce 27.3.1", "machine=x86_64"],
    "python 3.9.13 h5ce6fc3_1": ["python=3.9"],
    "pytorch 1.13.1 py3.10_cpu_0 pytorch": ["package=pytorch 1.13.1", "torch=1.13.1+cpu", "python=3.10"],
    "torch 2.0.0+cu118 pypi_0 pypi": ["torch=2.0.0+cu118", "package=torch 2.0.0+cu118"],
    "cuda 12.4.1 0 nvidia": ["package=cuda 12.4.1"],
    # containers, Kubernetes
    "pull nvcr.io/nvidia/cuda:12.4.1.": ["image=nvcr.io/nvidia/cuda:12.4.1"],
    "runtimes: ;": [],
    "docker version unknown": ["platform=container"],
    "image: nvidia/cuda": ["image=nvidia/cuda"],
    "nvidia.com/gpu.compute.major: \"8\"\nnvidia.com/gpu.compute.minor: \"6\"": [
        "gpu-capability=8.6", "platform=kubernetes", "platform=kubernetes",
    ],
    "nvidia.com/cuda.driver.rev=05": [],
    "nvidia.com/cuda.driver-version.full=570.86.15": ["driver=570.86.15"],
    "x.major=1": [],
    # Windows
    "nvlddmkm crashed again": [],
    "事件 ID 14 来自 nvlddmkm": ["windows-event=nvlddmkm 14"],
    "Display driver stopped, Event ID: 4101": ["windows-event=display 4101"],
    "error code 12 of gcc": [],
    "Card name: sm_86": ["gpu-capability=8.6"],
    # system
    "VERSION_ID=\"9.4\"": [],
    "VERSION_ID=rolling\nID=arch": [],
    "ID=alpine\nVERSION_ID=3.1": [],
    "ID=\"ubuntu\"\nVERSION_ID=\"22.04\"": ["os=linux", "os=ubuntu-22.04"][1:],
    "kernel-devel-5.14.0.el9": [],
    "R36 (release), REVISION: 4.3": ["l4t=36.4.3"],
    "the (release), revision of it": [],
    # errors
    "Tried to allocate more than there is": [],
    "ggml: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory": [
        "memory=tried=4096", "cuda-error=cudaErrorMemoryAllocation 2",
    ],
    "Tried to allocate 20.00 MiB\nTried to allocate 40.00 MiB": ["memory=tried=20", "memory=tried=40"],
    "cudaErrorNoDevice error": ["cuda-error=cudaErrorNoDevice"],
    "nccl is installed": [],
    "nvidia-smi: command not found": ["nvml-error=not found"],
    "nvidia-smi works": [],
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS.items(), ids=FORMS.keys())
def test_form(engine: Engine, text: str, expected: list[str]) -> None:
    assert [f"{fact.kind}={_shown(fact.value)}" for fact in read(text, engine.names).facts] == expected


def test_enough_is_enough(engine: Engine) -> None:
    lines = [
        f"driver {number}.{number % 90 + 10} on cuda {number % 12 + 6}.{number % 10}, ubuntu 22.04"
        for number in range(400, 760)
    ]
    reading = read("\n".join(lines), engine.names)
    assert {kind: len(reading.all(kind)) for kind in ("driver", "cuda", "os")} == {"driver": 50, "cuda": 50, "os": 16}
    gpus = read(
        "\n".join(f"{number} runs a {name}" for number in range(90) for name in ("3090", "3080", "3070", "3060")),
        engine.names,
    )
    assert len(gpus.all("gpu")) == 50
    crowd = read(" ".join(f"driver {number}.10" for number in range(400, 480)) + " GeForce RTX 3090", engine.names)
    assert len(crowd.all("driver")) == 50


def test_a_crowded_line_is_left_alone(engine: Engine) -> None:
    crowd = " ".join(f"10de:{number:04x}" for number in range(0x2200, 0x2260))
    facts = read(f"{crowd} ubuntu 22.04", engine.names).facts
    assert "ubuntu-22.04" not in [fact.value for fact in facts]


@pytest.mark.parametrize(
    ("convert", "text", "expected"),
    [
        (values.driver, "96.43", "96.43"),
        (values.driver, "12.2", None),
        (values.driver, "x", None),
        (values.windows_driver, "31.0.15.3699", "536.99"),
        (values.windows_driver, "27.21.14.6192", "461.92"),
        (values.windows_driver, "31.0", None),
        (values.cuda, "12.4", "12.4"),
        (values.cuda, "99.1", None),
        (values.cuda, "12", None),
        (values.cuda_number, "11040", "11.4"),
        (values.cuda_number, "92", "9.2"),
        (values.cuda_tag, "CU130", "13.0"),
        (values.python, "3.13t", "3.13t"),
        (values.python, "310", "3.10"),
        (values.python, "9.9", None),
        (values.capability, "86", "8.6"),
        (values.capability, "sm86", "8.6"),
        (values.capability, "x", None),
        (values.arch_target, "compute_90a", "9.0a"),
        (values.torch, "2.6.0+CU124.", "2.6.0+cu124"),
    ],
)
def test_value(convert: Any, text: str, expected: str | None) -> None:
    found = convert(text)
    assert (None if found is None else str(found)) == expected


def test_starting_is_a_lookbehind_and_an_alternation() -> None:
    import re

    pattern = re.compile(starting(["rtx", "rt", "gtx"], "a-z"))
    assert [found[0] for found in pattern.finditer("rtx xgtx gtx 8xrtx rt")] == ["rtx", "gtx", "rtx", "rt"]


def _shown(value: Any) -> str:
    if isinstance(value, Products):
        return value.gpus[0].id + ("" if value.certain else "?")
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
