"""The rules that separate look-alikes: what decides between causes whose messages are the same.

Each rule says when it counts, which causes it speaks for and which it rules out. The numbers are those of the list that the
taxonomy keeps. A rule only judges between causes that something in the text has brought up, unless it `raises` its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.conditions import Condition, every, matching, no_devices_explained, predicate_holds, said, without

__all__ = ["RULES", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        number: its place in the list.
        says: what decides, in one sentence.
        holds: the proof that it counts, or None.
        favours: the causes that it speaks for.
        excludes: the causes that it rules out.
        raises: whether it brings its causes up even if nothing else did.
        among: it counts only if one of these has been brought up; empty: always.
        points: how much it speaks for them.
    """

    number: int
    says: str
    holds: Condition
    favours: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    raises: bool = False
    among: tuple[str, ...] = ()
    points: float = 4.0


# fmt: off
_KERNEL_IMAGE = ("framework_lacks_new_arch", "framework_dropped_old_arch", "extension_missing_arch")
_NO_MODULE = ("module_not_loaded_kernel_update", "nouveau_conflict", "dkms_build_failed", "driver_not_installed")
_PENDING = ("k8s_gpu_not_advertised", "k8s_runtime_class_missing")
_FALSE = ("cpu_only_torch", "wrong_torch_replaced", "container_gpu_flag_missing", "cuda_visible_devices", "driver_not_installed", "jetson_wrong_wheel")
_IN_CONTAINER = predicate_holds("container")
_ON_WINDOWS = predicate_holds("windows")
_IN_WSL = predicate_holds("wsl")
_OTHER_COMPILER = said("ptxas fatal", "ptxas error", "nvrtc: error", "nvrtc error", "nvrtc_error", lacking=("nvcc fatal",))
_BUILT_ADDON = said("torch_cuda_arch_list", "built the op", "compiled the op", "自己编译", "flash_attn", "flash-attn", "xformers", "mmcv", "pytorch3d", "spconv", "setup.py install", "custom op", "llama-cpp", "llama_cpp", "编译安装",)
_NO_CARDS = matching(r"insufficient nvidia\.com/gpu(?![a-z-])", "insufficient nvidia.com/gpu")
_P2P_OFF = matching(r"nccl_p2p_disable.{0,40}(?:not help|n.t help|not work|n.t work|no effect|no difference|still|same|没用|无效|没有用|还是|依旧|仍)", "nccl_p2p_disable")
RULES: tuple[Rule, ...] = (
    Rule(1, "above the highest architecture: a newer build", predicate_holds("gpu-newer-than-build"), ("framework_lacks_new_arch",), ("framework_dropped_old_arch", "feature_needs_newer_gpu"), among=_KERNEL_IMAGE),
    Rule(1, "below the lowest architecture: an older build", predicate_holds("gpu-older-than-build"), ("framework_dropped_old_arch",), ("framework_lacks_new_arch",), among=_KERNEL_IMAGE),
    Rule(1, "inside the list: an add-on", predicate_holds("kernel-image-error-in-build"), ("extension_missing_arch",), ("framework_lacks_new_arch", "framework_dropped_old_arch"), among=_KERNEL_IMAGE),
    Rule(1, "no list and no GPU: an old build is likelier to lack a new GPU", predicate_holds("torch-old", "!gpu-named", "!gpu-in-build"), ("framework_lacks_new_arch",), among=_KERNEL_IMAGE, points=1.0),
    Rule(1, "no list and no GPU: a new build is likelier to have dropped an old GPU", predicate_holds("torch-new", "!gpu-named", "!gpu-in-build"), ("framework_dropped_old_arch",), among=_KERNEL_IMAGE, points=1.0),
    Rule(2, "newer than nvcc knows", without(predicate_holds("arch-newer-than-nvcc"), _OTHER_COMPILER), ("nvcc_too_old_for_arch",), ("nvcc_arch_removed",), among=("nvcc_too_old_for_arch", "nvcc_arch_removed")),
    Rule(2, "dropped by nvcc", without(predicate_holds("arch-older-than-nvcc"), _OTHER_COMPILER), ("nvcc_arch_removed",), ("nvcc_too_old_for_arch",), among=("nvcc_too_old_for_arch", "nvcc_arch_removed")),
    Rule(2, "the assembler of another program is not nvcc", said("ptxas fatal", "ptxas error", "ptxas-fatal", lacking=("nvcc fatal",)), ("ptxas_arch_unknown",), ("nvcc_too_old_for_arch", "nvcc_arch_removed")),
    Rule(2, "the compiler loaded at run time is not nvcc", said("nvrtc: error", "nvrtc error", "nvrtc_error", lacking=("nvcc fatal",)), ("nvrtc_arch_unknown",), ("nvcc_too_old_for_arch", "nvcc_arch_removed")),
    Rule(3, "`found version` is the CUDA of the driver and no toolkit", said("(found version"), ("driver_too_old_for_runtime",), ("q_smi_vs_nvcc",)),
    Rule(4, "a rejected key is Secure Boot, whatever the installer says", said("key was rejected", "required key not available", "loading of unsigned module is rejected"), ("secure_boot_unsigned_module",), _NO_MODULE, raises=True),
    Rule(4, "two versions are a mismatch", predicate_holds("versions-differ"), ("version_mismatch",), _NO_MODULE, among=("version_mismatch", *_NO_MODULE)),
    Rule(4, "a kernel update came before", every(said("couldn't communicate with the nvidia driver", "module nvidia not found", "无法与", "驱动没了", "驱动掉了",), said("kernel update", "kernel upgrade", "new kernel", "updated the kernel", "内核更新", "更新内核", "升级内核", "内核升级", "更新了内核", "apt upgrade", "dnf update", "after update", "重启后", "after a reboot", "after reboot",),), ("module_not_loaded_kernel_update",), ("driver_not_installed",), among=_NO_MODULE),
    Rule(5, "the kernel's line decides why no devices were found", no_devices_explained, (), ("needs_more_info", "driver_too_old_for_gpu")),
    Rule(5, "a card that needs the open modules", every(said("no devices were found"), predicate_holds("gpu-needs-open-module")), ("open_module_required",), raises=True),
    Rule(6, "802 is the fabric manager where there is an NVSwitch", every(said("system not yet initialized", "error 802"), predicate_holds("nvswitch")), ("fabric_manager_not_running",), ("uvm_unknown_error_999",)),
    Rule(6, "803 is two libcuda", said("unsupported display driver / cuda driver combination", "error 803"), ("stale_compat_libs_803",), ("forward_compat_unsupported_hw",)),
    Rule(6, "804 is a compat libcuda", said("forward compatibility was attempted", "error 804"), ("forward_compat_unsupported_hw",), ("stale_compat_libs_803", "cuda_visible_devices")),
    Rule(7, "the words about CUDA_VISIBLE_DEVICES in error 999 are boilerplate", said("cuda unknown error", "error 999", "cuda_error_unknown"), ("uvm_unknown_error_999",), ("cuda_visible_devices",)),
    Rule(8, "a build without CUDA comes before everything else", predicate_holds("torch-cpu-build"), ("cpu_only_torch",), ("driver_not_installed", "container_gpu_flag_missing", "cuda_visible_devices"), among=_FALSE),
    Rule(8, "a build with CUDA is not the CPU build", predicate_holds("torch-cuda-build", "!torch-cpu-build"), (), ("cpu_only_torch",), among=("container_gpu_flag_missing", "driver_not_installed", "cuda_visible_devices")),
    Rule(9, "symbol not found in a container on Windows", every(said("named symbol not found", "cuda_error_not_found"), _IN_CONTAINER, lambda case: _ON_WINDOWS(case) or _IN_WSL(case),), ("wsl_container_toolkit_outdated",), ("kernel_image_invalid",)),
    Rule(9, "symbol not found elsewhere", without(said("named symbol not found", "cuda_error_not_found"), lambda case: _ON_WINDOWS(case) or _IN_WSL(case) or _IN_CONTAINER(case),), ("kernel_image_invalid",), ("wsl_container_toolkit_outdated",)),
    Rule(10, "blocked by the operating system is WSL", said("gpu access blocked by the operating system", "blocked by the operating"), ("wsl_gpu_blocked",), ("container_lost_gpu_after_reload", "container_cgroup_rootless")),
    Rule(11, "one request larger than the card", predicate_holds("oom-larger-than-card"), ("oom_too_large",), ("oom_fragmentation", "oom_other_process", "oom_leak")),
    Rule(11, "much is reserved and not allocated", predicate_holds("oom-reserved-unallocated", "!oom-larger-than-card"), ("oom_fragmentation",), ()),
    Rule(11, "somebody else holds the memory", predicate_holds("oom-other-process", "!oom-larger-than-card"), ("oom_other_process",), ()),
    Rule(11, "a process killed by the host is not the GPU's memory", said("oom-kill", "oomkilled", "out of memory: killed process", "exit code 137"), (), ("oom_too_large", "oom_fragmentation", "oom_other_process")),
    Rule(12, "the assertion is the evidence", said("srcindex < srcselectdimsize", "t >= 0 && t < n_classes", "assertion `", "cur_target >= 0"), ("device_side_assert",), ("illegal_memory_access", "cublas_init_failed"), among=("device_side_assert",)),
    Rule(14, "an execution that fails with an old CUDA on a newer card", every(said("cublas_status_execution_failed", "cublas_status_arch_mismatch"), lambda case: case.proof("gpu-newer-than-build") or case.proof("gpu-newer-than-cuda"),), ("framework_lacks_new_arch",), ("cublas_init_failed",), raises=True),
    Rule(15, "occupied memory with low use is another bottleneck", every(said("显存占", "vram is used", "memory is used", "memory is full", "vram full", "显存满", "占了显存", "vram usage",), said("利用率", "utilization", "utilisation", "gpu usage", "gpu-util", "占用率低"),), ("cpu_bottleneck",), ("cpu_only_torch", "app_without_cuda"), among=("cpu_bottleneck",)),
    Rule(16, "one card full and another empty is memory that does not add up", every(predicate_holds("several-gpus"), said("only one card", "only gpu 0", "only on gpu", "一张卡上", "只用了一张", "号卡才", "0 号卡", "only one gpu", "加起来", "combined", "pool", "合并显存", "叠加",),), ("multi_gpu_memory_not_pooled",), ("nccl_p2p", "nccl_timeout"), among=("multi_gpu_memory_not_pooled", "oom_too_large")),
    Rule(16, "a hang that stays without P2P is not P2P", _P2P_OFF, ("nccl_timeout",), ("nccl_p2p",), among=("nccl_timeout",)),
    Rule(17, "a Jetson takes wheels of its own", predicate_holds("jetson"), ("jetson_wrong_wheel",), ("cpu_only_torch", "framework_lacks_new_arch", "framework_dropped_old_arch", "extension_missing_arch"), among=("cpu_only_torch", "framework_lacks_new_arch", "framework_dropped_old_arch", "extension_missing_arch", "jetson_wrong_wheel",)),
    Rule(18, "resources of MIG on the node", said("nvidia.com/mig-"), ("mig_resource_name_mismatch",), (), among=(*_PENDING, "mig_resource_name_mismatch")),
    Rule(18, "where cards and their memory are missing alike, nothing is offered", every(_NO_CARDS, said("insufficient nvidia.com/gpumem", "insufficient nvidia.com/gpucores")), ("k8s_gpu_not_advertised",), ("hami_memory_quota_exceeded",)),
    Rule(18, "HAMi has limits of its own", without(said("hami"), _NO_CARDS), ("hami_sharing_not_effective", "hami_memory_quota_exceeded"), _PENDING, among=("hami_sharing_not_effective", "hami_memory_quota_exceeded", "k8s_device_plugin_conflict", "stale_gpu_uuid",)),
    Rule(18, "the plugin took the GPU away after an Xid", every(said("unhealthy", "xidcriticalerror"), predicate_holds("kubernetes")), ("k8s_gpu_marked_unhealthy",), ("k8s_gpu_not_advertised",), among=("k8s_gpu_marked_unhealthy", "k8s_gpu_not_advertised")),
    Rule(19, "a driver selected by docker needs the toolkit on the host", said("could not select device driver", "unknown or invalid runtime name: nvidia", "unknown runtime specified nvidia",), ("container_toolkit_missing",), ("container_gpu_flag_missing", "container_driver_libs_missing")),
    Rule(19, "a condition that is not satisfied needs a driver", said("unsatisfied condition: cuda", "unsatisfied condition: brand"), ("container_cuda_requirement_unmet",), ("container_toolkit_missing", "driver_too_old_for_runtime")),
    Rule(20, "an engine from another card", said("serialized engine", "plan file", "engine plan", "deserialize", ".engine", "tensorrt engine", "trt engine", "engine 拿到",), ("tensorrt_engine_not_portable",), ("extension_missing_arch",), among=("tensorrt_engine_not_portable",)),
    Rule(20, "something compiled by oneself", without(_BUILT_ADDON, predicate_holds("gpu-newer-than-build")), ("extension_missing_arch",), (), among=("extension_missing_arch",)),
    Rule(21, "slow without an error is the Pascal card", predicate_holds("slow-half", "!error-text"), ("fp16_slow_on_pascal",), ("feature_needs_newer_gpu",), among=("fp16_slow_on_pascal",)),
    Rule(21, "no numbers and black pictures are the GTX 16", predicate_holds("turing-16"), ("gtx16xx_fp16_nan",), ("feature_needs_newer_gpu",), among=("gtx16xx_fp16_nan",)),
    Rule(22, "1455 is the page file", said("winerror 1455", "页面文件太小", "paging file is too small"), ("windows_pagefile_too_small",), ("oom_too_large", "ext_build_resources"), raises=True),
    Rule(23, "a mining or altered card has no official driver", predicate_holds("mining-card"), ("mining_card_modded_driver",), (), among=("mining_card_modded_driver", "windows_code43", "windows_driver_install_failed", "hw_instability")),
)
# fmt: on
# Rules 13, 24 and 25 are the order of the decision itself: see `assistant.match`.
