"""Files for twelve stacks, each judged by the tools of its own field, and held against hostile texts."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from api.cli import main
from matrices.model import GpuHasSpecs
from matrices.versions import CudaVersion
from resolver.artifacts.about import DriverNeeds
from resolver.artifacts.environment import _split
from resolver.artifacts.make import ARTIFACTS
from resolver.artifacts.options import OPTIONS
from resolver.artifacts.patterns import PATTERNS
from resolver.artifacts.rendering import render
from resolver.engine import Asked, Engine
from resolver.errors import BadQuestion, InvalidRequest, NoStack
from resolver.query import MAX_GPUS

TOOLS = Path(sys.executable).parent
STACKS: dict[str, dict[str, Any]] = {
    "rtx5090": {"gpus": ["RTX 5090"]},
    "v100": {"gpus": ["V100"]},
    "t4-driver-450": {"gpus": ["T4"], "driver": "450.80.02"},
    "k80": {"gpus": ["K80"]},
    "gtx1080ti": {"gpus": ["GTX 1080 Ti"], "os": "ubuntu-22.04"},
    "h100": {"gpus": ["H100 PCIe"], "driver": "550"},
    "gb10": {"gpus": ["GB10"]},
    "mixed": {"gpus": ["V100", "RTX 5090"]},
    "windows": {"gpus": ["RTX 4090"], "os": "windows-11"},
    "wsl2": {"gpus": ["RTX 5090"], "os": "wsl2"},
    "rtx3090-conservative": {"gpus": ["RTX 3090"], "prefer": "conservative"},
    "a100-mig": {"gpus": ["NVIDIA A100-SXM4-80GB MIG 1g.10gb"]},
}
CONTAINERS = ("dockerfile", "compose", "devcontainer", "kubernetes", "apptainer")
ENVIRONMENTS = ("requirements", "uv", "conda", "pixi")
VARIANTS: list[tuple[str, dict[str, str]]] = [
    *((kind, {}) for kind in ARTIFACTS if kind != "kubernetes"),
    *(("apptainer", {"base": base}) for base in ("pytorch", "ngc", "python")),
    *(("apptainer", {"base": base, "workload": "build"}) for base in ("cuda", "pytorch", "ngc")),
    *(("kubernetes", {"base": base}) for base in ("cuda", "pytorch", "ngc", "python")),
    ("kubernetes", {"base": "cuda", "kind": "job", "image": "registry.example.org:5000/team/app:1.2", "count": "4"}),
    ("kubernetes", {"base": "cuda", "runtime_class": "nvidia", "name": "yes"}),
    ("compose", {"base": "ngc", "name": "null"}),
    ("devcontainer", {"base": "pytorch"}),
]


@cache
def everything(engine: Engine) -> dict[tuple[str, str, tuple[tuple[str, str], ...]], str]:
    """Every file of the grid that there is, by stack, kind and options."""
    found = {}
    for stack, question in STACKS.items():
        for kind, options in VARIANTS:
            with suppress(NoStack, InvalidRequest):
                found[stack, kind, tuple(options.items())] = engine.artifact(kind, Asked(**question), options).text
    return found


def of(engine: Engine, kind: str) -> dict[str, str]:
    """The files of a kind, by a name that tells them apart."""
    return {
        "-".join((stack, *(value for _, value in options))): text
        for (stack, other, options), text in everything(engine).items()
        if other == kind
    }


def written(texts: dict[str, str], folder: Path, ending: str) -> list[str]:
    paths = []
    for number, text in enumerate(texts.values()):
        paths.append(folder / f"{number}{ending}")
        paths[-1].write_text(text, encoding="utf-8")
    return [str(path) for path in paths]


def run(*command: str | Path) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, (done.stdout + done.stderr)[:3000]


# --- what the tools of the field say ---------------------------------------------------------------------------------


def test_every_stack_has_every_kind_that_makes_sense(engine: Engine) -> None:
    have = {(stack, kind) for stack, kind, _ in everything(engine)}
    for stack in STACKS:
        for kind in ARTIFACTS:
            assert ((stack, kind) in have) == (stack != "windows" or kind in ENVIRONMENTS), (stack, kind)
    assert len(everything(engine)) > 200


def test_every_file_tells_data_verdict_and_evidence(engine: Engine) -> None:
    for (_, kind, _), text in everything(engine).items():
        assert text.isascii()
        assert text.endswith("\n")
        assert ":latest" not in text
        if kind == "devcontainer":
            made = json.loads(text)["customizations"]["whichcuda"]
            assert (made["verdict"], made["data_version"]) == ("yes", engine.data_version)
            assert made["evidence"] in ("measured", "documented", "reported")
        else:
            assert re.search(rf"Made by whichcuda from data {engine.data_version}: verdict yes, evidence \w+\.\n", text)


def test_compose_files_fit_the_schema(engine: Engine, tmp_path: Path) -> None:
    files = written(of(engine, "compose"), tmp_path, ".yaml")
    assert len(files) > 15
    run(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", *files)
    for text in of(engine, "compose").values():
        service = yaml.safe_load(text)["services"]["torch"]
        (device,) = service["deploy"]["resources"]["reservations"]["devices"]
        assert device == {"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}
        assert service["environment"]["NVIDIA_DRIVER_CAPABILITIES"] == "compute,utility"


def test_dev_containers_fit_the_schema(engine: Engine, tmp_path: Path) -> None:
    schema = Path(__file__).parents[1] / "data" / "devcontainer.schema.json"
    files = written(of(engine, "devcontainer"), tmp_path, ".json")
    assert len(files) > 15
    run(TOOLS / "check-jsonschema", "--schemafile", schema, *files)


def test_manifests_fit_the_schema_of_kubernetes(engine: Engine) -> None:
    manifests = of(engine, "kubernetes")
    assert len(manifests) > 40
    for name, text in manifests.items():
        data = yaml.safe_load(text)
        kubernetes_validate.validate(data, kubernetes_validate.latest_version(), strict=True)
        pod = data["spec"]["template"]["spec"] if data["kind"] == "Job" else data["spec"]
        (container,) = pod["containers"]
        (resource,) = container["resources"]["limits"]
        assert resource == ("nvidia.com/mig-1g.10gb" if name.startswith("a100-mig") else "nvidia.com/gpu")


def test_shell_in_definition_files(engine: Engine, tmp_path: Path) -> None:
    """Apptainer runs the sections with sh."""
    scripts = {}
    for name, text in of(engine, "apptainer").items():
        sections = dict(re.findall(r"^%(\w+)\n(.*?)(?=^%|\Z)", text, re.MULTILINE | re.DOTALL))
        assert list(sections) == ["post", "environment", "runscript", "labels", "help"]
        assert re.match(r"Bootstrap: docker\nFrom: \S+:\S+\n\n%post\n", text)
        scripts |= {f"{name}-{part}": sections[part] for part in ("post", "environment", "runscript")}
    assert len(scripts) > 150
    run(TOOLS / "shellcheck", "--shell=sh", "--severity=style", *written(scripts, tmp_path, ".sh"))


def test_every_requirement_is_one(engine: Engine) -> None:
    for stack, text in of(engine, "requirements").items():
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        pins = [Requirement(line) for line in lines if not line.startswith("--")]
        assert pins[0].name == "torch", stack
        assert all(re.match(r"[=<]", str(pin.specifier)) for pin in pins)
        options = [shlex.split(line) for line in lines if line.startswith("--")]
        assert [words[0] for words in options] in ([], ["--index-url"])


def test_requirements_are_what_the_command_installs(engine: Engine) -> None:
    for stack, text in of(engine, "requirements").items():
        (best, *_) = engine.resolve(Asked(**STACKS[stack]))["stacks"]
        lines = [shlex.split(line) for line in text.splitlines() if line and not line.startswith("#")]
        assert sorted(word for line in lines for word in line) == sorted(shlex.split(best["install"]["pip"])[2:])


def test_uv_projects(engine: Engine) -> None:
    for stack, text in of(engine, "uv").items():
        project = tomllib.loads(text)
        names = {Requirement(text).name for text in project["project"]["dependencies"]}
        SpecifierSet(project["project"]["requires-python"])
        (environment,) = project["tool"]["uv"]["environments"]
        windows = {"sys_platform": "win32", "platform_machine": "AMD64"}
        assert Marker(environment).evaluate(windows) == (stack == "windows")
        sources = project["tool"]["uv"].get("sources", {})
        if sources:
            (index,) = project["tool"]["uv"]["index"]
            assert index["explicit"] is True
            assert set(sources) <= names
            assert all(source == {"index": index["name"], "marker": environment} for source in sources.values())


def test_conda_and_pixi(engine: Engine) -> None:
    for text in of(engine, "conda").values():
        found = yaml.safe_load(text)
        assert set(found) == {"name", "channels", "dependencies"}
        python, pip, rest = found["dependencies"]
        assert re.fullmatch(r"python=3\.\d+", python)
        assert pip == "pip"
        assert next(Requirement(line).name for line in rest["pip"] if not line.startswith("--")) == "torch"
    for stack, text in of(engine, "pixi").items():
        found = tomllib.loads(text)
        expected = {"windows": "win-64", "gb10": "linux-aarch64"}.get(stack, "linux-64")
        assert found["workspace"]["platforms"] == [expected]
        assert set(found["dependencies"]) == {"python"}
        for row in found["pypi-dependencies"].values():
            SpecifierSet(row["version"])


@pytest.mark.parametrize("python", ["3.13t", "3.14t"])
def test_a_free_threaded_python_is_a_package_of_its_own_in_conda(engine: Engine, python: str) -> None:
    asked = Asked(gpus=["RTX 4090"], python=python)
    plain = python.removesuffix("t")
    assert yaml.safe_load(engine.artifact("conda", asked).text)["dependencies"][0] == f"python-freethreading={plain}"
    assert tomllib.loads(engine.artifact("pixi", asked).text)["dependencies"] == {"python-freethreading": f"{plain}.*"}
    assert f"uv python pin {python}" in engine.artifact("uv", asked).text
    command = engine.resolve(asked)["stacks"][0]["install"]["conda"]
    assert f"--channel conda-forge python-freethreading={plain} " in command


# --- what stands in them --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["cuda", "pytorch", "ngc", "python"])
@pytest.mark.parametrize("stack", [*STACKS, "capability", "arm-asked", "packages"])
def test_the_command_in_a_compose_file_writes_the_dockerfile_of_the_same_stack(
    engine: Engine, capsys: pytest.CaptureFixture[str], stack: str, base: str
) -> None:
    more = {
        "packages": {"gpus": A100, "packages": ["vllm", "jax"]},
        "capability": {"gpus": ["sm_86"]},
        "arm-asked": {"gpus": ["A100"], "machine": "aarch64", "python": "3.12"},
    }
    asked = Asked(**{**STACKS, **more}[stack])
    try:
        text = engine.artifact("compose", asked, {"base": base}).text
    except (NoStack, InvalidRequest):
        return
    command = re.search(r"^#   whichcuda (.*) --output Dockerfile$", text, re.MULTILINE)
    assert command
    assert main(shlex.split(command[1])) == 0
    own = engine.dockerfile(asked, base)
    written = capsys.readouterr().out
    assert re.search("^FROM .*", written, re.MULTILINE)[0] == re.search("^FROM .*", own, re.MULTILINE)[0]  # type: ignore[index]  # both have a FROM line
    assert f"image: {json.dumps(yaml.safe_load(text)['services']['torch']['image'])}" in text
    assert f"--tag {yaml.safe_load(text)['services']['torch']['image']} ." in written


def test_a_pod_finds_its_nodes(engine: Engine) -> None:
    def terms(**question: Any) -> Any:
        options = question.pop("options", {})
        pod = yaml.safe_load(engine.artifact("kubernetes", Asked(**question), {"base": "cuda", **options}).text)["spec"]
        assert pod["nodeSelector"] == {"kubernetes.io/arch": "arm64" if question["gpus"] == ["GB10"] else "amd64"}
        affinity = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        return [
            {row["key"].removeprefix("nvidia.com/gpu."): row["values"] for row in term["matchExpressions"]}
            for term in affinity["nodeSelectorTerms"]
        ]

    assert terms(gpus=["RTX 5090"]) == [{"product": ["NVIDIA-GeForce-RTX-5090"]}]
    assert terms(gpus=["sm_86"]) == [{"compute.major": ["8"], "compute.minor": ["6"]}]
    fleet = terms(gpus=["V100", "RTX 5090", "sm_120", "cc 12.0"])
    assert [len(term) for term in fleet] == [1, 1, 2]  # either kind of node does; the same twice is said once
    assert terms(gpus=["A100"], options={"mig": "1g.5gb"}) == [
        {"product": ["NVIDIA-A100-PCIE-40GB", "NVIDIA-A100-SXM4-40GB"]}
    ]


def test_a_pod_takes_the_public_image_or_the_one_that_is_named(engine: Engine) -> None:
    def pod(**options: str) -> Any:
        return yaml.safe_load(engine.artifact("kubernetes", Asked(gpus=["RTX 4090"]), options).text)["spec"]

    assert pod()["containers"][0]["image"].startswith("pytorch/pytorch:2.")
    assert "command" in pod()["containers"][0]
    assert pod(base="ngc")["containers"][0]["image"].startswith("nvcr.io/nvidia/pytorch:")
    built = pod(base="cuda")["containers"][0]
    assert built["image"].startswith("whichcuda-torch:2.")
    assert built["securityContext"] == {"allowPrivilegeEscalation": False, "runAsNonRoot": True}
    assert "args" in built  # after the check at the start
    named = "registry.example.org/app@sha256:" + "0" * 64
    assert pod(image=named)["containers"][0]["image"] == named
    assert "runtimeClassName" not in pod()
    assert pod(runtime_class="nvidia")["runtimeClassName"] == "nvidia"
    assert pod(count="8")["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 8}


def test_instances(engine: Engine) -> None:
    def limits(*gpus: str, **options: str) -> Any:
        text = engine.artifact("kubernetes", Asked(gpus=gpus), {"base": "cuda", **options}).text
        return yaml.safe_load(text)["spec"]["containers"][0]["resources"]["limits"]

    assert limits("A30", mig="1g.6gb+me") == {"nvidia.com/mig-1g.6gb.me": 1}
    assert limits("B200", mig="1g.23gb", count="2") == {
        "nvidia.com/mig-1g.23gb": 2
    }  # no names known: the number decides
    assert limits("H100 PCIe", "A100-SXM4-80GB", mig="3g.40gb") == {"nvidia.com/mig-3g.40gb": 1}
    for gpu, profile, said in [
        ("RTX 5090", "1g.10gb", "is not known to be divided"),
        ("sm_90", "1g.10gb", "is not known to be divided"),
        ("A30", "7g.24gb", "no instance `7g.24gb` of A30"),
        ("A30", "1g.10gb", "no instance `1g.10gb` of A30"),
    ]:
        with pytest.raises(InvalidRequest, match=said) as caught:
            limits(gpu, mig=profile)
        assert caught.value.field == "mig"
        assert bool(caught.value.candidates) == (gpu == "A30")
    with pytest.raises(InvalidRequest, match="name different instances"):
        limits("A100-SXM4-80GB MIG 1g.10gb", "H100 PCIe")


def test_the_names_of_instances_are_within_what_the_products_have(engine: Engine) -> None:
    """That products are divided, and the names of their instances, come from two places of the data."""
    most = {claim.subject: claim.mig_max_instances or 0 for claim in engine.catalogue.claims(GpuHasSpecs)}
    for gpu in engine.index.hardware.gpus.values():
        for alias in gpu.aliases:
            if alias.startswith("MIG "):
                assert int(alias[4]) <= most[gpu.id], gpu.id


def test_as_many_gpus_as_may_be_asked_for(engine: Engine) -> None:
    long = sorted(
        (gpu for gpu in engine.index.hardware.gpus.values() if gpu.platform == "desktop"),
        key=lambda gpu: -len(gpu.name),
    )
    modern = [
        gpu.name for gpu in long if engine.index.hardware.gpu_capability[gpu.id].compute_capability.major in (8, 12)
    ]
    for kind in CONTAINERS:
        options = {"base": "cuda"}
        assert engine.artifact(kind, Asked(gpus=modern[:MAX_GPUS], machine="x86_64"), options).text.isascii()


def test_what_is_no_yes_gives_no_file(engine: Engine) -> None:
    for kind in ARTIFACTS:
        for question in ({"torch": "2.6.0+cu124"}, {"packages": ["some-package-nobody-judges"]}):
            with pytest.raises(NoStack, match="verdict is") as caught:
                engine.artifact(kind, Asked(gpus=["RTX 5090"], **question))
            assert caught.value.answer["verdict"] in ("no", "unknown")
    for kind in CONTAINERS:
        with pytest.raises(InvalidRequest, match="wsl2"):
            engine.artifact(kind, Asked(gpus=["RTX 5090"], os="windows-11"))


def test_the_same_question_gives_the_same_bytes(engine: Engine) -> None:
    again = Engine(engine.catalogue)
    for kind in ARTIFACTS:
        asked = Asked(gpus=["A100", "T4"])
        assert again.artifact(kind, asked) == engine.artifact(kind, asked)


# --- packages beside torch, and cuda-compat --------------------------------------------------------------------------

A100 = ["A100-SXM4-80GB"]


def test_packages_are_installed_with_torch(engine: Engine) -> None:
    asked = Asked(gpus=A100, packages=["vllm"])
    vllm = engine.resolve(asked)["stacks"][0]["packages"]["vllm"]["requirement"]
    for kind, options in [(kind, {"base": "cuda"} if kind in CONTAINERS else {}) for kind in ARTIFACTS]:
        text = engine.artifact(kind, asked, options).text
        if kind in ("compose", "devcontainer"):  # these build the Dockerfile
            assert f"--package {vllm}" in text
        elif kind == "pixi":
            assert tomllib.loads(text)["pypi-dependencies"]["vllm"] == {"version": vllm.removeprefix("vllm")}
        elif kind != "kubernetes":
            assert vllm in text
    for base in ("pytorch", "ngc"):
        with pytest.raises(NoStack, match=r"take base .*`cuda`"):
            engine.artifact("dockerfile", asked, {"base": base})


def test_the_python_of_the_base_is_one_that_all_packages_have(engine: Engine) -> None:
    for base in ("cuda", "python"):
        text = engine.dockerfile(Asked(gpus=A100, packages=["vllm"]), base)
        python = re.search(r"(?:python:|python3=)(3\.\d+)", text)
        assert python
        assert engine.resolve(Asked(gpus=A100, packages=["vllm"], python=python[1]))["verdict"] == "yes"


def test_only_what_is_of_the_index_of_pytorch_comes_from_there(engine: Engine) -> None:
    asked = Asked(gpus=A100, packages=["xformers", "bitsandbytes"], torch="2.10.0+cu126")
    project = tomllib.loads(engine.artifact("uv", asked).text)
    assert set(project["tool"]["uv"]["sources"]) == {"torch", "torchvision", "torchaudio"}
    assert "--extra-index-url https://download.pytorch.org/whl/cu126\n" in engine.artifact("requirements", asked).text
    assert "--extra-index-url https://" in engine.dockerfile(asked)


def test_what_is_compiled_comes_after_torch(engine: Engine) -> None:
    asked = Asked(gpus=A100, packages=["flash-attn"])
    with pytest.raises(NoStack, match="workload `build`"):
        engine.dockerfile(asked)
    text = engine.dockerfile(asked, "cuda", "build")
    assert re.search(
        r'torchaudio==\S+ \\\n    && TORCH_CUDA_ARCH_LIST="8.0" pip install --no-cache-dir --no-build-isolation flash-attn==',
        text,
    )
    text = engine.artifact("apptainer", asked, {"workload": "build"}).text
    assert (
        '    TORCH_CUDA_ARCH_LIST="8.0" /opt/venv/bin/pip install --no-cache-dir --no-build-isolation flash-attn=='
        in text
    )
    for kind in ENVIRONMENTS:
        text = engine.artifact(kind, asked).text
        assert re.search(
            r"^# When it is installed: pip install flash-attn==\S+ --no-build-isolation$", text, re.MULTILINE
        )


def test_what_brings_its_own_libraries_stays_apart(engine: Engine) -> None:
    asked = Asked(gpus=A100, packages=["jax"])
    for kind in ("dockerfile", *ENVIRONMENTS):
        text = engine.artifact(kind, asked).text
        assert re.search(r"^# Not in here, .*: pip install 'jax\[cuda1\d\]==", text, re.MULTILINE)


def test_files_with_packages_pass_the_tools_too(engine: Engine, tmp_path: Path) -> None:
    questions = [["vllm"], ["flash-attn"], ["jax", "bitsandbytes"], ["tensorflow"], ["onnxruntime-gpu", "xformers"]]
    scripts, files = {}, {}
    for number, packages in enumerate(questions):
        asked, build = Asked(gpus=A100, packages=packages), {"workload": "build"}
        files[str(number)] = engine.artifact("dockerfile", asked, build).text
        text = engine.artifact("apptainer", asked, build).text
        scripts[str(number)] = text.partition("%post\n")[2].partition("%environment")[0]
        for line in engine.artifact("requirements", asked).text.splitlines():
            assert not line or line.startswith(("#", "--")) or Requirement(line)
        tomllib.loads(engine.artifact("uv", asked).text)
        tomllib.loads(engine.artifact("pixi", asked).text)
        yaml.safe_load(engine.artifact("conda", asked).text)
    run(TOOLS / "shellcheck", "--shell=sh", "--severity=style", *written(scripts, tmp_path, ".sh"))
    run(TOOLS / "hadolint", "--failure-threshold", "style", *written(files, tmp_path, ".Dockerfile"))


def test_extras_of_a_wheel_are_extras_for_pixi() -> None:
    assert _split(["a-b[c,d]==1.0"]) == [
        {"text": "a-b[c,d]==1.0", "name": "a-b", "extras": ["c", "d"], "specifier": "==1.0"}
    ]
    values = {"requirements": _split(["a-b[c,d]==1.0"]), "index_url": None, "indexed": [], "base": None}
    values |= {"compiled": [], "apart": [], "gpus": []} | {
        "label": "2.1.0+cu121",
        "windows": False,
        "module": None,
        "ptx": False,
    }
    values |= {"driver": DriverNeeds(CudaVersion(12, 1), "x"), "data_version": "2026.1.1", "verdict": "yes"}
    values |= {"evidence": "measured", "name": "x", "subdir": "linux-64", "free_threaded": False, "python": "3.12"}
    assert tomllib.loads(render("pixi", values))["pypi-dependencies"]["a-b"] == {
        "version": "==1.0",
        "extras": ["c", "d"],
    }


def test_what_works_by_cuda_compat_only_is_not_written(engine: Engine) -> None:
    asked = Asked(gpus=["A100"], driver="535", cuda="13.0")
    assert engine.resolve(asked)["stacks"][0]["cuda"]["runs_as"] == "forward"
    for kind in ARTIFACTS:
        with pytest.raises(NoStack, match="cuda-compat") as caught:
            engine.artifact(kind, asked)
        assert caught.value.answer["fixes"]


# --- options --------------------------------------------------------------------------------------------------------


def test_kinds_and_their_options() -> None:
    for kind in ARTIFACTS.values():
        assert set(kind.options) <= set(OPTIONS)
    assert set(OPTIONS) == {name for kind in ARTIFACTS.values() for name in kind.options}
    for option in OPTIONS.values():
        assert bool(option.choices) != bool(option.pattern)
    assert len({kind.filename for kind in ARTIFACTS.values()}) == len(ARTIFACTS)


@pytest.mark.parametrize(
    ("kind", "options", "field", "said"),
    [
        ("helm", {}, "kind", "the kinds are dockerfile"),
        ("requirements", {"name": "x"}, "name", "it takes none"),
        ("uv", {"base": "cuda"}, "base", "it takes `name`"),
        ("kubernetes", {"kind": "deployment"}, "kind", "one of pod, job"),
        ("kubernetes", {"count": "0"}, "count", "1 to 99"),
        ("kubernetes", {"count": "1.5"}, "count", "1 to 99"),
        ("compose", {"image": "app"}, "image", "with a tag"),
        ("compose", {"image": "app:latest"}, "image", "other than `latest`"),
        ("compose", {"name": "Team"}, "name", "lower-case"),
        ("devcontainer", {"base": "python"}, "base", "no CUDA compiler"),
    ],
)
def test_what_is_refused(engine: Engine, kind: str, options: dict[str, str], field: str, said: str) -> None:
    with pytest.raises(InvalidRequest, match=re.escape(said)) as caught:
        engine.artifact(kind, Asked(gpus=["RTX 4090"]), options)
    assert caught.value.field == field


# --- nobody's text --------------------------------------------------------------------------------------------------

HOSTILE = st.sampled_from(
    [
        *("\n", "\r\n", "\x00", "\u2028", "'", '"', '"""', "'''", "`id`", "$(id)", "${HOME}", "$HOME", "#", " #", ": "),
        *("{{ 7 * 7 }}", "{%", "&anchor", "*alias", "!!python/object", "- ", "? ", "|", ">", "[", "]", "{", "}", ","),
        *(
            "\\",
            "\\n",
            "= ",
            "==",
            ";",
            "&&",
            "%post",
            "---",
            "...",
            "EOF",
            "null",
            "yes",
            "1e3",
            "0x10",
            "~",
            "英伟达",
        ),
        *("é", "\u202e", "\ufeff", "a" * 70, "-", "--", ".", "..", "/", "//", "@", ":", ":1", "sha256:", "latest"),
    ]
)
VALUE = st.lists(st.one_of(HOSTILE, st.sampled_from(["app", "a1", "team", "1g", "10gb", "7"])), min_size=1, max_size=4)
USERS = {
    "compose": ("name", "image"),
    "devcontainer": ("name",),
    "kubernetes": ("name", "image", "count", "mig", "runtime_class"),
    "uv": ("name",),
    "conda": ("name",),
    "pixi": ("name",),
}


def parsed(kind: str, text: str) -> Any:
    if ARTIFACTS[kind].media_type == "application/toml":
        return tomllib.loads(text)
    return json.loads(text) if kind == "devcontainer" else yaml.safe_load(text)


def read_back(kind: str, option: str, data: Any) -> Any:
    """Where an option stands in the parsed file."""
    if kind == "kubernetes":
        container = data["spec"]["containers"][0]
        ((resource, count),) = container["resources"]["limits"].items()
        return {
            "name": data["metadata"]["name"],
            "image": container["image"],
            "count": str(count),
            "mig": resource.removeprefix("nvidia.com/mig-").replace(".me", "+me"),
            "runtime_class": data["spec"].get("runtimeClassName"),
        }[option]
    if option == "image":
        return data["services"]["torch"]["image"]
    return {"uv": data.get("project"), "pixi": data.get("workspace")}.get(kind, data)["name"]


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from([(kind, option) for kind, options in USERS.items() for option in options]), parts=VALUE)
def test_a_text_of_the_person_who_asks_is_refused_or_stands_there_exactly(
    engine: Engine, place: tuple[str, str], parts: list[str]
) -> None:
    kind, option = place
    value = "".join(parts)
    plain = engine.artifact(kind, Asked(gpus=["A100-SXM4-80GB"])).text
    try:
        text = engine.artifact(kind, Asked(gpus=["A100-SXM4-80GB"]), {option: value}).text
    except InvalidRequest as error:
        refused = error.field
    else:
        refused = ""
    if refused:
        assert refused == option
        return
    data = parsed(kind, text)
    assert read_back(kind, option, data) == value
    assert set(data) == set(parsed(kind, plain))
    if option == "name":  # a word such as `null` stays a text; nothing else changes
        assert [line for line in text.splitlines() if value not in line] == [
            line for line in plain.splitlines() if "torch-gpu" not in line and value not in line
        ]


@pytest.mark.parametrize("name", ["null", "yes", "no", "on", "true", "y", "n", "e1", "nan", "inf"])
@pytest.mark.parametrize("kind", [kind for kind, options in USERS.items() if "name" in options])
def test_words_that_yaml_and_toml_read_as_something_else(engine: Engine, kind: str, name: str) -> None:
    data = parsed(kind, engine.artifact(kind, Asked(gpus=["RTX 4090"]), {"name": name}).text)
    assert read_back(kind, "name", data) == name


CANARY = "zqxj"


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    field=st.sampled_from(["gpu", "os", "machine", "driver", "python", "torch", "cuda", "prefer", "packages"]),
    parts=VALUE,
    after=st.booleans(),
    kind=st.sampled_from(sorted(ARTIFACTS)),
)
def test_the_question_itself_is_never_written(
    engine: Engine, field: str, parts: list[str], after: bool, kind: str
) -> None:
    good = {"gpu": "RTX 5090", "os": "linux", "machine": "x86_64", "driver": "580", "python": "3.12", "torch": ">=2.8"}
    good |= {"cuda": ">=12.6", "prefer": "newest", "packages": "torchvision>=0.20"}
    junk = "".join(parts) + CANARY
    good[field] = good[field] + junk if after else junk
    gpu, packages = good.pop("gpu"), good.pop("packages")
    try:
        text = engine.artifact(kind, Asked(gpus=[gpu], packages=[packages], **good)).text
    except (BadQuestion, NoStack):
        return
    assert CANARY not in text


@given(
    text=st.one_of(HOSTILE, st.text(max_size=30)), kind=st.sampled_from(["dns_label", "image", "count", "mig_profile"])
)
def test_patterns_of_free_texts_hold_no_character_that_any_format_minds(text: str, kind: str) -> None:
    if PATTERNS[kind].fullmatch(text):
        assert re.fullmatch(r"[A-Za-z0-9_./:@+-]+", text)
