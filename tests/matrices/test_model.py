"""The vocabulary is consistent with itself and says what each of its words means."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, FrozenInstanceError, fields
from datetime import date
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices import model
from matrices.model import CLAIMS, ENTITIES, Claim, Documented, Entity, Measured, Reported, claim_key
from tests.matrices.generated import few, instances
from tests.matrices.toml_files import written

CONCRETE = [*ENTITIES.values(), *CLAIMS.values()]


@pytest.mark.parametrize("cls", [*CONCRETE, Measured, Documented, Reported], ids=lambda cls: cls.__name__)
def test_every_class_says_what_it_means(cls: Any) -> None:
    text = inspect.getdoc(cls) or ""
    assert len(text) > 15
    assert not text.startswith(f"{cls.__name__}("), "this is the signature that dataclass puts where no sentence is"


def test_names_are_unique_and_none_is_lost() -> None:
    public = [item for _, item in inspect.getmembers(model, inspect.isclass)]
    assert set(ENTITIES.values()) == {cls for cls in public if issubclass(cls, Entity)} - {Entity}
    assert set(CLAIMS.values()) == {cls for cls in public if issubclass(cls, Claim)} - {Claim}
    assert [cls.kind for cls in ENTITIES.values()] == list(ENTITIES)
    assert [cls.relation for cls in CLAIMS.values()] == list(CLAIMS)


@pytest.mark.parametrize("cls", CLAIMS.values(), ids=lambda cls: cls.relation)
def test_a_claim_has_a_place_of_its_own_in_its_entity(cls: type[Claim]) -> None:
    subject = ENTITIES[cls.within]
    assert cls.attribute not in {field.name for field in fields(subject)}
    rivals = [other for other in CLAIMS.values() if (other.within, other.attribute) == (cls.within, cls.attribute)]
    assert rivals == [cls]


@pytest.mark.parametrize("cls", CLAIMS.values(), ids=lambda cls: cls.relation)
def test_keys_are_fields(cls: type[Claim]) -> None:
    assert set(cls.keyed_by) <= {field.name for field in fields(cls)}


@pytest.mark.parametrize("cls", [*CONCRETE, Measured, Documented, Reported], ids=lambda cls: cls.__name__)
def test_dates_are_spelled_in_the_ways_the_loader_checks(cls: Any) -> None:
    hints = get_type_hints(cls)
    dated = [field for field in fields(cls) if hints[field.name] is date or date in get_args(hints[field.name])]
    assert {field.type for field in dated} <= {"date", "date | None", "Date | None"}


@pytest.mark.parametrize("cls", CONCRETE, ids=lambda cls: cls.__name__)
@few
@given(data=st.data())
def test_frozen_and_hashable(cls: Any, data: st.DataObject) -> None:
    thing = data.draw(instances(cls))
    assert hash(thing) == hash(thing)
    with pytest.raises(FrozenInstanceError):
        thing.id = "other"


@pytest.mark.parametrize(
    ("relation", "subject", "values", "key"),
    [
        ("gpu-has-cc", "h200-sxm", {"compute_capability": "9.0"}, "gpu-has-cc:h200-sxm"),
        ("branch-drives-cc", "7.0", {"os": "windows"}, "branch-drives-cc:7.0:windows"),
        ("branch-drives-cc", "7.0", {}, "branch-drives-cc:7.0:linux"),
        (
            "toolkit-ships-driver",
            "12.8",
            {"os": "linux", "release": "12.8.1"},
            "toolkit-ships-driver:12.8:12.8.1:linux",
        ),
        (
            "os-installs-driver",
            "debian-13",
            {"module": "open", "branches": [570, 580]},
            "os-installs-driver:debian-13:open:570,580",
        ),
        ("os-installs-driver", "debian-13", {"module": "open"}, "os-installs-driver:debian-13:open"),
        ("package-for-python", "pip", {"python": "3.8", "version": "25.0.1"}, "package-for-python:pip:3.8"),
        ("package-for-python", "pip", {"version": "25.3"}, "package-for-python:pip"),
        ("code-excludes-cc", "8.7", {"targets": ("8.0", "8.6")}, "code-excludes-cc:8.7:8.0,8.6"),
    ],
)
def test_claim_key(relation: str, subject: str, values: dict[str, Any], key: str) -> None:
    assert claim_key(CLAIMS[relation], subject, values) == key


@pytest.mark.parametrize("cls", CLAIMS.values(), ids=lambda cls: cls.relation)
@few
@given(data=st.data())
def test_claim_key_is_made_of_relation_subject_and_keys_alone(cls: type[Claim], data: st.DataObject) -> None:
    row = written(data.draw(instances(cls)))
    key = claim_key(cls, "thing", row)
    assert key.startswith(f"{cls.relation}:thing")
    needed = {field.name for field in fields(cls) if field.default is MISSING}
    assert key == claim_key(cls, "thing", {name: row[name] for name in row if name in cls.keyed_by})
    assert needed >= {"id", "subject", "evidence"}
