"""Container images, `docker run`, `docker info`, Dockerfiles, and what the NVIDIA runtime refuses."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.facts import Package
from assistant.reading.form import Collector, Form, rule, rules

__all__ = ["FORMS"]

_IMAGE = "image"

_END = r"(?![\w./:-]*\.(?:com|io|org)/)"
_NAME = r"[a-z0-9][a-z0-9._-]{0,60}"
_TAG = r"(?::[a-z0-9_][\w.-]{0,100})?(?:@sha256:[0-9a-f]{12,64})?"
_KNOWN = re.compile(
    r"(?<![\w./:-])(?P<image>(?:docker\.io/)?(?:"
    r"(?:nvcr\.io|ghcr\.io|quay\.io|gcr\.io|registry\.[a-z0-9.-]{2,40}|[a-z0-9-]{2,30}\.azurecr\.io)(?:/"
    + _NAME
    + r"){1,4}"
    r"|nvidia/(?:cuda|cudagl|opengl|k8s-device-plugin|dcgm-exporter)|pytorch/pytorch|tensorflow/tensorflow"
    r"|vllm/vllm-openai"
    r"|paddlepaddle/paddle|rocm/pytorch|ollama/ollama|lmsysorg/sglang|deepspeed/deepspeed|continuumio/\w{4,20}"
    r"|dustynv/" + _NAME + r"|huggingface/" + _NAME + r")" + _TAG + r")"
)
_TRAILING = ".,:;-"


def _known(line: Line, collector: Collector) -> None:
    """References into well-known repositories, wherever they stand."""
    for found in _KNOWN.finditer(line.lower):
        start, end = found.span("image")
        while line.text[end - 1] in _TRAILING:
            end -= 1
        collector.add("image", line.text[start:end], line, (start, end), _IMAGE)


_STATED = re.compile(
    r"(?:^\s{0,20}(?:#\d{1,3} \[.{1,40}?\] )?from|(?:^|\s)(?<!os )image:|pulling from|docker pull|podman pull"
    r"|successfully pulled image)\s{1,30}\"?"
    r"(?:--platform=\S{1,30} )?(?P<image>" + _NAME + r"(?::\d{2,5})?(?:/" + _NAME + r"){0,4}" + _TAG + r")(?=[\s\",]|$)"
)


def _stated(line: Line, collector: Collector) -> None:
    """`FROM`, `image:`, `docker pull`."""
    found = _STATED.search(line.lower)
    if found is None or not collector.free(line, found.span("image")):
        return
    name = found["image"]
    if line.lower.lstrip().startswith("from") and (" import " in line.lower or not re.search(r"[:/]", name)):
        return
    start, end = found.span("image")
    collector.add("image", line.text[start:end], line, (start, end), _IMAGE)


_RUN = re.compile(r"(?:docker|podman|nerdctl)(?: container)? run ")
_TAKES_VALUE = frozenset(
    "-v --volume -p --publish -e --env -w --workdir --name --gpus --runtime --network --net --shm-size --device -u --user --ipc"
    " --mount --entrypoint --hostname -h --memory -m --cpus --ulimit --restart --env-file --platform --pid --add-host --label -l"
    " --security-opt --cap-add --group-add --userns --privileged=true --device-cgroup-rule --annotation --log-opt --tmpfs".split()
)
_REFERENCE = re.compile(_NAME + r"(?::\d{2,5})?(?:/" + _NAME + r"){0,4}" + _TAG)


def _run(line: Line, collector: Collector) -> None:
    """The first argument of `docker run` that is neither an option nor the value of one."""
    found = _RUN.search(line.lower)
    if found is None:
        return
    at, skip = found.end(), False
    for word in line.text[at:].split(" ")[:80]:
        start, at = at, at + len(word) + 1
        if not word or skip:
            skip = skip and not word
        elif word.startswith("-"):
            skip = word in _TAKES_VALUE
        else:
            if _REFERENCE.fullmatch(word.lower()) and collector.free(line, (start, start + len(word))):
                collector.add("image", word, line, (start, start + len(word)), _IMAGE)
            return


_RUNTIMES = re.compile(r"^\s{0,8}runtimes: {1,3}(?P<list>[a-z0-9 ._-]{3,200})$")


def _runtimes(line: Line, collector: Collector) -> None:
    found = _RUNTIMES.match(line.lower)
    if found is not None:
        collector.add("docker-runtimes", tuple(found["list"].split()), line, found.span("list"), "docker info")


_TOOL = re.compile(
    r"(?P<name>docker version|server version|nvidia container toolkit cli version"
    r"|nvidia container runtime hook version|cli-version"
    r"|container runtime version|kubelet version|nvidia-docker2)[:= ]{1,30}(?P<prefix>containerd://"
    r"|docker://)?v?(?P<version>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)"
)
_TOOLS = {
    "docker version": "docker",
    "server version": "docker",
    "kubelet version": "kubernetes",
    "nvidia-docker2": "nvidia-docker2",
}


def _tool(line: Line, collector: Collector) -> None:
    found = _TOOL.search(line.lower)
    if found is not None:
        name = (found["prefix"] or "").removesuffix("://") or _TOOLS.get(found["name"], "nvidia-container-toolkit")
        collector.add("package", Package(name, found["version"]), line, found.span("version"), "docker info")


FORMS: tuple[Form, ...] = (
    Form(
        _IMAGE,
        (
            "nvidia/",
            "nvcr.io",
            "ghcr.io",
            "pytorch/",
            "tensorflow/",
            "vllm/",
            "registry.",
            "azurecr",
            "paddlepaddle/",
            "dustynv/",
            "docker.io",
            "ollama/",
        ),
        _known,
    ),
    Form(_IMAGE, ("from ", "image:", " pull ", "pulled image"), _stated),
    Form(_IMAGE, ("docker ", "podman ", "nerdctl "), _run),
    *rules(
        "nvidia-container-cli",
        ("unsatisfied condition", r"unsatisfied condition: cuda ?>= ?<cuda-required>"),
        ("unsatisfied condition", r"unsatisfied condition: driver ?>= ?(?P<driver_required>\d{3}(?:\.\d{1,3}){0,2})"),
    ),
    Form("docker info", ("runtimes:",), _runtimes),
    Form(
        "docker info",
        (
            "docker version",
            "server version",
            "cli version",
            "hook version",
            "runtime version:",
            "kubelet version",
            "cli-version",
        ),
        _tool,
    ),
    rule("system", "kernel version:", r"kernel version: {1,30}<kernel>"),
    rule("system", "architecture:", r"^\s{0,8}architecture: {1,30}<machine>"),
)
