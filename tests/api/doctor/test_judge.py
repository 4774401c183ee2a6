"""What the doctor says of invented machines, one of each kind that people have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from api.doctor.facts import Facts, SeenGpu
from api.doctor.judging.findings import Judged
from api.doctor.judging.judge import judge
from api.doctor.judging.question import resolved_for
from api.doctor.outside import Ran
from api.doctor.pasted import facts_of
from api.doctor.probes.examine import PROBES, examine
from api.doctor.probes.probe import Context
from assistant.assistant import Assistant
from tests.api.doctor import machines as m


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant.load()


def judged(machine: m.Machine, assistant: Assistant, **context: Any) -> Judged:
    return judge(examine(machine, Context(**context)), assistant)


CASES = [
    # machine, verdict, (finding, verdict, symptom, words in it), step that must be named
    ("NO_GPU", "no", ("gpu", "error", None, "no NVIDIA GPU on the PCI bus"), "choose a type with a GPU"),
    ("HEALTHY", "yes", ("torch", "ok", None, "2.14.1+cu130 sees 1 GPU"), None),
    ("NO_DRIVER", "no", ("driver", "error", "driver_not_installed", "No usable"), "$ sudo apt install nvidia-driver-580-open"),
    ("NOUVEAU", "no", ("driver", "error", "nouveau_conflict", "Nouveau"), "$ sudo update-initramfs -u"),
    ("VFIO", "no", ("driver", "error", "vm_passthrough", ""), None),
    ("MISMATCH", "no", ("driver", "error", "version_mismatch", "differ"), "$ sudo reboot"),
    ("NOT_LOADED", "no", ("driver", "error", "module_not_loaded_kernel_update", "kernel update"), "$ uname -r; dkms status; modinfo -n nvidia"),
    ("SECURE_BOOT", "no", ("driver", "error", "secure_boot_unsigned_module", ""), None),
    ("OLD_DRIVER", "no", ("torch", "error", None, "450.80.02 is too old for CUDA 12.8"), "torch 2.7.1+cu118"),
    ("TOO_OLD_FOR_GPU", "no", ("fit", "error", None, "550.163.01 is too old for GeForce RTX 5090"), "Install driver 580"),
    ("WRONG_TORCH", "no", ("torch", "error", None, "2.6.0+cu124 has no code for GeForce RTX 5090"), "torch 2.13.0+cu129"),
    ("CPU_TORCH", "no", ("torch", "error", "cpu_only_torch", "CPU-only"), "python -m pip uninstall -y torch"),
    ("MIXED", "no", ("module", "error", None, "No one kernel module"), None),
    ("WRONG_MODULE", "no", ("module", "error", "open_module_required", ""), None),
    ("CONTAINER", "no", ("driver", "error", "container_gpu_flag_missing", "without a GPU"), "--gpus all"),
    ("CONTAINER_BARE", "no", ("driver", "error", "container_gpu_flag_missing", "without a GPU"), "--gpus all"),
    ("WSL", "yes", ("driver", "ok", None, "581.29 is loaded"), None),
    ("WSL_WITHOUT_GPU", "no", ("driver", "error", "wsl_gpu_blocked", ""), None),
    ("HANGS", "unknown", ("probe:nvidia-smi", "unknown", None, "did not answer within 10 s"), None),
    ("HIDDEN", "no", ("environment", "error", "cuda_visible_devices", ""), None),
    ("BLIND", "unknown", ("gpu", "unknown", None, "cannot be seen"), None),
    ("TORCH_BLIND", "no", ("torch", "error", None, "sees no GPU, though"), None),
    ("TORCH_BROKEN", "no", ("torch", "error", "missing_cudnn_lib", ""), None),
    ("TORCH_CRASHES", "no", ("torch", "error", None, "Segmentation fault"), "$ whichcuda ask"),
    ("UNKNOWN_GPU", "unknown", ("gpu", "unknown", None, "`NVIDIA Fancy 1` is not known"), None),
    ("UNKNOWN_CARD", "unknown", ("gpu", "unknown", None, "NVIDIA device 10de:ffff"), None),
    ("LYING", "yes", ("gpu", "warning", None, "says compute capability 9.9, the data says 12.0"), "--report"),
    ("NO_SMI", "yes", ("nvidia-smi", "warning", None, "not on this system"), None),
    ("DOCKER", "yes", ("docker", "ok", None, "the nvidia runtime and CDI"), None),
    ("DOCKER_PLAIN", "yes", ("docker", "warning", "container_toolkit_missing", "containers get no GPU"), None),
    ("DOCKER_UNKNOWING", "yes", ("docker", "warning", None, "does not know its runtime"), "nvidia-ctk runtime configure"),
    ("DOCKER_DOWN", "yes", ("probe:docker", "warning", None, "this user may not ask it"), None),
    ("NVCC", "yes", ("nvcc", "warning", None, "another CUDA major"), None),
    ("WINDOWS", "yes", ("driver", "ok", None, "581.29"), None),
    ("OLD_SMI", "yes", ("gpu", "ok", None, "Tesla V100-SXM2-16GB: compute capability 7.0"), None),
    ("JETSON", "unknown", ("gpu", "ok", None, "Jetson AGX Orin Developer Kit: compute capability 8.7"), None),
    ("JETSON_WITH_SMI", "unknown", ("gpu", "ok", None, "Orin (nvgpu): compute capability 8.7"), None),
    ("ROCKY", "no", ("driver", "error", "driver_not_installed", ""), None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "verdict", "finding", "step"), CASES, ids=[case[0] for case in CASES])
def test_a_machine(name: str, verdict: str, finding: tuple[str, ...], step: str | None, assistant: Assistant) -> None:
    found = judged(getattr(m, name), assistant)
    told = [(each.id, each.verdict, each.symptom, each.text) for each in found.findings]
    assert found.verdict == verdict, told
    name, level, symptom, words = finding
    fitting = [
        each
        for each in found.findings
        if (each.id, each.verdict, each.symptom) == (name, level, symptom) and words in each.text
    ]
    assert fitting, told
    if step is not None:
        assert any(step in line for each in fitting for line in each.steps), [each.steps for each in fitting]


def test_every_kind_of_machine_is_tried() -> None:
    made = {name for name, value in vars(m).items() if isinstance(value, m.Machine) and name not in ("BARE",)}
    assert made == {case[0] for case in CASES}


def test_a_cause_that_the_resolver_knows_is_not_said_twice(assistant: Assistant) -> None:
    errors = [each.text for each in judged(m.OLD_DRIVER, assistant).findings if each.verdict == "error"]
    assert len(errors) == 1


def test_the_mixed_machine_is_asked_about_whole(assistant: Assistant) -> None:
    facts = examine(m.MIXED, Context())
    found = resolved_for(facts, assistant.engine)
    assert found is not None
    assert [gpu["compute_capability"] for gpu in found[1]["gpus"]] == ["7.0", "12.0"]


def test_the_operating_system_is_one_of_the_catalogue(assistant: Assistant) -> None:
    for machine, os in ((m.ROCKY, "rocky-9"), (m.WSL, "wsl2"), (m.HEALTHY, "ubuntu-24.04"), (m.WINDOWS, "windows-11")):
        found = resolved_for(examine(machine, Context()), assistant.engine)
        assert found is not None
        assert found[0].os == os


def test_a_gpu_that_cannot_be_judged_is_said_so(assistant: Assistant) -> None:
    facts = Facts(os="linux", cards=[], gpus=[SeenGpu("RTX 5090")], driver="999999")
    found = judge(facts, assistant)
    assert found.verdict == "unknown"
    assert any("cannot" in each.text for each in found.findings)


PASTES = [
    ("RTX 5090, driver 550.54.14, ubuntu 24.04", "no", "fit"),
    ("CUDA error: no kernel image is available for execution on the device\nGPU: RTX 5090, torch 2.6.0+cu124, driver 570.133.20", "no", "torch"),
    ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "no", "pasted"),
    ("hello", "unknown", "gpu"),
    ("RTX 4090 driver 580.95.05", "yes", "driver"),
    ("GPU 0: NVIDIA GeForce RTX 4090\nDriver Version: 580.95.05\ntorch 2.15.0+cu132", "yes", "driver"),
    ("PyTorch version: 2.6.0+cu124\nIs CUDA available: True\nCUDA used to build PyTorch: 12.4\nPython version: 3.11.9\nGPU models and configuration: GPU 0: NVIDIA GeForce RTX 4090\nNvidia driver version: 560.35.03", "yes", "torch"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "verdict", "id"), PASTES)
def test_text_from_another_machine(text: str, verdict: str, id: str, assistant: Assistant) -> None:
    found = judge(facts_of(text, assistant.engine), assistant)
    assert found.verdict == verdict, [each.plain() for each in found.findings]
    assert id in {each.id for each in found.findings}


# --- the probes -----------------------------------------------------------------------------------------------------


def test_a_probe_can_be_left_out_or_given_a_saved_text() -> None:
    smi = "| NVIDIA-SMI 535.54  Driver Version: 535.54.03  CUDA Version: 12.2 |\n\n== exit 0 ==\n"
    facts = examine(m.NO_GPU, Context(), skip=("pci", "torch"), texts={"nvidia-smi": smi})
    assert facts.cards is None
    assert not facts.torch_missing
    assert (facts.driver, facts.driver_cuda, facts.smi) == ("535.54.03", "12.2", "works")


def test_what_cannot_be_read_is_said() -> None:
    facts = examine(m.NO_GPU, Context(), texts={"torch": "not json", "pci": "short line"})
    assert facts.unread == {
        "torch": "what it says cannot be read (JSONDecodeError)",
        "pci": "what it says cannot be read (ValueError)",
    }


def test_every_program_has_its_time() -> None:
    late = {name: Ran(failure="late") for name in ("nvidia-smi", "python", "python nvml", "docker")}
    facts = examine(m.NO_GPU.with_(programs=late), Context(seconds=2))
    assert facts.unread == {
        "nvidia-smi": "nvidia-smi did not answer within 2 s",
        "nvml": "NVML did not answer within 2 s",
        "torch": "torch was not imported within 60 s",
        "docker": "docker did not answer within 2 s",
    }


def test_a_named_interpreter_that_is_not_there_is_said() -> None:
    facts = examine(m.NO_GPU.with_(programs={"python": None}), Context(python="/nowhere/python"))
    assert facts.unread == {"torch": "/nowhere/python cannot be run"}


@pytest.mark.parametrize(
    ("environment", "platform", "asked"),
    [
        ({}, "linux", "python3"),
        ({"VIRTUAL_ENV": "/v"}, "linux", "/v/bin/python"),
        ({"CONDA_PREFIX": "/c"}, "linux", "/c/bin/python"),
        ({"VIRTUAL_ENV": "C:\\v"}, "win32", "C:\\v\\Scripts\\python.exe"),
        ({"CONDA_PREFIX": "C:\\c"}, "win32", "C:\\c\\python.exe"),
        ({}, "win32", "python"),
    ],
)
def test_the_interpreter_is_that_of_the_active_environment(
    environment: dict[str, str], platform: str, asked: str
) -> None:
    machine = m.NO_GPU.with_(environment=environment, platform=platform)
    examine(machine, Context())
    assert asked in [command[0] for command in machine.asked if "-c" in command]


def test_nvml_tells_what_nvidia_smi_does_not() -> None:
    said = "driver 580.95.05\ncuda 13000\ngpu|12|0|32607|2b8510de|NVIDIA GeForce RTX 5090\n"
    facts = examine(m.NO_SMI.with_(programs={"python nvml": Ran(0, said)}), Context())
    assert (facts.driver_cuda, facts.client) == ("13.0", "580.95.05")
    assert [(gpu.name, gpu.compute_capability, gpu.pci_id) for gpu in facts.gpus] == [
        ("NVIDIA GeForce RTX 5090", "12.0", "10de:2b85")
    ]


@pytest.mark.parametrize(
    ("files", "environment", "kind"),
    [
        ({"/run/.containerenv": ""}, {}, "podman"),
        ({}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes"),
        ({}, {"APPTAINER_CONTAINER": "x.sif"}, "apptainer"),
        ({"/proc/1/cgroup": "0::/kubepods/pod1"}, {}, "kubepods"),
        ({"/proc/1/cgroup": "0::/init.scope"}, {}, None),
    ],
)
def test_containers_are_known_by_their_signs(
    files: dict[str, str], environment: dict[str, str], kind: str | None
) -> None:
    assert examine(m.NO_GPU.with_(files=files, environment=environment), Context()).container == kind


def test_the_probes_have_names_of_their_own() -> None:
    assert len({probe.name for probe in PROBES}) == len(PROBES)
    assert all(probe.about for probe in PROBES)


def test_what_is_told_holds_no_error_text() -> None:
    facts = examine(m.TORCH_BROKEN, Context())
    told = json.dumps(facts.plain())
    assert "libcudnn" not in told
    assert "texts" not in facts.plain()
