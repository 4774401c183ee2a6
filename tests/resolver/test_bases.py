"""Which base image is chosen, on a catalogue of a handful of rows: each case turns one fact."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from resolver.artifacts.bases import Kind
from resolver.engine import Asked
from resolver.errors import NoStack

from .small_catalogue import BASICS, WHEELS, small_engine
from .test_dockerfile import instructions, of, words_of


def image(role: str, tag: str, contains: str, exists: str = 'status = "exists"', more: str = "") -> str:
    """One image in TOML; several tags are separated by blanks."""
    repository = {"cuda": "nvidia/cuda", "ngc": "nvcr.io/nvidia/pytorch", "pytorch": "pytorch/pytorch"}.get(
        role, "python"
    )
    tags = ", ".join(f'"{one}"' for one in tag.split())
    return f"""
[[image]]
id = "{repository}:{tag.split()[0] if tag else "none"}"
repository = "{repository}"
role = "{role}"
tags = [{tags}]
exists = {{ {exists} }}
{f"contains = {{ {contains} }}" if contains else ""}
{more}
"""


def cuda(version: str, os: str = "ubuntu-24.04", flavours: str = "base devel", **more: str) -> str:
    suffix = os.replace("-", "")
    tags = " ".join(f"{version}-{flavour}-{suffix}" for flavour in flavours.split())
    return image("cuda", tags, f'cuda = "{version}", os = "{os}"', **more)


def ngc(release: str, contains: str, least: str = 'minimum = "7.0"', **more: str) -> str:
    needs = f"needs-cc = {{ {least} }}" if least else ""
    return image("ngc", f"{release}-py3", contains, more=needs, **more)


def torch(version: str, cuda: str, more: str = "", flavours: str = "runtime devel") -> str:
    tags = " ".join(f"{version}-cuda{cuda}-cudnn9-{flavour}" for flavour in flavours.split())
    return image("pytorch", tags, f'torch = "{version}", cuda = "{cuda}"{more}')


def python(version: str, os: str, **more: str) -> str:
    return image("python", f"{version}.9-slim-{os.replace('-', '')}", f'python = "{version}", os = "{os}"', **more)


NGC = 'cuda = "12.8.0.38", torch = "2.20.0a0+abc", python = "3.12"'
Ask = dict[str, Any]


def ask(**changed: Any) -> Asked:
    return Asked(**{"gpus": ["sm_70"], "os": "ubuntu-24.04", **changed})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


def chosen(folder: Path, images: str, kind: Kind, workload: str, asked: Asked) -> str | None:
    """The FROM of the Dockerfile, or None where there is a stack but no base."""
    engine = small_engine(folder, images)
    assert engine.resolve(asked)["verdict"] == "yes"
    try:
        return of(engine.dockerfile(asked, kind, workload), "FROM")[0]
    except NoStack:
        return None


@pytest.mark.parametrize(
    ("images", "workload", "asked", "wanted"),
    [
        pytest.param(cuda("12.8.1"), "run", {}, "12.8.1-base-ubuntu24.04", id="base is enough to run"),
        pytest.param(cuda("12.8.1"), "build", {}, "12.8.1-devel-ubuntu24.04", id="devel to build"),
        pytest.param(cuda("12.8.1", flavours="runtime"), "run", {}, "12.8.1-runtime-ubuntu24.04", id="else runtime"),
        pytest.param(cuda("12.8.1", flavours="cudnn-devel"), "run", {}, None, id="no flavour that fits"),
        pytest.param(cuda("12.6.3") + cuda("12.8.1"), "run", {}, "12.8.1-base-ubuntu24.04", id="the newest"),
        pytest.param(cuda("12.6.3") + cuda("13.0.1"), "run", {}, "12.6.3-base-ubuntu24.04", id="of the wheel's major"),
        pytest.param(cuda("12.6.3") + cuda("12.9.1"), "run", {}, "12.6.3-base-ubuntu24.04", id="not above the wheel's"),
        pytest.param(cuda("12.8.1"), "run", {"driver": "530"}, None, id="nor above the driver's"),
        pytest.param(
            cuda("12.8.0", "ubuntu-22.04") + cuda("12.8.1"), "run", {"os": "ubuntu-22.04"}, "12.8.0-base-ubuntu22.04",
            id="the distribution asked for, in the same CUDA",
        ),
        pytest.param(
            cuda("12.6.3", "ubuntu-22.04") + cuda("12.8.1"), "run", {"os": "ubuntu-22.04"}, "12.8.1-base-ubuntu24.04",
            id="CUDA before distribution",
        ),
        pytest.param(
            cuda("12.8.1", "ubuntu-22.04") + cuda("12.8.1"), "run", {"python": "3.10"}, "12.8.1-base-ubuntu22.04",
            id="another distribution for its Python",
        ),
        pytest.param(cuda("12.8.1"), "run", {"python": "3.13"}, None, id="no distribution has that Python"),
        pytest.param(cuda("12.8.1", "ubuntu-26.04"), "run", {}, None, id="the wheel has not the distribution's Python"),
        pytest.param(cuda("12.8.1", "ubuntu-18.04"), "run", {}, None, id="its glibc is too old"),
        pytest.param(cuda("12.8.1", "rocky-9"), "run", {}, None, id="no Ubuntu"),
        pytest.param(cuda("12.8.1", "ubuntu-99.04"), "run", {}, None, id="an Ubuntu nobody knows"),
        pytest.param(cuda("12.6.3"), "build", {"gpus": ["sm_120"]}, None, id="its compiler does not know the GPU"),
        pytest.param(cuda("12.7.1"), "build", {}, None, id="nobody knows what its compiler makes"),
        pytest.param(cuda("12.8.1", exists='status = "removed"'), "run", {}, None, id="removed"),
        pytest.param(cuda("12.8.1", exists='status = "exists", uncertain = "rumour"'), "run", {}, None, id="uncertain"),
        pytest.param(cuda("12.8.1", exists='status = "exists", machines = ["aarch64"]'), "run", {}, None, id="machine"),
        pytest.param(image("cuda", "12.8.1-base-ubuntu24.04", ""), "run", {}, None, id="contents not known"),
        pytest.param(image("cuda", "12.8.1-base-ubuntu24.04", 'os = "ubuntu-24.04"'), "run", {}, None, id="no CUDA"),
        pytest.param(image("cuda", "12.8.1-base-x", 'cuda = "12.8.1"'), "run", {}, None, id="no distribution"),
        pytest.param(image("cuda", "", 'cuda = "12.8.1", os = "ubuntu-24.04"'), "run", {}, None, id="no tags"),
        pytest.param("", "run", {}, None, id="no images"),
    ],
)  # fmt: skip
def test_cuda(folder: Path, images: str, workload: str, asked: Ask, wanted: str | None) -> None:
    expected = f"nvidia/cuda:{wanted}" if wanted else None
    assert chosen(folder, images, "cuda", workload, ask(**asked)) == expected


@pytest.mark.parametrize(
    ("images", "workload", "asked", "wanted"),
    [
        pytest.param(torch("2.20.0", "12.8"), "run", {}, "2.20.0-cuda12.8-cudnn9-runtime", id="to run"),
        pytest.param(torch("2.20.0", "12.8"), "build", {}, "2.20.0-cuda12.8-cudnn9-devel", id="to build"),
        pytest.param(torch("2.19.0", "12.8"), "run", {}, "2.19.0-cuda12.8-cudnn9-runtime", id="the next best stack"),
        pytest.param(torch("2.18.0", "12.8"), "run", {}, None, id="another torch"),
        pytest.param(torch("2.20.0", "12.6"), "run", {}, None, id="another CUDA"),
        pytest.param(torch("2.20.0", "12.8", flavours="devel"), "run", {}, None, id="another flavour"),
        pytest.param(image("pytorch", "2.20.0-runtime", 'torch = "2.20.0"'), "run", {}, None, id="CUDA not known"),
        pytest.param(torch("2.20.0", "12.8"), "run", {"driver": "530"}, "2.20.0-cuda12.8-cudnn9-runtime", id="no gate"),
        pytest.param(torch("2.20.0", "12.8"), "build", {"driver": "530"}, None, id="devel is gated"),
        pytest.param(torch("2.20.0", "12.8"), "run", {"python": "3.12"}, None, id="Python not known"),
        pytest.param(
            torch("2.20.0", "12.8", ', python = "3.12"'), "run", {"python": "3.12"}, "2.20.0-cuda12.8-cudnn9-runtime",
            id="Python as asked",
        ),
    ],
)  # fmt: skip
def test_pytorch(folder: Path, images: str, workload: str, asked: Ask, wanted: str | None) -> None:
    expected = f"pytorch/pytorch:{wanted}" if wanted else None
    assert chosen(folder, images, "pytorch", workload, ask(**asked)) == expected


@pytest.mark.parametrize(
    ("images", "workload", "asked", "wanted"),
    [
        pytest.param(ngc("30.01", NGC), "run", {}, "30.01", id="to run"),
        pytest.param(ngc("30.01", NGC), "build", {}, "30.01", id="to build"),
        pytest.param(ngc("30.01", NGC) + ngc("30.02", NGC.replace("12.8", "13.0")), "run", {"driver": "570"}, "30.01",
                     id="not above the driver's CUDA"),
        pytest.param(ngc("30.01", 'cuda = "12.8.0"'), "run", {}, None, id="its torch is not known"),
        pytest.param(ngc("30.01", 'torch = "2.20.0a0+abc"'), "run", {}, None, id="its CUDA is not known"),
        pytest.param(ngc("30.01", NGC + ', uncertain = "from notes"'), "run", {}, None, id="contents uncertain"),
        pytest.param(ngc("30.01", NGC, least=""), "run", {}, None, id="which GPUs it takes is not known"),
        pytest.param(ngc("30.01", NGC, least='minimum = "7.5"'), "run", {}, None, id="the GPU is too old for it"),
        pytest.param(ngc("30.01", NGC.replace("12.8", "12.6")), "run", {"gpus": ["sm_120"]}, None, id="the GPU is too new"),
        pytest.param(ngc("30.01", NGC.replace("12.8", "12.7")), "run", {}, None, id="its compiler is not known"),
        pytest.param(ngc("30.01", NGC.replace("12.8", "13.0")), "run", {"gpus": ["sm_90"], "driver": "600"}, "30.01", id="for another GPU"),
        pytest.param(ngc("30.01", NGC), "run", {"python": "3.12"}, "30.01", id="Python as asked"),
        pytest.param(ngc("30.01", NGC), "run", {"python": "3.10"}, None, id="another Python"),
        pytest.param(ngc("30.01", NGC), "run", {"packages": ["torchvision"]}, None, id="other packages in it are not known"),
        pytest.param(ngc("30.01", NGC), "run", {"torch": "2.20.0"}, "30.01", id="torch as asked"),
        pytest.param(ngc("30.01", NGC), "run", {"torch": "2.19.0"}, None, id="another torch"),
        pytest.param(ngc("30.01", NGC.replace("2.20.0a0+abc", "2.20")), "run", {"torch": "2.20.0"}, None, id="vague torch"),
        pytest.param(ngc("30.01", NGC), "run", {"torch": "2.20.0+cu128"}, None, id="a variant is of the index"),
        pytest.param(ngc("30.01", NGC), "run", {"cuda": "12.8"}, "30.01", id="CUDA as asked"),
        pytest.param(ngc("30.01", NGC.replace("12.8", "12.6")), "run", {"cuda": "12.8"}, None, id="another CUDA"),
    ],
)  # fmt: skip
def test_ngc(folder: Path, images: str, workload: str, asked: Ask, wanted: str | None) -> None:
    expected = f"nvcr.io/nvidia/pytorch:{wanted}-py3" if wanted else None
    assert chosen(folder, images, "ngc", workload, ask(**asked)) == expected


def test_an_ngc_image_to_build_must_compile_for_just_the_gpu(folder: Path) -> None:
    """Code for 7.0 runs on 7.2, so the image does; its compiler, which makes none for 7.2, cannot build for it."""
    volta = '[[capability]]\nid = "7.2"\narchitecture = "Volta"\ndriven-by = { added = "R530" }\n'
    engine = small_engine(folder, ngc("30.01", NGC), BASICS + volta)
    assert of(engine.dockerfile(ask(gpus=["sm_72"]), "ngc"), "FROM")
    with pytest.raises(NoStack, match="workload `build`"):
        engine.dockerfile(ask(gpus=["sm_72"]), "ngc", "build")


@pytest.mark.parametrize(
    ("images", "asked", "wanted"),
    [
        pytest.param(python("3.12", "debian-12"), {}, "3.12.9-slim-debian12", id="as it is"),
        pytest.param(
            python("3.10", "debian-13") + python("3.12", "debian-12") + python("3.13", "debian-13"), {},
            "3.12.9-slim-debian12", id="one before the newest",
        ),
        pytest.param(python("3.10", "debian-12") + python("3.13", "debian-12"), {}, "3.13.9-slim-debian12", id="or newer"),
        pytest.param(python("3.12", "debian-12") + python("3.12", "debian-13"), {}, "3.12.9-slim-debian13", id="Debian"),
        pytest.param(
            python("3.10", "debian-12") + python("3.12", "debian-12"), {"python": "3.10"}, "3.10.9-slim-debian12",
            id="as asked",
        ),
        pytest.param(python("3.11", "debian-12"), {"torch": "2.20.0"}, None, id="the wheel has not that Python"),
        pytest.param(python("3.12", "debian-9"), {}, None, id="its glibc is not known"),
        pytest.param(image("python", "3.12.9-slim", 'os = "debian-12"'), {}, None, id="its Python is not known"),
        pytest.param(image("python", "3.12.9-slim", 'python = "3.12"'), {}, None, id="its system is not known"),
    ],
)  # fmt: skip
def test_python(folder: Path, images: str, asked: Ask, wanted: str | None) -> None:
    assert chosen(folder, images, "python", "run", ask(**asked)) == (f"python:{wanted}" if wanted else None)


def test_what_else_would_do_is_said(folder: Path) -> None:
    engine = small_engine(folder, python("3.13", "debian-12") + torch("2.20.0", "12.8"))
    with pytest.raises(NoStack, match=r"take base `pytorch` or `python`$"):
        engine.dockerfile(ask())
    with pytest.raises(NoStack, match=r"`build` is known .* allows; take base `pytorch`$"):
        engine.dockerfile(ask(), "cuda", "build")
    with pytest.raises(NoStack, match=r"the question allows$"):
        engine.dockerfile(ask(python="3.10"))


def test_the_header_names_the_gate_of_the_base_apart(folder: Path) -> None:
    text = small_engine(folder, cuda("12.8.1")).dockerfile(ask())
    assert "#   compute capability 7.0\n" in text
    assert "# Driver of the host: 530 or newer, up to branch 600, the last for this hardware.\n" in text
    assert "a driver that runs CUDA 12.8 natively: branch 570 or newer.\n" in text
    assert "NEEDS_CUDA = (12, 0)\n" in text  # minor-version compatibility is enough for torch


def test_where_nobody_knows_what_drivers_run_natively(folder: Path) -> None:
    """There is no gate to name then, and no NVIDIA image that is sure to start."""
    basics = re.sub(r"runs-cuda = .*\n", "", BASICS)
    engine = small_engine(folder, cuda("12.8.1") + ngc("30.01", NGC), basics)
    assert "asks the container runtime" not in engine.dockerfile(ask())
    with pytest.raises(NoStack, match="take base `cuda`"):
        engine.dockerfile(ask(), "ngc")


def test_ptx_needs_a_driver_of_the_same_cuda(folder: Path) -> None:
    """The driver must compile it, so compatibility inside the major is not enough."""
    wheels = WHEELS.replace('sass = ["7.0", "9.0", "12.0"], ptx = []', 'sass = ["7.0"], ptx = ["7.0"]')
    text = small_engine(folder, cuda("12.8.1"), BASICS, wheels).dockerfile(ask(gpus=["sm_90"], driver="600"))
    assert "holds PTX for this GPU" in text
    assert "NEEDS_CUDA = (12, 8)\n" in text


def test_a_floor_that_nobody_knows(folder: Path) -> None:
    """An old CUDA has no floor for its major: what runs it natively is what is known."""
    basics = BASICS.replace('added = "R530" }', 'added = "R530" }', 1).replace(
        'needs-driver = [{ os = "linux", driver = "525.60.13" }, { os = "windows", driver = "528.33" }]\n', ""
    )
    text = small_engine(folder, cuda("12.8.1"), basics).dockerfile(ask(gpus=["sm_120"]))
    assert "# Driver of the host: 570.10 or newer.\n" in text
    assert "NEEDS_CUDA = (12, 8)\n" in text


def test_without_companions_and_without_a_plain_linux(folder: Path) -> None:
    basics = BASICS.replace('id = "linux"\nname = "Linux"', 'id = "other-1"\nname = "Other"')
    wheels = WHEELS.replace('pairs-with = [{ package = "torchvision", version = "0.35.0" }]\n', "")
    engine = small_engine(folder, torch("2.20.0", "12.8"), basics, wheels)
    text = engine.dockerfile(ask(), "pytorch")
    assert [name for name, _ in instructions(text)][:3] == ["FROM", "RUN", "COPY"]
    assert "pip" not in words_of(text)
