"""Predicates about where it happens, on which kind of GPU, and whether somebody asks or a program complains."""

from __future__ import annotations

import re
from collections.abc import Callable

from assistant.case import Case, Proof, predicate
from matrices.model import CcThroughput, Gpu
from matrices.versions import ComputeCapability
from resolver.names import Unknown

__all__: list[str] = []

# --- systems and platforms --------------------------------------------------------------------------------------------


@predicate("windows")
def windows(case: Case) -> Proof | None:
    """It runs on Windows."""
    found = [fact for fact in case.all("os") if fact.value.startswith("windows")]
    return Proof.of(*found) if found else case.word("win11", "win10", "win7", "windows")


@predicate("linux")
def linux(case: Case) -> Proof | None:
    """It runs on Linux."""
    found = [fact for fact in case.all("os") if not fact.value.startswith(("windows", "wsl"))]
    return Proof.of(*found) if found else None


@predicate("wsl")
def wsl(case: Case) -> Proof | None:
    """It runs in the Windows Subsystem for Linux."""
    return case.of("platform", "wsl") or case.of("os", "wsl2")


def _platform(name: str, says: str) -> None:
    def holds(case: Case) -> Proof | None:
        return case.of("platform", name)

    holds.__doc__ = says
    predicate(name)(holds)


_platform("kubernetes", "It runs in Kubernetes.")
_platform("jetson", "It runs on a Jetson.")
_platform("virtual-machine", "It runs in a virtual machine, or a GPU is passed to one.")


@predicate("container")
def container(case: Case) -> Proof | None:
    """It runs in a container."""
    named = case.all("image")
    return case.of("platform", "container") or (Proof.of(named[0]) if named else None)


@predicate("laptop")
def laptop(case: Case) -> Proof | None:
    """It runs on a laptop."""
    return case.of("platform", "laptop") or _gpus_that(case, lambda gpu: "laptop" in gpu.family)


# --- kinds of GPU -----------------------------------------------------------------------------------------------------


def _gpus_that(case: Case, are: Callable[[Gpu], bool]) -> Proof | None:
    """A GPU named of which all candidates are of a kind."""
    return next((Proof.of(fact) for fact, gpus in case.gpus if all(map(are, gpus))), None)


@predicate("gpu-named")
def gpu_named(case: Case) -> Proof | None:
    """An NVIDIA GPU is named."""
    return Proof.of(case.all("gpu")[0]) if case.all("gpu") else None


@predicate("mining-card")
def mining_card(case: Case) -> Proof | None:
    """A card without display outputs for mining, or one that somebody has altered."""
    named = _gpus_that(case, lambda gpu: gpu.family == "mining")
    return named or case.said(
        "矿卡", "魔改", "mining card", "modded", "modified card", "engineering sample", "p106", "p104-100", "p102-100"
    )


@predicate("nvswitch")
def nvswitch(case: Case) -> Proof | None:
    """A machine with NVSwitch."""
    return case.said("nvswitch", "hgx", "dgx", "fabric manager", "fabricmanager", "nvidia-fabricmanager") or _gpus_that(
        case, lambda gpu: "sxm" in gpu.id and gpu.architecture not in ("Pascal", "Volta")
    )


_MODEL = re.compile(
    r"(?<![a-z0-9])(?:(?:rtx|gtx|quadro|tesla|geforce) ?){1,2}(?:pro ?)?[a-z]{0,2} ?\d{3,5}(?: ?(?:ti|super|d|m))?(?![a-z0-9.])"
)


@predicate("unknown-product")
def unknown_product(case: Case) -> Proof | None:
    """A name in the manner of NVIDIA's that no product has, where no other product is named."""
    if case.all("gpu") or case.all("gpu-series"):
        return None
    for needle in ("rtx", "gtx", "quadro", "tesla", "geforce"):
        for number, name in case.haystack.all_matching(_MODEL, needle):
            if isinstance(case.engine.names.recognise(name), Unknown):
                return Proof((number,))
    return None


_SEVERAL = re.compile(
    r"(?<![\d.])[2-9] ?[x×*] ?(?:nvidia|rtx|gtx|tesla|a\d|h\d|v100|[2345]0[6-9]0|gpu)|(?<![a-z])[x×] ?[2-9](?!\d)"
    r"|双卡|多卡|多张|两张|[2-8四八] ?(?:卡|张)|双 ?(?:[2345]0[6-9]0|v100|a100|p40)|(?:two|both|multiple|multi|dual|second|four|eight)[ -](?:\w{1,12} )?(?:gpus?|cards?)"
    r"|gpu ?[1-7](?!\d)|(?<![/\w])cuda:[1-7](?![\d.])|rank ?[1-7](?!\d)"
)


@predicate("several-gpus")
def several_gpus(case: Case) -> Proof | None:
    """More than one GPU takes part."""
    listed = [
        fact
        for fact in case.all("environment")
        if fact.value.name == "CUDA_VISIBLE_DEVICES" and "," in fact.value.value
    ]
    if listed:
        return Proof.of(listed[0])
    line = case.haystack.line_matching(_SEVERAL, "")
    return None if line is None else Proof((line,))


@predicate("driver-dropped")
def driver_dropped(case: Case) -> Proof | None:
    """A GPU that the newest drivers no longer drive."""
    index = case.engine.index

    def left(capability: ComputeCapability) -> bool:
        window = index.drivers.window(capability, "linux")
        return window is not None and window.last is not None

    return next((Proof.of(fact) for fact, value in case.capabilities if left(value)), None)


@predicate("slow-half")
def slow_half(case: Case) -> Proof | None:
    """A GPU that computes more slowly in half precision than in single precision."""
    rates = {claim.subject: claim for claim in case.engine.catalogue.claims(CcThroughput)}
    slow = {name for name, claim in rates.items() if claim.fp16 < claim.fp32 and not claim.uncertain}
    return next((Proof.of(fact) for fact, value in case.capabilities if str(value) in slow), None)


@predicate("turing-16")
def turing_16(case: Case) -> Proof | None:
    """A GTX 16xx or another card with its chips, which lacks tensor cores."""
    return _gpus_that(case, lambda gpu: gpu.chip.startswith(("TU116", "TU117")))


_AMOUNT = re.compile(
    r"(?P<kind>capacity|allocatable)?[^\n]{0,40}?nvidia\.com/gpu(?:\.shared)?[\"']?:?\s{0,20}[\"']?(?P<count>\d{1,3})"
)
_HEADING = re.compile(r"\s{0,4}(?P<kind>capacity|allocatable)\b")


@predicate("gpu-allocatable-below-capacity")
def allocatable_below_capacity(case: Case) -> Proof | None:
    """A node of Kubernetes offers fewer GPUs than it has."""
    kind, counts, shown = "", dict[str, int](), list[int]()
    for number, line in case.haystack.lines_near("nvidia.com/gpu", 30):
        heading = _HEADING.match(line)
        kind = heading["kind"] if heading else kind
        found = _AMOUNT.search(line)
        if found is not None and (found["kind"] or kind):
            counts.setdefault(found["kind"] or kind, int(found["count"]))
            shown.append(number)
    below = counts.get("allocatable", 0) < counts.get("capacity", 0) and "allocatable" in counts
    return Proof(tuple(shown)) if below else None


# --- what is told -----------------------------------------------------------------------------------------------------


def _has(name: str, kinds: tuple[str, ...], says: str) -> None:
    def holds(case: Case) -> Proof | None:
        found = [fact for kind in kinds for fact in case.all(kind)]
        return Proof.of(found[0]) if found else None

    holds.__doc__ = says
    predicate(name)(holds)


_has("driver-named", ("driver",), "The driver's version is told.")
_has("torch-named", ("torch",), "The version of torch is told.")
_has("cuda-named", ("cuda", "toolkit", "torch-cuda", "driver-cuda"), "A CUDA version is told.")

_ERRORS = (
    "cuda-error",
    "library-error",
    "nvml-error",
    "nccl-error",
    "xid",
    "memory",
    "missing-library",
    "device-code",
    "windows-event",
)
_PRINTED = re.compile(
    r"(?:^|[a-z. ])(?:error|exception|warning|fatal|failed|failure)(?:\s*[:(\[]|$)|traceback \(most recent|\b[a-z]*error:|\berr:|错误:|错误：|fatal :|cannot open shared|"
    r"not compatible with the current|no such file|core dumped|segmentation fault|unable to (?:load|find|locate|initialize)"
)


@predicate("error-text")
def error_text(case: Case) -> Proof | None:
    """A program complains."""
    found = [fact for kind in _ERRORS for fact in case.all(kind)]
    if found:
        return Proof.of(found[0])
    for needle in (
        "error",
        "fail",
        "exception",
        "warning",
        "fatal",
        "traceback",
        "错误",
        "cannot open",
        "not compatible",
        "no such",
        "fault",
        "unable",
    ):
        line = case.haystack.line_matching(_PRINTED, needle)
        if line is not None:
            return Proof((line,))
    return None


_UNSEEN = (
    "找不到显卡", "找不到 gpu", "找不到gpu", "检测不到", "识别不到", "无法识别", "不能识别", "没有发现显卡", "未检测到", "未找到显卡", "not detected", "does not detect",
    "doesn't detect", "cannot find my gpu", "can't find gpu", "no gpu found", "gpu not found", "does not see", "doesn't see", "not recognized", "not recognised",
)  # fmt: skip


@predicate("gpu-not-seen")
def gpu_not_seen(case: Case) -> Proof | None:
    """Somebody complains that a program does not find the GPU."""
    return case.of("cuda-available", False) or case.said(*_UNSEEN)


_SCRIPT = re.compile(
    r"\b(?:attribute|module ?not ?found|import|type|syntax|indentation|key|name|index|unicode\w{0,10}|zerodivision|recursion)error\b|npm err|\beslint|"
    r"\bcannot find module\b|\bundefined is not a\b|package\.json"
)


@predicate("script-error")
def script_error(case: Case) -> Proof | None:
    """An interpreter complains: Python or JavaScript."""
    for needle in ("error", "npm", "module", "undefined", "package.json"):
        line = case.haystack.line_matching(_SCRIPT, needle)
        if line is not None:
            return Proof((line,))
    return None


_ASKING = re.compile(
    r"[?？]|(?:^|[.!,;] )(?:how|what|which|why|where|when|is|are|can|could|does|do|should|will|would|any(?:one|body)?)\s[a-z]"
    r"|[吗呢么]\s*(?:$|[,.，。!])|怎么|如何|哪个|哪种|哪些|什么|为什么|为啥|能不能|可不可以|可以.{0,12}吗|是否|有没有|多少|还是.{0,20}$|求助|请问"
)


@predicate("question")
def question(case: Case) -> Proof | None:
    """Somebody asks something."""
    line = case.haystack.line_matching(_ASKING, "")
    return None if line is None else Proof((line,))


_TENSORFLOW = re.compile(r"(?:tensorflow|\btf)(?:-gpu)?[ =:v]{0,3}(\d\.\d{1,2})(?!\d)")


@predicate("tensorflow-without-gpu-on-windows")
def tensorflow_windows(case: Case) -> Proof | None:
    """A TensorFlow that has no GPU support on Windows itself."""
    system = case.proof("windows")
    if system is None or case.holds("wsl", "container"):
        return None
    for line, found in case.haystack.all_matching(_TENSORFLOW, "."):
        named = _TENSORFLOW.fullmatch(found)
        if named and case.index.releases.without_gpu("tensorflow", named[1], "windows"):
            return Proof((line, *system.lines))
    return None
