from __future__ import annotations

import pytest

from matrices.catalogue import Catalogue
from matrices.collect.compare import Change, Comparison, compare
from matrices.collect.rows import Parsed, Row


def compared(catalogue: Catalogue, *rows: Row, expected: tuple[str, ...] = ()) -> Comparison:
    return compare(Parsed(rows, ("a word",)), catalogue, expected)


def released(branch: str, **values: object) -> Row:
    return Row("branch", branch, "branch-released", {"os": "linux", **values}, grows="versions")


def lifecycle(branch: str, **values: object) -> Row:
    return Row("branch", branch, "branch-lifecycle", values)


def needs(driver: str, os: str = "linux") -> Row:
    values = {"release": "12.8.1", "os": os, "driver": driver}
    return Row("toolkit", "12.8", "toolkit-needs-driver-natively", values)


def test_what_is_held_is_confirmed(catalogue: Catalogue) -> None:
    found = compared(
        catalogue,
        Row("branch", "R580", values={"number": 580}),
        needs("570.124.03"),
        lifecycle("R580", type="lts", until="2028-08-04"),  # held as a month
        Row("wheel", "torch-2.9.1+cu128-linux-x86_64", "wheel-needs", {"python": ["3.12", "3.10"]}),
        released("R580", versions=["580.76.05"], latest="580.76.05"),
    )
    assert found == Comparison((), (), (), (), ("a word",), 5)


def test_what_nobody_holds_is_new(catalogue: Catalogue) -> None:
    rows = (Row("branch", "R999", values={"number": 999}), lifecycle("R999", type="lts"))
    assert compared(catalogue, *rows).new == rows


def test_a_claim_gains_what_it_left_out(catalogue: Catalogue) -> None:
    row = Row("toolkit", "12.8", "toolkit-released", {"release": "12.8.1", "on": "2025-03-06"})
    [gained] = compared(catalogue, row).grown
    assert gained.values == {"release": "12.8.1", "on": "2025-03-06"}


def test_a_difference_is_for_a_person(catalogue: Catalogue) -> None:
    key = "toolkit-needs-driver-natively:12.8:12.8.1"
    assert compared(catalogue, needs("570.124.06"), needs("572.61", os="windows")).changed == (
        Change(f"{key}:linux", {"driver": "570.124.06"}, {"driver": "570.124.03"}, "differs"),
        Change(
            f"{key}:windows",
            {"release": "12.8.1", "os": "windows", "driver": "572.61"},
            {"driver": "572.61"},
            "held as uncertain: read in a copy",
        ),
    )


@pytest.mark.parametrize(
    ("stated", "gained"),
    [
        (  # the newest moves on, and what was the newest is not forgotten
            {"versions": ["580.95.05", "580.126.09"], "latest": "580.126.09", "latest_on": "2026-01-13"},
            {"os": "linux", "versions": ["580.95.05", "580.126.09"], "latest": "580.126.09", "latest_on": "2026-01-13"},
        ),
        ({"latest": "580.126.09"}, {"os": "linux", "versions": ["580.95.05"], "latest": "580.126.09"}),
        ({"versions": ["580.82.07"], "latest": "580.82.07"}, {"os": "linux", "versions": ["580.82.07"]}),
        ({"versions": ["580.82.07"]}, {"os": "linux", "versions": ["580.82.07"]}),
    ],
)
def test_a_list_of_things_seen_grows(
    catalogue: Catalogue, stated: dict[str, object], gained: dict[str, object]
) -> None:
    [row] = compared(catalogue, released("R580", **stated)).grown
    assert row.values == gained


def test_the_newest_is_not_listed_twice(catalogue: Catalogue) -> None:
    [row] = compared(catalogue, released("R535", versions=["535.288.01", "535.300.01"], latest="535.300.01")).grown
    assert row.values == {"os": "linux", "versions": ["535.300.01"], "latest": "535.300.01"}


def test_the_day_of_the_newest(catalogue: Catalogue) -> None:
    assert compared(catalogue, released("R580", latest="580.95.05", latest_on="2025-09-30")).confirmed == 1
    [change] = compared(catalogue, released("R580", latest="580.95.05", latest_on="2025-10-01")).changed
    assert change == Change(
        "branch-released:R580:linux", {"latest_on": "2025-10-01"}, {"latest_on": "2025-09-30"}, "differs"
    )


def test_the_day_of_the_newest_is_filled_in(catalogue: Catalogue) -> None:
    row = released("R570", latest="570.86.10", latest_on="2025-01-27")
    [gained] = compared(catalogue, row).grown
    assert gained.values == {"os": "linux", "latest_on": "2025-01-27"}


def test_tags_are_added_to_an_image(catalogue: Catalogue) -> None:
    tags = ["13.0.0-base-ubuntu24.04", "13.0.0-runtime-ubuntu24.04"]
    row = Row("image", "nvidia/cuda:13.0.0-ubuntu24.04", values={"tags": tags}, grows="tags")
    [grown] = compared(catalogue, row).grown
    assert grown.values == {"tags": tags[1:]}


def test_what_is_expected_and_not_stated_vanished(catalogue: Catalogue) -> None:
    found = compared(catalogue, Row("torch", "2.9.1"), expected=("torch:2.9.1", "torch:2.8.0"))
    assert found.vanished == ("torch:2.8.0",)


def test_a_row_said_twice_counts_once_and_must_say_the_same(catalogue: Catalogue) -> None:
    found = compared(catalogue, Row("toolkit", "12.8"), Row("toolkit", "12.8"), needs("1.0"), needs("2.0"))
    assert found.confirmed == 1
    assert "toolkit-needs-driver-natively:12.8:12.8.1:linux: stated twice, and differently" in found.unmatched


def test_a_row_that_does_not_fit_is_reported(catalogue: Catalogue) -> None:
    odd = Row("toolkit", "12.8", "toolkit-ships-driver", {"release": "12.8.9", "os": "linux", "driver": "soon"})
    more = Row("toolkit", "12.8", "toolkit-ships-driver", {"release": "12.8.8", "os": "linux", "colour": "green"})
    late = Row("toolkit", "12.8", "toolkit-released", {"release": "12.8.7", "on": "next week"})
    unmatched = compared(catalogue, odd, more, late).unmatched
    assert "toolkit-released:12.8:12.8.7: on is no date: 'next week'" in unmatched
    assert "toolkit-ships-driver:12.8:12.8.9:linux: not a driver version: 'soon'" in unmatched
    assert any("colour" in text for text in unmatched)


def test_a_voice_that_lost_is_still_known(catalogue: Catalogue) -> None:
    assert compared(catalogue, lifecycle("R570", until="2026-01-27")).confirmed == 1
    [change] = compared(catalogue, lifecycle("R570", until="2027-01")).changed
    assert change.held == {"until": "2026-02"}  # the voice that won
