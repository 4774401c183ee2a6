"""Lists of installed packages: dpkg, rpm, pacman, pip, conda; and the driver packages that people name."""

from __future__ import annotations

import re

from assistant.reading import values
from assistant.reading.document import Line
from assistant.reading.facts import Package, TorchBuild
from assistant.reading.form import Collector, Form, rule

__all__ = ["FORMS"]

_DEBIAN = re.compile(
    r"^(?:ii|iu|if|ih|hi"
    r"|it)\s{1,4}(?P<name>[a-z0-9][a-z0-9.+-]{2,80}?)(?::[a-z0-9]{2,8})?\s{1,80}(?P<version>\d[\w.:+~-]{0,80})"
)
_RPM = re.compile(
    r"^\s{0,4}(?P<name>[a-z][a-z0-9_+-]{0,80}?)(?:\.(?:x86_64|i686|noarch|aarch64))?(?:-"
    r"|\s{1,60})(?:\d:)?(?P<version>\d[\w.]{0,30})-"
    r"\d{1,6}[\w~]{0,20}\.[\w.~]{1,60}(?:\.x86_64|\.noarch|\.i686|\.aarch64|\s|$)"
)
_PACMAN = re.compile(
    r"^\s{0,4}(?:extra/|core/)?(?P<name>[a-z][a-z0-9+-]{1,60}) (?P<version>\d[\w.:]{0,30}-\d{1,3})(?:\s|$)"
)
_OURS = re.compile(r"nvidia|cuda|cudnn|nccl|docker|containerd")
_CARRIES_DRIVER = re.compile(
    r"nvidia-(?:driver|dkms)-\d{3}\S*|nvidia(?:-open|-dkms|-open-dkms|-lts)?|(?:akmod|kmod|dkms"
    r"|xorg-x11-drv)-nvidia(?:-open)?(?:-\d\S*)?"
    r"|cuda-drivers(?:-\d{3})?|nvidia-driver(?:-cuda)?"
)
_VERSION_INSIDE = re.compile(r"\d{3}\.\d{1,3}(?:\.\d{1,3})?")


def _system_package(pattern: re.Pattern[str], source: str) -> Form:
    """Reads rows of one packager; a driver package carries the driver's version."""

    def read(line: Line, collector: Collector) -> None:
        found = pattern.match(line.lower)
        if found is None or not _OURS.search(found["name"]):
            return
        span = found.span("version")
        collector.add("package", Package(found["name"], found["version"]), line, span, source)
        inside = _VERSION_INSIDE.search(line.lower, span[0])  # a module package carries the kernel's version before it
        if inside is not None and _CARRIES_DRIVER.fullmatch(found["name"]):
            collector.add("driver", values.driver(inside[0]), line, span, source)
            flavour = "open" if "open" in found["name"] else None
            collector.add("module-flavour", flavour, line, found.span("name"), source)
        collector.claim(line, found.span("name"))

    return Form(source, ("nvidia", "cuda", "nccl", "docker"), read)


# --- Python ---------------------------------------------------------------------------------------------------------

_FAMILIES = (
    "torch cuda triton xformers flash bitsandbytes vllm tensorflow jax onnxruntime cupy numpy numba transformers deepspeed"
    " apex mmcv paddle tensorrt llama gptq autoawq keras accelerate diffusers cudnn nccl nvidia- sglang detectron spconv"
    " exllama faster-whisper ctranslate2 pycuda unsloth sageattention"
).split()
_NAME = r"(?P<name>[a-z][a-z0-9._-]{0,60})"
_BUILD = r"(?P<build>[a-z0-9.]{0,40}[_0-9][\w.]{0,60}|pypi)(?:\s{1,40}[\w./-]{1,60})?"
_PYTHON_ROWS = (
    # pip list, conda list (with build and channel)
    re.compile(r"^\s{0,8}" + _NAME + r"\s{1,60}(?P<version>\d[\w.+!]{0,60})(?:\s{1,40}" + _BUILD + r")?\s{0,20}$"),
    # pip freeze, requirements
    re.compile(
        r"^\s{0,8}(?:-\s)?"
        + _NAME
        + r"(?:\[[\w,-]{1,40}\])?==?=?(?P<version>\d[\w.+!]{0,60})(?:=(?P<build>[\w.]{1,60}))?\s{0,20}$"
    ),
    # collect_env
    re.compile(
        r"^\[(?:pip3?|conda)\] "
        + _NAME
        + r"(?:==|\s{1,60})(?P<version>\d[\w.+!]{0,60})(?:\s{1,40}"
        + _BUILD
        + r")?\s{0,20}$"
    ),
)
_CONDA_CUDA = re.compile(r"cuda(?P<cuda>\d{1,2}\.\d)|(?P<cpu>cpu)")


def _python_package(line: Line, collector: Collector) -> None:
    for row in _PYTHON_ROWS:
        found = row.match(line.lower)
        if found is not None and (found["name"] == "python" or any(map(found["name"].__contains__, _FAMILIES))):
            break
    else:
        return
    if found["build"] is None and (found["name"] == "cuda" or "." not in found["version"]):
        return  # a person's words, `vllm 4090`, not a row
    span = found.span("version")
    name, version = found["name"], found["version"]
    if name == "python":
        collector.add("python", values.python(version), line, span, "conda")
        return
    source = "pip" if found["build"] is None else "conda"
    collector.add("package", Package(name, version), line, span, source)
    if name in ("torch", "pytorch"):
        collector.add("torch", _with_build(values.torch(version), found["build"]), line, span, source)
    elif name == "pytorch-cuda":
        collector.add("torch-cuda", values.cuda(version), line, span, source)
    collector.claim(line, found.span())


def _with_build(torch: TorchBuild, build: str | None) -> TorchBuild:
    """A conda build such as `py3.10_cuda11.7_cudnn8.5.0_0` says what a wheel says in its local tag."""
    said = _CONDA_CUDA.search(build or "")
    if said is None or torch.local is not None:
        return torch
    return TorchBuild(torch.version, "cpu" if said["cpu"] else "cu" + said["cuda"].replace(".", ""))


_MENTIONED = (
    "vllm flash-attn flash_attn xformers bitsandbytes triton tensorflow tensorflow-gpu tf transformers deepspeed jax jaxlib"
    " onnxruntime-gpu onnxruntime cupy numpy numba paddlepaddle-gpu paddlepaddle tensorrt torchvision torchaudio torchtext"
    " llama-cpp-python diffusers accelerate cudatoolkit nccl sglang nvidia-container-toolkit nvidia-docker2 ollama keras"
).split()
_MENTION = (
    r"(?<![a-z0-9_/.-])(?P<name>" + "|".join(map(re.escape, sorted(_MENTIONED, key=len, reverse=True))) + ")"
    r"(?:[ =:@v-]|==|version|版本){1,3}(?P<version>\d{1,4}\.\d{1,3}(?:\.\d{1,3})?[a-z0-9.+]{0,30})"
)
_MENTION_PATTERN = re.compile(_MENTION)


def _mentioned(line: Line, collector: Collector) -> None:
    """A package with its version in running text."""
    for found in _MENTION_PATTERN.finditer(line.lower):
        if collector.free(line, found.span("version")):
            name = "tensorflow" if found["name"] == "tf" else found["name"].replace("_", "-")
            package = Package(name, found["version"].rstrip("."))
            collector.add("package", package, line, found.span("version"), "free text")


_UPGRADED = re.compile(
    r"(?P<name>(?:lib)?nvidia-[\w.-]{2,60}):\w{3,8} \((?:[\w.:~+-]{3,60}, )?(?P<version>\d[\w.:~+-]{2,60})(?:, automatic)?\)"
)


def _upgraded(line: Line, collector: Collector) -> None:
    """What apt's log says was installed, or upgraded to."""
    for found in _UPGRADED.finditer(line.lower):
        package = Package(found["name"], found["version"])
        collector.add("package", package, line, found.span("version"), "apt log")


def _removed(line: Line, collector: Collector) -> None:
    """A package that dpkg only remembers: nothing in its row is installed."""
    if line.lower.startswith(("rc ", "un ", "pn ")):
        collector.claim(line, (0, len(line.text)))


FORMS: tuple[Form, ...] = (
    Form("dpkg", ("rc  ", "un  ", "pn  "), _removed),
    _system_package(_DEBIAN, "dpkg"),
    _system_package(_RPM, "rpm"),
    _system_package(_PACMAN, "pacman"),
    Form("apt log", (":amd64 (", ":i386 (", ":arm64 ("), _upgraded),
    Form("pip", (*_FAMILIES, "python "), _python_package),
    rule(
        "package name",
        "nvidia-",
        r"(?<![a-z0-9/])(?:lib)?nvidia-(?:driver|dkms|utils|headless|compute|compute-utils|kernel-source"
        r"|kernel-common|gl|decode)"
        r"-(?P<driver>[2-7]\d\d)(?![\d.])",
        free=True,
    ),
    rule("installer", "nvidia-linux", r"nvidia-linux-(?P<machine>x86_64|aarch64)-<driver>"),
    rule(
        "installer",
        "-win",
        r"(?<![\d.])(?P<driver>\d{3}\.\d{2})-(?:desktop|notebook|quadro|data-center|tesla)[\w-]{0,30}-win",
    ),
    Form("free text", tuple(_MENTIONED), _mentioned),
)
