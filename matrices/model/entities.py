"""The things that exist: identity only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal

from matrices.model.base import Channel, Entity, Evidence, Machine, OsFamily
from matrices.versions import CudaVersion, TorchVersion

__all__ = [
    "Branch",
    "Capability",
    "CloudInstance",
    "ContainerRuntime",
    "Coverage",
    "CudaFamily",
    "Feature",
    "Gpu",
    "Image",
    "ImageRepository",
    "JetPack",
    "OperatingSystem",
    "Package",
    "Source",
    "Toolkit",
    "Torch",
    "Wheel",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Entity):
    """A publication that claims point at."""

    kind: ClassVar[str] = "source"
    title: str
    link: str
    publisher: str = ""
    licence: str = ""  # under what its publisher offers it, where that is said
    changes: str = ""  # a few words on when it changes
    stale_after_days: int | None = None  # left out: it does not change any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage(Entity):
    """Inside this closure the absence of a row of `table` means no; outside it means unknown."""

    kind: ClassVar[str] = "coverage"
    table: str
    complete_for: str
    torch: str | None = None
    os: tuple[OsFamily, ...] = ()
    machine: tuple[Machine, ...] = ()
    channel: tuple[Channel, ...] = ()
    repository: tuple[str, ...] = ()
    cuda: tuple[CudaVersion, ...] = ()
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu(Entity):
    """One product. `name` is unique; `marketing_name` repeats where one name covers several chips."""

    kind: ClassVar[str] = "gpu"
    name: str
    marketing_name: str
    family: str = ""
    architecture: str = ""
    chip: str = ""
    released: date | None = None
    memory_gb: tuple[float, ...] = ()
    pci_ids: tuple[str, ...] = ()  # four lower-case hex digits, vendor 10de
    driver_names: tuple[str, ...] = ()  # as nvidia-smi and torch.cuda.get_device_name print them
    aliases: tuple[str, ...] = ()  # how people write it, where a rule of `resolver.names` does not lead there
    platform: Literal["desktop", "tegra"] = "desktop"
    machines: tuple[Machine, ...] = ("x86_64", "aarch64")  # hosts it is built into or plugs into
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudInstance(Entity):
    """A rented machine type and the GPU product inside, by gpu id."""

    kind: ClassVar[str] = "cloud-instance"
    provider: str = ""
    gpus: tuple[str, ...]  # several: the name leaves open which
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability(Entity):
    """A compute capability; `id` is its text. `family` groups capabilities that share `f` code."""

    kind: ClassVar[str] = "capability"
    architecture: str
    family: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(Entity):
    """A driver branch, `R570`."""

    kind: ClassVar[str] = "branch"
    number: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaFamily(Entity):
    """All releases of one CUDA major version: what minor-version compatibility is about. `id` is the major."""

    kind: ClassVar[str] = "cuda-family"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit(Entity):
    """A CUDA toolkit minor, `12.8`."""

    kind: ClassVar[str] = "toolkit"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Torch(Entity):
    """A torch release, `2.15.0`."""

    kind: ClassVar[str] = "torch"
    released: date | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel(Entity):
    """One build of a torch release: variant x operating system x machine (x rebuild)."""

    kind: ClassVar[str] = "wheel"
    torch: TorchVersion
    variant: str  # the local tag without the plus: cu130, cpu
    os: OsFamily
    machine: Machine
    channel: Channel
    build: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(Entity):
    """A set of container tags of one repository that share what is inside."""

    kind: ClassVar[str] = "image"
    repository: str
    role: Literal["cuda", "pytorch", "ngc", "python", "jetson", "tritonserver", "tensorflow", "other"]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRepository(Entity):
    """A repository of container images by its name on Docker Hub; `mirrors` serve the same tags elsewhere."""

    kind: ClassVar[str] = "image-repository"
    mirrors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRuntime(Entity):
    """A way by which a container gets its GPUs."""

    kind: ClassVar[str] = "container-runtime"
    name: str
    aliases: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingSystem(Entity):
    """An operating system as asked for: `ubuntu-24.04`, `windows-11`, `wsl2`."""

    kind: ClassVar[str] = "os"
    name: str
    family: OsFamily
    aliases: tuple[str, ...] = ()
    image_suffix: str | None = None  # the ending of nvidia/cuda tags built on it
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package(Entity):
    """A library that rides along (cuDNN, NCCL) or is asked for (vLLM). `id` is its name as a requirement, in the normal form.

    `aliases`: other names by which it is asked for, with an extra where that chooses the package (`jax[cuda12]`). Packages that share one
    are alternatives.
    """

    kind: ClassVar[str] = "package"
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature(Entity):
    """Something a GPU can do: bf16, fp8, torch.compile."""

    kind: ClassVar[str] = "feature"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JetPack(Entity):
    """A JetPack release, with its L4T."""

    kind: ClassVar[str] = "jetpack"
    l4t: str
    products: tuple[str, ...] = ("Jetson",)  # how the names of the products begin that it is for
