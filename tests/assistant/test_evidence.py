"""Predicates: what follows from a text with the resolver beside it."""

from __future__ import annotations

import pytest

from assistant.case import Case, both
from assistant.evidence import COMPARISONS, PREDICATES, Proof
from assistant.load import Library
from assistant.reading import read
from resolver.engine import Engine

LIST = "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90."
NEW_LIST = "The current PyTorch install supports CUDA capabilities sm_75 sm_80 sm_86 sm_90 sm_100 sm_120."
OOM = (
    "CUDA out of memory. Tried to allocate {tried} (GPU 0; 24.00 GiB total capacity; {allocated} already allocated;"
    " {free} free; {reserved} reserved in total by PyTorch)"
)
NODE = "Capacity:\n  cpu: 8\n  nvidia.com/gpu: 4\nAllocatable:\n  cpu: 8\n  nvidia.com/gpu: 3"


def case(engine: Engine, text: str) -> Case:
    return Case(read(text, engine.names, engine.index.releases.spoken), engine)


HOLDS = {
    "gpu-newer-than-build": (
        f"NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible.\n{LIST}",
        "RTX 5080, torch 2.6.0+cu124",
        "5090 torch 2.5.1 linux",
        "30系显卡 cudatoolkit 9.0",
        "minimum and maximum cuda capability supported by this version of PyTorch is\n(7.0) - (9.0)\nwhich is of cuda capability 12.0",
    ),
    "gpu-older-than-build": (
        f"NVIDIA GeForce GTX 1080 Ti with CUDA capability sm_61 is not compatible.\n{NEW_LIST}",
        "GTX 1060, torch 2.9.0+cu130",
        "which is of cuda capability 5.2.\nMinimum and Maximum cuda capability supported by this version of PyTorch is\n    (7.0) - (12.0)",
    ),
    "gpu-in-build": (
        f"RTX 3090\n{LIST}",
        "RTX 3090 with torch 2.6.0+cu124",
        "which is of cuda capability 8.6\nMinimum and Maximum cuda capability supported by this version of PyTorch is\n    (7.0) - (12.0)",
    ),
    "gpu-newer-than-cuda": ("RTX 3090 and CUDA 10.1",),
    "kernel-image-error-in-build": (
        f"RTX 3090\n{LIST}\nCUDA error: no kernel image is available for execution on the device",
    ),
    "torch-old": ("torch 1.7.1",),
    "torch-new": ("torch 2.9.0+cu130",),
    "torch-cpu-build": ("torch 2.6.0+cpu", "AssertionError: Torch not compiled with CUDA enabled"),
    "torch-cuda-build": ("torch 2.6.0+cu124",),
    "driver-too-old-for-torch": ("driver 470.57.02, torch 2.6.0+cu124", "torch 2.9.0+cu130\n(found version 12020)"),
    "driver-too-old-for-cuda": ("driver 450.80.02 and CUDA 12.4",),
    "driver-runs-cuda": ("driver 535 and CUDA 12.4",),
    "driver-dropped-gpu": ("Tesla K80 with driver 535.129.03",),
    "driver-too-old-for-gpu": ("RTX 5090 with driver 535.129.03", "RTX 5090 driver 470"),
    "gpu-needs-open-module": ("RTX 5090",),
    "gpu-cannot-open-module": ("GTX 1080 Ti",),
    "arch-newer-than-nvcc": (
        "nvcc fatal   : Unsupported gpu architecture 'compute_89'\nCuda compilation tools, release 11.5, V11.5.119",
        "nvcc fatal : Unsupported gpu architecture 'compute_120'",
    ),
    "arch-older-than-nvcc": (
        "nvcc fatal   : Unsupported gpu architecture 'compute_35'\nCuda compilation tools, release 12.4, V12.4.131",
        "nvcc fatal : Unsupported gpu architecture 'compute_30'",
    ),
    "versions-differ": (
        "NVRM: API mismatch: the client has the version 550.54.15, but\nNVRM: this kernel module has the version 535.161.07.",
    ),
    "oom-larger-than-card": (OOM.format(tried="40.00 GiB", allocated="1 GiB", free="20 GiB", reserved="2 GiB"),),
    "oom-reserved-unallocated": (
        OOM.format(tried="2.00 GiB", allocated="8.00 GiB", free="1.00 GiB", reserved="20.00 GiB"),
    ),
    "oom-other-process": (OOM.format(tried="2.00 GiB", allocated="2.00 GiB", free="0.50 GiB", reserved="2.50 GiB"),),
    "memory-without-process": ("| 54C | 7829MiB / 12189MiB |\nNo running processes found",),
    "windows": ("Windows 11", "win10 上", "C:\\Users\\me"),
    "linux": ("Ubuntu 22.04",),
    "wsl": ("WSL2 Ubuntu",),
    "container": ("docker run --gpus all", "容器里"),
    "kubernetes": ("kubectl get pods",),
    "jetson": ("Jetson Orin Nano",),
    "laptop": ("RTX 4060 Laptop GPU", "笔记本"),
    "virtual-machine": ("Proxmox passthrough",),
    "amd": ("HIP error: invalid device function", "RX 7900 XTX", "gfx1100 with rocm", "AMD Radeon 780M", "A 卡能用吗"),
    "intel": ("torch.xpu is not available", "Intel Arc A770"),
    "apple": ("MPS backend out of memory on my MacBook",),
    "other-accelerator": ("npu-smi info 正常", "昇腾 910B"),
    "gpu-named": ("a 3090",),
    "mining-card": ("P106-100", "2080ti 22g 魔改"),
    "nvswitch": ("HGX H100", "nvidia-fabricmanager"),
    "unknown-product": ("nvidia rtx pro 5500 驱动下哪个",),
    "several-gpus": ("CUDA_VISIBLE_DEVICES=0,1 python a.py", "双卡 3090", "two GPUs", "it runs on cuda:1"),
    "slow-half": ("Tesla P40",),
    "driver-dropped": ("Tesla V100",),
    "turing-16": ("GTX 1660 Ti",),
    "gpu-allocatable-below-capacity": (NODE,),
    "driver-named": ("driver 535.129.03",),
    "torch-named": ("torch 2.6.0",),
    "cuda-named": ("CUDA 12.4",),
    "error-text": (
        "RuntimeError: it broke",
        "xid 79 fallen off the bus: NVRM: Xid (PCI:0000:01:00): 79",
        "libx.so: cannot open shared object file",
    ),
    "script-error": ("AttributeError: no attribute", "npm ERR! missing script"),
    "gpu-not-seen": ("cuda.is_available() False", "webui 提示找不到显卡", "my GPU is not detected"),
    "question": ("which driver do I need", "怎么装", "is it normal?"),
    "tensorflow-without-gpu-on-windows": ("Windows 10, tensorflow 2.16",),
    "package-asked": ("Does vLLM work on a V100?", "flash-attn 2 on T4", "driver 550 能跑 jax[cuda13] 吗"),
    "packages-differ": (
        "torch 2.15.0\nvllm 0.33.0",
        "[pip3] torch==2.15.0+cu132\n[pip3] vllm==0.33.0",
        "xformers==0.0.27\ntorch==2.6.0",
    ),
}
HOLDS_NOT = {
    "gpu-newer-than-build": (
        f"RTX 3090\n{LIST}",
        "RTX 5090",
        "torch 2.6.0+cu124",
        "RTX 3090, torch 9.9.9+cu124",
        "torch 2.6.0+cpu RTX 5090",
    ),
    "gpu-older-than-build": (f"RTX 5090\n{LIST}", "GTX 1060, torch 2.6.0+cu124"),
    "gpu-in-build": (f"RTX 3090 and RTX 5090\n{LIST}",),
    "kernel-image-error-in-build": (f"RTX 3090\n{LIST}", "no kernel image is available"),
    "gpu-newer-than-cuda": ("RTX 3090 and CUDA 11.8",),
    "torch-old": ("torch 2.9.0+cu130",),
    "torch-new": ("torch 1.7.1", "torch 2.9.0+cu126"),
    "torch-cpu-build": ("torch 2.6.0+cu124",),
    "driver-too-old-for-torch": ("driver 535 torch 2.6.0+cu124", "(found version 12020) torch 2.6.0+cu124"),
    "driver-runs-cuda": ("driver 535", "driver 450.80.02 and CUDA 12.4"),
    "driver-dropped-gpu": ("RTX 3090 with driver 535",),
    "driver-too-old-for-gpu": ("RTX 3090 with driver 535", "RTX 3090"),
    "arch-newer-than-nvcc": (
        "Unsupported gpu architecture 'compute_89'\nnvcc: Cuda compilation tools, release 12.4, V12.4.131",
        "ptxas --gpu-name=sm_120 returned non-zero",
    ),
    "versions-differ": ("kernel module has the version 535.161.07",),
    "oom-larger-than-card": (
        OOM.format(tried="4.00 GiB", allocated="1 GiB", free="20 GiB", reserved="2 GiB"),
        "out of memory",
    ),
    "oom-reserved-unallocated": (
        OOM.format(tried="2.00 GiB", allocated="19.00 GiB", free="1.00 GiB", reserved="20.00 GiB"),
    ),
    "oom-other-process": (
        OOM.format(tried="2.00 GiB", allocated="21.00 GiB", free="0.50 GiB", reserved="23.00 GiB"),
        "Tried to allocate 20 MiB (GPU 0; 24 GiB total capacity)",
    ),
    "memory-without-process": ("| 10MiB / 12189MiB |\nNo running processes found", "7829MiB / 12189MiB"),
    "amd": ("RTX 3090 in a machine with an AMD Ryzen", "nvidia driver beside radeon graphics"),
    "apple": ("nvidia-cuda-mps-control: MPS daemon", "RTX 3090 mps"),
    "intel": ("Intel Core i7 with RTX 3090",),
    "other-accelerator": ("No GPU/TPU found",),
    "unknown-product": ("RTX 4090", "rtx pro 5500 or RTX 4090?", "which card"),
    "nvswitch": ("Tesla V100-SXM2-32GB",),
    "several-gpus": ("docker run nvidia/cuda:12.4.1 nvidia-smi", "one 3090"),
    "gpu-allocatable-below-capacity": (NODE.replace("gpu: 3", "gpu: 4"), "nvidia.com/gpu: 1", "nothing"),
    "tensorflow-without-gpu-on-windows": (
        "Windows 10, tensorflow 2.10",
        "tensorflow 2.16",
        "WSL2 tensorflow 2.16 windows 11",
    ),
    "package-asked": (
        "Does it work on a V100?",
        "Does vLLM work?",
        "vLLM does not work on my V100",
        "vLLM on V100: RuntimeError: no kernel image",
        "Can vLLM run a 70B model on a 4090?",
        "does it work on a V100 without xformers?",
        "I have a T4 and I read much about flash-attn in the last weeks and months.",
        "V100 上 vLLM 跑不起来怎么办",
    ),
    "packages-differ": (
        "torch 2.14.0\nvllm 0.33.0",
        "torch 2.15.0\nbitsandbytes 0.45.0",
        "torch 2.15\nvllm 0.33.0",
        "vllm 0.33.0",
        "torch 2.15.0\nvllm 0.33.1.dev5",
    ),
    "error-text": ("which driver for a 3090?",),
    "script-error": ("CUDA error: out of memory",),
    "question": ("it is broken",),
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in HOLDS.items() for text in texts])
def test_holds(engine: Engine, name: str, text: str) -> None:
    proof = case(engine, text).proof(name)
    assert proof is not None
    assert all(0 <= line < len(text.splitlines()) for line in proof.lines)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in HOLDS_NOT.items() for text in texts])
def test_does_not_hold(engine: Engine, name: str, text: str) -> None:
    assert case(engine, text).proof(name) is None


def test_every_predicate_is_tried_and_says_what_it_is() -> None:
    assert set(HOLDS) == set(PREDICATES)
    assert [name for name, function in PREDICATES.items() if not function.__doc__] == []
    assert set(PREDICATES) >= COMPARISONS


def test_every_predicate_that_a_symptom_names_is_there() -> None:
    named = {name for each in Library.load().symptoms.values() for name in (*each.when, *each.needs, *each.unless)}
    assert named - set(PREDICATES) == set()


def test_the_proof_names_both_lines(engine: Engine) -> None:
    text = f"hello\nNVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible.\n{LIST}"
    assert case(engine, text).proof("gpu-newer-than-build") == Proof((1, 2))


def test_facts_in_the_chatter_of_other_programs_do_not_count(engine: Engine) -> None:
    chatter = 'I0412 10:11:12.123456    1234 kubelet.go:2345] "SyncLoop (PLEG): event for pod"'
    assert not case(engine, f"{chatter}\nXid 79").holds("kubernetes")
    assert case(engine, "kubelet sees no GPU").holds("kubernetes")


def test_an_unknown_name_never_holds(engine: Engine) -> None:
    assert not case(engine, "anything").holds("no-such-predicate", "nor-this")


def test_proofs_together() -> None:
    assert both([Proof((1,)), Proof((2, 1))]) == Proof((1, 2))
    assert both([Proof((1,)), None]) is None


def test_a_driver_that_is_no_branch_is_not_judged(engine: Engine) -> None:
    assert case(engine, "driver 536").drivers == [] or case(engine, "driver 536").drivers[0][1].branch == 535
    assert case(engine, "driver 100").drivers == []
