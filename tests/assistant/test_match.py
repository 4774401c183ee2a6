"""The decision: evidence before messages, roots before consequences, look-alikes apart, silence where nothing decides."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.case import Case
from assistant.load import Library
from assistant.lookalikes import RULES
from assistant.match import Diagnosis, Matcher, diagnose
from assistant.reading import CudaError, read
from assistant.symptom import Ask, Code, Cue, Symptom, Text
from assistant.tally import Mark, Tally, codes, cuda_code
from resolver.engine import Engine

LIBRARY = Library.load()
LIST = "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90."
NO_IMAGE = "RuntimeError: CUDA error: no kernel image is available for execution on the device"


def found(engine: Engine, text: str) -> Diagnosis:
    return diagnose(read(text, engine.names), LIBRARY, engine)


def first(engine: Engine, text: str) -> str:
    diagnosis = found(engine, text)
    return diagnosis.causes[0].symptom.id if diagnosis.causes else ""


def names(diagnosis: Diagnosis) -> list[str]:
    return [cause.symptom.id for cause in diagnosis.causes]


# --- the rules between look-alikes, by their number -------------------------------------------------------------------------

RULED = [
    (1, f"NVIDIA GeForce RTX 5090 with CUDA capability sm_120\n{LIST}\n{NO_IMAGE}", "framework_lacks_new_arch"),
    (1, f"GeForce GTX 770 with CUDA capability sm_30\n{LIST}\n{NO_IMAGE}", "framework_dropped_old_arch"),
    (1, f"RTX 3090, xformers\n{LIST}\n{NO_IMAGE}", "extension_missing_arch"),
    (1, f"torch 1.7.1+cu110\n{NO_IMAGE}", "framework_lacks_new_arch"),
    (1, f"torch 2.9.0+cu130\n{NO_IMAGE}", "framework_dropped_old_arch"),
    (2, "nvcc fatal   : Unsupported gpu architecture 'compute_90'\nrelease 11.5, V11.5.119", "nvcc_too_old_for_arch"),
    (2, "nvcc fatal   : Unsupported gpu architecture 'compute_30'\nrelease 12.4, V12.4.131", "nvcc_arch_removed"),
    (2, "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'", "ptxas_arch_unknown"),
    (2, "nvrtc: error: invalid value for --gpu-architecture (-arch)", "nvrtc_arch_unknown"),
    (3, "The NVIDIA driver on your system is too old (found version 11040). What is 11040?", "driver_too_old_for_runtime"),
    (4, "ERROR: The Nouveau kernel driver is currently in use\nmodprobe: Key was rejected by service", "secure_boot_unsigned_module"),
    (4, "API mismatch: the client has the version 550.54.15, but this kernel module has the version 535.161.07", "version_mismatch"),
    (4, "after the kernel update: couldn't communicate with the NVIDIA driver", "module_not_loaded_kernel_update"),
    (5, "No devices were found\nNVRM: RmInitAdapter failed! (0x62:0xffff:2351)", "rm_init_adapter_failed"),
    (5, "RTX 5090: nvidia-smi says No devices were found", "open_module_required"),
    (6, "HGX H100: Error 802: system not yet initialized", "fabric_manager_not_running"),
    (6, "Error 803: system has unsupported display driver / cuda driver combination", "stale_compat_libs_803"),
    (6, "Error 804: forward compatibility was attempted on non supported HW", "forward_compat_unsupported_hw"),
    (7, "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES", "uvm_unknown_error_999"),
    (8, "is_available() False, torch 2.6.0+cpu", "cpu_only_torch"),
    (9, "Windows, docker: Error 500: named symbol not found", "wsl_container_toolkit_outdated"),
    (9, "Ubuntu, my program: CUDA error: named symbol not found", "kernel_image_invalid"),
    (10, "Failed to initialize NVML: GPU access blocked by the operating system", "wsl_gpu_blocked"),
    (11, "CUDA out of memory. Tried to allocate 189.00 GiB (GPU 0; 47.54 GiB total capacity; 1.00 GiB already allocated; 40.00 GiB free; 5.00 GiB reserved in total by PyTorch)", "oom_too_large"),
    (11, "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 24.00 GiB total capacity; 8.00 GiB already allocated; 0.50 GiB free; 22.00 GiB reserved in total by PyTorch)", "oom_fragmentation"),
    (11, "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 24.00 GiB total capacity; 1.00 GiB already allocated; 0.50 GiB free; 1.20 GiB reserved in total by PyTorch)", "oom_other_process"),
    (12, "Assertion `t >= 0 && t < n_classes` failed.\nCUDA error: device-side assert triggered", "device_side_assert"),
    (14, "30系显卡, cudatoolkit 9.0: CUBLAS_STATUS_EXECUTION_FAILED", "framework_lacks_new_arch"),
    (16, "hangs at all_reduce, NCCL watchdog timeout; NCCL_P2P_DISABLE=1 does not help", "nccl_timeout"),
    (17, "Jetson Orin: pip install torch, cuda.is_available() False", "jetson_wrong_wheel"),
    (18, "Insufficient nvidia.com/gpu\nnvidia.com/mig-1g.5gb: 7\nnvidia.com/gpu: 0", "mig_resource_name_mismatch"),
    (18, "HAMi: 1 Insufficient nvidia.com/gpu, 1 Insufficient nvidia.com/gpumem", "k8s_gpu_not_advertised"),
    (19, 'could not select device driver "" with capabilities: [[gpu]]', "container_toolkit_missing"),
    (19, "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8", "container_cuda_requirement_unmet"),
    (20, "TensorRT engine built on the 2080 crashes on the 3070: serialized engine is for an incompatible device", "tensorrt_engine_not_portable"),
    (21, "Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla V100 GPU has 7.0", "feature_needs_newer_gpu"),
    (21, "Tesla P40 fp16 is slower than fp32", "fp16_slow_on_pascal"),
    (21, "GTX 1660 Ti gives black images", "gtx16xx_fp16_nan"),
    (22, "[WinError 1455] 页面文件太小，无法完成操作", "windows_pagefile_too_small"),
    (23, "P106-100 在 win11 上装什么驱动，代码 43", "mining_card_modded_driver"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "text", "cause"), RULED)
def test_rules(engine: Engine, number: int, text: str, cause: str) -> None:
    assert first(engine, text) == cause, f"rule {number}"


SCOPES = [
    ("HIP error: invalid device function on gfx1100", "out_of_scope_amd"),
    ("RuntimeError: HIP error: no kernel image is available for execution on the device", "out_of_scope_amd"),
    ("MPS backend out of memory on my MacBook Pro", "out_of_scope_apple"),
    ("torch.xpu.is_available() is False on my Intel Arc A770", "out_of_scope_intel"),
    ("昇腾 910B 上跑 vllm 报 ACL error", "out_of_scope_other_accelerator"),
    ("what is the weather in Berlin", "out_of_scope_general"),
    ("TypeError: unsupported operand type(s) for +: 'int' and 'str'", "out_of_scope_python"),
]


@pytest.mark.parametrize(("text", "scope"), SCOPES)
def test_out_of_scope(engine: Engine, text: str, scope: str) -> None:
    """Rules 13 and 24: even where the words are those of CUDA."""
    diagnosis = found(engine, text)
    assert diagnosis.abstain == "out-of-scope"
    assert diagnosis.scope is not None
    assert diagnosis.scope.id == scope
    assert {cause.symptom.group for cause in diagnosis.causes} <= {"N"}
    assert diagnosis.question is None


def test_nothing_decides_and_one_question_is_asked(engine: Engine) -> None:
    """Rule 25."""
    for text in ("nvidia rtx pro 5500 驱动下哪个", "my GPU", NO_IMAGE):
        diagnosis = found(engine, text)
        assert not diagnosis.decided
        assert diagnosis.question is not None
        assert len(diagnosis.causes) + len(diagnosis.others) <= 3


# --- the order ---------------------------------------------------------------------------------------------------------------


def test_a_comparison_beats_a_message(engine: Engine) -> None:
    """The add-on is named and the words are its words; still the list decides."""
    text = f"flash_attn xformers built the op\nNVIDIA GeForce RTX 5090 with CUDA capability sm_120\n{LIST}\n{NO_IMAGE}"
    diagnosis = found(engine, text)
    assert names(diagnosis)[0] == "framework_lacks_new_arch"
    assert diagnosis.causes[0].confidence == "certain"
    proofs = [proof.quote for proof in diagnosis.causes[0].evidence if "predicate" in proof.by]
    assert proofs == [LIST]


def test_roots_come_before_consequences(engine: Engine) -> None:
    text = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\nmodprobe: ERROR: Key was rejected by service"
    assert first(engine, text) == "secure_boot_unsigned_module"
    text = "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\nNVRM: Xid (PCI:0000:01:00): 45\nRmInitAdapter failed!"
    assert first(engine, text) == "gpu_fallen_off_bus"


def test_the_quote_is_the_line(engine: Engine) -> None:
    diagnosis = found(engine, "hello\n   Failed to initialize NVML: Driver/library version mismatch  \nbye")
    evidence = diagnosis.causes[0].evidence[0]
    assert (evidence.line, evidence.quote) == (1, "Failed to initialize NVML: Driver/library version mismatch")
    assert evidence.by == "cue"


def test_a_question_is_no_error_and_an_error_no_question(engine: Engine) -> None:
    assert first(engine, "does driver 535 run CUDA 12.4?") == "q_driver_cuda_compat"
    assert first(engine, "请问现在 pytorch 支持 5080 显卡吗？") == "q_which_cuda_for_gpu"
    assert first(engine, "is my GTX 970 still usable with torch?") == "q_old_gpu_supported"
    assert first(engine, "why do nvidia-smi and nvcc differ?") == "q_smi_vs_nvcc"
    assert first(engine, "can I have cuda 11.8 and 12.4 on the same machine") == "q_multi_cuda"
    assert (
        first(engine, "nvcc and nvidia-smi differ. Failed to initialize NVML: Driver/library version mismatch")
        == "version_mismatch"
    )


# --- a small library -----------------------------------------------------------------------------------------------------------

EMPTY = Text("", "")
ASK = Ask(Text("which?", "哪个？"))


def symptom(name: str, *cues: Cue, group: str = "B", **more: object) -> Symptom:
    return Symptom(name, group, EMPTY, cues, EMPTY, ask=ASK, **more)  # type: ignore[arg-type]  # keyword parts of many types


def cue(weight: str, literal: str) -> Cue:
    return Cue(weight, (literal,), line=(literal,))  # type: ignore[arg-type]  # keyword parts of many types


def by(engine: Engine, text: str, *symptoms: Symptom, codes: tuple[Code, ...] = ()) -> Diagnosis:
    return Matcher(Library(symptoms, codes), engine).diagnose(read(text, engine.names))


def test_weak_signs_add_up_and_stay_a_proposal(engine: Engine) -> None:
    parts = symptom("parts", cue("weak", "gpu one"), cue("weak", "gpu two"), cue("weak", "gpu three"))
    diagnosis = by(engine, "gpu one\ngpu two\ngpu three", parts, symptom("other", cue("weak", "gpu one")))
    assert names(diagnosis) == ["parts"]
    assert [cause.symptom.id for cause in diagnosis.others] == ["other"]
    assert diagnosis.causes[0].confidence == "possible"
    assert diagnosis.question is ASK


def test_equal_scores_are_ordered_by_name(engine: Engine) -> None:
    text = "alpha gpu"
    diagnosis = by(engine, text, symptom("b", cue("strong", "alpha")), symptom("a", cue("strong", "alpha")))
    assert names(diagnosis) == ["a", "b"]
    assert {cause.confidence for cause in diagnosis.causes} == {"likely"}


def test_a_root_with_weak_signs_only_does_not_come_first(engine: Engine) -> None:
    root = symptom("root", cue("weak", "alpha"), explains=("effect",))
    assert names(by(engine, "alpha beta", root, symptom("effect", cue("decisive", "beta")))) == ["effect"]
    root = symptom("root", cue("strong", "alpha"), explains=("effect",))
    diagnosis = by(engine, "alpha beta", root, symptom("effect", cue("decisive", "beta")))
    assert names(diagnosis) == ["root", "effect"]
    assert diagnosis.causes[1].confidence == "certain"


def test_causes_that_explain_each_other_in_a_circle(engine: Engine) -> None:
    one = symptom("one", cue("strong", "alpha"), explains=("two",))
    two = symptom("two", cue("decisive", "beta"), explains=("one",))
    assert sorted(names(by(engine, "alpha beta", one, two))) == ["one", "two"]


def test_needs_and_unless(engine: Engine) -> None:
    one = symptom("one", cue("decisive", "alpha"), needs=("wsl",))
    two = symptom("two", cue("decisive", "alpha"), unless=("wsl",))
    assert names(by(engine, "alpha", one, two)) == ["two"]
    assert names(by(engine, "alpha wsl2", one, two)) == ["one"]


def test_what_predicates_and_codes_say(engine: Engine) -> None:
    one = symptom("one", when=("wsl",))
    code = Code("xid", 79, "X", EMPTY, EMPTY, "", "two", "decisive")
    diagnosis = by(engine, "WSL2: NVRM: Xid (PCI:0000:01:00): 79, lost", one, symptom("two"), codes=(code,))
    assert names(diagnosis) == ["two", "one"]
    assert diagnosis.causes[0].evidence[0].by == "code xid 79"
    assert by(engine, "Xid 79", symptom("one"), codes=(code,)).abstain == "nothing-found"


def test_out_of_scope_by_its_own_cue(engine: Engine) -> None:
    game = symptom("out_of_scope_gaming", cue("decisive", "fps"), group="N")
    diagnosis = by(engine, "gpu fps drop", game)
    assert (diagnosis.abstain, diagnosis.scope) == ("out-of-scope", game)


def test_what_is_only_alike_to_another_topic_is_asked_about_where_a_gpu_fails(engine: Engine) -> None:
    game = symptom("out_of_scope_gaming", cue("weak", "fps"), cue("weak", "lag"), group="N")
    other = symptom("one", cue("weak", "stutter"))
    assert by(engine, "fps\nlag\nstutter", game, other).abstain == "out-of-scope"
    diagnosis = by(engine, "RTX 3090 fps\nlag\nstutter\nCUDA error: unknown error", game, other)
    assert diagnosis.abstain is None
    assert names(diagnosis) == ["one"]


def test_nothing_found_without_a_question_to_ask(engine: Engine) -> None:
    assert by(engine, "gpu", symptom("one", cue("weak", "x"))) == Diagnosis(abstain="nothing-found")
    assert by(engine, "lunch", symptom("one", cue("weak", "x"))) == Diagnosis(abstain="out-of-scope")


def test_an_undecidable_product_asks_its_own_question(engine: Engine) -> None:
    unknown = symptom("needs_more_info", when=("unknown-product",), group="M")
    diagnosis = by(engine, "rtx pro 5500 gpu alpha", unknown, symptom("one", cue("weak", "alpha")))
    assert diagnosis.question is ASK
    assert names(diagnosis) == ["one"]
    assert by(engine, "rtx pro 5500", unknown).abstain == "nothing-found"


def test_further_signs_count_less() -> None:
    tally = Tally(symptom("one"), [Mark("decisive", "cue", line) for line in range(9)])
    assert tally.score == 10.0
    tally = Tally(symptom("one"), [Mark("decisive", "cue", 1), Mark("decisive", "cue", 1)])
    assert tally.score == 8.0
    assert tally.has("decisive")
    assert not tally.has("weak")


# --- codes ------------------------------------------------------------------------------------------------------------------------


def test_codes_of_every_family(engine: Engine) -> None:
    text = "\n".join([
        "NVRM: Xid (PCI:0000:01:00): 79, gone",
        "CUDA error 802: system not yet initialized",
        "NCCL error: unhandled system error",
        "Failed to initialize NVML: Driver/library version mismatch",
        "Windows has stopped this device. (Code 43)",
        "nvlddmkm Event ID 153",
    ])  # fmt: skip
    numbers = {(code.family, code.number) for code, _ in codes(Case(read(text, engine.names), engine), LIBRARY)}
    assert {("xid", 79), ("cuda-runtime", 802), ("nccl", 2), ("windows-event", 43), ("windows-event", 153)} <= numbers


def test_a_name_counts_before_a_number() -> None:
    named = cuda_code(CudaError(999, "CUDA_ERROR_NO_DEVICE"), LIBRARY)
    assert named is not None
    assert (named.family, named.name) == ("cuda-driver", "CUDA_ERROR_NO_DEVICE")
    numbered = cuda_code(CudaError(35, None), LIBRARY)
    assert numbered is not None
    assert numbered.name == "cudaErrorInsufficientDriver"
    assert cuda_code(CudaError(77777, None), LIBRARY) is None


def test_every_rule_speaks_of_known_causes() -> None:
    named = {name for rule in RULES for name in (*rule.favours, *rule.excludes, *rule.among)}
    assert named - set(LIBRARY.symptoms) == set()
    assert {rule.number for rule in RULES} >= set(range(1, 24)) - {13}
    assert [rule for rule in RULES if set(rule.favours) & set(rule.excludes)] == []


# --- always --------------------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.text(max_size=400) | st.lists(st.sampled_from([text for _, text, _ in RULED]), max_size=4).map("\n".join))
def test_every_text_is_diagnosed_and_always_alike(engine: Engine, text: str) -> None:
    diagnosis = found(engine, text)
    assert diagnosis == found(engine, text)
    assert bool(diagnosis.causes) or diagnosis.abstain is not None
    assert diagnosis.decided or diagnosis.question is not None or diagnosis.abstain is not None
    lines = text.splitlines()
    for cause in (*diagnosis.causes, *diagnosis.others):
        assert all(proof.quote in lines[proof.line] for proof in cause.evidence if proof.line is not None and lines)


@pytest.mark.parametrize("piece", ["error " * 20, "nvidia gpu driver 535 cuda 12.4 rtx 3090 ", "a", "显卡驱动报错 "])
def test_a_long_text_takes_no_longer_than_it_is(engine: Engine, piece: str) -> None:
    """A megabyte in far less than what anything that is not linear would take."""
    lines = [f"{number} {piece * (100 // len(piece) + 1)}"[:110] for number in range(9_000)]
    reading = read("\n".join(lines), engine.names)
    matcher = Matcher(LIBRARY, engine)
    matcher.diagnose(read("gpu", engine.names))
    start = time.perf_counter()
    matcher.diagnose(reading)
    assert time.perf_counter() - start < 5
