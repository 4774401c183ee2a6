"""The probes of what runs on the GPU: the Python of the environment with its torch, the compiler, Docker."""

from __future__ import annotations

import json
import re

from api.doctor.facts import Facts, TorchFacts
from api.doctor.outside import Outside, Ran
from api.doctor.probes.probe import Context, NoAnswer, Probe

__all__ = ["PROGRAMS", "interpreter"]

TORCH_SECONDS = 60.0  # the first import of torch reads gigabytes
_TORCH = """
import json, platform, sysconfig
from importlib import metadata
found = {"python": platform.python_version() + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")}
named = ("torch", "torchvision", "torchaudio", "triton", "vllm", "flash-attn", "xformers", "bitsandbytes", "tensorflow", "jax", "onnxruntime-gpu")
found["packages"] = {}
for name in named:
    try:
        found["packages"][name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
if "torch" in found["packages"]:
    try:
        import torch
        found.update(version=torch.__version__, cuda=torch.version.cuda, available=torch.cuda.is_available(), arch_list=torch.cuda.get_arch_list())
        if torch.version.cuda and not found["available"]:
            torch.cuda.init()
        found["devices"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


def interpreter(outside: Outside, given: str | None) -> str:
    """The Python whose packages count: the one named, that of the active environment, or the first on the path."""
    if given is not None:
        return given
    windows = outside.platform == "win32"
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        home = outside.environment.get(name)
        if home:
            conda = name == "CONDA_PREFIX"
            inner = "\\python.exe" if windows and conda else "\\Scripts\\python.exe" if windows else "/bin/python"
            return home + inner
    return "python" if windows else "python3"


def _collect_torch(outside: Outside, context: Context) -> str | None:
    python = interpreter(outside, context.python)
    ran = outside.run((python, "-c", _TORCH), max(context.seconds, TORCH_SECONDS))
    if ran.failure == "late":
        raise NoAnswer(f"torch was not imported within {max(context.seconds, TORCH_SECONDS):g} s")
    if ran.failure is not None or ran.code != 0:
        if context.python is not None:
            raise NoAnswer(f"{context.python} cannot be run")
        return _crash(ran)
    return ran.out


def _crash(ran: Ran) -> str | None:
    """An interpreter that died while it imported torch says why on standard error."""
    return json.dumps({"error": ran.err.strip()[-2000:], "packages": {}}) if ran.err and ran.failure is None else None


def _read_torch(text: str, facts: Facts) -> None:
    said = json.loads(text.strip().splitlines()[-1])
    facts.python = said.get("python")
    packages = {str(name): str(version) for name, version in said["packages"].items()}
    version = said.get("version") or packages.get("torch")
    error = said.get("error")
    facts.torch_missing = version is None and error is None
    if error:
        facts.texts["torch"] = str(error)
    if version is None:
        return
    facts.torch = TorchFacts(
        version=str(version),
        cuda=said.get("cuda"),
        available=said.get("available"),
        python=said.get("python"),
        error=error,
        devices=list(said.get("devices", ())),
        arch_list=list(said.get("arch_list", ())),
        packages={name: number for name, number in packages.items() if name != "torch"},
    )


def _collect_nvcc(outside: Outside, context: Context) -> str | None:
    home = outside.environment.get("CUDA_HOME") or outside.environment.get("CUDA_PATH") or "/usr/local/cuda"
    for program in ("nvcc", f"{home}/bin/nvcc"):
        ran = outside.run((program, "--version"), context.seconds)
        if ran.code == 0:
            return ran.out
    return None


def _read_nvcc(text: str, facts: Facts) -> None:
    release = re.search(r"release (\d{1,2}\.\d{1,2})", text)
    facts.nvcc = release[1] if release else None


def _collect_docker(outside: Outside, context: Context) -> str | None:
    info = outside.run(("docker", "info", "--format", "{{json .Runtimes}}\t{{json .CDISpecDirs}}"), context.seconds)
    toolkit = outside.run(("nvidia-ctk", "--version"), context.seconds)
    if info.failure == "absent":
        return None
    if info.failure == "late":
        raise NoAnswer(f"docker did not answer within {context.seconds:g} s")
    if info.code != 0:
        raise NoAnswer("docker refuses: its service does not run, or this user may not ask it")
    specs = [*outside.names("/etc/cdi"), *outside.names("/var/run/cdi")]
    return f"{info.out.strip()}\n{toolkit.out.strip()}\ncdi {' '.join(specs)}"


def _read_docker(text: str, facts: Facts) -> None:
    runtimes = text.splitlines()[0].partition("\t")[0]
    facts.docker_runtimes = sorted(json.loads(runtimes) or {})
    toolkit = re.search(r"Toolkit CLI version (\d+\.\d+\.\d+)", text)
    facts.container_toolkit = toolkit[1] if toolkit else None
    facts.cdi = "nvidia" in text.rpartition("\ncdi ")[2]


_VARIABLES = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_DISABLE_REQUIRE")


def _collect_environment(outside: Outside, _: Context) -> str | None:
    return (
        "\n".join(f"{name}={outside.environment[name]}" for name in _VARIABLES if name in outside.environment) or None
    )


def _read_environment(text: str, facts: Facts) -> None:
    named = (line.partition("=") for line in text.splitlines())
    facts.environment = {name: value for name, _, value in named if name in _VARIABLES}


PROGRAMS = (
    Probe("torch", "torch and its kin in the environment", _collect_torch, _read_torch),
    Probe("nvcc", "`nvcc --version`", _collect_nvcc, _read_nvcc),
    Probe("docker", "`docker info`, `nvidia-ctk`, CDI specifications", _collect_docker, _read_docker),
    Probe("environment", "variables that hide GPUs", _collect_environment, _read_environment),
)
