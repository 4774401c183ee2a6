"""The physical rules: what runs on what, each with an id and a citation. Facts come in as arguments.

Nothing here knows a product, a release or a date. A rule that needs a fact takes it as an argument and says `unknown` when
that argument is `None`; callers never fill a gap with a guess.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion

__all__ = [
    "RANK",
    "RULES",
    "Driver",
    "Rule",
    "RunsAs",
    "Verdict",
    "drives",
    "kernel_modules",
    "natively",
    "ptx",
    "runs_cuda",
    "sass",
    "weaker",
    "weakest",
    "within",
]

Verdict = Literal["yes", "no", "unknown"]
RunsAs = Literal["native", "minor-version"]
RANK: dict[Verdict, int] = {"no": 0, "unknown": 1, "yes": 2}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's identity: what it says in one sentence, where that is written, and the relations that it reads."""

    id: str
    says: str
    citation: str
    reads: tuple[str, ...] = ()


RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "sass",
            "Machine code for X.y runs on GPUs X.z with z >= y; `a` code on its own capability only, `f` code in its family.",
            "CUDA C++ Programming Guide, Compute Capabilities and Application Compatibility; CUDA Compiler Driver NVCC, GPU Compilation",
            ("wheel-embeds", "code-excludes-cc", "wheel-built-with", "toolkit-targets-cc", "package-needs-cc"),
        ),
        Rule(
            "ptx",
            "PTX for X.y can be compiled at load time for any GPU >= X.y by a driver at least as new as the toolkit that made it.",
            "CUDA C++ Programming Guide, Just-in-Time Compilation; CUDA Compatibility, Minor Version Compatibility (no newer PTX)",
            ("wheel-embeds", "wheel-built-with", "toolkit-targets-cc"),
        ),
        Rule(
            "minor-version",
            "A program built with CUDA M.x runs on every driver from the floor of CUDA M on, if it holds machine code for the GPU.",
            "CUDA Compatibility, Minor Version Compatibility",
            ("toolkit-needs-driver", "toolkit-needs-driver-natively", "driver-runs-cuda", "branch-released"),
        ),
        Rule(
            "older-runtime",
            "A driver runs every CUDA up to its own version natively, older ones too, while it still drives the GPU.",
            "CUDA Compatibility, Backward Compatibility",
            ("driver-runs-cuda", "toolkit-needs-driver", "toolkit-needs-driver-natively", "branch-released"),
        ),
        Rule(
            "driver-floor",
            "CUDA 10 and older have no minor-version compatibility: the driver must be at least the one of the toolkit's table.",
            "CUDA Toolkit Release Notes, CUDA Driver versions table",
            ("toolkit-needs-driver", "toolkit-needs-driver-natively", "driver-runs-cuda", "branch-released"),
        ),
        Rule(
            "drives",
            "A driver must already know the GPU and must not have dropped it.",
            "NVIDIA Data Center Drivers, CUDA Toolkit, Driver, and Architecture Matrix",
            ("branch-drives-cc", "gpu-listed-since", "gpu-needs-module", "cc-needs-module", "branch-released"),
        ),
        Rule(
            "kernel-module",
            "On Linux the kernel module flavour must be one that works for the GPU and that the driver branch offers.",
            "NVIDIA Driver Installation Guide, Kernel Modules",
            ("cc-needs-module", "gpu-needs-module", "branch-offers-module"),
        ),
        Rule(
            "every-gpu",
            "Several GPUs must each be satisfied: every distinct compute capability counts.",
            "CUDA C++ Programming Guide, Multi-Device System",
            ("gpu-has-cc",),
        ),
        Rule(
            "library",
            "A library that rides along must itself support the GPU.",
            "cuDNN Support Matrix",
            ("package-needs-cc", "wheel-pins", "wheel-embeds", "image-needs-cc"),
        ),
        Rule(
            "published",
            "A build can be installed only where it was published.",
            "Python Packaging User Guide, Binary distribution format",
            ("wheel-built-with", "torch-pairs-with", "torch-default-cuda", "image-contains"),
        ),
        Rule(
            "python",
            "A wheel installs only on the Python versions of its tags.",
            "Python Packaging User Guide, Platform compatibility tags",
            ("wheel-needs", "image-contains"),
        ),
        Rule(
            "platform",
            "A wheel installs only on the operating system and machine of its tags.",
            "Python Packaging User Guide, Platform compatibility tags",
            ("wheel-built-with", "image-exists"),
        ),
        Rule(
            "glibc",
            "A manylinux wheel needs at least the glibc of its tag.",
            "PEP 600, manylinux_x_y",
            ("wheel-needs", "os-ships"),
        ),
        Rule(
            "toolkit-targets",
            "A compiler makes code only for the capabilities it knows.",
            "CUDA Compiler Driver NVCC, GPU Feature List",
            ("toolkit-targets-cc", "image-contains"),
        ),
        Rule(
            "host-compiler",
            "A toolkit takes host compilers up to a version, and its headers refuse newer ones.",
            "CUDA Installation Guide for Linux, Host Compiler Support Policy",
            ("toolkit-host-compiler", "os-ships"),
        ),
        Rule(
            "image-exists",
            "A container image can be pulled only by a tag that exists.",
            "OCI Distribution Specification, Pulling manifests",
            ("image-exists", "image-tag-law"),
        ),
        Rule(
            "image-line",
            "From release to release of one line of images the least compute capability never falls.",
            "Release notes of the NVIDIA PyTorch and Triton containers, GPU Requirements",
            ("image-needs-cc",),
        ),
        Rule(
            "image-gate",
            "The container runtime may refuse an image whose NVIDIA_REQUIRE_CUDA the driver does not meet.",
            "NVIDIA Container Toolkit, Specialized Configurations with Docker",
            ("image-demands", "driver-runs-cuda", "runtime-checks-demands", "runtime-default"),
        ),
        Rule(
            "forward",
            "cuda-compat lets data-center GPUs run a newer CUDA on listed older branches.",
            "CUDA Compatibility, Forward Compatibility",
            ("toolkit-forward-on", "forward-for", "image-forward-on"),
        ),
        Rule(
            "tegra",
            "Jetson and other Tegra chips have stacks of their own (JetPack, L4T).",
            "NVIDIA JetPack documentation",
            ("jetpack-contains", "jetpack-torch"),
        ),
        Rule(
            "feature",
            "A numeric format or kernel family is native from a capability on.",
            "CUDA C++ Programming Guide, Compute Capabilities",
            ("feature-needs-cc",),
        ),
        Rule(
            "package-pin",
            "A package that is loaded into torch works only with the releases of torch that it names.",
            "Python Packaging User Guide, Dependency specifiers",
        ),
        Rule(
            "same-cuda",
            "Code loaded into torch must be built for the CUDA major that torch brings: both share one CUDA runtime.",
            "CUDA C++ Best Practices Guide, CUDA Compatibility and Upgrades; PyTorch, torch.utils.cpp_extension",
        ),
        Rule("wsl", "Under WSL2 only the Windows driver is installed.", "CUDA on WSL User Guide", ("os-needs-cc",)),
    )
}


def weaker(first: Verdict, second: Verdict) -> Verdict:
    """Both must hold: `no` beats `unknown` beats `yes`.

    >>> weaker("yes", "unknown"), weaker("unknown", "no")
    ('unknown', 'no')
    """
    if "no" in (first, second):
        return "no"
    return "unknown" if "unknown" in (first, second) else "yes"


def weakest(verdicts: Iterable[Verdict]) -> Verdict:
    """All must hold: the weakest of any number, `yes` of none.

    >>> weakest(["yes", "unknown", "yes"]), weakest([])
    ('unknown', 'yes')
    """
    return min(verdicts, key=RANK.__getitem__, default="yes")


def within(minimum: ComputeCapability, maximum: ComputeCapability | None, capability: ComputeCapability) -> bool:
    """Rule `library`: whether a closed or open range of capabilities takes one of them.

    >>> seven, eight, nine = (ComputeCapability.parse(text) for text in ("7.0", "8.0", "9.0"))
    >>> within(seven, None, nine), within(seven, eight, nine)
    (True, False)
    """
    return minimum <= capability and (maximum is None or capability <= maximum)


def sass(target: ArchTarget, capability: ComputeCapability, *, same_family: bool = False) -> bool:
    """Rule `sass`: whether machine code for `target` runs on `capability`.

    Args:
        same_family: whether the two share a family for `f` code (a fact about the capabilities).

    >>> from matrices.versions import ArchTarget as A, ComputeCapability as C
    >>> sass(A.parse("8.0"), C.parse("8.6")), sass(A.parse("8.6"), C.parse("8.0")), sass(A.parse("9.0"), C.parse("12.0"))
    (True, False, False)
    >>> sass(A.parse("9.0a"), C.parse("9.0")), sass(A.parse("10.0a"), C.parse("10.3"))
    (True, False)
    """
    built = target.capability
    if target.suffix == "a":
        return built == capability
    if target.suffix == "f":
        return same_family and built.major == capability.major and built.minor <= capability.minor
    return built.major == capability.major and built.minor <= capability.minor


def ptx(target: ArchTarget, capability: ComputeCapability, *, same_family: bool = False) -> bool:
    """Rule `ptx`: whether PTX for `target` can be compiled at load time for `capability`, the driver being new enough.

    >>> from matrices.versions import ArchTarget as A, ComputeCapability as C
    >>> ptx(A.parse("9.0"), C.parse("12.0")), ptx(A.parse("12.0"), C.parse("9.0")), ptx(A.parse("9.0a"), C.parse("10.0"))
    (True, False, False)
    """
    if target.suffix:
        return sass(target, capability, same_family=same_family)
    return target.capability <= capability


@dataclass(frozen=True, slots=True)
class Driver:
    """A driver as far as it is known: a branch number, and the first and last version it may be.

    A fully given version has `first == last`. `last` None: no end known.
    """

    branch: int
    first: DriverVersion
    last: DriverVersion | None

    @property
    def exact(self) -> bool:
        """Whether the point release is known."""
        return self.first == self.last


def at_least(driver: Driver, floor: DriverVersion) -> tuple[Verdict, bool]:
    """Whether `driver` is `floor` or newer, and whether that holds only for its later point releases.

    A bare branch satisfies a floor inside it, with the condition that the point release is new enough.

    >>> branch = Driver(450, DriverVersion.parse("450.36.06"), DriverVersion.parse("450.248.02"))
    >>> at_least(branch, DriverVersion.parse("450.80.02")), at_least(branch, DriverVersion.parse("525.60.13"))
    (('yes', True), ('no', False))
    """
    if driver.first >= floor:
        return "yes", False
    if driver.last is None or driver.last >= floor:
        return "yes", True
    return "no", False


def drives(
    driver: Driver, added: int | None, added_driver: DriverVersion | None, last: int | None
) -> tuple[Verdict, bool]:
    """Rule `drives`: whether `driver` drives a capability with the window `added` to `last`.

    Args:
        added: first branch that knows it; None: not known.
        added_driver: first exact version, where known.
        last: last branch that drives it; None: not dropped yet.

    >>> r590 = Driver(590, DriverVersion.parse("590"), None)
    >>> drives(r590, 343, None, 580), drives(r590, 570, DriverVersion.parse("570.86.16"), None)
    (('no', False), ('yes', False))
    """
    if last is not None and driver.branch > last:
        return "no", False
    if added is None:
        return "unknown", False
    if driver.branch != added or added_driver is None:
        return ("yes" if driver.branch >= added else "no"), False
    return at_least(driver, added_driver)


def runs_cuda(
    driver: Driver, cuda: CudaVersion, floor: DriverVersion | None, native: CudaVersion | None
) -> tuple[Verdict, RunsAs, bool]:
    """Rules `older-runtime`, `minor-version`, `driver-floor`: whether and how `driver` runs programs of `cuda`.

    Args:
        floor: least driver for this CUDA: that of its major, or for CUDA 10 and older that of the toolkit itself.
        native: the CUDA that the driver's branch is known to run at least; None: not known.

    Returns:
        verdict, how it runs, and whether only the later point releases of the branch do.

    >>> r535 = Driver(535, DriverVersion.parse("535.43.02"), DriverVersion.parse("535.309.01"))
    >>> cuda = CudaVersion.parse
    >>> runs_cuda(r535, cuda("12.4"), DriverVersion.parse("525.60.13"), cuda("12.2"))
    ('yes', 'minor-version', False)
    >>> runs_cuda(r535, cuda("13.0"), DriverVersion.parse("580"), cuda("12.2"))[0]
    'no'
    """
    how: RunsAs = "native" if native is not None and cuda.release <= native else "minor-version"
    if floor is None:
        return ("yes" if how == "native" else "unknown"), how, False
    verdict, later_only = at_least(driver, floor)
    return verdict, how, later_only


def natively(cuda: CudaVersion, least: CudaVersion | None, most: CudaVersion | None) -> Verdict:
    """Whether a driver's own CUDA is `cuda` or newer, so that it may compile PTX of it.

    Args:
        least: what the driver's own CUDA is known to be at least; None: not known.
        most: what it is known to be at most; None: not known.

    >>> [natively(CudaVersion.parse(text), CudaVersion.parse("12.2"), CudaVersion.parse("12.4")) for text in ("12.1", "12.4", "12.6")]
    ['yes', 'unknown', 'no']
    """
    if least is not None and cuda.release <= least:
        return "yes"
    return "no" if most is not None and cuda.release > most else "unknown"


def kernel_modules(needed: Iterable[str], offered: Iterable[str]) -> tuple[str, ...]:
    """Rule `kernel-module`: the flavours that the GPU works with and the branch offers, sorted.

    >>> kernel_modules(["open"], ["proprietary"])
    ()
    """
    return tuple(sorted(set(needed) & set(offered)))
