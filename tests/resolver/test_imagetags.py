"""Judging an image by its reference, on the small world: does the tag exist, does what is inside fit, does the gate open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matrices.model import OperatingSystem
from resolver.errors import InvalidRequest
from resolver.images import Images
from resolver.imagetags import ImageJudge, split_reference
from resolver.judge import Reason
from resolver.query import Query
from resolver.rules import RULES
from resolver.words import sentence
from tests.resolver.factory import Parts, World, query, small, subject

ENGINE = small()
JUDGE = ImageJudge(ENGINE.index, ENGINE.images)
SYSTEMS = ENGINE.catalogue.entities(OperatingSystem)


def asked(*names: str, driver: str | None = None, machine: str = "x86_64", machine_asked: bool = False) -> Query:
    read, text = ENGINE.reader.versions.driver(driver, SYSTEMS["linux"])
    gpus = ENGINE.index.hardware.gpus
    subjects = tuple(
        subject(str(ENGINE.index.hardware.gpu_capability[name].compute_capability), gpus[name])
        if name in gpus
        else subject(name)
        for name in names
    )
    found = query(os=SYSTEMS["linux"], machine=machine)
    return replace(found, subjects=subjects, driver=read, driver_text=text, machine_asked=machine_asked)


def judge(reference: str, *names: str, driver: str | None = None, **parts: str) -> list[Reason]:
    reasons = JUDGE.judge(reference, asked(*names, driver=driver, **parts), ENGINE.judge)  # type: ignore[arg-type]  # keyword parts of many types
    assert all(reason.rule in RULES and sentence(reason) for reason in reasons)
    return reasons


REFERENCES = [
    ("nvidia/cuda:12.8.1-base-ubuntu24.04", "nvidia/cuda", "12.8.1-base-ubuntu24.04"),
    ("docker.io/nvidia/cuda:12.8.1-base-ubuntu24.04", "nvidia/cuda", "12.8.1-base-ubuntu24.04"),
    ("index.docker.io/nvidia/cuda:1", "nvidia/cuda", "1"),
    ("docker.io/library/python:3.12", "python", "3.12"),
    (" python ", "python", "latest"),
    ("localhost:5000/a/b:c", "localhost:5000/a/b", "c"),
    (f"python:3.12@sha256:{'0' * 64}", "python", "3.12"),
    (f"python@sha256:{'0' * 64}", "python", "latest"),
]


@pytest.mark.parametrize("reference, repository, tag", REFERENCES)
def test_split_reference(reference: str, repository: str, tag: str) -> None:
    assert split_reference(reference) == (repository, tag)


@pytest.mark.parametrize(
    "text", ["", ":tag", "NVIDIA/cuda:12", "a b", "a:b:c", "a:", "a@sha256:0", "$(id)", "a" * 401, "a/../b"]
)
def test_not_a_reference(text: str) -> None:
    with pytest.raises(InvalidRequest, match="`repository:tag`") as caught:
        split_reference(text)
    assert (caught.value.field, caught.value.given) == ("image", text)


EXISTENCE = [
    # reference, kind, verdict, words
    ("nvidia/cuda:12.8.1-base-ubuntu24.04", "image", "yes", "exists and holds CUDA 12.8.1"),
    (
        "nvcr.io/nvidia/cuda:12.8.1-base-ubuntu24.04",
        "image",
        "yes",
        "`nvcr.io/nvidia/cuda:12.8.1-base-ubuntu24.04` exists",
    ),
    ("nvidia/cuda:12.1.0-base-ubuntu22.04", "image-removed", "no", "was removed"),
    ("nvidia/cuda:12.3.0-base-ubuntu22.04", "image-never", "no", "it was never pushed"),
    ("nvidia/cuda:12.2.0-base-ubuntu22.04", "image-unknown", "unknown", "not known whether the image"),
    ("pytorch/pytorch:nightly", "image-unknown", "unknown", "not known whether the image"),
    ("somebody/else:1", "image-unknown", "unknown", "`somebody/else:1` exists"),
    # tags that no row lists, against the law of spelling of their repository
    ("nvidia/cuda:latest", "image-never", "no", "tags begin with a CUDA version"),
    ("nvidia/cuda", "image-never", "no", "tags begin with a CUDA version"),
    (
        "nvidia/cuda:12.4-base-ubuntu22.04",
        "image-never",
        "no",
        "from CUDA 11.0 on the version has 3 parts, such as 12.4.0",
    ),
    ("nvidia/cuda:12.3.1-base-ubuntu22.04", "image-never", "no", "no image was pushed for CUDA 12.3.1"),
    ("nvidia/cuda:12.2.1-base-ubuntu22.04", "image-never", "no", "no image was pushed for CUDA 12.2.1"),
    ("nvidia/cuda:12.2.2-base-ubuntu22.04", "image-unknown", "unknown", "not known"),
    ("nvidia/cuda:12.4.1", "image-never", "no", "a tag ends in a distribution"),
    ("nvidia/cuda:12.4.0-runtime", "image-never", "no", "a tag ends in a distribution"),
    ("nvidia/cuda:12.4.0-cudnn8", "image-never", "no", "a tag ends in a distribution"),
    (
        "nvidia/cuda:12.4.0-cudnn9-runtime-ubuntu22.04",
        "image-never",
        "no",
        "with CUDA 12.4.0 the cuDNN part is spelled cudnn8",
    ),
    ("nvidia/cuda:12.6.0-cudnn9-runtime-ubuntu22.04", "image-never", "no", "the cuDNN part is spelled cudnn"),
    (
        "nvidia/cuda:12.6.0-cudnn-base-ubuntu22.04",
        "image-never",
        "no",
        "cuDNN comes with runtime and devel images only",
    ),
    ("nvidia/cuda:12.6.0-cudnn-devel-ubi8", "image-never", "no", "there are no images with cuDNN on ubi8"),
    ("nvidia/cuda:12.6.0-cudnn-devel-ubuntu24.04", "image-unknown", "unknown", "not known"),
    ("nvidia/cuda:12.0.0-cudnn8-devel-ubuntu22.04", "image-never", "no", "CUDA 12.0.0 has no images with cuDNN"),
    ("nvidia/cuda:10.2-runtime", "image-unknown", "unknown", "not known"),  # there a distribution may be left out
    ("nvidia/cuda:10.2-cudnn7-runtime", "image-never", "no", "the cuDNN part is spelled not at all"),
    ("nvidia/cuda:6.5-runtime", "image-unknown", "unknown", "not known"),  # older than any law
    ("nvidia/cuda:12.8.1-runtime-ubuntu24.04", "image-never", "no", "no list of the tags for CUDA 12.8.1 has it"),
]


@pytest.mark.parametrize("reference, kind, verdict, says", EXISTENCE)
def test_existence(reference: str, kind: str, verdict: str, says: str) -> None:
    first, *_ = judge(reference)
    assert (first.kind, first.verdict) == (kind, verdict)
    assert says in sentence(first)


def kinds(reasons: list[Reason]) -> list[tuple[str, str]]:
    return [(reason.kind, reason.verdict) for reason in reasons[1:]]


def test_image_alone_says_nothing_of_what_is_not_asked() -> None:
    assert kinds(judge("nvidia/cuda:12.8.1-base-ubuntu24.04")) == []
    assert kinds(judge("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime")) == []


MACHINE = [
    ("nvidia/cuda:12.4.1-base-ubuntu22.04", [], "aarch64", True, [("image-machine", "no")]),
    ("nvidia/cuda:12.4.1-base-ubuntu22.04", [], "aarch64", False, []),  # nobody asked
    ("nvidia/cuda:12.4.1-base-ubuntu22.04", ["gh200"], "aarch64", False, [("image-machine", "no")]),
    ("nvidia/cuda:12.8.1-base-ubuntu24.04", ["gh200"], "aarch64", True, []),
    ("pytorch/pytorch:nightly", [], "aarch64", True, []),  # nothing is said of its machines
    ("nvidia/cuda:12.2.0-base-ubuntu22.04", [], "aarch64", True, []),
]


@pytest.mark.parametrize("reference, names, machine, machine_asked, wanted", MACHINE)
def test_machine(
    reference: str, names: list[str], machine: str, machine_asked: bool, wanted: list[tuple[str, str]]
) -> None:
    found = JUDGE.judge(reference, asked(*names, machine=machine, machine_asked=machine_asked), ENGINE.judge)
    assert kinds(found) == wanted


CU128, CU124 = "nvidia/cuda:12.8.1-base-ubuntu24.04", "nvidia/cuda:12.4.1-devel-ubi9"
DRIVEN = [
    # reference, GPUs, driver, what follows on existence
    (CU128, ["tesla-t4"], "570", [("runs-native", "yes"), ("gate-open", "yes")]),
    (CU128, ["tesla-t4"], "535", [("runs-minor", "yes"), ("gate-shut", "yes")]),
    (CU128, [], "535", [("runs-minor", "yes")]),  # for no GPU there is nothing to refuse
    (CU128, ["tesla-t4"], "470", [("forward", "unknown")]),  # cuda-compat inside, for data-center GPUs
    (CU128, ["geforce-rtx-3090"], "470", [("driver-too-old", "no")]),
    (CU128, ["tesla-t4", "geforce-rtx-3090"], "470", [("driver-too-old", "no")]),  # of all or of none
    (CU128, ["7.5"], "470", [("driver-too-old", "no")]),  # a capability has no brand
    (CU128, [], "470", [("driver-too-old", "no")]),
    (CU124, ["tesla-t4"], "535", [("runs-minor", "yes"), ("gate-branch", "yes")]),
    (CU124, ["geforce-rtx-3090"], "535", [("runs-minor", "yes"), ("gate-shut", "yes")]),
    (
        CU124,
        ["tesla-t4", "geforce-rtx-3090"],
        "535",
        [("runs-minor", "yes"), ("gate-branch", "yes"), ("gate-shut", "yes")],
    ),
    (CU124, ["tesla-t4"], "470", [("driver-too-old", "no")]),  # cuda-compat of that CUDA is listed for no branch
    (CU124, ["tesla-t4"], "650.10", [("runs-native", "yes")]),  # nobody knows what a later driver shows to the gate
    ("nvidia/cuda:12.4.1-words-ubi9", ["tesla-t4"], "535", [("runs-minor", "yes")]),  # an expression nobody read
    ("nvidia/cuda:12.4.1-base-ubuntu22.04", ["tesla-t4"], "570", [("runs-native", "yes")]),  # it asks for nothing known
    ("nvidia/cuda:13.0.0-base-ubi9", ["tesla-t4"], "570", [("runs-unknown", "unknown")]),
    ("nvidia/cuda:12.2.0-base-ubuntu22.04", ["tesla-t4"], "570", []),  # nothing is known of what is inside
]


@pytest.mark.parametrize("reference, names, driver, wanted", DRIVEN)
def test_driver_and_gate(reference: str, names: list[str], driver: str, wanted: list[tuple[str, str]]) -> None:
    found = judge(reference, *names, driver=driver)
    assert kinds([reason for reason in found if reason.kind != "targets"]) == wanted


COMPILERS = [
    ("nvidia/cuda:12.4.1-devel-ubi9", "tesla-t4", None, [("targets", "yes")]),
    ("nvidia/cuda:12.4.1-devel-ubi9", "12.0", None, [("targets-not", "no")]),
    ("nvidia/cuda:12.8.1-base-ubuntu24.04", "12.0", None, []),
]


@pytest.mark.parametrize("reference, name, driver, wanted", COMPILERS)
def test_the_compiler_inside(reference: str, name: str, driver: str | None, wanted: list[tuple[str, str]]) -> None:
    found = [reason for reason in judge(reference, name, driver=driver) if reason.kind.startswith("target")]
    assert [(reason.kind, reason.verdict) for reason in found] == wanted


def test_a_digest_says_nothing() -> None:
    found = judge(f"nvidia/cuda:12.8.1-base-ubuntu24.04@sha256:{'0' * 64}", "tesla-t4")
    assert [(reason.kind, reason.verdict) for reason in found] == [("image-digest", "unknown")]


RUNTIME, PLAIN = "nvidia/cuda:12.4.1-runtime-ubuntu22.04", "nvidia/cuda:12.4.1-base-ubuntu22.04"
AGAINST_GPUS = [
    (RUNTIME, ["12.0"], None, [("image-gpus-unknown", "unknown")]),  # its libraries may bring PTX
    (RUNTIME, ["7.5"], None, []),
    (PLAIN, ["12.0"], None, []),  # nothing inside that could lack code
    (CU128, ["tesla-k80"], None, [("no-driver-for-both", "no")]),
    (CU128, ["tesla-k80"], "470", [("forward", "unknown")]),
    (CU128, ["tesla-v100"], None, []),
]


@pytest.mark.parametrize("reference, names, driver, wanted", AGAINST_GPUS)
def test_cuda_images_against_gpus(
    reference: str, names: list[str], driver: str | None, wanted: list[tuple[str, str]]
) -> None:
    assert kinds(judge(reference, *names, driver=driver)) == wanted


HELD = [
    ({"python": "3.11"}, [("image-holds", "yes")]),
    ({"python": ">=3.9"}, [("image-holds", "yes")]),
    ({"python": "3.12"}, [("image-holds-not", "no")]),
    ({"torch": "2.6"}, [("image-holds", "yes")]),
    ({"torch": "2.7"}, [("image-holds-not", "no")]),
    ({}, []),
]


@pytest.mark.parametrize("parts, wanted", HELD)
def test_python_and_torch_inside(parts: dict[str, str], wanted: list[tuple[str, str]]) -> None:
    reader = ENGINE.reader
    named = replace(
        asked(), python=reader.versions.python(parts.get("python")), torch=reader.versions.torch(parts.get("torch"))[0]
    )
    found = JUDGE.judge("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime", named, ENGINE.judge)
    assert kinds(found) == wanted
    assert all(sentence(reason) for reason in found)
    assert kinds(JUDGE.judge("nvidia/cuda:12.2.0-base-ubuntu22.04", named, ENGINE.judge)) == []
    assert kinds(JUDGE.judge(CU128, named, ENGINE.judge)) == []


def closed(reasons: list[Reason]) -> Reason:
    """The reason about the gate."""
    return next(reason for reason in reasons if reason.kind.startswith("gate"))


def test_a_shut_gate_is_a_condition() -> None:
    gate = closed(judge(CU128, "tesla-t4", driver="535"))
    assert gate.condition
    assert "asks for a driver with CUDA 12.8; R535 has 12.2" in sentence(gate)
    gate = closed(judge(CU124, "tesla-t4", driver="535"))
    assert not gate.condition
    assert "lets driver branch R535 pass" in sentence(gate)


def test_forward_by_the_words_of_the_image_itself() -> None:
    world = World().entity("branch", "R470", number=470).claim("driver-runs-cuda", "R470", cuda="11.4")
    world.entity("os", "linux", name="Linux", family="linux")
    world.claim("toolkit-needs-driver", "12", os="linux", driver="525.60.13")
    world.entity("gpu", "t4", name="Tesla T4", marketing_name="Tesla T4", family="Data Center")
    world.entity("image", "i", repository="r", role="cuda", tags=["t"]).claim("image-exists", "i", status="exists")
    world.claim("image-contains", "i", cuda="12.4").claim("image-forward-on", "i", drivers=["470.57.02"])
    parts = Parts(world.catalogue())
    judge = ImageJudge(parts.index, Images(parts.index))
    found, _ = parts.reader.versions.driver("470.57.02", parts.catalogue.entities(OperatingSystem)["linux"])
    wanted = replace(query(), subjects=(subject("7.5", parts.index.hardware.gpus["t4"]),), driver=found)
    assert kinds(judge.judge("r:t", wanted, parts.judge)) == [("forward", "unknown")]


def test_a_driver_of_which_no_cuda_is_known() -> None:
    world = World().entity("branch", "R470", number=470).entity("os", "linux", name="Linux", family="linux")
    world.claim("toolkit-needs-driver", "12", os="linux", driver="470")
    world.entity("image", "i", repository="r", role="cuda", tags=["t"]).claim("image-exists", "i", status="exists")
    world.claim("image-contains", "i", cuda="12.4").claim("image-demands", "i", machine="x86_64", cuda="12.4")
    parts = Parts(world.catalogue())
    judge = ImageJudge(parts.index, Images(parts.index))
    found, _ = parts.reader.versions.driver("470", parts.catalogue.entities(OperatingSystem)["linux"])
    assert kinds(judge.judge("r:t", replace(query("7.5"), driver=found), parts.judge)) == [("runs-minor", "yes")]


NGC_NEW, NGC_OLD = "nvcr.io/nvidia/pytorch:25.01-py3", "nvcr.io/nvidia/pytorch:24.01-py3"
FRAMEWORKS = [
    (NGC_NEW, ["tesla-t4"], None, [("image-takes", "yes")]),
    (NGC_NEW, ["tesla-v100"], None, [("image-too-new", "no")]),
    (NGC_NEW, ["12.1"], None, [("image-gpus-unknown", "unknown")]),
    (NGC_OLD, ["tesla-t4"], None, [("image-line-takes", "yes")]),  # it names none itself; a later one still takes it
    (NGC_OLD, ["tesla-v100"], None, [("image-gpus-unknown", "unknown")]),
    (NGC_OLD, ["tesla-k80"], None, [("targets-not", "no")]),
    (NGC_OLD, ["12.0"], None, [("image-gpus-unknown", "unknown")]),  # its compiler makes PTX at most
    (NGC_NEW, ["tesla-t4"], "570", [("runs-native", "yes"), ("image-takes", "yes")]),
    ("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime", ["tesla-t4"], None, [("kernels-sass", "yes")]),
    ("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime", ["12.0"], None, [("kernels-none", "no")]),
    (
        "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime",
        ["tesla-t4"],
        "570",
        [("runs-native", "yes"), ("kernels-sass", "yes")],
    ),
    ("pytorch/pytorch:nightly", ["tesla-t4"], "570", []),
]


@pytest.mark.parametrize("reference, names, driver, wanted", FRAMEWORKS)
def test_what_is_inside(reference: str, names: list[str], driver: str | None, wanted: list[tuple[str, str]]) -> None:
    assert kinds(judge(reference, *names, driver=driver)) == wanted


def test_frameworks_without_any_word_on_what_is_inside() -> None:
    world = (
        World().entity("image", "i", repository="r", role="ngc", tags=["t"]).claim("image-exists", "i", status="exists")
    )
    world.entity("branch", "R570", number=570)
    parts = Parts(world.catalogue())
    found = ImageJudge(parts.index, Images(parts.index)).judge("r:t", query("7.5"), parts.judge)
    assert [(reason.kind, reason.claims != ()) for reason in found] == [("image", True), ("image-gpus-unknown", False)]
