"""Claims about packages: what versions of them need, hold and are offered for. `versions` is always a specifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from matrices.model.base import Claim, Machine, OsFamily
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion, DriverVersion, PythonVersion

__all__ = [
    "PackageBuiltWith",
    "PackageEmbeds",
    "PackageForPython",
    "PackageInstalledBy",
    "PackageNeedsCc",
    "PackageNeedsDriver",
    "PackageNeedsPackage",
    "PackageOffers",
    "PackageReleased",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageReleased(Claim):
    """The releases of a package, oldest first; between the first and the last of them there is no other. `older`: before the first there
    are some that nobody looked into."""

    relation: ClassVar[str] = "package-released"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "released"
    versions: tuple[str, ...]
    older: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageOffers(Claim):
    """A platform that versions of a package can be installed on: with one of these Pythons, on Linux with this C library or a newer one.

    A version with any such row has no other platform. `gpu` false: what is installed there has no CUDA.
    """

    relation: ClassVar[str] = "package-offers"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "offers"
    keyed_by: ClassVar[tuple[str, ...]] = ("versions", "os", "machines")
    versions: str
    os: OsFamily
    machines: tuple[Machine, ...]
    python: tuple[PythonVersion, ...]
    glibc: str | None = None
    form: Literal["wheel", "source"] = "wheel"  # source: it is compiled where it is installed
    gpu: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageInstalledBy(Claim):
    """How pip is asked for versions of a package, where that is not `name=={version}`: `requirement` and `options`.

    `needs_system_cuda`: it uses a CUDA and cuDNN that must be there already.
    """

    relation: ClassVar[str] = "package-installed-by"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "installed-by"
    keyed_by: ClassVar[tuple[str, ...]] = ("versions",)
    versions: str
    requirement: str
    options: tuple[str, ...] = ()
    needs_system_cuda: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageNeedsPackage(Claim):
    """Versions of a package (a specifier) work only with these versions of another one."""

    relation: ClassVar[str] = "package-needs-package"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "needs-package"
    keyed_by: ClassVar[tuple[str, ...]] = ("versions", "package")
    versions: str
    package: str
    specifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageBuiltWith(Claim):
    """The CUDA releases that builds of versions of a package are for. Beside torch the nearest of torch's CUDA major is loaded, if there
    is one; where it is `exact`, only that of the same release. `index` serves those builds where the package index does not; `{variant}`
    stands for torch's (`cu128`)."""

    relation: ClassVar[str] = "package-built-with"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "built-with"
    keyed_by: ClassVar[tuple[str, ...]] = ("versions", "os", "machines", "cuda")
    versions: str
    cuda: tuple[CudaVersion, ...]
    os: tuple[OsFamily, ...] = ("linux", "windows")
    machines: tuple[Machine, ...] = ("x86_64", "aarch64")
    exact: bool = False
    index: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageNeedsDriver(Claim):
    """The least driver that versions of a package ask for themselves."""

    relation: ClassVar[str] = "package-needs-driver"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "needs-driver"
    keyed_by: ClassVar[tuple[str, ...]] = ("versions", "os")
    versions: str
    os: OsFamily
    driver: DriverVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageNeedsCc(Claim):
    """Versions of a package (a specifier) work from `minimum` to `maximum`; without a `maximum` it is a floor and promises nothing newer."""

    relation: ClassVar[str] = "package-needs-cc"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "needs-cc"
    keyed_by: ClassVar[tuple[str, ...]] = ("versions",)
    versions: str
    minimum: ComputeCapability
    maximum: ComputeCapability | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageEmbeds(Claim):
    """Machine code and PTX in a library of versions of a package; `cuda` left out: in its builds for every CUDA.

    The package works without an `optional` library, only not with what needs it. `ptx` left out: nobody looked.
    """

    relation: ClassVar[str] = "package-embeds"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "embeds"
    keyed_by: ClassVar[tuple[str, ...]] = ("versions", "os", "machines", "library", "cuda")
    versions: str
    os: tuple[OsFamily, ...] = ("linux",)
    machines: tuple[Machine, ...] = ("x86_64",)
    library: str
    cuda: tuple[CudaVersion, ...] = ()
    sass: tuple[ArchTarget, ...]
    ptx: tuple[ArchTarget, ...] | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageForPython(Claim):
    """The newest release of a tool known to install on a Python; `python` left out: on every newer one."""

    relation: ClassVar[str] = "package-for-python"
    within: ClassVar[str] = "package"
    attribute: ClassVar[str] = "for-python"
    keyed_by: ClassVar[tuple[str, ...]] = ("python",)
    python: PythonVersion | None = None
    version: str
