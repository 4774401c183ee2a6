"""The CUDA toolkit: `nvcc --version`, its paths, CMake, and what compilers say about architectures."""

from __future__ import annotations

import re

from assistant.reading import values
from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, rule, rules

__all__ = ["FORMS"]

_NVCC = "nvcc"

_GENCODE = re.compile(
    r"(?:-arch[= ]{1,2}|code=|arch=|--gpu-name[= ]|--gpu-architecture[= ])[\['\"]{0,2}(?P<arch>(?:sm"
    r"|compute)_\d{2,3}[af]?)(?![a-z0-9])"
)


def _flags(line: Line, collector: Collector) -> None:
    """Architectures asked for on a command line; `compute_80` beside its `sm_80` is one wish."""
    for found in _GENCODE.finditer(line.lower):
        target = values.arch_target(found["arch"])
        collector.add("requested-arch", target, line, found.span("arch"), "compiler flags")


def _package_version(line: Line, collector: Collector) -> None:
    for found in _PACKAGE.finditer(line.lower):
        version = values.cuda(f"{found['major']}.{found['minor']}")
        collector.add("toolkit", version, line, found.span("major"), "package name")


_PACKAGE = re.compile(
    r"(?<![a-z0-9-])cuda-(?:toolkit|compiler|nvcc|cudart|libraries"
    r"|runtime)(?:-dev)?-(?P<major>\d{1,2})-(?P<minor>\d)(?![\d])"
)

FORMS: tuple[Form, ...] = (
    *rules(
        _NVCC,
        ("release ", r"release <toolkit>, v\d"),
        ("cuda_", r"cuda_(?P<skip>\d{1,2}\.\d{1,2}(?:\.\d{1,3})?)\.r<toolkit>/compiler"),
        ("nvcc", r"nvcc(?:\.exe)?(?: ?-v| --version)?[^\d\n/_.]{0,30}(?<![\w.-])v?<toolkit>"),
    ),
    *rules(
        "path",
        ("cuda-", r"(?:/usr/local|/opt|/usr/lib|~)(?:/[\w.]{1,20}){0,2}/cuda-<toolkit>"),
        ("toolkit", r"toolkit[\\/]{1,4}cuda[\\/]{1,4}v<toolkit>"),
        ("/cuda/", r"hpc_sdk[\w/.]{1,60}/cuda/<toolkit>"),
    ),
    *rules(
        "cmake",
        ("cuda compiler identification", r"cuda compiler identification is nvidia <toolkit>"),
        ("found cuda", r"found cuda(?:toolkit)?:.{1,200}?found (?:suitable )?version \"?<toolkit>"),
    ),
    rule("version.txt", "cuda version ", r"^cuda version (?P<toolkit>\d{1,2}\.\d{1,2}\.\d{1,3})$"),
    rule(
        "torch extension",
        "detected cuda version",
        r"detected cuda version \(<toolkit>\)(?:.{0,100}?pytorch \(<torch-cuda>\))?",
    ),
    rule("torch extension", "pytorch (", r"^\s{0,20}pytorch \(<torch-cuda>\)\. please"),
    rule("deviceQuery", "runtime version", r"cuda driver version / runtime version\s{1,40}<driver-cuda> / <toolkit>"),
    Form(_NVCC, ("cuda-toolkit", "cuda-compiler", "cuda-nvcc", "cuda-libraries", "cuda-runtime"), _package_version),
    # --- architectures ---
    rule(_NVCC, "gpu architecture", r"unsupported gpu architecture '?<requested-arch>"),
    rule("ptxas", "is not defined for option", r"value '<requested-arch>' is not defined for option"),
    rule("ptxas", "not a recognized processor", r"'<requested-arch>' is not a recognized processor"),
    rule("nvrtc", "gpu-architecture", r"invalid value for --gpu-architecture[^\d]{0,20}<requested-arch>"),
    Form("compiler flags", ("-arch", "code=", "--gpu-name", "--gpu-architecture", "arch="), _flags),
    # --- host compiler ---
    rule("collect_env", "gcc version:", r"gcc version: (?:\(.{1,60}?\) )?(?P<compiler>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)"),
    rule(
        "gcc",
        ("gcc", "g++"),
        r"(?<![\w/-])(?:gcc|g\+\+)(?: version| \(.{1,60}?\)"
        r"|-)?[ :]{0,2}(?P<compiler>\d{1,2}(?:\.\d{1,2}){1,2})(?![\d])",
        free=True,
    ),
)
