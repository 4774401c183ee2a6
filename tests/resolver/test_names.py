"""Names as people write them, over the committed catalogue: a table of forms, every product, and any text at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices.catalogue import Catalogue
from matrices.model import CloudInstance, Gpu, GpuHasCc
from matrices.versions import ComputeCapability
from resolver.engine import Engine
from resolver.names import BareCapability, Names, NotNvidia, Products, Recognition, Unknown

FORMS = json.loads((Path(__file__).parents[1] / "data" / "gpu_names.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def names(engine: Engine) -> Names:
    """The recogniser over the committed catalogue."""
    return engine.names


@pytest.fixture(scope="session")
def gpus(catalogue: Catalogue) -> dict[str, Gpu]:
    """All products by id."""
    return catalogue.entities(Gpu)


@pytest.fixture(scope="session")
def capability(catalogue: Catalogue) -> dict[str, ComputeCapability]:
    """The capability that counts, by product id."""
    claims = [claim for claim in catalogue.claims(GpuHasCc) if claim.standing != "deprecated"]
    return {claim.subject: claim.compute_capability for claim in reversed(claims)}


def told(found: Recognition) -> tuple[str, set[str]]:
    """A recognition as the table writes it."""
    if isinstance(found, Products):
        return ("certain" if found.certain else "unsure", {gpu.id for gpu in found.gpus})
    if isinstance(found, BareCapability):
        return ("capability", {str(found.compute_capability)})
    if isinstance(found, NotNvidia):
        return ("not-nvidia", {found.reading})
    return ("unknown", {gpu.id for gpu in found.candidates})


@pytest.mark.parametrize(("text", "verdict", "expected"), FORMS, ids=[row[0] for row in FORMS])
def test_form(names: Names, text: str, verdict: str, expected: list[str]) -> None:
    kind, ids = told(names.recognise(text))
    assert kind == verdict
    if verdict == "unknown" and expected:
        assert set(expected) <= ids, "proposals"
    else:
        assert ids == set(expected)


def test_chip_names_the_products_on_it(names: Names) -> None:
    for text in ("GA102", "NVIDIA Corporation GA102GL"):
        found = names.recognise(text)
        assert isinstance(found, Products)
        assert found.how == "chip"
        assert {"a10", "geforce-rtx-3090", "rtx-a6000"} <= {gpu.id for gpu in found.gpus}
        assert all("GA102" in gpu.chip for gpu in found.gpus)


def _squashed(name: str) -> str:
    """Two spellings that differ in a blank alone are one name."""
    return name.replace(" ", "").lower()


def test_every_product_by_its_names(
    names: Names, gpus: dict[str, Gpu], capability: dict[str, ComputeCapability]
) -> None:
    sharing: dict[str, set[ComputeCapability]] = {}
    for gpu in gpus.values():
        for name in {gpu.marketing_name, gpu.name, *gpu.aliases}:
            sharing.setdefault(_squashed(name), set()).add(capability[gpu.id])
    for gpu in gpus.values():
        shared = sharing[_squashed(gpu.marketing_name)] | sharing[_squashed(gpu.name)]
        for spelling in (gpu.name, gpu.name.lower(), gpu.name.replace(" ", "-"), gpu.name.replace(" ", "")):
            found = names.recognise(spelling)
            assert isinstance(found, Products), spelling
            assert gpu in found.gpus, spelling
            assert {capability[other.id] for other in found.gpus} <= shared, spelling


def test_every_product_by_what_drivers_print(
    names: Names, gpus: dict[str, Gpu], capability: dict[str, ComputeCapability]
) -> None:
    printed = [(name, gpu) for gpu in gpus.values() for name in gpu.driver_names]
    assert len(printed) > 400
    for name, gpu in printed:
        found = names.recognise(name)
        assert isinstance(found, Products), name
        assert gpu in found.gpus, name
        assert found.certain, name
        assert names.recognise(f"GPU 3: {name} (UUID: GPU-5f1c2e3a-7b1d-4c1e-9a55-0d2f6b7c8e91)") == found
        if len({capability[other.id] for other in found.gpus}) > 1:
            assert len({other.marketing_name for other in found.gpus}) == 1, name


def test_every_product_by_its_pci_ids(
    names: Names, gpus: dict[str, Gpu], capability: dict[str, ComputeCapability]
) -> None:
    for gpu in gpus.values():
        for pci_id in gpu.pci_ids:
            for text in (f"10de:{pci_id}", f"[10DE:{pci_id.upper()}]", f"0x{pci_id}", f"10DE{pci_id.upper()}"):
                found = names.recognise(text)
                assert isinstance(found, Products), text
                assert gpu in found.gpus, text
                assert found.how == "pci-id"
                assert {capability[other.id] for other in found.gpus} == {capability[gpu.id]}


def test_every_alias_leads_to_its_products(names: Names, gpus: dict[str, Gpu]) -> None:
    aliased: dict[str, set[str]] = {}
    for gpu in gpus.values():
        for alias in gpu.aliases:
            aliased.setdefault(alias, set()).add(gpu.id)
    assert aliased
    for alias, ids in aliased.items():
        found = names.recognise(alias)
        assert isinstance(found, Products), alias
        assert ids <= {gpu.id for gpu in found.gpus}, alias


def test_every_machine_type(names: Names, catalogue: Catalogue) -> None:
    for instance in catalogue.entities(CloudInstance).values():
        found = names.recognise(instance.id.upper())
        assert isinstance(found, Products), instance.id
        assert {gpu.id for gpu in found.gpus} == set(instance.gpus)


def test_reading_names_what_was_understood(names: Names) -> None:
    readings = {
        "rtx 1080ti": "GeForce GTX 1080 Ti",
        "RTX 2060": "GeForce RTX 2060 / GeForce RTX 2060 (laptop)",
        "GT730": "GeForce GT 730",
        "g5.xlarge": "g5.xlarge",
        "10de:2b85": "GeForce RTX 5090",
        "GA102": "A10 / A10G / A10M ...",
    }
    for text, reading in readings.items():
        found = names.recognise(text)
        assert isinstance(found, Products)
        assert found.reading == reading


PIECES = """
rtx gtx geforce quadro tesla nvidia 英伟达 显卡 4090 3090 a100 h100 v100 80g 24gb ti super d v2 laptop max-q sxm4 pcie 4x x2 * /
, ( ) [10de:2b85] sm_86 8.6 mig 1g.10gb 9g.99gb -8q gpu 0: (uuid: g5.xlarge amd radeon ad102 gb202 [ ] k80 titan x or not 以上
\u200f \u202e ９ ™ 🚀 driver 535 a m s o l name= \x00
"""
PIECE = st.sampled_from(PIECES.split())
TEXTS = st.text(max_size=40) | st.lists(PIECE | st.text(max_size=3), max_size=8).map(" ".join)


@given(TEXTS | st.lists(PIECE, max_size=6).map("".join))
def test_any_text_gets_an_answer_and_always_the_same(names: Names, text: str) -> None:
    found = names.recognise(text)
    assert found == names.recognise(text)
    match found:
        case Products():
            assert found.gpus
            assert found.how
            assert found.reading
            assert len({gpu.id for gpu in found.gpus}) == len(found.gpus)
        case Unknown():
            assert len(found.candidates) <= 5
        case _:
            assert isinstance(found, BareCapability | NotNvidia)


SEPARATORS = st.sampled_from([" ", "-", "_", "", "  ", "\u00a0", "\u3000"])


@given(st.data())
def test_case_separators_and_invisible_characters_do_not_matter(
    names: Names, gpus: dict[str, Gpu], data: st.DataObject
) -> None:
    plain = [gpu.name for gpu in gpus.values() if gpu.name not in names._index.printed]
    name = data.draw(st.sampled_from(sorted(plain)))
    words = "".join(data.draw(SEPARATORS) if letter == " " else letter for letter in name)
    written = "".join(data.draw(st.sampled_from((letter.upper(), letter.lower()))) for letter in words)
    wide = "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in written)
    expected = told(names.recognise(name.lower()))
    assert told(names.recognise(f" {written}\n")) == expected
    assert told(names.recognise(f"\u202e\u200f{wide}\ufeff")) == expected


HOSTILE = [
    "a",
    "1",
    "rtx ",
    "[",
    "x 1 ",
    "gpu 0: ",
    "mig ",
    "o1",
    "(uuid:",
    "10de:",
    "-1q",
    "sm_",
    "卡",
    "ﷺ",
    "4090 ",
    "1g.10gb ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_texts_are_refused_and_the_longest_read_ones_are_no_burden(names: Names, piece: str) -> None:
    assert names.recognise(piece * 10_000) == Unknown()
    assert isinstance(names.recognise((piece * 300)[:300]), Products | Unknown | BareCapability | NotNvidia)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\x00", "\u200f", "🚀", "\ud800"])
def test_nothing_is_unknown(names: Names, text: str) -> None:
    assert names.recognise(text) == Unknown()


def test_likeness_is_only_loaded_for_proposals() -> None:
    code = (
        "import sys; from resolver.engine import Engine; names = Engine.load().names; names.recognise('rtx 4090')\n"
        "assert 'rapidfuzz' not in sys.modules; names.recognise('rtx 6090'); assert 'rapidfuzz' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


CUT = [
    ("Quadro RTX 3000 with Max-...", {"Quadro RTX 3000 with Max-Q Design"}),
    ("GeForce RTX 208...", {"GeForce RTX 2080", "GeForce RTX 2080 Ti", "GeForce RTX 2080 SUPER"}),
    ("NVIDIA GeForce GTX 108…", {"GeForce GTX 1080", "GeForce GTX 1080 Ti"}),
    ("Tesla V100-SXM2...", {"Tesla V100 SXM2 16GB", "Tesla V100 SXM2 32GB"}),
]


@pytest.mark.parametrize(("text", "among"), CUT)
def test_a_name_that_a_tool_cut_off_is_every_product_that_goes_on_so(
    text: str, among: set[str], names: Names, capability: dict[str, ComputeCapability]
) -> None:
    found = names.recognise(text)
    assert isinstance(found, Products)
    assert among <= {gpu.name for gpu in found.gpus}
    assert len({capability[gpu.id] for gpu in found.gpus}) == 1


@pytest.mark.parametrize("text", ["NVIDIA GeForce ...", "...", "Tesla X9..."])
def test_what_is_left_of_a_name_may_be_too_little(text: str, names: Names) -> None:
    found = names.recognise(text)
    assert not isinstance(found, Products) or not found.certain
