"""From pasted text to facts: pure functions, one small module per printed form, the line kept with each fact.

`read` finds the forms that are there by their words, lets each read its own lines, and only then looks at what is left as
free text, so that a number that a program has explained is not read again as something else.
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.reading import (
    capability,
    collect_env,
    container,
    cuda_errors,
    gpus,
    kernel,
    kubernetes,
    nvml_nccl,
    oom,
    packages,
    pci,
    platforms,
    requirements,
    smi,
    system,
    toolkit,
    versions,
    windows,
)
from assistant.reading.document import Document
from assistant.reading.facts import (
    KINDS,
    CudaError,
    Fact,
    Memory,
    Package,
    Process,
    Reading,
    TorchBuild,
    Variable,
    Xid,
)
from assistant.reading.form import Collector, Form
from assistant.reading.prose import language
from resolver.names import Names

__all__ = [
    "KINDS",
    "CudaError",
    "Fact",
    "Memory",
    "Package",
    "Process",
    "Reading",
    "TorchBuild",
    "Variable",
    "Xid",
    "read",
]

# what programs print: sure of itself, so read first
_PRINTED: tuple[Form, ...] = (
    *smi.FORMS,
    *pci.FORMS,
    *kernel.FORMS,
    *oom.FORMS,
    *container.FORMS,
    *kubernetes.FORMS,
    *collect_env.FORMS,
    *packages.FORMS,
    *windows.FORMS,
    *capability.FORMS,
    *toolkit.FORMS,
    *system.FORMS,
    *platforms.FORMS,
    *cuda_errors.FORMS,
    *nvml_nccl.FORMS,
    *gpus.BRANDED,
)
# what people write: read where nothing has been understood yet, near the ends of the text
_WRITTEN: tuple[Form, ...] = (
    *gpus.FREE_FORMS,
    *versions.FREE_FORMS,
    *capability.FREE_FORMS,
    *collect_env.FREE_FORMS,
    *system.FREE_FORMS,
    *platforms.FREE_FORMS,
)


def read(text: str, names: Names, packages: Mapping[str, frozenset[int]] | None = None) -> Reading:
    """What a text says: every fact with its line; the same text always gives the same reading.

    Args:
        text: anything that people paste.
        names: the recogniser of GPU names.
        packages: by what names packages are asked for, with the first numbers of their versions (`Releases.spoken`).
    """
    document = Document(text)
    collector = Collector(document, names)
    for form in _PRINTED:
        for line in document.having(form.words):
            form.read(line, collector)
    for line in document.outskirts():
        gpus.read_unbranded(line, collector)
    for form in _WRITTEN:
        for line in document.having(form.words, near_ends=True):
            form.read(line, collector)
    for line in document.outskirts():
        versions.read_bare_driver(line, collector)
    if packages:
        requirements.read_requirements(document, collector, packages)
    spoken = "en" if text.isascii() else language(line.lower for line in document.outskirts())
    return Reading(document.text, document.lines, _exact(collector.facts), spoken)


def _exact(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Without "linux" and "windows" where the text also says which."""
    if not any(fact.kind == "os" and fact.value not in system.GENERIC for fact in facts):
        return facts
    return tuple(fact for fact in facts if fact.kind != "os" or fact.value not in system.GENERIC)
