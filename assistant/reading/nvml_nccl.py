"""What NVML (and `nvidia-smi` with it) and NCCL report."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, rule

__all__ = ["FORMS"]

_NVML = (
    "driver/library version mismatch",
    "unknown error",
    "gpu access blocked by the operating system",
    "insufficient permissions",
    "insufficient power",
    "driver not loaded",
    "not found",
    "no permission",
    "not supported",
    "gpu is lost",
    "gpu requires reset",
    "function not found",
    "insufficient external power",
    "could not load nvml library",
    "unable to load the nvml library",
    "unhandled exception",
    "no devices were found",
    "couldn't communicate with the nvidia driver",
    "couldn't find libnvidia-ml.so",
    "shared library not found",
)
_BY_LENGTH = sorted(_NVML, key=len, reverse=True)
_SPEAKERS = ("nvml", "nvidia-smi", "nvidia-container-cli", "device handle")
_UNMISTAKABLE = ("driver/library version mismatch", "no devices were found")


def _nvml(line: Line, collector: Collector) -> None:
    """The message behind the name of who reports it."""
    said_by = min((at for at in map(line.lower.find, _SPEAKERS) if at >= 0), default=None)
    for message in _BY_LENGTH:
        at = line.lower.find(message)
        if at >= 0 and (message in _UNMISTAKABLE or (said_by is not None and said_by < at)):
            collector.add("nvml-error", message, line, (at, at + len(message)), "NVML")
            return


_CONSTANT = re.compile(r"nvml_error_(?P<name>[a-z_]{3,50})")


def _constant(line: Line, collector: Collector) -> None:
    """The constants of the library, in the words of its messages."""
    for found in _CONSTANT.finditer(line.lower):
        name = found["name"].replace("_", " ")
        message = "driver/library version mismatch" if name == "lib rm version mismatch" else name
        collector.add("nvml-error", message, line, found.span(), "NVML")


# --- NCCL -----------------------------------------------------------------------------------------------------------

_RESULTS = {
    "1": "ncclUnhandledCudaError",
    "2": "ncclSystemError",
    "3": "ncclInternalError",
    "4": "ncclInvalidArgument",
    "5": "ncclInvalidUsage",
    "6": "ncclRemoteError",
    "unhandled cuda error": "ncclUnhandledCudaError",
    "unhandled system error": "ncclSystemError",
    "internal error": "ncclInternalError",
    "invalid argument": "ncclInvalidArgument",
    "invalid usage": "ncclInvalidUsage",
    "remote process exited or there was a network error": "ncclRemoteError",
}
_MESSAGE = "|".join(map(re.escape, (key for key in _RESULTS if not key.isdigit())))
_NCCL = re.compile(
    r"(?<![a-z])(?P<name>nccl(?:unhandledcudaerror|systemerror|internalerror|invalidargument|invalidusage|remoteerror))"
    r"|nccl[^\n]{0,160}?(?P<message>" + _MESSAGE + r")|nccl error:? (?P<code>[1-6])(?!\d)"
)
_BY_NAME = {name.lower(): name for name in _RESULTS.values()}


def _nccl(line: Line, collector: Collector) -> None:
    found = _NCCL.search(line.lower)
    if found is not None:
        name = _BY_NAME[found["name"]] if found["name"] else _RESULTS[found["message"] or found["code"]]
        collector.add("nccl-error", name, line, found.span(), "NCCL")


FORMS: tuple[Form, ...] = (
    Form("NVML", ("nvml", "no devices were found", "library version mismatch", "nvidia-smi", "device handle"), _nvml),
    Form("NCCL", ("nccl",), _nccl),
    Form("NVML", ("nvml_error_",), _constant),
    rule("NCCL", "nccl version", r"nccl version {1,2}(?P<skip>\d{1,2}\.\d{1,2}\.\d{1,2}\+cuda\d{1,2}\.\d{1,2})"),
)
