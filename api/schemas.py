"""The answers described: OpenAPI is made from these models, and the tests hold real answers against them.

Answers are not validated on their way out; the resolver makes them as plain data.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

__all__ = [
    "ArtifactsAnswer",
    "AskAnswer",
    "BuildAnswer",
    "ChatAnswer",
    "ChatError",
    "CheckAnswer",
    "ClaimAnswer",
    "GpuAnswer",
    "GpusAnswer",
    "ModelAnswer",
    "ModelsAnswer",
    "ProblemDocument",
    "ResolveAnswer",
    "SourceAnswer",
    "SourcesAnswer",
    "SuggestedAnswer",
]

Verdict = Literal["yes", "no", "unknown"]
Evidence = Literal["measured", "documented", "reported"]


class _Described(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GpuPart(_Described):
    """A product, or a bare compute capability."""

    id: str
    name: str
    compute_capability: str
    architecture: str | None


class Understood(GpuPart):
    """What a name was understood as; `candidates` where it covers several products that run the same."""

    asked: str
    candidates: list[str] = []


class Because(_Described):
    """One reason: the rule, the claim it rests on first (all of them under `claims`), its evidence and where to look.

    `uncertain` says why a claim is doubted by its own source, where one is.
    """

    rule: str
    claim: str | None
    text: str
    evidence: Evidence | None
    source: str | None
    claims: list[str] = []
    uncertain: str | None = None


class DriverInstall(_Described):
    """How to install the recommended branch; empty where no command is known."""

    os: str = ""
    module: str = ""
    commands: list[str] = []
    claim: str = ""


class DriverPart(_Described):
    """The driver of a stack: what is installed, the least that works, and the branch to install."""

    installed: str | None
    minimum: str | None
    maximum_branch: str | None
    recommended_branch: str | None
    supported_until: str | None
    kernel_module: Literal["open", "proprietary", "either", "mixed"] | None
    install: DriverInstall


class HostCompiler(_Described):
    """The newest compilers that the recommended toolkit takes; `yours` is the one named, or that of the system."""

    gcc: str | None
    clang: str | None
    msvc: str | None
    yours: str | None
    fits: Verdict | None
    advice: str | None


class BuildToolkit(_Described):
    """The CUDA toolkit for compiling code of one's own. `maximum` is null where no newer one has dropped the GPU.

    `arch_list` is for `TORCH_CUDA_ARCH_LIST`, `cmake` for `CMAKE_CUDA_ARCHITECTURES`, `gencode` for nvcc;
    `arch_list_specific` is for kernels that use instructions of one architecture only.
    """

    minimum: str | None
    maximum: str | None
    recommended: str | None
    arch_list: str
    arch_list_specific: str | None
    cmake: str
    gencode: list[str]
    host_compiler: HostCompiler


class CudaPart(_Described):
    """The CUDA inside the wheel and how the driver runs it."""

    runtime: str
    runs_as: Literal["native", "minor-version", "forward"] | None
    build_toolkit: BuildToolkit


class Companions(_Described):
    """The packages released with a torch."""

    torchvision: str | None
    torchaudio: str | None


class TorchPart(_Described):
    """The wheel: `index_url` is null where the package index itself serves it."""

    version: str
    variant: str | None
    python: list[str]
    glibc: str | None
    index_url: str | None
    companions: Companions
    kernels: Literal["sass", "ptx"] | None


class ImagePart(_Described):
    """A container image that fits."""

    reference: str
    kind: Literal["cuda", "pytorch", "ngc", "jetson"]
    claim: str | None = None


class Install(_Described):
    """The commands that install the wheel with its companions."""

    pip: str
    uv: str
    conda: str | None


class JetPackPart(_Described):
    """The JetPack of a Jetson's stack: it brings the driver, the CUDA and the system."""

    release: str
    l4t: str
    os: str | None
    cuda: str


class PackagePart(_Described):
    """A package beside torch. `install` is its own command where it is not loaded into torch, so that it may live apart."""

    version: str
    package: str
    requirement: str
    cuda: str | None
    compiled: bool
    index_url: str | None
    install: str | None
    verdict: Verdict


class Stack(_Described):
    """One combination that works. A Jetson's has a `jetpack`, and null where a part does not apply to it."""

    verdict: Verdict
    gpus: list[GpuPart]
    driver: DriverPart
    cuda: CudaPart
    torch: TorchPart
    images: list[ImagePart]
    install: Install
    packages: dict[str, PackagePart]
    features: dict[str, Literal["native", "emulated", "absent"]]
    evidence: Evidence
    because: list[Because]
    jetpack: JetPackPart | None = None


class Constraint(_Described):
    """One part of the question that takes part in a conflict."""

    name: str
    asked: str


class Conflict(_Described):
    """The smallest set of constraints that cannot hold together, and why."""

    constraints: list[Constraint]
    causes: list[Because]
    text: str


class Fix(BaseModel):
    """One change that makes a stack; further members depend on the kind."""

    model_config = ConfigDict(extra="allow")
    kind: str
    change: dict[str, Any]
    text: str


class Notice(_Described):
    """Something that ends or has ended, and when (`on`: a day or a month); told from the day of the data."""

    id: str
    text: str
    on: str | None
    claim: str | None
    source: str | None


class ResolveAnswer(_Described):
    """The answer of `/resolve`."""

    verdict: Verdict
    gpus: list[Understood]
    stacks: list[Stack]
    conflict: Conflict | None
    fixes: list[Fix]
    warnings: list[str]
    notices: list[Notice]
    data_version: str


class Finding(_Described):
    """One judgement on a stack."""

    severity: Literal["ok", "warning", "error", "unknown"]
    rule: str
    text: str
    because: list[Because]


class CheckAnswer(_Described):
    """The answer of `/check`."""

    verdict: Verdict
    gpus: list[Understood]
    findings: list[Finding]
    conflict: Conflict | None
    fixes: list[Fix]
    notices: list[Notice]
    data_version: str


class BuildAnswer(_Described):
    """The answer of `/build`; `torch` is the wheel that an extension compiled with this toolkit belongs to."""

    verdict: Verdict
    gpus: list[Understood]
    torch: str | None
    toolkit: BuildToolkit | None
    findings: list[Finding]
    fixes: list[Fix]
    data_version: str


class Cause(_Described):
    """A cause that the text shows, by its stable id."""

    id: str
    title: str
    confidence: Literal["certain", "likely", "possible"]


class Fact(_Described):
    """What was understood, and the line that says so."""

    value: str
    quote: str


class StackFix(_Described):
    """A whole stack as the cure."""

    kind: Literal["stack"]
    stack: Stack


class Advice(_Described):
    """What the assistant made of a message; `diagnosis` is null where the text does not decide it."""

    language: Literal["en", "zh"]
    diagnosis: Cause | None
    others: list[Cause]
    facts: dict[str, Fact]
    question: str | None
    fixes: list[StackFix | Fix]
    sources: list[str]
    data_version: str


class FileAnswer(_Described):
    """A file as a member of an answer, with the name it usually has."""

    filename: str
    media_type: str
    text: str
    data_version: str


class ArtifactOption(_Described):
    """One option of a kind of file; `default` is null where it is left out."""

    name: str
    about: str
    default: str | None
    choices: list[str]


class ArtifactKindPart(_Described):
    """One kind of file."""

    kind: str
    about: str
    filename: str
    media_type: str
    options: list[ArtifactOption]
    links: dict[str, str]


class ArtifactsAnswer(_Described):
    """The answer of `/artifacts`."""

    artifacts: list[ArtifactKindPart]
    data_version: str


class AskAnswer(Advice):
    """The answer of `/ask`; `answer` is Markdown."""

    answer: str


class ModelAnswer(_Described):
    """The answer of `/v1/models/{id}`."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    data_version: str


class ModelsAnswer(_Described):
    """The answer of `/v1/models`."""

    object: Literal["list"]
    data: list[ModelAnswer]


class ChatMessage(_Described):
    """The message of a chat answer: Markdown for people, the same as data under `whichcuda`."""

    role: Literal["assistant"]
    content: str
    whichcuda: Advice | None = None


class ChatChoice(_Described):
    """The only choice there is."""

    index: Literal[0]
    message: ChatMessage
    finish_reason: Literal["stop"]


class ChatUsage(_Described):
    """A token is counted for every four bytes of text in UTF-8."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatAnswer(_Described):
    """The answer of `/v1/chat/completions` where no stream is asked for."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    system_fingerprint: str
    choices: list[ChatChoice]
    usage: ChatUsage


class ChatErrorPart(_Described):
    """What went wrong, in the form of the OpenAI interface."""

    message: str
    type: str
    param: str | None
    code: str | None


class ChatError(_Described):
    """The errors of the addresses below `/v1/`."""

    error: ChatErrorPart


class GpuRow(GpuPart):
    """One line of `/gpus`."""

    platform: Literal["desktop", "tegra"]
    released: str | None


class GpusAnswer(_Described):
    """The answer of `/gpus`."""

    count: int
    gpus: list[GpuRow]
    data_version: str


class SuggestedRow(_Described):
    """One product that what is typed may become."""

    id: str
    name: str
    compute_capability: str


class SuggestedAnswer(_Described):
    """The answer of `/gpus/suggested`; `count` is of all that match."""

    count: int
    gpus: list[SuggestedRow]
    data_version: str


class EvidencePiece(_Described):
    """One piece of evidence: where it was found and the day it was read; `source` is an id of `/sources`."""

    kind: Evidence
    where: str
    on: str
    source: str | None = None
    how: str | None = None
    place: str | None = None


class ClaimData(BaseModel):
    """One claim; its own values stand beside these members."""

    model_config = ConfigDict(extra="allow")
    id: str
    relation: str
    subject: str
    standing: Literal["preferred", "normal", "deprecated"]
    evidence: list[EvidencePiece]
    links: dict[str, str]


class Voice(_Described):
    """One voice on a question; `agrees` with the claim asked for, `on` is its newest evidence."""

    id: str
    agrees: bool
    standing: Literal["preferred", "normal", "deprecated"]
    because: str | None
    uncertain: str | None
    evidence: Evidence
    on: str
    links: dict[str, str]


class RuleData(_Described):
    """A rule of the resolver."""

    id: str
    says: str
    citation: str


class ClaimAnswer(ClaimData):
    """The answer of `/claims/{id}`: the claim, every voice on its question (itself too), and who reads it.

    `confirmed_by` and `contradicted_by` name the artefacts that were measured; `stale`: nothing fresh stands behind it.
    """

    stale: bool
    voices: list[Voice]
    confirmed_by: list[str]
    contradicted_by: list[str]
    rules: list[RuleData]
    data_version: str


class SourceRow(_Described):
    """One line of `/sources`; `newest` is the last day it was read, `age_days` counts from there to the day of the data."""

    id: str
    title: str
    publisher: str | None
    link: str
    licence: str | None
    changes: str | None
    stale_after_days: int | None
    newest: str | None
    age_days: int | None
    stale: bool
    claim_count: int
    links: dict[str, str]


class SourcesAnswer(_Described):
    """The answer of `/sources`."""

    count: int
    sources: list[SourceRow]
    data_version: str


class SourceAnswer(SourceRow):
    """The answer of `/sources/{id}`: `claims` by relation."""

    claims: dict[str, list[str]]
    data_version: str


class DriverWindow(_Described):
    """From which driver to which branch a GPU is driven; null where there is no bound, or none is known."""

    first: str | None
    last_branch: str | None
    claim: str


class KernelModule(_Described):
    """The kernel module flavours that work for a GPU on Linux."""

    works_with: list[Literal["open", "proprietary"]]
    claim: str


class GpuAnswer(_Described):
    """The answer of `/gpus/{id}`."""

    id: str
    name: str
    marketing_name: str
    family: str
    architecture: str
    chip: str
    compute_capability: str
    platform: Literal["desktop", "tegra"]
    machines: list[str]
    released: str | None
    memory_gb: list[float]
    specs: dict[str, Any] | None
    driver: dict[Literal["linux", "windows"], DriverWindow]
    kernel_module: KernelModule | None
    pci_ids: list[str]
    driver_names: list[str]
    aliases: list[str]
    note: str | None
    claims: list[ClaimData]
    links: dict[str, str]
    data_version: str


class ProblemPart(_Described):
    """One faulty part of a request."""

    path: str
    message: str
    given: str | None = None


class ProblemDocument(BaseModel):
    """An RFC 9457 problem. `no-stack` adds the answer's conflict, fixes and more."""

    model_config = ConfigDict(extra="allow")
    type: str
    title: str
    status: int
    detail: str
    instance: str | None
    candidates: list[str]
    errors: list[ProblemPart]
