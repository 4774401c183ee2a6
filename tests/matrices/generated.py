"""Hypothesis strategies for everything of the model: versions, evidence, entities and claims."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import settings
from hypothesis import strategies as st

from matrices.model import Claim
from matrices.versions import (
    ArchTarget,
    ComputeCapability,
    CudaVersion,
    DriverVersion,
    PythonVersion,
    TorchVersion,
    _Version,
)

_TWO_DIGITS = st.integers(0, 99)
_CAPABILITIES = st.builds(ComputeCapability, _TWO_DIGITS, st.integers(0, 9))


def _numbers(pattern: str) -> st.SearchStrategy[str]:
    return st.from_regex(pattern, fullmatch=True, alphabet=st.characters(codec="ascii"))


VERSIONS: dict[type[_Version], st.SearchStrategy[Any]] = {
    ComputeCapability: _CAPABILITIES,
    ArchTarget: st.builds(ArchTarget, _CAPABILITIES, st.sampled_from(("", "a", "f"))),
    DriverVersion: st.builds(
        lambda first, others: DriverVersion.parse(".".join((first, *others))),
        _numbers(r"[0-9]{2,3}"),
        st.lists(_numbers(r"[0-9]{1,3}"), max_size=3),
    ),
    CudaVersion: st.builds(CudaVersion, _TWO_DIGITS, _TWO_DIGITS, st.none() | st.integers(0, 999)),
    PythonVersion: st.builds(PythonVersion, st.sampled_from((2, 3)), _TWO_DIGITS, st.booleans()),
    TorchVersion: st.builds(TorchVersion, _TWO_DIGITS, _TWO_DIGITS, _TWO_DIGITS),
}

few = settings(max_examples=20)  # for tests that run once for each class of the model

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = _numbers(r"[A-Za-z0-9][A-Za-z0-9._+:/-]{0,12}")
MONTHS = st.builds("{:04d}-{:02d}".format, st.integers(1, 9999), st.integers(1, 12))


@cache
def instances(cls: type[Any]) -> st.SearchStrategy[Any]:
    """Any well-formed instance of a dataclass of the model, each optional field there or not."""
    hints = get_type_hints(cls)
    chosen = {}
    for field in fields(cls):
        values = IDS if field.name in ("id", "subject") else _values(hints[field.name])
        if field.name == "evidence":
            values = st.lists(_values(get_args(hints[field.name])[0]), min_size=1, max_size=2).map(tuple)
        chosen[field.name] = values if field.default is MISSING else st.just(field.default) | values
    made = st.builds(cls, **chosen)
    return made.map(_explained) if issubclass(cls, Claim) else made


def _explained(claim: Claim) -> Claim:
    unexplained = claim.standing != "normal" and not claim.because
    return replace(claim, because="there is a reason") if unexplained else claim


@cache
def _values(hint: Any) -> st.SearchStrategy[Any]:
    if get_origin(hint) is tuple:
        return st.lists(_values(get_args(hint)[0]), max_size=3).map(tuple)
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        members = get_args(hint)
        texts = [MONTHS] if date in members and str in members else []  # the text beside a date is a month
        return st.one_of(*texts, *(_values(member) for member in members if not (texts and member is str)))
    if hint in VERSIONS:
        return VERSIONS[hint]
    if is_dataclass(hint):
        return instances(hint)
    return _PLAIN[hint]


_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    NoneType: st.none(),
    bool: st.booleans(),
    int: st.integers(0, 10**6),
    float: st.floats(0, 1e6),
    str: TEXTS,
    date: st.dates(),
}
