"""`python -m torch.utils.collect_env` and prints of torch itself: versions, `cuda.is_available()`, warnings."""

from __future__ import annotations

import re

from assistant.reading import values
from assistant.reading.document import Line
from assistant.reading.facts import TorchBuild
from assistant.reading.form import Collector, Form, rule, rules

__all__ = ["FORMS"]

_ENV = "collect_env"
_TORCH = "torch"

_VERSION = re.compile(r"pytorch version: {1,3}(?P<version>" + values.SHAPES["torch"] + ")")
_BUILT = re.compile(r"(?P<what>cuda|rocm) used to build pytorch: {1,3}(?P<value>\S{1,20})")


def _version(line: Line, collector: Collector) -> None:
    """The torch, with what the lines below say it was built for where its own local tag is silent."""
    found = _VERSION.search(line.lower)
    if found is None:
        return
    build, used = values.torch(found["version"]), {}
    for each in collector.document.following(line, 3):
        built = _BUILT.search(each.lower)
        if built is not None:
            used[built["what"]] = built["value"]
    rocm = used.get("rocm", "n/a")
    if build.local is None and rocm not in ("n/a", "none"):
        build = TorchBuild(build.version, f"rocm{rocm}")
    elif build.local is None and used.get("cuda") == "none":
        build = TorchBuild(build.version, "cpu")
    collector.add("torch", build, line, found.span("version"), _ENV)


_ANSWER = re.compile(r"\s{0,8}(?:out\[\d{1,4}\]: {0,3})?['\"]?(?P<answer>[\w.+]{1,50})['\"]?\s{0,8}")
_ASKED = (
    (re.compile(r"torch\.__version__"), "torch", re.compile(values.SHAPES["torch"])),
    (re.compile(r"torch\.version\.cuda"), "torch-cuda", re.compile(values.SHAPES["torch-cuda"])),
    (re.compile(r"torch\.cuda\.is_available\(\)"), "cuda-available", re.compile(r"true|false")),
)


def _session(line: Line, collector: Collector) -> None:
    """A question to the interpreter, answered on the lines below it, one for each thing asked."""
    asked = sorted(
        (found.start(), kind, shape) for pattern, kind, shape in _ASKED if (found := pattern.search(line.lower))
    )
    for answered in collector.document.following(line, 2):
        for each, (_, kind, shape) in zip(answered.lower.split(), asked, strict=False):
            found = _ANSWER.fullmatch(each.strip("(),"))
            if found is None or not shape.fullmatch(found["answer"]):
                return
            start = answered.lower.find(found["answer"])
            span = (start, start + len(found["answer"]))
            collector.add(kind, values.CONVERTERS[kind](answered.text[span[0] : span[1]]), answered, span, _TORCH)
        if answered.lower.strip():
            return


_SHOWN = re.compile(r"\s{0,4}version: (?P<version>\S{1,60})")


def _shown(line: Line, collector: Collector) -> None:
    """`pip show torch`."""
    if line.lower.strip() != "name: torch":
        return
    for each in collector.document.following(line, 1):
        found = _SHOWN.match(each.lower)
        if found is not None:
            collector.add("torch", values.torch(found["version"]), each, found.span("version"), "pip")


def _tag(line: Line, collector: Collector) -> None:
    """`cu121` by itself or in an index address."""
    for found in _TAG.finditer(line.lower):
        if collector.free(line, found.span()):
            collector.add("torch-cuda", values.cuda_tag(found[0]), line, found.span(), "wheel tag")


_TAG = re.compile(r"(?<![a-z0-9])cu(?:9[0-2]|1[0-3]\d)(?![0-9a-z])")
_NOT_OTHERS = r"(?<![\w.+-])(?<!vision )(?<!audio )(?<!vision==)(?<!audio==)(?<!vision-)(?<!audio-)(?<!formers==)"

FORMS: tuple[Form, ...] = (
    *rules(
        _ENV,
        ("cuda runtime version:", r"cuda runtime version: {1,3}<toolkit>"),
        ("is cuda available:", r"is cuda available: {1,3}<cuda-available>"),
        ("driver version:", r"nvidia driver version: {1,3}<driver>"),
        (
            "cudnn version:",
            r"cudnn version: {1,3}(?:probably one of the following:)?[^\d\n]{0,60}(?P<cudnn>\d{1,2}\.\d{1,2}(?:\.\d{1,2}){0,2})",
        ),
        ("python version:", r"python version: {1,3}<python>"),
        ("libc version:", r"libc version: {1,3}glibc-<glibc>"),
        ("gpu models and configuration:", r"gpu models and configuration: (?P<gpu>[^:\n]{3,80}?)\s{0,8}$"),
        ("python platform:", r"python platform: {1,3}linux-<kernel>-(?P<machine>x86_64|aarch64)-with"),
    ),
    Form(_ENV, ("pytorch version:",), _version),
    rule(_ENV, "used to build pytorch", r"cuda used to build pytorch: {1,3}<torch-cuda>"),
    rule(_TORCH, "following cuda configurations", r"following cuda configurations: (?P<skip>[^\n]{1,200})"),
    rule(_ENV, "libcudnn.so.", r"libcudnn\.so\.(?P<cudnn>\d{1,2}\.\d{1,2}(?:\.\d{1,2}){0,2})"),
    *rules(
        _TORCH,
        ("found version", r"found version <driver-cuda-number>"),
        (
            "is_available()",
            (
                r"is_available\(\)\)?[^a-z0-9\n]{0,8}(?:(?:is|returns?|gives?|still|shows?|prints?|返回|一直|输出"
                r"|显示)[^a-z0-9\n]{0,4}){0,3}<cuda-available>"
            ),
        ),
        (
            "compiled ",
            (
                r"(?:pytorch|torch)(?: \S{1,30})? (?:was |is )?(?:built|compiled) (?:with|for"
                r"|against) (?:cuda )?<torch-cuda>"
            ),
        ),
        ("torch.version.cuda", r"torch\.version\.cuda\)?[^\d\n]{1,20}<torch-cuda>"),
        ("torch.__version__", r"torch\.__version__\)?[^\d\n]{1,20}<torch>"),
        ("+c", _NOT_OTHERS + r"(?P<torch>[12]\.\d{1,2}\.\d{1,2}\+(?:cu\d{2,3}|cpu))(?![\d])"),
        ("bnb_cuda_version", r"bnb_cuda_version[= ]{1,3}(?P<skip>\d{3})"),
        ("detected cuda version ", r"detected cuda version <bnb-cuda>"),
    ),
    Form(_TORCH, ("torch.__version__", "torch.version.cuda", "torch.cuda.is_available"), _session),
    Form("pip", ("name: torch",), _shown),
)
FREE_FORMS: tuple[Form, ...] = (Form("wheel tag", ("cu11", "cu12", "cu13", "cu10", "cu9"), _tag),)
