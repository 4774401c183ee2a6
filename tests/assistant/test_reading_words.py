"""What people write about their machines, English and Chinese, and what must not be read into it."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.reading import read
from resolver.engine import Engine
from resolver.names import Products

# text -> kind=value of every fact; a GPU is the id of its first product
SAID = {
    # --- GPUs ---
    "it's a 3090": "gpu=geforce-rtx-3090",
    "actually it is a 3080": "gpu=geforce-rtx-3080",
    "RTX 3090 x2": "gpu=geforce-rtx-3090",
    "on a RTX-3090.": "gpu=geforce-rtx-3090",
    "8xA100": "gpu=a100-pcie-40gb",
    "4*4090": "gpu=geforce-rtx-4090",
    "two A100s": "gpu=a100-pcie-40gb",
    "a100-80g": "gpu=a100-pcie-80gb",
    "4090D 24G": "gpu=geforce-rtx-4090-d",
    "M40 24G": "gpu=tesla-m40-24gb",
    "P106-100": "gpu=p106-100",
    "rtx4070tis": "gpu=geforce-rtx-4070-ti-super",
    "GPU: GTX 960M": "gpu=geforce-gtx-960m",
    "a TITAN X.": "gpu=geforce-gtx-titan-x",
    "TITAN RTX": "gpu=titan-rtx",
    "泰坦V": "gpu=titan-v",
    "Tesla T4": "gpu=tesla-t4",
    "colab T4": "gpu=tesla-t4",
    "A10G on g5.xlarge": "gpu=a10g",
    "Standard_NC6s_v3": "gpu=tesla-v100-pcie-16gb",
    "10de:2684": "gpu=geforce-rtx-4090",
    "my NVS 310": "gpu=nvs-310",
    "GT710驱动470": "gpu=geforce-gt-710-gf119 driver=470",
    "显卡是4090": "gpu=geforce-rtx-4090",
    "两张3090": "gpu=geforce-rtx-3090",
    "我的显卡是rtx4060笔记本": "gpu=geforce-rtx-4060-laptop-gpu platform=laptop",
    "RTX 2080ti魔改22G": "gpu=geforce-rtx-2080-ti",
    "2080ti 22g 两张": "gpu=geforce-rtx-2080-ti",
    "GB10 DGX Spark": "gpu=gb10",
    "Jetson AGX Orin 64GB with JetPack 6": "gpu=jetson-agx-orin-64gb platform=jetson jetpack=6",
    "RTX 50 series": "gpu-series=50",
    "50系显卡": "gpu-series=50",
    "my M1 Max": "other-gpu=Apple",
    "AMD RX 6600 XT": "other-gpu=AMD",
    "升腾 910B4 容器": "other-gpu=Huawei Ascend platform=container",
    # --- not the one that is used ---
    "not a 4090": "",
    "I don't have a 4090": "",
    "PyTorch does not use my 3090": "gpu=geforce-rtx-3090",
    "it is not using the 3090": "gpu=geforce-rtx-3090",
    "runs on the CPU instead of the 3090": "gpu=geforce-rtx-3090",
    "No RTX 3090 was found": "gpu=geforce-rtx-3090",
    "is my old 980 Ti still supported": "gpu=geforce-gtx-980-ti",
    "I don't own a 4090, I used to have a 1070": "",
    "upgraded from a 1070 to a 3060": "gpu=geforce-rtx-3060",
    "I had a 1080 before": "",
    "I had a 1080 crash yesterday": "gpu=geforce-gtx-1080",
    "之前用 1080ti 没问题": "",
    "不是4090": "",
    "it is not a GTX 1080": "",
    # --- numbers that are none ---
    "watch 1080p video": "",
    "after 2080 steps it stops": "",
    "port 8080, epoch 3070, line 1060": "",
    "I get 4060 images": "",
    "loss 4090.5 at 100.64.3090.1": "",
    "A4 paper, L2 cache, state P0 and P8": "",
    "A1111 webui": "",
    "nvidia 470 Tesla": "",
    "Intel i5-1080": "",
    "[2024-01-01 10:00:00] processed 4090 of 5080": "",
    "nvidia rtx pro 5500": "",
    "-rw-r--r-- 1 root root 4080 Jun 24  2025 x": "",
    "root  3090  0.0  0.1 12345 678 ?  S  x": "",
    "ii  libdrm-radeon1:amd64  2.4": "",
    # --- capability ---
    "my card is sm_89": "gpu-capability=8.9",
    "cc 3.5": "gpu-capability=3.5",
    "compute capability 5.2": "gpu-capability=5.2",
    "算力是 8.6": "gpu-capability=8.6",
    "requires compute capability 8.0 or higher": "capability-required=8.0",
    "Bfloat16 is only supported on GPUs with compute capability of at least 8.0.": "capability-required=8.0",
    "compute capability 99.9": "",
    # --- driver ---
    "driver is 470": "driver=470",
    "the 470 driver": "driver=470",
    "Driver Version: 535.104.05": "driver=535.104.05",
    "nvidia 535.104.05": "driver=535.104.05",
    "nvidia-driver-535": "driver=535",
    "NVIDIA-Linux-x86_64-550.54.14.run": "machine=x86_64 driver=550.54.14",
    "561.09-desktop-win10-win11-64bit.exe": "driver=561.09 os=windows-10 os=windows-11",
    "R535 branch": "driver=535",
    "need driver >= 525": "driver-required=525",
    "driver 530 or newer": "driver-required=530",
    "驱动 535.104": "driver=535.104",
    "驱动 525 以上": "driver-required=525",
    "显卡驱动552.22": "driver=552.22",
    "装 435/440 驱动": "driver=435",
    "same code is quiet on 580.159.03": "driver=580.159.03",
    "TITAN V on CUDA with 430.40, broken": "gpu=titan-v driver=430.40",
    "nvidia (>= 530.41.03)": "driver-required=530.41.03",
    "it took 430.40 seconds": "",
    "ran 430.40": "",
    "RX 580 driver": "other-gpu=AMD",
    "GTX 660 driver problem": "gpu=geforce-gtx-660",
    "driver 31.0.15.2686": "driver=526.86",
    # --- CUDA ---
    "cuda 12.4": "cuda=12.4",
    "CUDA版本：12.4": "cuda=12.4",
    "CUDA 11.4 is needed; CUDA 99.1 is not": "cuda=11.4",
    "cuda toolkit 11.8": "toolkit=11.8",
    "CUDA SDK 11.8": "toolkit=11.8",
    "toolkit 11.6": "toolkit=11.6",
    "11.6 toolkit": "toolkit=11.6",
    "nvcc says 11.8": "toolkit=11.8",
    "nvidia-smi shows CUDA 12.2": "driver-cuda=12.2",
    "nvidia-smi takes 10.5 s and shows 11.4 GB": "",
    "nvidia-smi 只显示 12.2": "driver-cuda=12.2",
    "驱动最高支持 CUDA 12.2": "driver-cuda=12.2",
    "found version 12020": "driver-cuda=12.2",
    "requires CUDA 12.4": "cuda-required=12.4",
    "built with cu121": "torch-cuda=12.1",
    "PyTorch built with CUDA 11.7": "torch-cuda=11.7",
    "编译用 CUDA 11.7": "torch-cuda=11.7",
    "cuda_12.4.r12.4/compiler": "toolkit=12.4",
    "| CUDA Version: 12.2 |": "driver-cuda=12.2",
    "CUDA Version 10.1.243": "toolkit=10.1.243",
    "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8": "os=windows toolkit=11.8",
    "cuda11.8+cudnn8.6": "cuda=11.8 cudnn=8.6",
    # --- torch, Python, packages ---
    "with torch 2.6+cu124": "torch=2.6+cu124",
    "torch 2.6+cu124": "package=torch 2.6+cu124 torch=2.6+cu124",
    "a torch 2.1.0+cu118": "torch=2.1.0+cu118",
    "torch was upgraded to 2.4": "torch=2.4",
    "torch 1.7.1 CPU": "torch=1.7.1+cpu",
    "torch-2.1.0+cu118-cp310-cp310-linux_x86_64.whl": "torch=2.1.0+cu118 python=3.10 machine=x86_64",
    "torchvision 0.16.0+cu118": "package=torchvision 0.16.0+cu118",
    "the repo asks for torch 1.8.0": "torch-required=1.8.0",
    "my torch 2.10.0.dev+rocm7.0": "torch=2.10.0.dev+rocm7.0",
    "python3.10": "python=3.10",
    "Python 3.8.10": "python=3.8",
    "py310 cp311": "python=3.10 python=3.11",
    "cpython-313t-x86_64": "python=3.13t machine=x86_64",
    "TF 2.16": "package=tensorflow 2.16",
    "with vllm 0.6.3.": "package=vllm 0.6.3",
    "gcc 13.2": "compiler=gcc 13.2",
    # --- systems ---
    "on Ubuntu 22.04": "os=ubuntu-22.04",
    "ubuntu2204": "os=ubuntu-22.04",
    "Ubuntu 24": "os=ubuntu-24.04",
    "win11": "os=windows-11",
    "windows 10专业版": "os=windows-10",
    "Microsoft Windows [Version 10.0.22631.3155]": "os=windows-11",
    "Windows-10-10.0.19045-SP0": "os=windows-10",
    "Windows Server 2022": "os=windows-server-2022",
    "Debian bookworm": "os=debian-12",
    "Linux Mint 21.3": "os=ubuntu-22.04",
    "Linux Mint 19": "os=linux",
    "Pop!_OS 22.04": "os=ubuntu-22.04",
    "Red Hat Enterprise Linux 9.2": "os=rhel-9",
    "openSUSE Leap 15.5": "os=opensuse-leap-15",
    "Amazon Linux 2023": "os=amazon-linux-2023",
    "Manjaro": "os=arch",
    "NixOS": "os=nixos",
    "debian 535": "os=linux",
    "WSL2": "os=wsl2 platform=wsl",
    "latest Ubuntu": "os=linux",
    "windows 系统": "os=windows",
    "kernel 6.8": "kernel=6.8",
    "内核 6.5.0-35-generic": "kernel=6.5.0-35-generic",
    "/lib64/libc.so.6: version `GLIBC_2.32' not found": "glibc-required=2.32",
    "glibc 2.28": "glibc=2.28",
    "k8s pod in a proxmox vm": "platform=kubernetes platform=virtual-machine",
    "Jetson Nano, jp 4.6": "gpu=jetson-nano platform=jetson",
    # --- errors ---
    "xid 79": "xid=Xid 79",
    "XID错误 63": "xid=Xid 63",
    "Code 43": "device-code=43",
    "Nvidia 错误代码43": "device-code=43",
    "Cuda Error 35": "cuda-error=35",
    "CUDA error: out of memory": "cuda-error=cudaErrorMemoryAllocation 2",
    "Error 999: unknown error": "cuda-error=cudaErrorUnknown 999",
    "CUDA_ERROR_NO_DEVICE (100)": "cuda-error=CUDA_ERROR_NO_DEVICE 100",
    "cudaGetErrorString error": "",
    "disk error 5, out of memory": "",
    "make: *** [cuda/kernel.o] Error 1": "",
    "error: command '/opt/cuda/bin/nvcc' failed with exit code 255": "",
    "NCCL Error 2": "nccl-error=ncclSystemError",
    "NVML_ERROR_DRIVER_NOT_LOADED": "nvml-error=driver not loaded",
    "load library failed: libnvidia-ml.so.1": "missing-library=libnvidia-ml.so.1",
    "cufft_internal_error CUDNN_BE_ERROR_X": "library-error=cufft_internal_error library-error=CUDNN_BE_ERROR_X",
    "unsatisfied condition: driver>=535": "driver-required=535",
    # --- environment ---
    'os.environ["CUDA_VISIBLE_DEVICES"] = "4,3"': "environment=CUDA_VISIBLE_DEVICES=4,3",
    "export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH": (
        "environment=LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH os=linux"
    ),
    "CUDA_VISIBLE_DEVICES=$GPU": "",
    "set CUDA_VISIBLE_DEVICES=": "environment=CUDA_VISIBLE_DEVICES=",
}


def facts(engine: Engine, text: str) -> list[str]:
    return [f"{fact.kind}={_shown(fact.value)}" for fact in read(text, engine.names).facts]


@pytest.mark.parametrize(("text", "expected"), SAID.items(), ids=SAID.keys())
def test_said(engine: Engine, text: str, expected: str) -> None:
    found = facts(engine, text)
    assert " ".join(found) == expected


def test_an_image_is_not_the_host(engine: Engine) -> None:
    assert facts(engine, "FROM nvidia/cuda:11.8.0-base-ubuntu22.04") == ["image=nvidia/cuda:11.8.0-base-ubuntu22.04"]
    assert facts(engine, "from torch import nn") == []
    assert facts(engine, "see the message from vendor") == []


def test_the_image_of_docker_run_is_its_first_plain_argument(engine: Engine) -> None:
    text = "docker run --rm -v /a:/b  --name x team/train python main.py"
    assert facts(engine, text) == ["platform=container", "image=team/train"]
    assert facts(engine, "docker run --gpus all") == ["platform=container"]
    assert facts(engine, "docker run --rm ./here") == ["platform=container"]


def test_only_the_exact_system_stays(engine: Engine) -> None:
    assert facts(engine, "linux\nRocky Linux 9\n/usr/lib/x") == ["os=rocky-9"]


def _shown(value: Any) -> str:
    return value.gpus[0].id if isinstance(value, Products) else str(value)
