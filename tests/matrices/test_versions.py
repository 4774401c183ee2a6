"""Versions as types: spelling, order, equality, refusal, and how pydantic sees them."""

from __future__ import annotations

import itertools
import json
import operator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from matrices import versions
from matrices.versions import (
    ArchTarget,
    ComputeCapability,
    CudaVersion,
    DriverVersion,
    InvalidVersion,
    PythonVersion,
    TorchVersion,
)
from tests.matrices.generated import VERSIONS

ALL = sorted(VERSIONS, key=lambda cls: cls.__name__)

# each line rises from left to right; all pairs are derived from it
ORDERED = {
    ComputeCapability: "1.0 2.1 3.0 3.5 7.5 8.0 8.6 8.9 9.0 10.0 10.3 11.0 12.0 12.1",
    ArchTarget: "3.5 9.0 9.0a 10.0 10.0a 10.0f 10.1 12.0 12.0f 12.1",
    DriverVersion: "96.43.23 390 390.48 450.51.06 450.80.02 535.104 535.104.5 570.9 570.26 570.86.10 570.124.06 999.1",
    CudaVersion: "9.0 9.0.176 10.2 11.8 12.0 12.8 12.8.0 12.8.1 12.9 12.10 13.0 13.4.3",
    PythonVersion: "2.7 3.6 3.9 3.10 3.12 3.13 3.13t 3.14 3.14t",
    TorchVersion: "0.4.1 1.0.0 1.9.1 1.10.0 1.13.1 2.0.0 2.9.1 2.10.0 2.15.0",
}

REFUSED: dict[Any, list[object]] = {
    ComputeCapability: ["", "8", "8.", ".6", "8.60", "sm_86", "8.6a", "108.6", "-8.6", "8,6", "8.6 or 9.0", "٨.٦"],
    ArchTarget: ["9.0b", "9.0af", "sm_9", "sm90", "ptx_90", "sm_90A", "sm_1000", "compute_", "9", "_", "９.0"],
    DriverVersion: ["5", "5704", "570.", "570.1234", "570.1.1.1.1", "570-server", "R570", "v570.26", "570.26-1"],
    CudaVersion: ["12", "12.", "12.8.1.1", "cu128", "128", "12.8-devel", "12.8rc1", "112.8", "12.800"],
    PythonVersion: ["3", "3.", "4.0", "3.12.1", "cp312", "3.13tt", "3.13T", "py3.9", "3.100"],
    TorchVersion: ["2.6", "2.6.0+cu124", "2.6.0rc1", "v2.6.0", "2.6.0.1", "2.6.0a", "2..0"],
}
NEVER: list[object] = [None, True, 8, 8.6, 12.1, b"8.6", ["8.6"], {"8.6": 1}, "8.6" * 30, "\x00", "nan"]


@pytest.mark.parametrize("cls", ALL)
@given(data=st.data())
def test_text_and_back(cls: Any, data: st.DataObject) -> None:
    version = data.draw(VERSIONS[cls])
    read = cls.parse(str(version))
    assert (read, str(read), hash(read)) == (version, str(version), hash(version))
    assert eval(repr(version), vars(versions)) == version
    assert cls.parse(f" {version}\n") == version


@pytest.mark.parametrize("cls", ALL)
@given(data=st.data())
def test_order_is_total_and_that_of_the_key(cls: Any, data: st.DataObject) -> None:
    one, two = data.draw(VERSIONS[cls]), data.draw(VERSIONS[cls])
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        assert compare(one, two) is compare(one.key, two.key)
    assert (one < two) + (one == two) + (one > two) == 1
    if one == two:
        assert hash(one) == hash(two)


@pytest.mark.parametrize("cls", ALL)
def test_order_of_known_versions(cls: Any) -> None:
    rising = [cls.parse(text) for text in ORDERED[cls].split()]
    for lower, higher in itertools.combinations(rising, 2):
        assert lower < higher
        assert lower <= higher
        assert higher > lower
        assert higher >= lower
        assert lower != higher
    falling = rising[::-1]
    assert sorted(falling) == rising
    assert len({*rising, *map(cls.parse, ORDERED[cls].split())}) == len(rising)


@pytest.mark.parametrize("cls", ALL)
def test_other_texts_are_refused(cls: Any) -> None:
    for text in [*REFUSED[cls], *NEVER]:
        if cls is ComputeCapability or text != "8.6":
            with pytest.raises(InvalidVersion) as caught:
                cls.parse(text)
            assert caught.value.text is text
            assert caught.value.kind in str(caught.value)


def test_refusal_quotes_the_text_and_cuts_a_long_one() -> None:
    with pytest.raises(InvalidVersion, match=r"^not a compute capability: 'sm_86'$"):
        ComputeCapability.parse("sm_86")
    with pytest.raises(InvalidVersion) as caught:
        DriverVersion.parse("5" * 1000)
    assert str(caught.value) == "not a driver version: '" + "5" * 76 + "..."


def test_only_short_texts_are_looked_at_and_quoted_whole() -> None:
    assert ComputeCapability.parse("8.6".rjust(40)) == ComputeCapability(8, 6)
    for text, shown in [
        ("8.6".rjust(41), repr("8.6".rjust(41))),
        ("x" * 78, repr("x" * 78)),
        ("x" * 79, f"'{'x' * 76}..."),
    ]:
        with pytest.raises(InvalidVersion) as caught:
            ComputeCapability.parse(text)
        assert str(caught.value) == f"not a compute capability: {shown}"


@pytest.mark.parametrize("cls", ALL)
@given(text=st.text() | st.text("0123456789.atf_sm", max_size=12) | st.floats() | st.integers())
def test_any_value_is_read_or_refused(cls: Any, text: object) -> None:
    try:
        version = cls.parse(text)
    except InvalidVersion:
        return
    assert isinstance(text, str)
    assert cls.parse(str(version)) == version


@pytest.mark.parametrize(("cls", "other"), [*itertools.permutations(ALL, 2)])
def test_kinds_do_not_mix(cls: Any, other: Any) -> None:
    one, two = (kind.parse(ORDERED[kind].split()[-1]) for kind in (cls, other))
    assert one != two
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError):
            compare(one, two)
        with pytest.raises(TypeError):
            compare(one, str(one))
    assert one != str(one)


@pytest.mark.parametrize("cls", ALL)
def test_pydantic_reads_text_only(cls: Any) -> None:
    adapter = TypeAdapter(cls)
    version = cls.parse(ORDERED[cls].split()[0])
    assert adapter.validate_python(str(version)) == version
    assert adapter.validate_python(version) is version
    assert json.loads(adapter.dump_json(version)) == str(version)
    for wrong in (8.6, 12, None, REFUSED[cls][0]):
        with pytest.raises(ValidationError, match="not a"):
            adapter.validate_python(wrong)


@pytest.mark.parametrize("cls", [_ for _ in ALL if _ is not DriverVersion])
def test_leading_zeros_are_not_kept(cls: Any) -> None:
    assert all(str(cls.parse(text)) == text for text in ORDERED[cls].split())
    assert str(CudaVersion.parse("09.02")) == "9.2"


@pytest.mark.parametrize(
    ("text", "code"),
    [("8.6", "sm_86"), ("9.0a", "sm_90a"), ("10.0f", "sm_100f"), ("sm_121", "sm_121"), ("compute_90a", "sm_90a")],
)
def test_targets_as_the_compiler_spells_them(text: str, code: str) -> None:
    target = ArchTarget.parse(text)
    assert target.code("sm") == code
    assert target.code("compute") == code.replace("sm", "compute")
    assert ArchTarget.parse(code) == target


def test_driver_keeps_its_text_and_compares_by_number() -> None:
    long, short = DriverVersion.parse("580.95.05"), DriverVersion.parse("580.95.5")
    assert (long, hash(long)) == (short, hash(short))
    assert (str(long), str(short)) == ("580.95.05", "580.95.5")
    assert DriverVersion.parse("440.33") == DriverVersion.parse("440.33.00")
    assert (long.major, long.is_branch) == (580, False)
    assert DriverVersion.parse("570").is_branch


def test_cuda_release_leaves_the_update_out() -> None:
    update = CudaVersion.parse("12.8.1")
    assert update.release == CudaVersion.parse("12.8")
    assert update.release < CudaVersion.parse("12.8.0") < update
    assert str(update.release) == "12.8"


def test_free_threaded_python_is_another_python() -> None:
    assert PythonVersion.parse("3.13t") != PythonVersion.parse("3.13")
    assert PythonVersion.parse("3.13t").free_threaded
