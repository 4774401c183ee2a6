"""Reading questions: versions, specifiers, drivers, systems, machines, packages, and whatever else people type."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from matrices.model import OperatingSystem
from matrices.versions import DriverVersion
from resolver.errors import AmbiguousGpu, BadQuestion, InvalidRequest, NotNvidia, UnknownGpu, UnknownVersion
from resolver.query import MAX_GPUS, Asked, Companion, Query, Requested, Wanted
from resolver.rules import Driver
from tests.resolver.factory import small, subject

READER = small().reader
SYSTEMS = small().catalogue.entities(OperatingSystem)
version = DriverVersion.parse


def shown(wanted: Wanted | None) -> tuple[list[str], bool] | None:
    """What is allowed, in order, and whether newer ones are too."""
    if wanted is None:
        return None
    return sorted(
        map(str, wanted.allowed), key=lambda text: [int(part) for part in text.rstrip("t").split(".")]
    ), wanted.beyond


# --- torch -------------------------------------------------------------------------------------------------------

TORCH = [
    ("2.6.0", ["2.6.0"], False, None),
    ("2.6", ["2.6.0"], False, None),
    ("2.6.*", ["2.6.0"], False, None),
    ("2", ["2.4.0", "2.6.0", "2.7.0", "2.8.0"], True, None),
    (" 2.6.0+cu118 ", ["2.6.0"], False, "cu118"),
    ("2.6+cu124", ["2.6.0"], False, "cu124"),
    (">=2.6", ["2.6.0", "2.7.0", "2.8.0"], True, None),
    (">=2.6,<2.8", ["2.6.0", "2.7.0"], False, None),
    ("<2", ["1.8.2"], False, None),
    ("!=2.6.0", ["1.8.2", "2.4.0", "2.7.0", "2.8.0"], True, None),
    ("~=2.6.0", ["2.6.0"], False, None),
    ("===2.6.0", ["2.6.0"], False, None),
    ("2.9", [], True, None),
    ("2.9.1", [], True, None),
    ("3", [], True, None),
    (">2.8.0", [], True, None),
    (">=2.8,!=2.8.0", [], True, None),
    ("2.8.1", [], True, None),
]


@pytest.mark.parametrize("text, allowed, beyond, variant", TORCH)
def test_torch(text: str, allowed: list[str], beyond: bool, variant: str | None) -> None:
    wanted, tag = READER.versions.torch(text)
    assert shown(wanted) == (allowed, beyond)
    assert tag == variant
    assert wanted is not None
    assert wanted.text == text


NOT_TORCH = [
    ("2.5", UnknownVersion, ["2.4.0", "2.6.0", "2.7.0", "2.8.0"]),
    ("2.6.9", UnknownVersion, ["2.6.0"]),
    ("1.8.3", UnknownVersion, ["1.8.2"]),
    ("1.9", UnknownVersion, ["1.8.2"]),
    ("0.4.1", UnknownVersion, ["2.8.0"]),
    ("2.7.0.1", UnknownVersion, ["2.7.0"]),
    ("<1", UnknownVersion, ["2.8.0"]),
    (">=2.8,<2.7", InvalidRequest, []),
    ("==2.6.0,==2.7.0", InvalidRequest, []),
    ("latest", InvalidRequest, []),
    ("torch", InvalidRequest, []),
    ("", InvalidRequest, []),
    ("+cu118", InvalidRequest, []),
    ("2.6.0+", None, []),
    ("2.6.0+cu11.8", InvalidRequest, []),
    ("2.6.0+rocm6", InvalidRequest, []),
    ("2.6.0+cu126", UnknownVersion, ["cu102", "cu118", "cu124", "cu128", "cu130"]),
    ("2.6.0+cpu", InvalidRequest, []),
    ("2.6.0+cu124+cu118", InvalidRequest, []),
    ("2" * 101, InvalidRequest, []),
    ("2.６", InvalidRequest, []),
    ("2.6.0; rm -rf /", InvalidRequest, []),
]


@pytest.mark.parametrize("text, error, candidates", NOT_TORCH)
def test_not_torch(text: str, error: type[BadQuestion] | None, candidates: list[str]) -> None:
    if error is None:
        assert shown(READER.versions.torch(text)[0]) == (["2.6.0"], False)
        return
    with pytest.raises(error) as caught:
        READER.versions.torch(text)
    assert type(caught.value) is error
    assert (caught.value.field, caught.value.given, list(caught.value.candidates)) == ("torch", text, candidates)


# --- Python ------------------------------------------------------------------------------------------------------

PYTHON = [
    ("3.12", ["3.12"], False),
    ("3.12.4", ["3.12"], False),
    ("python3.12", ["3.12"], False),
    ("Python 3.12", ["3.12"], False),
    ("cp312", ["3.12"], False),
    ("cp38", ["3.8"], False),
    ("3.13t", ["3.13t"], False),
    ("cp313t", ["3.13t"], False),
    ("3.15", ["3.15"], True),
    ("3.7", ["3.7"], False),  # never heard of, and no newer than what is
    (">=3.12", ["3.12", "3.13"], True),
    (">=3.9,<3.11", ["3.9", "3.10"], False),
    ("3", ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13"], True),
    ("3.*", ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13"], True),
]


@pytest.mark.parametrize("text, allowed, beyond", PYTHON)
def test_python(text: str, allowed: list[str], beyond: bool) -> None:
    assert shown(READER.versions.python(text)) == (allowed, beyond)


@pytest.mark.parametrize("text", ["2.7", "<3.8", ">=3.12,<3.12", "snake", "", " ", "3.x", "3.１２", "٣.١٢", "cp3１2"])
def test_not_python(text: str) -> None:
    with pytest.raises(BadQuestion) as caught:
        READER.versions.python(text)
    assert caught.value.field == "python"


# --- CUDA --------------------------------------------------------------------------------------------------------

CUDA = [
    ("12.8", ["12.8"], False),
    ("12.8.1", ["12.8"], False),
    ("cu128", ["12.8"], False),
    ("CUDA 12.8", ["12.8"], False),
    ("cuda-12.8", ["12.8"], False),
    (">=12,<13", ["12.4", "12.8"], False),
    ("12", ["12.4", "12.8"], False),
    (">=12.8", ["12.8", "13.0"], True),
    ("<=12.4", ["11.8", "12.4"], False),
    ("13.1", [], True),
    ("14", [], True),
    ("cu131", [], True),
]


@pytest.mark.parametrize("text, allowed, beyond", CUDA)
def test_cuda(text: str, allowed: list[str], beyond: bool) -> None:
    assert shown(READER.versions.cuda(text)) == (allowed, beyond)


NOT_CUDA = [
    ("12.6", UnknownVersion, "no such release of cuda"),
    ("cu90", UnknownVersion, "no such release of cuda"),
    ("cu80", UnknownVersion, "no such release of cuda"),
    ("570.124.06", UnknownVersion, "looks like a driver version"),
    ("570", UnknownVersion, "looks like a driver version"),
    ("rocm", InvalidRequest, "a version like `13.0`"),
    ("", InvalidRequest, "a version like `13.0`"),
    ("cuda", InvalidRequest, "a version like `13.0`"),
    (">12.8,<12.4", InvalidRequest, "contradicts itself"),
    ("１２.８", InvalidRequest, "a version like `13.0`"),
]


@pytest.mark.parametrize("text, error, says", NOT_CUDA)
def test_not_cuda(text: str, error: type[BadQuestion], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        READER.versions.cuda(text)
    assert (caught.value.field, caught.value.given) == ("cuda", text)


def test_nothing_asked_is_nothing_wanted() -> None:
    assert READER.versions.torch(None) == (None, None)
    assert READER.versions.python(None) is None
    assert READER.versions.cuda(None) is None
    assert READER.versions.driver(None, SYSTEMS["linux"]) == (None, "")
    assert READER.requirements.read([]) == Requested()


# --- drivers -----------------------------------------------------------------------------------------------------

R570 = Driver(570, version("570.86.10"), version("570.211.01"))
DRIVERS = [
    ("570", "linux", R570),
    ("R570", "linux", R570),
    ("r570", "linux", R570),
    (" v570 ", "linux", R570),
    ("570", "windows-11", Driver(570, version("571.10"), version("573.76"))),
    ("570", "wsl2", Driver(570, version("571.10"), version("573.76"))),
    ("590", "linux", Driver(590, version("590.44.01"), None)),
    ("570.124.06", "linux", Driver(570, version("570.124.06"), version("570.124.06"))),
    ("31.0.15.7260", "windows-11", Driver(570, version("572.60"), version("572.60"))),  # as the Device Manager shows it
    ("572.60", "windows-11", Driver(570, version("572.60"), version("572.60"))),
    ("572", "windows-11", Driver(570, version("572"), version("572.999"))),
    ("572", "wsl2", Driver(570, version("572"), version("572.999"))),
    ("650.10", "linux", Driver(650, version("650.10"), version("650.10"))),
    ("650", "linux", Driver(650, version("650"), version("650.999"))),
    ("591.44", "windows-11", Driver(591, version("591.44"), version("591.44"))),
]


@pytest.mark.parametrize("text, system, driver", DRIVERS)
def test_driver(text: str, system: str, driver: Driver) -> None:
    found, shown = READER.versions.driver(text, SYSTEMS[system])
    assert found == driver
    assert shown in (text.strip().lstrip("Rrv"), str(driver.first))


NOT_DRIVERS = [
    ("12.4", "looks like a CUDA version", ()),
    ("13", "looks like a CUDA version", ()),
    ("8.9", "looks like a CUDA version", ()),
    ("572", "no such driver branch", ("R570", "R580", "R590")),
    ("572.60", "is a Windows number; say `os`: `windows-11` or `wsl2`", ("R570",)),
    ("460", "older than any driver known; the oldest is R470", ("R470", "R535", "R570")),
    ("304.137", "older than any driver known", ("R470", "R535", "R570")),
    ("newest", "a driver is a branch like", ()),
    ("570.124.06.01.02", "a driver is a branch like", ()),
    ("", "a driver is a branch like", ()),
    ("５７０", "a driver is a branch like", ()),
    ("570\n", None, ()),
]


@pytest.mark.parametrize("text, says, candidates", NOT_DRIVERS)
def test_not_a_driver(text: str, says: str | None, candidates: Sequence[str]) -> None:
    if says is None:
        assert READER.versions.driver(text, SYSTEMS["linux"])[0] == R570
        return
    with pytest.raises(UnknownVersion, match=says) as caught:
        READER.versions.driver(text, SYSTEMS["linux"])
    assert (caught.value.field, caught.value.given, tuple(caught.value.candidates)) == (
        "driver",
        text,
        tuple(candidates),
    )


# --- system and machine ------------------------------------------------------------------------------------------

OPERATING_SYSTEMS = [
    ("linux", "linux"),
    ("GNU/Linux", "linux"),
    ("Ubuntu 24.04", "ubuntu-24.04"),
    ("ubuntu_24.04", "ubuntu-24.04"),
    (" noble ", "ubuntu-24.04"),
    ("WIN11", "windows-11"),
    ("WSL 2", "wsl2"),
]


@pytest.mark.parametrize("text, name", OPERATING_SYSTEMS)
def test_system(text: str, name: str) -> None:
    assert READER.system(text).id == name


@pytest.mark.parametrize(
    "text, says", [("macOS 15", "no macOS builds"), ("darwin", "no macOS"), ("plan9", "one of arch, linux, rhel-7")]
)
def test_not_a_system(text: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says) as caught:
        READER.system(text)
    assert (caught.value.field, caught.value.given) == ("os", text)


MACHINES = [
    ("x86_64", "x86_64"),
    ("AMD64", "x86_64"),
    ("x86-64", "x86_64"),
    ("x64", "x86_64"),
    ("ARM64", "aarch64"),
    ("sbsa", "aarch64"),
]


@pytest.mark.parametrize("text, machine", MACHINES)
def test_machine(text: str, machine: str) -> None:
    assert READER.machine(text, ()) == machine


def test_machine_follows_the_gpus() -> None:
    gpus = small().index.hardware.gpus
    gh200, t4 = subject("9.0", gpus["gh200"]), subject("7.5", gpus["tesla-t4"])
    assert READER.machine(None, [gh200]) == "aarch64"
    assert READER.machine(None, [gh200, t4]) == "x86_64"
    assert READER.machine(None, [subject("9.0")]) == "x86_64"
    assert READER.machine("x86_64", [gh200]) == "x86_64"
    with pytest.raises(InvalidRequest, match="`x86_64` or `aarch64`"):
        READER.machine("riscv64", [])


# --- packages ----------------------------------------------------------------------------------------------------

PACKAGES = [
    (["torchvision==0.21.0"], (Companion("torchvision", "torchvision==0.21.0", "==0.21.0"),), (), None),
    (["Torch_Vision"], (), ("torch-vision",), None),
    (["TorchAudio"], (Companion("torchaudio", "TorchAudio", ""),), (), None),
    (["vllm", "flash_attn>=2.7"], (), ("vllm", "flash-attn"), None),
    (["torch==2.6.0", "vllm"], (), ("vllm",), "2.6.0"),
    (["torch"], (), (), None),
    (["triton"], (Companion("triton", "triton", ""),), (), None),
    (["torch>=2.6,<3"], (), (), "<3,>=2.6"),
]


@pytest.mark.parametrize("texts, companions, unjudged, torch", PACKAGES)
def test_packages(
    texts: list[str], companions: tuple[Companion, ...], unjudged: tuple[str, ...], torch: str | None
) -> None:
    assert READER.requirements.read(texts) == Requested(companions, (), unjudged, torch)


@pytest.mark.parametrize("text", ["vllm[x]", "vllm @ https://example.org/x.whl", "vllm; python_version < '3'"])
def test_more_than_a_name_with_versions(text: str) -> None:
    with pytest.raises(InvalidRequest, match="without URL or marker"):
        READER.requirements.read([text])


def test_not_a_package() -> None:
    with pytest.raises(InvalidRequest, match="a package is a requirement") as caught:
        READER.requirements.read(["torch vision 0.21"])
    assert caught.value.field == "packages"


def test_companion_allows() -> None:
    assert Companion("torchvision", "torchvision", "").allows("0.21.0")
    assert Companion("torchvision", "torchvision>=0.21", ">=0.21").allows("0.21.0")
    assert not Companion("torchvision", "torchvision>=0.22", ">=0.22").allows("0.21.0")


# --- GPUs and the whole ------------------------------------------------------------------------------------------

GPUS = [
    ("V100", ["tesla-v100"], "7.0", "Tesla V100"),
    ("A100", ["a100-pcie-40gb", "a100-sxm4-80gb"], "8.0", "A100"),
    ("sm_86", [], "8.6", "compute capability 8.6"),
]


@pytest.mark.parametrize("text, ids, capability, name", GPUS)
def test_subject(text: str, ids: list[str], capability: str, name: str) -> None:
    found = READER.subject(text)
    assert sorted(gpu.id for gpu in found.gpus) == ids
    assert (str(found.capability), found.name, found.asked) == (capability, name, text)
    assert not found.tegra


def test_names_with_nothing_in_common() -> None:
    gpus = small().index.hardware.gpus
    several = subject("8.0", gpus["tesla-t4"])
    both = type(several)("?", (gpus["geforce-rtx-3090"], gpus["tesla-t4"]), several.capability, True, "?")
    assert both.name == "GeForce RTX 3090"
    assert READER.subject("Jetson Orin Nano").tegra


NOT_GPUS = [
    ("GT 730", AmbiguousGpu, "which one is it: GeForce GT 730", 2),
    ("Radeon RX 7900", NotNvidia, "is not an NVIDIA GPU", 0),
    ("sm_52", UnknownGpu, "no GPU has compute capability 5.2; known: 2.1", 0),
    ("blubber", UnknownGpu, "give the model name", 0),
    ("RTX 3091", UnknownGpu, None, None),
]


@pytest.mark.parametrize("text, error, says, candidates", NOT_GPUS)
def test_not_a_gpu(text: str, error: type[BadQuestion], says: str | None, candidates: int | None) -> None:
    with pytest.raises(error, match=says) as caught:
        READER.subject(text)
    assert (caught.value.field, caught.value.given) == ("gpu", text)
    assert candidates is None or len(caught.value.candidates) == candidates
    if caught.value.candidates and error is UnknownGpu:
        assert "did you mean" in str(caught.value)


def test_whole_question() -> None:
    asked = Asked(
        gpus=["T4", "V100", "T4"],
        os="noble",
        driver="570",
        python="3.12",
        torch="2.6.0+cu124",
        cuda="12.4",
        packages=["torchaudio", "vllm"],
        prefer="conservative",
        limit=2,
    )
    found = READER.read(asked)
    assert isinstance(found, Query)
    assert list(map(str, found.capabilities)) == ["7.0", "7.5"]
    assert [one.asked for one in found.subjects] == ["T4", "V100"]
    assert (found.os.id, found.machine, found.machine_asked, found.driver, found.driver_text) == (
        "ubuntu-24.04",
        "x86_64",
        False,
        R570,
        "570",
    )
    assert (found.variant, found.unjudged, found.prefer, found.limit) == ("cu124", ("vllm",), "conservative", 2)
    assert found.driver_os == "linux"
    assert READER.read(Asked(["T4"], os="wsl2")).driver_os == "windows"
    assert READER.read(Asked(["T4"], os="win11", machine="x64")).machine_asked
    assert READER.read(Asked(["T4"], packages=["torch==2.6.0"])).torch == Wanted(
        "2.6.0", found.torch.allowed if found.torch else frozenset()
    )


WRONG = [
    (Asked([]), "gpu", "at least one GPU"),
    (Asked([f"T4 {number}" for number in range(MAX_GPUS + 1)]), "gpu", "at most 64 GPUs"),
    (Asked(["T4"], limit=0), "limit", "at least 1"),
    (Asked(["T4"], prefer="oldest"), "prefer", "`newest` or `conservative`"),
    (Asked(["T4"], torch="2.6.0", packages=["torch==2.7.0"]), "packages", "torch is asked for twice"),
]


@pytest.mark.parametrize("asked, field, says", WRONG)
def test_wrong_question(asked: Asked, field: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says) as caught:
        READER.read(asked)
    assert caught.value.field == field
    assert caught.value.type == "invalid-request"


def test_no_gpu_is_needed_for_a_check() -> None:
    assert READER.read(Asked([]), gpus_needed=False).subjects == ()


anything = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="0123456789.,<>=!~*+ cupt-_ⅷ１²٣\n\x00", max_size=20),
    st.builds(
        lambda *parts: "".join(parts),
        st.sampled_from(["", "cu", ">=", "R", "==", "~=", "cp"]),
        st.from_regex(r"\d{1,4}(\.\d{1,4}){0,3}"),
    ),
)


@settings(max_examples=250, derandomize=True, database=None)
@given(st.sampled_from(["driver", "python", "torch", "cuda", "os", "machine", "prefer"]), anything)
@example("python", "3.１２")
@example("python", "3.99")
@example("torch", "2.6.0+cu１24")
@example("cuda", "cu１2８")
@example("cuda", "１2.8.1")
@example("torch", "===ⅷ")
@example("torch", "==2.0.0.dev1")
def test_whatever_is_typed_is_read_or_refused(field: str, text: str) -> None:
    found, error = outcome(Asked(["T4"], **{field: text}))  # type: ignore[arg-type]  # a field by its name
    if error is not None:
        assert error.field == field
        assert str(error)
    assert (found is None) != (error is None)


def outcome(asked: Asked) -> tuple[dict[str, object] | None, BadQuestion | None]:
    """The answer, or the complaint."""
    try:
        return small().resolve(asked), None
    except BadQuestion as error:
        return None, error


@settings(max_examples=150, derandomize=True, database=None)
@given(st.lists(anything, max_size=3))
@example(["torch===2.6.0"])
@example(["torchvision===ⅷ"])
@example(["torchvision @ https://example.org/x.whl"])
@example(["torch==2.6.0; python_version < '3'"])
def test_whatever_packages_are_typed(texts: list[str]) -> None:
    found, error = outcome(Asked(["T4"], packages=texts))
    if error is not None:
        assert error.field in ("packages", "torch")
    else:
        assert found is not None
        assert found["verdict"] in ("yes", "no", "unknown")
