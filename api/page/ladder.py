"""The answer of the resolver as what the page shows: a headline, the rungs from the GPU up with their reasons, what to type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from api.page.words import Words
from api.views import Views
from matrices.versions import PythonVersion
from resolver.labels import label_of, python_range
from resolver.words_zh import value_zh

__all__ = ["driver_needed", "features", "headline", "pythons", "reasons", "rungs", "shown_stack"]

Answer = Mapping[str, Any]

# where a rule's reasons are shown; those of all other rules are about the wheel
_RUNGS = {
    "every-gpu": "gpu",
    "machine": "gpu",
    "drives": "driver",
    "kernel-module": "driver",
    "minor-version": "cuda",
    "older-runtime": "cuda",
    "forward": "cuda",
}


def headline(answer: Answer, words: Words) -> str:
    """The answer in one line."""
    gpus = ", ".join(gpu["name"] for gpu in answer["gpus"])
    if answer["stacks"]:
        key = "works" if answer["verdict"] == "yes" else "works.perhaps"
        return words(key, torch=label_of(answer["stacks"][0]["torch"]), gpus=gpus)
    if answer["conflict"] is None:
        return words("nothing.known", gpus=gpus)
    asked = [
        part["asked"] if part["name"] == "gpu" else f"{words('asked.' + part['name'])} {part['asked']}"
        for part in answer["conflict"]["constraints"]
    ]
    if answer["verdict"] == "unknown":
        return words("nothing.fits", what=", ".join(asked))
    return words("clash.one" if len(asked) == 1 else "clash.several", what=", ".join(asked))


def reasons(because: Sequence[Answer], views: Views) -> list[dict[str, Any]]:
    """Reasons with the date and the address of what they rest on."""
    return [_reason(part, views) for part in because]


def _reason(part: Answer, views: Views) -> dict[str, Any]:
    claims = []
    for identity in part.get("claims") or ([part["claim"]] if part["claim"] else []):
        claim = views.claim(identity)
        if claim is not None:
            best = next((e for e in claim["evidence"] if e["where"] == part["source"]), claim["evidence"][0])
            claims.append({"id": identity, "address": claim["links"]["self"], "evidence": best})
    return {
        "text": part["text"],
        "rule": part["rule"],
        "evidence": part["evidence"],
        "uncertain": part.get("uncertain"),
        "claims": claims,
    }


def pythons(stack: Answer, words: Words) -> str:
    """The Python versions that the wheel of a stack is for."""
    versions = tuple(map(PythonVersion.parse, stack["torch"]["python"]))
    found = python_range(versions) if versions else words("driver.unknown")
    return str(value_zh(found)) if words.language == "zh" else found


def rungs(stack: Answer, words: Words, views: Views) -> list[dict[str, Any]]:
    """One rung a part: its lines, what to know about them, and the reasons."""
    shown = {
        "gpu": [_gpu(gpu, words) for gpu in stack["gpus"]],
        "driver": [_driver(stack, words)],
        "cuda": [_cuda(stack["cuda"], stack["driver"], words)],
        "torch": [_torch(stack, words)],
        "packages": [_package(name, package, words) for name, package in stack.get("packages", {}).items()],
        "image": [_image(image, words) for image in stack["images"]],
    }
    because: dict[str, list[dict[str, Any]]] = {}
    packages = [f"{name} {package['version']}" for name, package in stack.get("packages", {}).items()]
    for reason in reasons(stack["because"], views):
        of_package = any(name in reason["text"] for name in packages)
        because.setdefault("packages" if of_package else _RUNGS.get(reason["rule"], "torch"), []).append(reason)
    return [{"name": name, "lines": lines, "because": because.get(name, [])} for name, lines in shown.items() if lines]


def _line(value: str, about: Sequence[str], link: str = "") -> dict[str, Any]:
    return {"value": value, "about": [text for text in about if text], "link": link}


def _gpu(gpu: Answer, words: Words) -> dict[str, Any]:
    about = [words("capability", capability=gpu["compute_capability"]), gpu["architecture"] or ""]
    product = "" if gpu["id"].startswith("cc-") else f"/gpus/{gpu['id']}"
    return _line(gpu["name"], about, product)


def driver_needed(stack: Answer, words: Words) -> str:
    """The drivers that a stack takes, or the JetPack that brings one."""
    if "jetpack" in stack:
        return f"JetPack {stack['jetpack']['release']}"
    minimum, last = stack["driver"]["minimum"], stack["driver"]["maximum_branch"]
    if last:
        return words("driver.between", minimum=minimum, last=last)
    return words("driver.from", minimum=minimum) if minimum else words("driver.unknown")


def _driver(stack: Answer, words: Words) -> dict[str, Any]:
    driver, needed = stack["driver"], driver_needed(stack, words)
    if "jetpack" in stack:
        return _line(needed, [f"L4T {stack['jetpack']['l4t']}", stack["jetpack"]["os"] or ""])
    minimum = driver["minimum"]
    about = [words("driver.needs", needed=needed)] if driver["installed"] and minimum else []
    if driver["recommended_branch"]:
        about.append(words("driver.recommended", branch=driver["recommended_branch"]))
    if driver["supported_until"]:
        about.append(words("driver.supported", until=driver["supported_until"]))
    if driver["kernel_module"]:
        about.append(words(f"module.{driver['kernel_module']}"))
    installed = driver["installed"]
    return _line(words("driver.installed", driver=installed) if installed else needed, about)


def _cuda(cuda: Answer, driver: Answer, words: Words) -> dict[str, Any]:
    """Without a driver installed it is the recommended branch that was judged."""
    about = [words("cuda.inside")] if cuda["runs_as"] else []
    if cuda["runs_as"]:
        installed = driver["installed"]
        who = words("who.driver") if installed else words("who.branch", branch=driver["recommended_branch"])
        about.append(words(f"runs.{cuda['runs_as']}", who=who))
    if cuda["build_toolkit"]["minimum"]:
        about.append(words("cuda.compile", minimum=cuda["build_toolkit"]["minimum"]))
    return _line(cuda["runtime"], about)


def _torch(stack: Answer, words: Words) -> dict[str, Any]:
    torch = stack["torch"]
    about = [words(f"kernels.{torch['kernels']}")] if torch["kernels"] else []
    if torch["python"]:
        about.append(f"Python {pythons(stack, words)}")
    about += [f"{name} {version}" for name, version in torch["companions"].items() if version]
    return _line(label_of(stack["torch"]), about)


def _package(name: str, package: Answer, words: Words) -> dict[str, Any]:
    about = [words("package.compiled")] if package["compiled"] else []
    about += [words("package.apart")] if package["install"] else []
    about += [words(f"verdict.{package['verdict']}")] if package["verdict"] != "yes" else []
    return _line(f"{name} {package['version']}", about)


def _image(image: Answer, words: Words) -> dict[str, Any]:
    return _line(image["reference"], [words(f"image.{image['kind']}")])


def shown_stack(stack: Answer, words: Words, views: Views) -> dict[str, Any]:
    """The best stack with everything there is to say and to type."""
    install, driver = stack["install"], stack["driver"]
    commands = [(name, install[name]) for name in ("pip", "uv", "conda") if install.get(name)]
    images = {image["kind"]: image["reference"] for image in stack["images"]}
    image = images.get("pytorch") or images.get("ngc") or images.get("cuda")
    if image:
        commands.append((words("command.docker"), f"docker run --rm -it --gpus all {image}"))
    if driver["kernel_module"] != "mixed" and not driver["installed"]:
        lines = driver["install"].get("commands", ())
        commands[:0] = [(words("command.driver"), "\n".join(lines))] if lines else []
    return {
        "label": label_of(stack["torch"]),
        "rungs": rungs(stack, words, views),
        "commands": commands,
        "features": features(stack, words, views),
        "evidence": stack["evidence"],
    }


def features(stack: Answer, words: Words, views: Views) -> list[dict[str, str]]:
    """What the GPUs can do with a stack: the name, the ability as a word, and as what it is shown."""
    return [
        {"name": views.feature(name), "able": able, "word": words(f"feature.{able}")}
        for name, able in stack["features"].items()
    ]
