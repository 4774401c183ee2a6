"""Facts to findings: the resolver judges what goes together, the symptom files say what mends it, this module only asks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from api.doctor.facts import Card, Facts, SeenGpu
from assistant.answer import Page
from assistant.assistant import Assistant
from assistant.filling import fill, values
from assistant.reading import read
from resolver.engine import Asked, Checked, Engine
from resolver.errors import BadQuestion
from resolver.names import Products

__all__ = ["Finding", "Judged", "judge", "resolved_for"]

Verdict = Literal["ok", "info", "warning", "error", "unknown"]
_STEPS = 4  # of a symptom's steps, the first ones: the rest is in `whichcuda ask`
_DOTTED = 2
_VITAL = ("nvidia-smi", "module", "pci", "torch")  # probes without which nothing can be called well


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found: what, how bad, and what mends it.

    Attributes:
        id: a name that does not change: `driver`, `torch`, ...
        steps: sentences and commands in order, a command as `$ command`.
        symptom: the cause of `whichcuda ask`, where it is one.
        because: rules and claims of the resolver.
    """

    id: str
    verdict: Verdict
    text: str
    steps: tuple[str, ...] = ()
    symptom: str | None = None
    because: tuple[dict[str, Any], ...] = ()

    def plain(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "id": self.id,
            "verdict": self.verdict,
            "text": self.text,
            "steps": list(self.steps),
            "symptom": self.symptom,
            "because": list(self.because),
        }


@dataclass(slots=True)
class Judged:
    """All findings, the question they amount to, and the stack that fits the machine (None where none is known)."""

    findings: list[Finding]
    asked: Asked | None
    resolved: dict[str, Any] | None
    data_version: str

    @property
    def verdict(self) -> Literal["yes", "no", "unknown"]:
        """no with an error, unknown where something could not be judged, else yes."""
        found = {finding.verdict for finding in self.findings}
        return "no" if "error" in found else "unknown" if "unknown" in found else "yes"


def judge(facts: Facts, assistant: Assistant) -> Judged:
    """Everything that can be said about a machine, most fundamental first."""
    return _Judging(facts, assistant).judged()


def resolved_for(facts: Facts, engine: Engine, *, packages: Sequence[str] = ()) -> tuple[Asked, dict[str, Any]] | None:
    """The question that a machine amounts to, and its answer; None where no GPU is known.

    Raises:
        BadQuestion: when the question cannot be judged.
    """
    names = _gpu_names(facts, engine)
    if not names:
        return None
    asked = Asked(
        gpus=names,
        os=_os(facts, engine),
        machine=facts.machine if facts.machine in ("x86_64", "aarch64") else None,
        driver=facts.driver,
        python=_python(facts),
        packages=tuple(packages),
        limit=1,
    )
    return asked, engine.resolve(asked)


@dataclass
class _Judging:
    facts: Facts
    assistant: Assistant
    findings: list[Finding] = field(default_factory=list)

    @property
    def engine(self) -> Engine:
        return self.assistant.engine

    def judged(self) -> Judged:
        facts = self.facts
        asked = resolved = None
        try:
            found = resolved_for(facts, self.engine)
            asked, resolved = found if found is not None else (None, None)
        except BadQuestion as error:
            self._add("gpu", "unknown", f"The resolver cannot judge this machine: {error}")
        stacks = resolved["stacks"] if resolved is not None else []
        self.page = Page("en", values(read("", self.engine.names), stacks[0] if stacks else None))
        self._gpus()
        self._driver(resolved)
        self._torch()
        self._pasted()
        self._surroundings()
        for name, why in facts.unread.items():
            self._add(
                f"probe:{name}", "unknown" if name in _VITAL else "warning", f"The probe `{name}` gave nothing: {why}."
            )
        return Judged(self.findings, asked, resolved, self.engine.data_version)

    def _add(self, id: str, verdict: Verdict, text: str, steps: Iterable[str] = (), **more: Any) -> None:
        self.findings.append(Finding(id, verdict, text, tuple(steps), **more))

    def _pasted(self) -> None:
        """The cause that a pasted text shows; a question in it is not one."""
        text = self.facts.texts.get("pasted", "")
        diagnosis = self.assistant.ask(text)["diagnosis"] if text else None
        if diagnosis is None or diagnosis["id"].startswith(("q_", "out_of_scope")):
            return
        if any(finding.verdict == "error" for finding in self.findings):  # the resolver's fixes know the versions
            self._add("pasted", "info", f"What the text shows: {diagnosis['title']}.", symptom=diagnosis["id"])
        else:
            self._symptom("pasted", diagnosis["id"])

    # --- the GPU ----------------------------------------------------------------------------------------------------

    def _gpus(self) -> None:
        facts = self.facts
        if facts.gpus:
            for gpu in facts.gpus:
                self._gpu(gpu)
            for card in _unseen(facts):
                text = (
                    f"{self._name_of(card.pci_id) or card.pci_id} is on the PCI bus, but the driver does not show it."
                )
                self._add(
                    "gpu", "warning", text, ("The kernel log says why: look for NVRM.", "$ sudo dmesg | grep -i nvrm")
                )
        elif facts.cards:
            for card in facts.cards:
                known = self._name_of(card.pci_id)
                held = f", held by the kernel driver {card.driver}" if card.driver else ""
                name = known or f"NVIDIA device {card.pci_id}"
                self._add("gpu", "ok" if known else "unknown", f"{name} is on the PCI bus ({card.pci_id}{held}).")
        elif facts.cards is None or facts.wsl or facts.container == "kubernetes":
            self._add("gpu", "unknown", "Whether there is an NVIDIA GPU cannot be seen from here.")
        else:
            self._add(
                "gpu",
                "error",
                "There is no NVIDIA GPU on the PCI bus: nothing that needs CUDA runs here.",
                (
                    "A card that is built in and not listed: reseat it, check its power plugs, and the settings of the firmware.",
                    "A virtual machine or a cloud instance: choose a type with a GPU, or pass one through.",
                ),
            )

    def _gpu(self, gpu: SeenGpu) -> None:
        asked = _one_name(gpu, self.engine)
        if asked is None:
            self._add("gpu", "unknown", f"`{gpu.name}` is not known to this data.")
            return
        subject = self.engine.reader.subject(asked)
        memory = f", {round(gpu.memory_mib / 1024)} GiB" if gpu.memory_mib else ""
        said = f"{gpu.name}: compute capability {subject.capability}{memory}."
        if gpu.compute_capability is not None and gpu.compute_capability != str(subject.capability):
            said = f"{gpu.name} says compute capability {gpu.compute_capability}, the data says {subject.capability}."
            self._add("gpu", "warning", said, ("Please report it with `whichcuda doctor --report`.",))
            return
        self._add("gpu", "ok", said)

    def _name_of(self, pci_id: str) -> str | None:
        found = self.engine.names.recognise(pci_id)
        return found.gpus[0].name if isinstance(found, Products) and found.gpus else None

    # --- the driver -------------------------------------------------------------------------------------------------

    def _driver(self, resolved: dict[str, Any] | None) -> None:
        facts = self.facts
        failed = facts.texts.get("nvidia-smi")
        if facts.driver and facts.node is not False and not self._fit():
            if failed is not None:
                self._add("nvidia-smi", "info", f"nvidia-smi says: `{_one_line(failed)}`.")
            return
        if failed is not None and self._diagnosed("driver", failed, "nvidia-smi fails"):
            return
        if facts.driver and facts.container and facts.node is False:
            self._symptom("driver", "container_gpu_flag_missing")
        elif facts.driver:
            self._loaded(resolved)
        elif facts.wsl:
            self._symptom("driver", "wsl_libcuda_path" if facts.node else "wsl_gpu_blocked")
        elif facts.container and facts.cards:
            self._symptom("driver", "container_gpu_flag_missing")
        elif facts.cards:
            self._without_module(resolved)
        elif facts.cards is None:
            self._add("driver", "unknown", "No driver can be seen from here.")

    def _loaded(self, resolved: dict[str, Any] | None) -> None:
        facts = self.facts
        flavour = f" ({facts.module_flavour} kernel module)" if facts.module_flavour else ""
        cuda = f"; it runs CUDA up to {facts.driver_cuda} natively" if facts.driver_cuda else ""
        self._add("driver", "ok", f"NVIDIA driver {facts.driver} is loaded{flavour}{cuda}.")
        if facts.smi is None and not {"nvidia-smi", "pasted"} & {*facts.unread, *facts.texts}:
            self._add("nvidia-smi", "warning", "nvidia-smi is not on this system, though the driver is loaded.")
        needed = resolved["stacks"][0]["driver"]["kernel_module"] if resolved and resolved["stacks"] else None
        has = facts.module_flavour
        if has is None or needed in (None, "either", has):
            return
        if needed == "mixed":
            self._add(
                "module",
                "error",
                "No one kernel module drives all of these GPUs: some need the open one, some the other.",
            )
        else:
            self._symptom("module", "open_module_required" if needed == "open" else "open_module_unsupported_gpu")

    def _without_module(self, resolved: dict[str, Any] | None) -> None:
        held = {card.driver for card in self.facts.cards or ()}
        if held & {"nouveau", "nova_core", "nova"}:
            self._symptom("driver", "nouveau_conflict")
        elif "vfio-pci" in held:
            self._symptom("driver", "vm_passthrough")
        elif self.facts.smi is not None and self.facts.secure_boot:
            self._symptom("driver", "secure_boot_unsigned_module")
        elif self.facts.smi is not None:
            self._symptom("driver", "module_not_loaded_kernel_update")
        else:
            self._symptom("driver", "driver_not_installed", instead=_driver_steps(resolved))

    def _diagnosed(self, id: str, text: str, what: str) -> bool:
        """Adds what the assistant makes of an error text; False where it makes nothing of it."""
        diagnosis = self.assistant.ask(text)["diagnosis"]
        if diagnosis is None:
            if text:
                self._add(id, "error", f"{what}: {_one_line(text)}", ("$ whichcuda ask < the whole text",))
            return bool(text)
        self._symptom(id, diagnosis["id"], said=_one_line(text))
        return True

    def _symptom(self, id: str, name: str, *, said: str = "", instead: Sequence[str] = ()) -> None:
        """A cause of the symptom files with its steps; `instead` are better ones, made for this very machine."""
        symptom = self.assistant.matcher.library.symptoms[name]
        steps = [*instead]
        for step in symptom.fix if not instead else ():
            if not step.os or set(step.os) & self._places():
                steps += [
                    self.page.words(step.text),
                    *(f"$ {fill(command, self.page.known)}" for command in step.commands),
                ]
        because = f" (`{said}`)" if said else ""
        title = f"{self.page.words(symptom.title)}{because}."
        self._add(id, "error", title, _whole(steps, _STEPS), symptom=name)

    def _places(self) -> set[str]:
        facts = self.facts
        if facts.wsl:
            return {"wsl"}
        if (facts.os or "").startswith("windows"):
            return {"windows"}
        return {"container"} if facts.container else {"linux"}

    # --- what goes together -----------------------------------------------------------------------------------------

    def _fit(self) -> bool:
        """Whether GPU, driver and system go together, as the resolver sees them; what does not is a finding."""
        facts = self.facts
        names = _gpu_names(facts, self.engine)
        stack = Checked(gpu=names, driver=facts.driver, os=_os(facts, self.engine), machine=facts.machine)
        before = len(self.findings)
        self._checked("fit", stack)
        return all(finding.verdict != "error" for finding in self.findings[before:])

    def _checked(self, id: str, stack: Checked) -> bool:
        """The resolver's findings on a stack that are not plainly well; True where all are."""
        try:
            found = self.engine.check(stack)
        except BadQuestion as error:
            self._add(id, "unknown", f"It cannot be judged: {error}")
            return False
        wrong = [each for each in found["findings"] if each["severity"] not in ("ok", "info")]
        fixes = [fix["text"] for fix in found["fixes"]]
        for number, each in enumerate(wrong):
            last = number == len(wrong) - 1
            verdict: Verdict = each["severity"]
            self._add(id, verdict, each["text"], fixes if last else (), because=tuple(each["because"]))
        return not wrong

    # --- torch ------------------------------------------------------------------------------------------------------

    def _torch(self) -> None:
        facts, torch = self.facts, self.facts.torch
        if torch is None:
            error = facts.texts.get("torch")
            if error is not None:
                self._diagnosed("torch", error, "The Python of this environment fails")
            elif facts.torch_missing:
                self._add("torch", "info", f"torch is not installed for Python {facts.python}.")
            return
        if torch.cuda is None and torch.error is None:
            self._symptom("torch", "cpu_only_torch", said=f"torch {torch.version}")
            return
        label = torch.version
        if torch.cuda is not None and "+" not in label:
            label += "+cu" + torch.cuda.replace(".", "")
        names = _gpu_names(facts, self.engine)
        stack = Checked(
            gpu=names,
            driver=facts.driver,
            torch=label,
            python=_python(facts),
            os=_os(facts, self.engine),
            machine=facts.machine,
            packages=tuple(f"{name}=={version.partition('+')[0]}" for name, version in sorted(torch.packages.items())),
        )
        well = self._checked("torch", stack) if names else False
        if torch.available:
            seen = f"{len(torch.devices)} GPU(s)" if torch.devices else "the GPU"
            python = f" from Python {torch.python}" if torch.python else ""
            self._add("torch", "ok", f"torch {label} sees {seen}{python}.")
        elif torch.error is not None and not well and names:
            self._add("torch", "info", f"torch says: `{_one_line(torch.error)}`.")
        elif torch.error is not None:
            self._diagnosed("torch", torch.error, f"torch {label} fails")
        elif well and self.facts.driver and torch.available is False:
            hidden = facts.environment.get("CUDA_VISIBLE_DEVICES")
            if hidden is None or hidden not in ("", "-1"):
                self._add("torch", "error", f"torch {label} sees no GPU, though GPU, driver and build go together.")

    # --- the rest ---------------------------------------------------------------------------------------------------

    def _surroundings(self) -> None:
        facts = self.facts
        if facts.environment.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
            self._symptom("environment", "cuda_visible_devices")
        if facts.nvcc is not None and facts.torch is not None and facts.torch.cuda is not None:
            same = facts.nvcc.split(".")[0] == facts.torch.cuda.split(".")[0]
            text = (
                f"nvcc {facts.nvcc} is of {'the same' if same else 'another'} CUDA major as torch's {facts.torch.cuda}"
            )
            tail = "." if same else ": extensions of torch do not build with it; running torch needs no nvcc."
            self._add("nvcc", "ok" if same else "warning", text + tail)
        if facts.docker_runtimes is not None and facts.driver and not facts.container:
            self._docker()

    def _docker(self) -> None:
        facts = self.facts
        ways = [
            *(["the nvidia runtime"] if "nvidia" in (facts.docker_runtimes or ()) else []),
            *(["CDI"] if facts.cdi else []),
        ]
        if ways:
            version = f" (container toolkit {facts.container_toolkit})" if facts.container_toolkit else ""
            self._add("docker", "ok", f"Docker gives GPUs to containers by {' and '.join(ways)}{version}.")
        elif facts.container_toolkit is None:
            symptom = self.assistant.matcher.library.symptoms["container_toolkit_missing"]
            text = f"{self.page.words(symptom.title)}: containers get no GPU."
            self._add("docker", "warning", text, symptom=symptom.id)
        else:
            step = "$ sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker"
            text = "The container toolkit is installed, but Docker does not know its runtime."
            self._add("docker", "warning", text, (step,))


def _whole(steps: Sequence[str], most: int) -> tuple[str, ...]:
    """The first `most` sentences with all their commands."""
    found: list[str] = []
    sentences = 0
    for step in steps:
        sentences += not step.startswith("$ ")
        if sentences > most:
            break
        found.append(step)
    return tuple(found)


def _driver_steps(resolved: dict[str, Any] | None) -> list[str]:
    """The resolver's own commands for the driver."""
    driver = resolved["stacks"][0]["driver"] if resolved and resolved["stacks"] else None
    commands = driver["install"].get("commands", ()) if driver is not None else ()
    if driver is None or not commands:
        return []
    sentence = f"Install branch {driver['recommended_branch']} ({driver['kernel_module']} kernel module), then restart."
    return [sentence, *(f"$ {command}" for command in commands)]


def _gpu_names(facts: Facts, engine: Engine) -> tuple[str, ...]:
    """What to ask the resolver for each distinct GPU; those it does not know are left out."""
    cards = _unseen(facts) if facts.gpus else facts.cards or ()
    seen = [*facts.gpus, *(SeenGpu("", None, card.pci_id) for card in cards)]
    return tuple(dict.fromkeys(name for gpu in seen if (name := _one_name(gpu, engine)) is not None))


def _unseen(facts: Facts) -> list[Card]:
    """Cards of the bus that the driver does not show, but those that are handed to virtual machines."""
    shown = Counter(gpu.pci_id for gpu in facts.gpus)
    if facts.container or not all(shown):
        return []
    found = []
    for card in facts.cards or ():
        if shown[card.pci_id]:
            shown[card.pci_id] -= 1
        elif card.driver != "vfio-pci":
            found.append(card)
    return found


def _one_name(gpu: SeenGpu, engine: Engine) -> str | None:
    """A name that the resolver takes: the printed one, the PCI id, or the bare capability."""
    bare = f"cc {gpu.compute_capability}" if gpu.compute_capability else None
    for name in filter(None, (gpu.name, gpu.pci_id, bare)):
        try:
            engine.reader.subject(name)
        except BadQuestion:
            continue
        return name
    return None


def _os(facts: Facts, engine: Engine) -> str:
    """The operating system by an id of the catalogue, else its family."""
    if facts.wsl:
        return "wsl2"
    name, _, version = (facts.os or "linux").partition("-")
    found = read(f"ID={name}\nVERSION_ID={version}", engine.names).first("os")
    for candidate in (facts.os or "linux", str(found.value) if found else name, name):
        try:
            return engine.reader.system(candidate).id
        except BadQuestion:
            continue
    return "linux"


def _python(facts: Facts) -> str | None:
    """The Python of the environment as major.minor, with a `t` where it is free-threaded."""
    if facts.python is None:
        return None
    parts = facts.python.split(".")
    return ".".join(parts[:_DOTTED]) + ("t" if facts.python.endswith("t") else "")


def _one_line(text: str) -> str:
    """The last line that says something, cut to what fits; no backtick gets out."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].replace("`", "'")[:160] if lines else ""
