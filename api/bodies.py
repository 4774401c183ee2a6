"""What may be asked over HTTP: strict models. Wrong types are refused with words on how to write it, never converted.

A body and a query string carry the same fields; `ResolveQuery` and its like only differ in how lists and numbers are
written there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema

from assistant.assistant import MAX_MESSAGE, Turn
from assistant.conversation import MAX_TURNS
from resolver.artifacts.options import OPTIONS
from resolver.check import Checked
from resolver.engine import Asked
from resolver.query import MAX_GPUS

__all__ = [
    "ArtifactBody",
    "ArtifactQuery",
    "AskBody",
    "BuildBody",
    "BuildQuery",
    "CheckBody",
    "CheckQuery",
    "DockerfileBody",
    "DockerfileQuery",
    "DriverMatrixQuery",
    "FileBody",
    "ResolveBody",
    "ResolveQuery",
    "TorchMatrixQuery",
]

MAX_NAME = 300
MAX_TEXT = 100
MAX_PACKAGES = 32
MAX_LIMIT = 50
MAX_COUNT = 99

# C0 and C1 controls but the tab, line separators, and the marks that turn the direction of text around
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def _one_line(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("must be one line without control characters")
    return text


def _listed(value: object) -> object:
    """One text or a list of them, as a tuple."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _split(pattern: str) -> Callable[[object], object]:
    """Repeated query parameters, each perhaps a list with commas."""

    def split(value: object) -> object:
        texts = value if isinstance(value, list) else [value]
        return tuple(part for text in texts for part in re.split(pattern, str(text)))

    return split


def _plus(value: object) -> object:
    """`2.6.0+cu124` in a query string arrives with a blank for its plus."""
    return re.sub(r"(?<=\d) (?=cu\d|cpu)", "+", value) if isinstance(value, str) else value


Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NAME), AfterValidator(_one_line)
]
Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TEXT), AfterValidator(_one_line)
]
_NAME_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": MAX_NAME}
_NAMES_SCHEMA = {"type": "array", "items": _NAME_SCHEMA, "minItems": 1, "maxItems": MAX_GPUS}
_PACKAGES_SCHEMA = {"type": "array", "items": {**_NAME_SCHEMA, "maxLength": MAX_TEXT}, "maxItems": MAX_PACKAGES}

Names = Annotated[tuple[Name, ...], BeforeValidator(_listed), WithJsonSchema({"anyOf": [_NAME_SCHEMA, _NAMES_SCHEMA]})]
Packages = Annotated[tuple[Text, ...], BeforeValidator(_listed), WithJsonSchema(_PACKAGES_SCHEMA)]
QueryNames = Annotated[tuple[Name, ...], BeforeValidator(_split(","))]
# a comma inside a specifier (`vllm>=0.9,<1`) does not begin a new package
QueryPackages = Annotated[tuple[Text, ...], BeforeValidator(_split(r",(?=\s*[A-Za-z])"))]
QueryTorch = Annotated[Text | None, BeforeValidator(_plus)]

GPU = Field(
    min_length=1, max_length=MAX_GPUS, description="One GPU or a list, as people write it: `rtx5090`, `sm_120`."
)
NO_GPU = Field((), max_length=MAX_GPUS, description="One GPU or a list, as people write it: `rtx5090`, `sm_120`.")
ROWS = Field(
    (), max_length=MAX_GPUS, description="The rows, as people write a GPU; left out: one for each compute capability."
)
PACKAGES = Field((), max_length=MAX_PACKAGES, description="Requirements that must fit too, such as `flash-attn>=2.7`.")
DRIVER = Field(None, description="The driver installed: a branch (`570`) or a version (`570.124.06`).")
PYTHON = Field(None, description="A Python version or specifier.")
TORCH = Field(None, description="A torch version or specifier, with a variant where wanted: `2.6.0+cu124`.")
CUDA = Field(None, description="A CUDA version or specifier.")
RUNTIME = Field(
    None, description="How a container gets its GPUs: `legacy` (the hook) or `cdi`; left out, both are told of."
)
MACHINE = Field(None, description="`x86_64` or `aarch64`; left out, what the GPU is built into.")


class _Question(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ResolveBody(_Question):
    """The question of `/resolve`."""

    gpu: Names = GPU
    os: Text = Field("linux", description="The operating system, such as `ubuntu-24.04`, `windows-11`, `wsl2`.")
    machine: Text | None = MACHINE
    driver: Text | None = DRIVER
    python: Text | None = PYTHON
    torch: Text | None = TORCH
    cuda: Text | None = CUDA
    packages: Packages = PACKAGES
    prefer: Literal["newest", "conservative"] = Field("newest", description="Newest stable, or one minor back.")
    limit: int = Field(5, ge=1, le=MAX_LIMIT, description="How many stacks at most.")
    container_runtime: Text | None = RUNTIME

    def asked(self) -> Asked:
        """The question as the resolver takes it."""
        return Asked(
            gpus=self.gpu,
            os=self.os,
            machine=self.machine,
            driver=self.driver,
            python=self.python,
            torch=self.torch,
            cuda=self.cuda,
            packages=self.packages,
            prefer=self.prefer,
            limit=self.limit,
            container_runtime=self.container_runtime,
        )


class DockerfileBody(ResolveBody):
    """The question of `/dockerfile`."""

    base: Literal["cuda", "pytorch", "ngc", "python"] = Field("cuda", description="The family of the base image.")
    workload: Literal["run", "build"] = Field("run", description="`build` adds the compiler.")

    def options(self) -> dict[str, str]:
        """The options of the file, as the resolver takes them."""
        return {"base": self.base, "workload": self.workload}


class BuildBody(ResolveBody):
    """The question of `/build`: what to compile with. `cuda` is that of the toolkit."""

    compiler: Text | None = Field(None, description="The host compiler: `gcc-13`, `clang 18`; left out, the system's.")


class ArtifactBody(ResolveBody):
    """The question of `/artifacts/{kind}`; a kind takes the options that `/artifacts` lists for it."""

    base: Literal["cuda", "pytorch", "ngc", "python"] | None = Field(None, description="The family of the base image.")
    workload: Literal["run", "build"] | None = Field(None, description="`build` adds the compiler.")
    name: Text | None = Field(None, description="What the result is called.")
    image: Name | None = Field(None, description="The name of the built image, with its tag or digest.")
    kind: Literal["pod", "job"] | None = Field(None, description="Which object of Kubernetes.")
    count: int | None = Field(None, ge=1, le=MAX_COUNT, description="How many GPUs a container gets.")
    mig: Text | None = Field(None, description="An instance of a GPU instead of a whole one, such as `1g.10gb`.")
    runtime_class: Text | None = Field(None, description="The RuntimeClass, where the cluster wants one.")

    def options(self) -> dict[str, str]:
        """The options that are given, as the resolver takes them."""
        return {name: str(value) for name in OPTIONS if (value := getattr(self, name)) is not None}


class FileBody(ArtifactBody):
    """The same with the kind of file inside, for callers that have no address to name it in."""

    file: Literal[
        "dockerfile", "compose", "devcontainer", "kubernetes", "apptainer", "requirements", "uv", "conda", "pixi"
    ] = Field(description="Which file.")


class CheckBody(_Question):
    """A concrete stack for `/check`; a part that is not given is not judged."""

    gpu: Names = NO_GPU
    driver: Text | None = DRIVER
    torch: Text | None = TORCH
    cuda: Text | None = CUDA
    image: Name | None = Field(None, description="A container image with its tag.")
    python: Text | None = PYTHON
    os: Text | None = Field(None, description="The operating system, such as `ubuntu-24.04`.")
    machine: Text | None = MACHINE
    packages: Packages = PACKAGES
    container_runtime: Text | None = RUNTIME

    def checked(self) -> Checked:
        """The stack as the resolver takes it."""
        return Checked(**dict(self))


class AskTurn(_Question):
    """One earlier message of a conversation."""

    role: Literal["user", "assistant", "system"] = Field(description="Only what the user said is read.")
    content: str = Field(max_length=MAX_MESSAGE)


Turns = Annotated[
    tuple[AskTurn, ...],
    Field(max_length=MAX_TURNS),
    BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value),
]


class AskContext(_Question):
    """What a client knows of the machine."""

    gpu: Name | None = None
    driver: Name | None = None
    torch: Name | None = None
    cuda: Name | None = None
    python: Name | None = None
    os: Name | None = None
    image: Name | None = None


Kinds = Annotated[
    tuple[Literal["gpu", "driver", "driver-cuda", "toolkit", "torch", "python", "os", "image", "packages"], ...],
    Field(max_length=9),
    BeforeValidator(_listed),
]


class AskBody(_Question):
    """The question of `/ask`: a message as people write or paste it, with what was said before."""

    message: str = Field(min_length=1, max_length=MAX_MESSAGE, description="A question, an error text or a whole log.")
    history: Turns | None = Field(
        None, description="What was said before, oldest first: the service itself keeps nothing."
    )
    context: AskContext | None = Field(None, description="What is known of the machine; the message counts before it.")
    without: Kinds = Field(
        (), description="Facts of an answer that the text does not tell rightly; `context` may tell them instead."
    )

    @property
    def size(self) -> int:
        """The characters of all that was said."""
        return len(self.message) + sum(len(turn.content) for turn in self.history or ())

    def turns(self) -> list[Turn]:
        """The history as the assistant takes it."""
        return [Turn(turn.role, turn.content) for turn in self.history or ()]

    def known(self) -> dict[str, str]:
        """The context as the assistant takes it."""
        return {name: value for name, value in self.context or () if value is not None}


class ResolveQuery(ResolveBody):
    """`/resolve` as a query string: `gpu` repeated or with commas."""

    gpu: QueryNames = GPU
    torch: QueryTorch = TORCH
    packages: QueryPackages = PACKAGES
    limit: int = Field(5, ge=1, le=MAX_LIMIT, strict=False, description="How many stacks at most.")


class BuildQuery(ResolveQuery, BuildBody):
    """`/build` as a query string."""


class DockerfileQuery(ResolveQuery, DockerfileBody):
    """`/dockerfile` as a query string."""


class TorchMatrixQuery(_Question):
    """`/matrix/torch` as a query string."""

    gpu: QueryNames = ROWS
    os: Text = Field("linux", description="The operating system, such as `ubuntu-24.04`, `windows-11`, `wsl2`.")
    machine: Text | None = MACHINE
    driver: Text | None = DRIVER
    python: Text | None = PYTHON
    torch: QueryTorch = Field(None, description="The columns: a torch version or specifier, such as `>=2.6`.")
    variant: Text | None = Field(None, description="Only builds of this variant: `cu126`.")

    def asked(self) -> Asked:
        """The question of all rows as the resolver takes it."""
        parts = {name: getattr(self, name) for name in ("os", "machine", "driver", "python", "torch")}
        return Asked(gpus=self.gpu, **parts)


class DriverMatrixQuery(_Question):
    """`/matrix/drivers` as a query string."""

    os: Text = Field("linux", description="Whose drivers: `linux`, `windows-11`, `wsl2` or any system known.")


class ArtifactQuery(ResolveQuery, ArtifactBody):
    """`/artifacts/{kind}` as a query string."""

    count: int | None = Field(None, ge=1, le=MAX_COUNT, strict=False, description="How many GPUs a container gets.")


class CheckQuery(CheckBody):
    """`/check` as a query string."""

    gpu: QueryNames = NO_GPU
    torch: QueryTorch = TORCH
    packages: QueryPackages = PACKAGES
