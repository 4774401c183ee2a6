"""The rules of reading names, each on a catalogue of a few products."""

from __future__ import annotations

import pytest

from matrices.model import CloudInstance, Gpu
from matrices.versions import ComputeCapability
from resolver.names import BareCapability, Names, NotNvidia, Products, Unknown


def gpu(name: str, family: str = "GeForce", **values: object) -> Gpu:
    """A product with its name as id and marketing name, unless told otherwise."""
    return Gpu(**{"id": name, "name": name, "marketing_name": name, "family": family, **values})  # type: ignore[arg-type]  # keyword parts of many types


GPUS = (
    gpu("GeForce RTX 4090", memory_gb=(24.0,), chip="AD102", architecture="Ada Lovelace", pci_ids=("2684",)),
    gpu("GeForce RTX 4090 D", memory_gb=(24.0,), chip="AD102", architecture="Ada Lovelace"),
    gpu("GeForce RTX 4090 Laptop GPU", "GeForce laptop", memory_gb=(16.0,), chip="AD103", architecture="Ada Lovelace"),
    gpu("GeForce RTX 4050 Laptop GPU", "GeForce laptop", chip="AD107", architecture="Ada Lovelace"),
    gpu("GeForce RTX 2060 with Max-Q Design", "GeForce laptop", chip="TU106"),
    gpu("GeForce GTX 750 Ti", chip="GM107", driver_names=("NVIDIA GeForce GTX 750 Ti",)),
    gpu("GeForce GTX 750 Ti (GK106)", chip="GK106", marketing_name="GeForce GTX 750 Ti"),
    gpu("GeForce GT 220 (G94)", chip="G94", marketing_name="GeForce GT 220"),
    gpu("GeForce 840M", "GeForce laptop", chip="GM108"),
    gpu("GeForce 9300 / nForce 730i"),
    gpu("H20", "Data Center", memory_gb=(96.0,), driver_names=("NVIDIA H20",)),
    gpu("H20 NVL16", "Data Center", aliases=("H20",)),
    gpu("H200 SXM", "Data Center", memory_gb=(141.0,), driver_names=("NVIDIA H200",)),
    gpu("H200 NVL", "Data Center", memory_gb=(141.0,)),
    gpu("H100 SXM5 80GB", "Data Center", memory_gb=(80.0,), aliases=("MIG 1g.10gb",)),
    gpu("Tesla T4", "Tesla", memory_gb=(16.0,), architecture="Turing"),
    gpu("Quadro RTX 6000", "Quadro", memory_gb=(24.0,), architecture="Turing"),
    gpu(
        "RTX 6000 Ada Generation", "RTX/Quadro", memory_gb=(48.0,), architecture="Ada Lovelace", aliases=("A6000 Ada",)
    ),
    gpu("RTX PRO 6000 Blackwell Server Edition", "RTX/Quadro", architecture="Blackwell"),
    gpu("RTX A6000", "RTX/Quadro", memory_gb=(48.0,), architecture="Ampere"),
    gpu("T1000", "RTX/Quadro"),
    gpu("Jetson TX1", "Jetson/DRIVE", platform="tegra", aliases=("Tegra X1",)),
    gpu("Jetson AGX Orin 64GB", "Jetson/DRIVE", platform="tegra", memory_gb=(64.0,)),
    gpu("TITAN Xp", "TITAN"),
    gpu("ION", "nForce"),
)
CAPABILITIES = {
    "GeForce GTX 750 Ti": "5.0",
    "GeForce GTX 750 Ti (GK106)": "3.0",
    "GeForce RTX 4090": "8.9",
    "ION": "1.1",
}
INSTANCES = (
    CloudInstance(id="g5", gpus=("Tesla T4",)),
    CloudInstance(id="ecs.gn6i-c4g1.xlarge", gpus=("Tesla T4",)),
    CloudInstance(id="Standard_NC6s_v3", gpus=("RTX A6000",)),
    CloudInstance(id="a2-highgpu-1g", gpus=("H20", "H200 SXM")),
    CloudInstance(id="BM.GPU.H100.8", gpus=("H100 SXM5 80GB",)),
    CloudInstance(id="unheard-of", gpus=("no such product",)),
)


@pytest.fixture(scope="module")
def names() -> Names:
    return Names(
        {gpu.id: gpu for gpu in GPUS},
        {name: ComputeCapability.parse(text) for name, text in CAPABILITIES.items()},
        {instance.id: instance for instance in INSTANCES},
    )


CERTAIN = {
    # a line word left out, in another order, or of an old habit
    "4090": ["GeForce RTX 4090"],
    "titan xp": ["TITAN Xp"],
    "geforce titan xp": ["TITAN Xp"],
    "gtx 840m": ["GeForce 840M"],
    "geforce 840m laptop": ["GeForce 840M"],
    "tesla h20": ["H20", "H20 NVL16"],
    "grid t4-8q": ["Tesla T4"],
    "quadro a6000": ["RTX A6000"],
    "6000 pro rtx": ["RTX PRO 6000 Blackwell Server Edition"],
    # generation, laptop, form factor, memory
    "rtx 6000 ada lovelace": ["RTX 6000 Ada Generation"],
    "a6000 ada": ["RTX 6000 Ada Generation"],
    "a6000": ["RTX A6000"],
    "rtx 6000": ["Quadro RTX 6000", "RTX 6000 Ada Generation"],
    "rtx 6000 48gb": ["RTX 6000 Ada Generation"],
    "rtx 6000 24564mib": ["Quadro RTX 6000"],
    "4090 mobile": ["GeForce RTX 4090 Laptop GPU"],
    "4090 max-q": ["GeForce RTX 4090 Laptop GPU"],
    "2060 laptop": ["GeForce RTX 2060 with Max-Q Design"],
    "2060": ["GeForce RTX 2060 with Max-Q Design"],
    "2060 max-q": ["GeForce RTX 2060 with Max-Q Design"],
    "4090 desktop 24g": ["GeForce RTX 4090"],
    "4050": ["GeForce RTX 4050 Laptop GPU"],
    "4050 6gb": ["GeForce RTX 4050 Laptop GPU"],
    "h200 sxm5": ["H200 SXM"],
    "hgx h200": ["H200 SXM"],
    "dgx a6000": ["RTX A6000"],
    "grid t4-16q (vgpu)": ["Tesla T4"],
    "h200 nvl": ["H200 NVL"],
    "h200 nvl 141gb": ["H200 NVL"],
    "h20 nvl16 gpu": ["H20 NVL16"],
    "h200 nvl72": ["H200 SXM", "H200 NVL"],
    "t4 pcie": ["Tesla T4"],
    "4090 pcie x16": ["GeForce RTX 4090"],
    "h100 80": ["H100 SXM5 80GB"],
    # whom a driver means and whom a person
    "NVIDIA H20": ["H20"],
    "nvidia h20": ["H20", "H20 NVL16"],
    "NVIDIA H200": ["H200 SXM"],
    "h200": ["H200 SXM", "H200 NVL"],
    # makers decorate
    "asus rtx 4090 ultra pro x": ["GeForce RTX 4090"],
    "msi rtx 4090 v2 24gd": ["GeForce RTX 4090"],
    "msi rtx 4090 d v2": ["GeForce RTX 4090 D"],
    # chips
    "ad103": ["GeForce RTX 4090 Laptop GPU"],
    "rtx 4090 (ad102)": ["GeForce RTX 4090"],
    "zotac gt 220 (g94)": ["GeForce GT 220 (G94)"],
    "gk106 [geforce gtx 750 ti]": ["GeForce GTX 750 Ti (GK106)"],
    "geforce gtx 750 ti (gk106)": ["GeForce GTX 750 Ti (GK106)"],
    "GP107 [GeForce 9300 / nForce 730i]": None,
    # others
    "geforce 9300 / nforce 730i": ["GeForce 9300 / nForce 730i"],
    "tegra x1 (nvgpu)/integrated": ["Jetson TX1"],
    "agx orin": ["Jetson AGX Orin 64GB"],
    "ion": ["ION"],
    "g5.48xlarge": ["Tesla T4"],
    "ecs.gn6i-c16g1.4xlarge": ["Tesla T4"],
    "nc24s_v3": ["RTX A6000"],
    "a2-highgpu-8g": ["H20", "H200 SXM"],
    "vm.gpu.h100.1": ["H100 SXM5 80GB"],
    "mig-1g.10gb": ["H100 SXM5 80GB"],
    "rtx 4090 compute capability 8.9": ["GeForce RTX 4090"],
    "0x10de 0x2684": ["GeForce RTX 4090"],
    "ad102 [geforce rtx 4090] [10de:2684]": ["GeForce RTX 4090"],
    "4090 4090": ["GeForce RTX 4090"],
}
UNSURE = {
    "gtx 4090": (["GeForce RTX 4090"], "prefix"),
    "gtx 4050": (["GeForce RTX 4050 Laptop GPU"], "prefix"),
    "rtx t1000": (["T1000"], "prefix"),
    "quadro rtx pro 6000": (["RTX PRO 6000 Blackwell Server Edition"], "prefix"),
    "4090 48g": (["GeForce RTX 4090"], "memory"),
    "4090 16g": (["GeForce RTX 4090 Laptop GPU", "GeForce RTX 4090"], "memory"),
    "rtx 4090 modded": (["GeForce RTX 4090"], "memory"),
    "rtx 4090 unobtainium": (["GeForce RTX 4090"], "words"),
    "t4s": (["Tesla T4"], "words"),
    "409o": (["GeForce RTX 4090"], "typo"),
    "gtx 750 ti": (["GeForce GTX 750 Ti"], "name"),
    "750ti": (["GeForce GTX 750 Ti"], "model"),
    "rtx 4090 (tu106)": (["GeForce RTX 4090"], "model"),
    "840": None,
    "tu106 [rtx 4090]": (["GeForce RTX 4090"], "lspci"),
    "ad103 [geforce rtx 4090 laptop gpu] [10de:2684]": (["GeForce RTX 4090"], "pci-id"),
}
NO_PRODUCT = {
    "4090 ti": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU"],
    "asus 4090 super": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU"],
    "4090m2": ["GeForce RTX 4090 Laptop GPU", "GeForce RTX 4090", "GeForce RTX 4090 D"],
    "t4m": ["Tesla T4"],
    "t4 99": ["Tesla T4"],
    "quadro 4090": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU"],
    "rtx pro 4090": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU"],
    "rtx 4090 sxm": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU"],
    "h200 pcie sxm4 nvl8 x": ["H200 SXM", "H200 NVL"],
    "rtx a6000 laptop": ["RTX A6000", "RTX 6000 Ada Generation"],
    "t4 max-q": ["Tesla T4"],
    "840m desktop": ["GeForce 840M"],
    "a6000 hopper": ["RTX 6000 Ada Generation", "RTX A6000"],
    "4090 t4": ["GeForce RTX 4090", "Tesla T4"],
    "4090 t4 ti": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU", "Tesla T4"],
    "4090 series": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU"],
    "4090 or better": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU"],
    "rtx 4090 sm_90": ["GeForce RTX 4090"],
    "rtx 4095 sm_90": [
        "GeForce RTX 4090",
        "GeForce RTX 4090 Laptop GPU",
        "GeForce RTX 4050 Laptop GPU",
        "GeForce RTX 4090 D",
    ],
    "amd ryzen with a 4090 from nvidia": ["GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 4090 Laptop GPU"],
    "mig 9g.99gb": [],
    "t5-16q": [],
    "10de:0000": [],
    "9.9": [],
    "x9y": [],
    "ion1": ["ION"],
    "gtx": [],
    "ad102 tu106": [],
}


@pytest.mark.parametrize("text", [text for text, expected in CERTAIN.items() if expected])
def test_understood(names: Names, text: str) -> None:
    found = names.recognise(text)
    assert isinstance(found, Products)
    assert {gpu.name for gpu in found.gpus} == set(CERTAIN[text] or ())
    assert found.certain


@pytest.mark.parametrize("text", [text for text, expected in UNSURE.items() if expected])
def test_understood_with_a_doubt(names: Names, text: str) -> None:
    found = names.recognise(text)
    assert isinstance(found, Products)
    assert ([gpu.name for gpu in found.gpus], found.how) == UNSURE[text]
    assert not found.certain


@pytest.mark.parametrize("text", NO_PRODUCT)
def test_not_understood(names: Names, text: str) -> None:
    found = names.recognise(text)
    assert isinstance(found, Unknown)
    assert [gpu.name for gpu in found.candidates] == NO_PRODUCT[text]


def test_capabilities(names: Names) -> None:
    for text in ("8.9", "sm_89", "compute_89", "cc 8.9", "算力8.9", "cuda capability sm_89", "arch=8.9"):
        assert names.recognise(text) == BareCapability(ComputeCapability(8, 9)), text
    assert names.recognise("sm_103a") == BareCapability(ComputeCapability(10, 3))


def test_other_makers(names: Names) -> None:
    assert names.recognise("7900 xtx") == NotNvidia("AMD")
    assert names.recognise("Radeon 4090") == NotNvidia("AMD")
    assert names.recognise("03:00.0 Display controller [0380]: [1002:744c]") == NotNvidia("AMD")
    assert names.recognise("10.0.0.1 mali") == NotNvidia("Arm Mali")


def test_a_catalogue_of_nothing() -> None:
    names = Names({}, {}, {})
    assert names.recognise("rtx 4090") == Unknown()
    assert names.recognise("g5.xlarge") == Unknown()
