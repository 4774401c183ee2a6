"""Where it runs: WSL, containers, Kubernetes, Jetson, laptops, virtual machines; and the environment variables."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.facts import Variable
from assistant.reading.form import Collector, Form, rules

__all__ = ["FORMS", "FREE_FORMS"]

_PLATFORMS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "wsl",
        ("wsl", "microsoft-standard", "windows subsystem", "/dev/dxg"),
        r"(?<![a-z])wsl ?2?(?![a-z])|microsoft-standard|windows subsystem|/dev/dxg",
    ),
    (
        "container",
        ("docker", "podman", "container", "apptainer", "singularity", "容器", "镜像", "oci runtime"),
        (
            r"(?<![a-z])(?:docker|dockerfile|podman|containerd|apptainer|singularity|nvidia-container"
            r"|libnvidia-container|containers?)(?![a-z])|容器|镜像|oci runtime"
        ),
    ),
    (
        "kubernetes",
        (
            "k8s",
            "k3s",
            "rke2",
            "kube",
            "pod",
            "daemonset",
            "gpu operator",
            "gpu-operator",
            "device plugin",
            "device-plugin",
            "nvidia.com/gpu",
        ),
        (
            r"(?<![a-z0-9])(?:k8s|k3s|rke2|microk8s|kubernetes|kubectl|kubelet|pods?|daemonset|minikube"
            r"|gpu[ -]operator)(?![a-z])|device[ -]plugin|nvidia\.com/gpu"
        ),
    ),
    (
        "jetson",
        ("jetson", "jetpack", "l4t", "tegra", "orin", "xavier"),
        r"(?<![a-z])(?:jetson|jetpack|l4t|tegra|agx (?:orin|xavier|thor)|orin (?:nano|nx)|xavier nx)(?![a-z])",
    ),
    (
        "laptop",
        (
            "laptop",
            "optimus",
            "prime-select",
            "envycontrol",
            "thinkpad",
            "legion",
            "gaming notebook",
            "笔记本",
            "独显直连",
        ),
        r"(?<![a-z])(?:laptops?|optimus|prime-select|envycontrol|thinkpad|legion \d|gaming notebook)(?![a-z])|笔记本|独显直连",
    ),
    (
        "virtual-machine",
        (
            "vmware",
            "proxmox",
            "esxi",
            "qemu",
            "kvm",
            "virtualbox",
            "virtual machine",
            " vm",
            "hyper-v",
            "vfio",
            "vgpu",
            "passthrough",
            "pass-through",
            "unraid",
            "虚拟机",
            "直通",
        ),
        (
            r"(?<![a-z])(?:vmware|proxmox|esxi|qemu|kvm|virtualbox|hyper-v|vfio|vgpu|virtual machine|vms?|passthrough"
            r"|pass-through|unraid)(?![a-z.])|虚拟机|(?<!独显)直通"
        ),
    ),
)


def _platform(name: str, words: tuple[str, ...], pattern: str) -> Form:
    """A form for the lines that speak of a platform."""
    expression = re.compile(pattern)

    def read(line: Line, collector: Collector) -> None:
        found = expression.search(line.lower)
        if found is not None:
            collector.add("platform", name, line, (found.start(), found.start()), "free text")

    return Form("free text", words, read)


# --- environment ------------------------------------------------------------------------------------------------------

_VARIABLE = re.compile(
    r"(?P<name>cuda_visible_devices|nvidia_visible_devices|nvidia_driver_capabilities|nvidia_disable_require"
    r"|ld_library_path|cuda_home|cuda_path"
    r"|cuda_launch_blocking|cuda_module_loading|cuda_device_order|torch_cuda_arch_list|pytorch_(?:cuda_)?alloc_conf"
    r"|bnb_cuda_version|nccl_[a-z0-9_]{2,40}"
    r"|cudaarchs|cmake_cuda_architectures|hsa_override_gfx_version|cuda_root|tf_[a-z_]{3,40})"
    r"['\"]?\]?\s{0,3}(?:=|:|,)\s{0,3}(?:(?P<quote>['\"])(?P<quoted>[^'\"\n]{0,200})(?P=quote)"
    r"|(?P<value>[^\s'\",;，。]{0,200}(?:,[\w.:-]{1,60}){0,16}))"
)


def _variable(line: Line, collector: Collector) -> None:
    """Environment variables with a value that is no other variable."""
    for found in _VARIABLE.finditer(line.lower):
        group = "quoted" if found["quote"] else "value"
        start, end = found.span(group)
        value = line.text[start:end] if found["quote"] else line.text[start:end].rstrip(".")
        if not value.startswith("$"):
            variable = Variable(found["name"].upper(), value)
            collector.add("environment", variable, line, (found.start(), end), "environment")


# --- Jetson -------------------------------------------------------------------------------------------------------------

_JETPACK = (
    r"(?:jetpack|(?<![a-z])jp)(?:[ _-]?(?:sdk|version|版本))?[ :=_v-]{0,3}(?P<jetpack>[3-7](?:\.\d){0,2})(?![\d])"
)
_RELEASE = re.compile(r"r(?P<major>\d{2}) \(release\), revision: (?P<minor>\d{1,2}(?:\.\d{1,2})?)")


def _release(line: Line, collector: Collector) -> None:
    """`/etc/nv_tegra_release`."""
    found = _RELEASE.search(line.lower)
    if found is not None:
        collector.add("l4t", f"{found['major']}.{found['minor']}", line, found.span(), "nv_tegra_release")


FORMS: tuple[Form, ...] = (
    Form(
        "environment",
        ("cuda_", "nvidia_", "ld_library_path", "nccl_", "alloc_conf", "cudaarchs", "hsa_override", "tf_"),
        _variable,
    ),
    Form("nv_tegra_release", ("(release), revision",), _release),
    *rules(
        "jetpack",
        (("jetpack", "jp5", "jp6", "jp4", "jp7", "jp 6", "jp 5"), _JETPACK),
        (
            "l4t",
            (
                r"(?<![a-z])(?:l4t(?:-[a-z]{2,10})?[ :=_-]{1,3}r?"
                r"|l4t_version[ =:]{1,3})(?P<l4t>3\d\.\d{1,2}(?:\.\d{1,2})?)"
            ),
        ),
    ),
)
FREE_FORMS: tuple[Form, ...] = tuple(_platform(*each) for each in _PLATFORMS)
