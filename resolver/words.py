"""The words for reasons and fixes: the last step, apart from every judgement.

One template per kind of `Reason`; literals stand in backticks. `{...}` are the reason's own values. English, unless a
caller is `speaking` another language: judgements know nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

from resolver.judge import Reason

__all__ = ["TEMPLATES", "Language", "joined", "quoted", "say", "sentence", "speaking", "spoken"]

Language = Literal["en", "zh"]
_SPOKEN: ContextVar[Language] = ContextVar("spoken language", default="en")

TEMPLATES: dict[str, str] = {
    "capability": "{gpu} has compute capability {capability}.",
    "capability-asked": "The question is about compute capability {capability}.",
    "drives": "Driver {driver} drives {gpu}.",
    "drives-from": "Driver {driver} drives {gpu} from {added} on.",
    "drives-unknown": "It is not known whether driver {driver} drives {gpu} (compute capability {capability}).",
    "dropped": "Driver {driver} no longer drives {gpu}: R{last} is the last branch that does.",
    "too-old-for-gpu": "Driver {driver} is too old for {gpu}, which needs at least {added}.",
    "module": "{gpu} works with {flavour} of R{branch}.",
    "module-none": "{gpu} needs the {needed} kernel modules, which R{branch} does not offer.",
    "module-unknown": "It is not known which kernel modules {gpu} needs with R{branch}.",
    "module-apart": "{first} needs the {first_module} kernel modules and {second} the {second_module} ones:"
    " they cannot share one Linux host, only one software stack.",
    "drives-apart": "No driver branch drives both {gpu} and {other}: R{last} is the last for {gpu}, and {other} needs at least {added}.",
    "runs-native": "Driver {driver} runs CUDA {cuda} natively (its own is {native}).",
    "runs-native-from": "Driver {driver} runs CUDA {cuda} natively (its own is {native}) from {floor} on.",
    "runs-minor": "Driver {driver} runs CUDA {cuda} by minor-version compatibility (from {floor} on).",
    "runs-unknown": "It is not known whether driver {driver} runs CUDA {cuda}.",
    "driver-too-old": "Driver {driver} is too old for CUDA {cuda}, which needs at least {floor}.",
    "kernels-sass": "torch {torch} holds machine code for {target}, which runs on {gpu} ({capability}).",
    "kernels-ptx": "torch {torch} holds PTX for {target}, which the driver compiles for {gpu} ({capability}) at the first start.",
    "kernels-ptx-not-here": "torch {torch} has only PTX of CUDA {cuda} for {gpu}, and the driver is older than that CUDA, so it cannot compile it.",
    "kernels-ptx-perhaps": "torch {torch} has only PTX of CUDA {cuda} for {gpu}, and it is not known whether the driver is as new as that CUDA.",
    "kernels-none": "torch {torch} has no code for {gpu} ({capability}): it holds {sass} and no PTX that fits.",
    "kernels-unknown": "It is not known whether torch {torch} has code for {gpu} ({capability}).",
    "library": "torch {torch} does not support {gpu} ({capability}): {package} {versions} is for {supported}.",
    "library-lacks-code": "In torch {torch} the library {library} has no code for {gpu} ({capability}): calls into it may fail.",
    "published": "torch {torch} is published for {os} on {machine}.",
    "published-unknown": "It is not certain that torch {torch} was published for {os} on {machine}: {doubt}.",
    "cuda-not": "torch {torch} is built with CUDA {has}; `{cuda}` was asked for.",
    "python": "torch {torch} has wheels for Python {has}.",
    "python-unknown": "It is not known for which Python versions torch {torch} has wheels.",
    "python-not": "torch {torch} has no wheel for Python {python}; it has {has}.",
    "glibc": "{os} has glibc {has}; torch {torch} needs {needs}.",
    "glibc-unknown": "It is not known which glibc {os} has; torch {torch} needs {needs}.",
    "glibc-old": "{os} has glibc {has}, older than the {needs} that torch {torch} needs.",
    "platform-not": "torch {torch} has no build for {os} on {machine}; one exists for {has}.",
    "machine-not": "{gpu} is built into {machines} machines only, not {machine}.",
    "os-takes": "{os} takes {gpu} ({capability}); its driver is the one of Windows.",
    "os-takes-model": "{os} takes {gpu} ({capability}) only while Windows runs it through {model}; boards like this start in another"
    " mode (`nvidia-smi -q` shows `Driver Model`).",
    "driver-outside": "The driver for {os} is installed in Windows only: a Linux driver inside it does harm.",
    "os-needs-newer-gpu": "{os} needs compute capability {minimum} or newer; {gpu} has {capability}.",
    "os-needs-newer-driver": "{os} needs a Windows driver from branch {branch} on.",
    "companion-not": "torch {torch} goes with {package} {has}, not {wanted}.",
    "companion-unknown": "It is not known which {package} goes with torch {torch}.",
    "companion": "torch {torch} goes with {package} {has}.",
    "targets": "The compiler of CUDA {cuda} makes code for {gpu} ({capability}).",
    "targets-not": "The compiler of CUDA {cuda} makes no code for {gpu} ({capability}).",
    "targets-near": "The compiler of CUDA {cuda} does not know {gpu} ({capability}), but its code for {target} runs there.",
    "targets-ptx": "The compiler of CUDA {cuda} makes no machine code for {gpu} ({capability}): only PTX of {target}, which the driver compiles at the first start.",
    "host-compiler": "CUDA {cuda} compiles with {compiler} (up to {maximum}).",
    "host-compiler-new": "{compiler} is too new for CUDA {cuda}, which takes versions up to {maximum}.",
    "host-compiler-system": "{compiler} is too new for CUDA {cuda}, which takes versions up to {maximum}. To compile: {advice}.",
    "host-compiler-unknown": "It is not known whether CUDA {cuda} compiles with {compiler}.",
    "toolkit-none": "No toolkit among {among} is known to make code for {gpu}.",
    "targets-unknown": "It is not known what the compiler of CUDA {cuda} makes code for.",
    "tegra": "{gpu} is a Tegra chip: its CUDA and torch come with JetPack, not from the wheels for servers and desktops.",
    "nothing-fits": "No build is known that goes with all of this: {wanted}.",
    "no-wheel": "No torch {torch} is known that fits.",
    "newer-than-data": "`{given}` is newer than what this data covers (up to {newest}).",
    "open-variants": "Whether torch {torch} was published as {variants} for {os} on {machine} is not known.",
    "package-unjudged": "`{package}` is not judged by this data yet.",
    "together": "torch {torch} goes with {packages}.",
    "together-not": "No torch goes with {packages} here.",
    "together-unknown": "It is not known which torch goes with {packages} here.",
    "package-torch": "{package} {version} goes with torch {torch}.",
    "package-torch-not": "{package} {version} goes with torch {needs}, not with {torch}.",
    "package-torch-unknown": "It is not known which torch {package} {version} goes with.",
    "package-cuda": "{package} {version} is built for CUDA {cuda}.",
    "package-cuda-not": "{package} {version} is built for CUDA {cuda}, but torch {torch} brings CUDA {has}.",
    "package-cuda-unknown": "It is not known for which CUDA {package} {version} is built.",
    "package-python": "{package} {version} has a build for Python {python}.",
    "package-python-not": "{package} {version} has no build for Python {python}; it has {has}.",
    "package-platform-not": "{package} {version} has no build for {os} on {machine}; one exists for {has}.",
    "package-platform-unknown": "It is not known for which platforms {package} {version} has builds.",
    "package-without-gpu": "{package} {version} uses no GPU on {os} ({machine}).",
    "package-glibc-old": "{os} has glibc {has}, older than the {needs} that {package} {version} needs.",
    "package-compiled": "{package} {version} has no ready build: it is compiled at installation, with torch there already and a CUDA"
    " toolkit (`nvcc`) of torch's CUDA major.",
    "package-system-cuda": "{package} {version} brings no CUDA: it uses CUDA {cuda} and the cuDNN for it from the system.",
    "package-system-cuda-not": "{package} {version} brings no CUDA: it uses CUDA {cuda} of the system, not {has}.",
    "package-driver": "{package} {version} runs with driver {driver}: it asks for {floor} or newer.",
    "package-driver-old": "{package} {version} asks for driver {floor} or newer, not {driver}.",
    "package-takes": "{package} {versions} is for compute capability {supported}; {gpu} has {capability}.",
    "package-needs-cc": "{package} {version} does not support {gpu} ({capability}): {package} {versions} is for {supported}.",
    "package-sass": "{package} {version} holds machine code for {target}, which runs on {gpu} ({capability}).",
    "package-ptx": "{package} {version} holds PTX for {target}, which the driver compiles for {gpu} ({capability}) at the first start.",
    "package-ptx-not-here": "{package} {version} has only PTX of {cuda} for {gpu}, and the driver is older than that, so it cannot compile it.",
    "package-ptx-perhaps": "{package} {version} has only PTX of {cuda} for {gpu}, and it is not known whether the driver can compile it.",
    "package-no-code": "{package} {version} has no code for {gpu} ({capability}): it holds {sass} and no PTX that fits.",
    "package-code-unknown": "It is not known whether {package} {version} has code for {gpu} ({capability}).",
    "package-lacks": "In {package} {version} the part {library} has no code for {gpu} ({capability}): what needs it does not work there.",
    "image": "The image `{image}` exists and holds CUDA {cuda}.",
    "image-never": "The image tag `{image}` never existed: {why}.",
    "image-removed": "The image `{image}` was removed.",
    "image-unknown": "It is not known whether the image `{image}` exists.",
    "image-takes": "The image `{image}` takes GPUs from compute capability {minimum} on; {gpu} has {capability}.",
    "image-too-new": "The image `{image}` needs compute capability {minimum}; {gpu} has {capability}.",
    "image-line-takes": "A later image of the line of `{image}` still takes GPUs from compute capability {minimum} on; {gpu} has {capability}.",
    "image-line-left": "An earlier image of the line of `{image}` already needs compute capability {minimum}; {gpu} has {capability}.",
    "image-digest": "`{image}` is pinned by a digest, and which content that is is not known here.",
    "image-holds": "The image `{image}` holds {what} {has}.",
    "image-holds-not": "The image `{image}` holds {what} {has}, not {wanted}.",
    "no-driver-for-both": "No driver both drives {gpu} and runs CUDA {cuda}.",
    "image-machine": "The image `{image}` is built for {machines}, not for {machine}.",
    "image-gpus-unknown": "It is not known whether what is inside `{image}` has code for {gpu} ({capability}).",
    "gate-open": "Driver {driver} (CUDA {native}) meets what the image asks of the driver: CUDA {cuda}.",
    "gate-branch": "The image asks for CUDA {cuda} or, for GPUs like {gpu}, lets driver branch {driver} pass.",
    "gate-shut": "The image asks for a driver with CUDA {cuda}; {driver} has {native}. A container runtime that checks"
    " NVIDIA_REQUIRE_CUDA refuses to start it for {gpu} (`NVIDIA_DISABLE_REQUIRE=1` switches the check off); one that uses CDI does not check.",
    "gate-refused": "The image asks for a driver with CUDA {cuda}; {driver} has {native}, and the container runtime refuses to start it for {gpu}.",
    "gate-unchecked": "The image asks for a driver with CUDA {cuda} and {driver} has {native}; the container runtime does not check that.",
    "runtime-default": "The nvidia runtime uses CDI by default from NVIDIA Container Toolkit {since} on; before, and with the hook of `docker --gpus`, it checks.",
    "forward": "Driver {driver} alone is too old for CUDA {cuda}; with the cuda-compat libraries of the image {gpu} may run it, if the"
    " container runtime mounts them.",
    "forward-runs": "Driver {driver} alone is too old for CUDA {cuda}; with the package `{package}` {gpu} runs it by forward compatibility:"
    " install it and let the loader find it first (`LD_LIBRARY_PATH=/usr/local/cuda-{cuda}/compat`).",
    "forward-perhaps": "It is not certain that {gpu} may run CUDA {cuda} on driver {driver} with the package `{package}`.",
    "forward-refused": "The package `{package}` is no way out for {gpu}: forward compatibility is for {families} products, others get error 804.",
    "forward-dropped": "The package `{package}` is no way out for {gpu}: it is made from {branch}, which no longer drives it.",
    "newer": "`{given}` is newer than what this data covers (up to {newest}).",
    "unlisted-yet": "{gpu} is first named in the driver's own list of {listed}; whether {driver} knows it is not known.",
    "end-of-life": "Driver branch R{branch} reached its end of life: {until}.",
    "several-products": "`{asked}` may be {names}; they share compute capability {capability}, so the answer is the same.",
    "read-as": "`{asked}` was read as {name}.",
    "default-variant": "`pip install torch=={version}` from the package index gives the build without CUDA on {os}.",
    "default-not": "`pip install torch=={version}` brings torch {default}, which does not work here; torch {torch} does: `{command}`.",
    "default-perhaps": "`pip install torch=={version}` brings torch {default}, of which it is not known whether it works here; torch {torch} does: `{command}`.",
    "variant-taken": "No variant was named; judged is {torch}, which {how}.",
    "newer-perhaps": "Newer builds may fit too, but it is not certain that they do: torch {labels}.",
    "jetpack": "JetPack {jetpack} (L4T {l4t}) is for {gpu} and brings the driver, CUDA {cuda} and Python {python}.",
    "jetpack-torch": "NVIDIA built torch {torch} for JetPack {jetpack} and Python {python}.",
    "jetpack-server": "JetPack {jetpack} runs on {gpu} what is built for Arm servers, so the wheels for those do.",
    "jetpack-os-not": "JetPack for {gpu} is a system of its own on {has}; it does not run with {os}.",
    "image-on-jetson": "Whether the image `{image}` works with the JetPack of {gpu} is not known.",
    "jetpack-brings": "JetPack {jetpack} (L4T {l4t}) brings CUDA {cuda} for it.",
    "notice-driver-ended": "Driver branch R{branch} has reached its end of life: {until}.",
    "notice-driver-ends": "Driver branch R{branch} is supported until {until}.",
    "notice-last-driver": "R{branch} is the last driver branch for {gpu}.",
    "notice-last-driver-until": "R{branch} is the last driver branch for {gpu}; it is supported until {until}.",
    "notice-last-driver-until-over": "R{branch} is the last driver branch for {gpu}; its support ended: {until}.",
    "notice-last-torch": "torch {torch} is the last release whose wheels for {os} on {machine} hold code for {gpu} ({capability}).",
    "notice-last-wheels": "torch {torch} is the last release with wheels of CUDA {major} for {os} on {machine}.",
    "notice-last-toolkit": "CUDA {cuda} is the last toolkit that makes code for {gpu} ({capability}); {next} makes none.",
    "notice-image-ended": "The image `{image}` is marked by its publisher as ended ({until}): it gets no updates and may be deleted.",
    "notice-image-ends": "The image `{image}` is marked by its publisher to end: {until}.",
    "fix-torch": "use torch {torch}: `{command}`",
    "fix-package": "use {versions} with torch {torch}: `{command}`",
    "fix-without": "leave {package} out: torch {torch} alone works: `{command}`",
    "fix-python": "use Python {python} (torch {torch} has wheels for {has})",
    "fix-machine": "use a machine with {machine}",
    "fix-glibc": "use a system with glibc {glibc} or newer",
    "fix-os": "use {os}",
    "fix-wsl": "use {os}, which WSL2 on Windows counts as",
    "fix-gpu": "leave {gpu} out: torch {torch} then fits {rest}",
    "fix-driver-known": "use driver branch R{branch}: newer ones than R{newest} are not known here",
    "fix-driver-back": "go back to driver branch R{branch}, the last that drives the GPU",
    "fix-driver": "install driver {minimum} or newer; branch R{branch} is recommended",
    "fix-driver-limit": "install driver {minimum} or newer, not newer than R{last}; branch R{branch} is recommended",
    "fix-host-compiler": "install {maker} {maximum} and compile with it: `export CC={c}-{maximum} CXX={plus}-{maximum} CUDAHOSTCXX={plus}-{maximum}`",
    "fix-gate": "start the container with `-e NVIDIA_DISABLE_REQUIRE=1`: the driver runs its CUDA all the same",
    "fix-forward": "install the package `{package}` and let the loader find it first: `export LD_LIBRARY_PATH=/usr/local/cuda-{cuda}/compat`",
    "fix-toolkit": "use CUDA toolkit {cuda}",
    "fix-split": "use {count} stacks: {parts}",
    "fix-hosts": "use {count} hosts, each with its own driver: {parts}",
    "not-certain": "{text} (not certain: {doubt}).",
}


_OWN_DOUBT = {"published-unknown"}  # kinds that give the doubt in their own words


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Words in a language while the context lasts."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def spoken() -> Language:
    """The language that words come in just now."""
    return _SPOKEN.get()


def say(kind: str, **values: Any) -> str:
    """The sentence for a kind of reason with its values.

    >>> say("capability", gpu="Tesla T4", capability="7.5")
    'Tesla T4 has compute capability 7.5.'
    """
    if _SPOKEN.get() == "zh":
        from resolver.words_zh import TEMPLATES_ZH, value_zh

        return TEMPLATES_ZH[kind].format_map({name: value_zh(value) for name, value in values.items()})
    return TEMPLATES[kind].format_map(values)


def sentence(reason: Reason) -> str:
    """The sentence for a reason; what the claims say is called doubtful where their own sources doubt it."""
    text = say(reason.kind, **reason.values)
    doubt = next((claim.uncertain for claim in reason.claims if claim.uncertain), None)
    if reason.verdict != "unknown" or doubt is None or reason.kind in _OWN_DOUBT:
        return text
    return say("not-certain", text=text.rstrip(".。"), doubt=doubt)


def joined(parts: Iterable[str]) -> str:
    """Several things to do as one sentence."""
    if _SPOKEN.get() == "zh":
        return "；".join(parts) + "。"
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def quoted(text: str) -> str:
    """User text for a sentence: printable, without backticks, at most 60 characters."""
    clean = "".join(letter if letter.isprintable() and letter != "`" else " " for letter in text)
    clean = " ".join(clean.split())
    return clean if len(clean) <= 60 else clean[:57] + "..."
