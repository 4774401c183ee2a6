"""Errors of the CUDA runtime and driver by number, name or message; and of the libraries on top of them."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.facts import CudaError
from assistant.reading.form import Collector, Form, rule

__all__ = ["FORMS", "MESSAGES"]

_SOURCE = "message"

# what cudaGetErrorString says, and the runtime's name and number since CUDA 10.1
MESSAGES: dict[str, tuple[int, str]] = {
    "invalid argument": (1, "cudaErrorInvalidValue"),
    "out of memory": (2, "cudaErrorMemoryAllocation"),
    "initialization error": (3, "cudaErrorInitializationError"),
    "driver shutting down": (4, "cudaErrorCudartUnloading"),
    "invalid configuration argument": (9, "cudaErrorInvalidConfiguration"),
    "cuda driver is a stub library": (34, "cudaErrorStubLibrary"),
    "cuda driver version is insufficient for cuda runtime version": (35, "cudaErrorInsufficientDriver"),
    "all cuda-capable devices are busy or unavailable": (46, "cudaErrorDevicesUnavailable"),
    "cuda-capable device(s) is/are busy or unavailable": (46, "cudaErrorDevicesUnavailable"),
    "invalid device function": (98, "cudaErrorInvalidDeviceFunction"),
    "no cuda-capable device is detected": (100, "cudaErrorNoDevice"),
    "invalid device ordinal": (101, "cudaErrorInvalidDevice"),
    "device kernel image is invalid": (200, "cudaErrorInvalidKernelImage"),
    "invalid device context": (201, "cudaErrorDeviceUninitialized"),
    "no kernel image is available for execution on the device": (209, "cudaErrorNoKernelImageForDevice"),
    "uncorrectable ecc error encountered": (214, "cudaErrorECCUncorrectable"),
    "peer access is not supported between these two devices": (217, "cudaErrorPeerAccessUnsupported"),
    "a ptx jit compilation failed": (218, "cudaErrorInvalidPtx"),
    "uncorrectable nvlink error detected during the execution": (220, "cudaErrorNvlinkUncorrectable"),
    "the provided ptx was compiled with an unsupported toolchain": (222, "cudaErrorUnsupportedPtxVersion"),
    "named symbol not found": (500, "cudaErrorSymbolNotFound"),
    "an illegal memory access was encountered": (700, "cudaErrorIllegalAddress"),
    "too many resources requested for launch": (701, "cudaErrorLaunchOutOfResources"),
    "the launch timed out and was terminated": (702, "cudaErrorLaunchTimeout"),
    "device-side assert triggered": (710, "cudaErrorAssert"),
    "an illegal instruction was encountered": (715, "cudaErrorIllegalInstruction"),
    "misaligned address": (716, "cudaErrorMisalignedAddress"),
    "unspecified launch failure": (719, "cudaErrorLaunchFailure"),
    "operation not permitted": (800, "cudaErrorNotPermitted"),
    "operation not supported": (801, "cudaErrorNotSupported"),
    "system not yet initialized": (802, "cudaErrorSystemNotReady"),
    "system has unsupported display driver / cuda driver combination": (803, "cudaErrorSystemDriverMismatch"),
    "forward compatibility was attempted on non supported hw": (804, "cudaErrorCompatNotSupportedOnDevice"),
    "mps client failed to connect to the mps control daemon or the mps server": (805, "cudaErrorMpsConnectionFailed"),
    "unknown error": (999, "cudaErrorUnknown"),
}

# longest first: "unknown error" stands inside others
_BY_LENGTH = sorted(MESSAGES, key=len, reverse=True)
_GENERAL = (  # other programs say so too: only after the word CUDA
    "invalid argument", "out of memory", "initialization error", "unknown error", "operation not permitted", "operation not supported",
    "misaligned address",
)  # fmt: skip
_NAME = re.compile(
    r"(?<![a-z])(?P<name>cuda_error_[a-z_]{3,50}|cudaerror(?!string|name|t(?![a-z])"
    r"|_t)[a-z]{4,50})(?:[ (:=]{1,3}(?P<code>\d{1,3})(?!\d))?"
)
_NUMBER = re.compile(
    r"(?<![a-z])(?<!exit )(?<!\] )(?:error|err|failed|failure|code|fail)(?: code)?[ =:(#]{1,4}(?P<code>\d{1,3})(?![\d.%])"
)
_ABOUT_CUDA = ("cuda", "cuinit", "cudart", "cudnn", "thc")
_REACH = 160  # characters before a message
_NEAR = 60  # and before a number, which other programs print too


def _error(line: Line, collector: Collector) -> None:
    """The first name, message and number of a line are one error."""
    if "hip error" in line.lower:
        return
    named, said, numbered = _NAME.search(line.lower), _said(line.lower), _numbered(line.lower)
    if named is not None:
        name, code = line.text[slice(*named.span("name"))], named["code"] or (numbered and numbered["code"])
        error = CudaError(int(code) if code else None, name)
    elif said is not None:
        number, name = MESSAGES[said]
        error = CudaError(int(numbered["code"]) if numbered else number, name)
    elif numbered is not None:
        error = CudaError(int(numbered["code"]), None)
    else:
        return
    at = named.start() if named else line.lower.find(said) if said else numbered.start("code") if numbered else 0
    collector.add("cuda-error", error, line, (at, at + 1), _SOURCE)


def _said(lower: str) -> str | None:
    """The message of a CUDA error in a line."""
    for message in _BY_LENGTH:
        at = lower.find(message)
        if at >= 0 and (
            message not in _GENERAL or _is_about_cuda(lower, at) or f"error {MESSAGES[message][0]}:" in lower
        ):
            return message
    return None


def _numbered(lower: str) -> re.Match[str] | None:
    """The number of an error of CUDA, and not of another program."""
    found = _NUMBER.search(lower)
    if found is None or not (_is_about_cuda(lower, found.end(), _NEAR) or _said_after(lower, found.end())):
        return None
    return found


def _said_after(lower: str, at: int) -> bool:
    return lower[at : at + 2].strip(" )") == ":" and any(lower.startswith(message, at + 2) for message in _BY_LENGTH)


def _is_about_cuda(lower: str, end: int, reach: int = _REACH) -> bool:
    return any(lower.find(word, max(0, end - reach), end) >= 0 for word in _ABOUT_CUDA)


FORMS: tuple[Form, ...] = (
    Form(
        _SOURCE,
        (
            "cuda error",
            "cudaerror",
            "cuda_error",
            "error",
            "cuda fail",
            "cuda-capable",
            "cuda driver",
            "kernel image",
            "launch",
            "system not",
            "ptx",
            "forward compat",
            "device-side",
            "out of memory",
            "named symbol",
            "misaligned",
        ),
        _error,
    ),
    rule(
        _SOURCE,
        "_status_",
        r"(?<![a-z])(?P<library_error>(?:cublas|cudnn|cusparse|cusolver|curand|nvjpeg"
        r"|cutensor)_status_(?!success)[a-z_]{3,50})",
    ),
    rule(_SOURCE, "cufft_", r"(?<![a-z])(?P<library_error>cufft_(?!success)[a-z_]{5,40})"),
    rule(_SOURCE, "cudnn_", r"(?<![a-z])(?P<library_error>cudnn_(?:be_)?error[a-z_]{0,40})"),
    rule(
        _SOURCE,
        (
            "cannot open shared object",
            "could not load",
            "unable to load",
            "not found",
            "error loading",
            "load library failed",
        ),
        r"(?P<missing_library>lib(?:cu|nv|torch|c10|caffe|nccl|tensorrt|cublas)[\w.-]{1,60}?\.so(?:\.\d{1,4}){0,4})"
        r"(?::? cannot open shared object| ?[:.;] (?:dlerror|error)|['\"]|\. is it installed|: no such file|$"
        r"|: unknown|\. check)",
    ),
    rule(
        _SOURCE,
        ".dll",
        r"(?:could not (?:load|locate|find)|unable to load|error loading|failed to load|not found:?"
        r"|loadlibrary failed)[^\n]{0,120}?"
        r"(?P<missing_library>[a-z][\w-]{2,50}\.dll)",
    ),
    rule(_SOURCE, "failed: lib", r"load library failed: (?P<missing_library>lib[\w.-]{2,60})"),
)
