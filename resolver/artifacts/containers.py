"""Files beside an image: Compose and dev containers, which build the Dockerfile, and Apptainer, which builds its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resolver.artifacts.dockerfile import container
from resolver.artifacts.patterns import shell
from resolver.artifacts.rendering import render
from resolver.artifacts.search import Found

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["apptainer", "compose", "devcontainer", "dockerfile_command"]


def compose(engine: Engine, found: Found, name: str, image: str | None) -> str:
    """A Compose file that builds the Dockerfile beside it and gives it every GPU of the host."""
    values = container(engine, found)
    own = {"name": name, "image": image or values["tag"], "beside": dockerfile_command(found)}
    return render("compose", values | own)


def devcontainer(engine: Engine, found: Found, name: str) -> str:
    """A dev container that builds the Dockerfile beside it; strict JSON, so what others say in comments is a member."""
    return render("devcontainer", container(engine, found) | {"name": name, "beside": dockerfile_command(found)})


def apptainer(engine: Engine, found: Found) -> str:
    """A definition file for Apptainer."""
    return render("apptainer", container(engine, found))


def dockerfile_command(found: Found) -> str:
    """The command that writes the Dockerfile of the same stack, in names and versions of the data only."""
    query, base, build = found.wish.query, found.base, found.wish.build
    words = ["whichcuda", "dockerfile"]
    for subject in query.subjects:
        plain = subject.name if subject.gpus else f"sm_{subject.capability.major}{subject.capability.minor}"
        words.append(shell(plain, "gpu"))
    options = {
        "os": "wsl2" if query.driver_os == "windows" else found.wish.distro,
        "machine": query.machine if query.machine_asked else None,
        "driver": query.driver_text or None,
        "python": str(base.python) if base.python and (query.python or query.packages) else None,
        # NVIDIA's own builds are of no variant of the index
        "torch": None if base.kind == "ngc" else build.label,
        "base": base.kind,
        "workload": found.wish.workload,
    }
    for option, value in options.items():
        if value is not None and value != _LEFT_OUT.get(option):
            words += [f"--{option}", shell(value, "option")]
    for pick in found.beside.picks:
        words += ["--package", shell(f"{pick.wanted.name}=={pick.release.version}", "requirement")]
    return " ".join(words)


_LEFT_OUT = {"os": "linux", "base": "cuda", "workload": "run"}  # what the command takes by itself
