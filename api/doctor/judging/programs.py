"""What runs on the GPU: torch, the compiler, containers."""

from __future__ import annotations

from api.doctor.judging.judging import Judging, one_line
from api.doctor.judging.question import gpu_names, python_of, system
from resolver.engine import Checked

__all__ = ["judge_surroundings", "judge_torch"]


def judge_torch(at: Judging) -> None:
    """The torch of the environment: its build beside the machine, and what it says itself."""
    facts, torch = at.facts, at.facts.torch
    if torch is None:
        error = facts.texts.get("torch")
        if error is not None:
            at.diagnosed("torch", error, "The Python of this environment fails")
        elif facts.torch_missing:
            at.add("torch", "info", f"torch is not installed for Python {facts.python}.")
        return
    if torch.cuda is None and torch.error is None:
        at.symptom("torch", "cpu_only_torch", said=f"torch {torch.version}")
        return
    names = gpu_names(facts, at.engine)
    stack = Checked(
        gpu=names,
        driver=facts.driver,
        torch=torch.label,
        python=python_of(facts),
        os=system(facts, at.engine),
        machine=facts.machine,
        packages=tuple(f"{name}=={version.partition('+')[0]}" for name, version in sorted(torch.packages.items())),
    )
    well = at.checked("torch", stack) if names else False
    if torch.available:
        seen = f"{len(torch.devices)} GPU(s)" if torch.devices else "the GPU"
        python = f" from Python {torch.python}" if torch.python else ""
        at.add("torch", "ok", f"torch {torch.label} sees {seen}{python}.")
    elif torch.error is not None and not well and names:
        at.add("torch", "info", f"torch says: `{one_line(torch.error)}`.")
    elif torch.error is not None:
        at.diagnosed("torch", torch.error, f"torch {torch.label} fails")
    elif well and facts.driver and torch.available is False and not facts.gpus_hidden:
        at.add("torch", "error", f"torch {torch.label} sees no GPU, though GPU, driver and build go together.")


def judge_surroundings(at: Judging) -> None:
    """Variables that hide GPUs, the compiler beside torch, Docker."""
    facts = at.facts
    if facts.gpus_hidden:
        at.symptom("environment", "cuda_visible_devices")
    if facts.nvcc is not None and facts.torch is not None and facts.torch.cuda is not None:
        same = facts.nvcc.split(".")[0] == facts.torch.cuda.split(".")[0]
        text = f"nvcc {facts.nvcc} is of {'the same' if same else 'another'} CUDA major as torch's {facts.torch.cuda}"
        tail = "." if same else ": extensions of torch do not build with it; running torch needs no nvcc."
        at.add("nvcc", "ok" if same else "warning", text + tail)
    if facts.docker_runtimes is not None and facts.driver and not facts.container:
        _docker(at)


def _docker(at: Judging) -> None:
    facts = at.facts
    ways = [
        *(["the nvidia runtime"] if "nvidia" in (facts.docker_runtimes or ()) else []),
        *(["CDI"] if facts.cdi else []),
    ]
    if ways:
        version = f" (container toolkit {facts.container_toolkit})" if facts.container_toolkit else ""
        at.add("docker", "ok", f"Docker gives GPUs to containers by {' and '.join(ways)}{version}.")
    elif facts.container_toolkit is None:
        symptom = at.assistant.matcher.library.symptoms["container_toolkit_missing"]
        text = f"{at.page.words(symptom.title)}: containers get no GPU."
        at.add("docker", "warning", text, symptom=symptom.id)
    else:
        step = "$ sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker"
        text = "The container toolkit is installed, but Docker does not know its runtime."
        at.add("docker", "warning", text, (step,))
