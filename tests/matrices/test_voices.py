"""Voices on one question: gathered, compared apart from who says it, and left open only where nothing decides."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from matrices.model import DriverRunsCuda, Reported
from matrices.versions import CudaVersion
from matrices.voices import question, says, undecided, voices


def _voice(number: int, cuda: str, standing: Any = "normal", note: str | None = None) -> DriverRunsCuda:
    return DriverRunsCuda(
        id="driver-runs-cuda:R580" + (f"#{number}" if number > 1 else ""),
        subject="R580",
        evidence=(Reported("reported", f"https://example.org/{number}", date(2026, 11, 1)),),
        cuda=CudaVersion.parse(cuda),
        standing=standing,
        note=note,
    )


def test_a_question_is_the_id_of_its_first_voice() -> None:
    first, second = _voice(1, "13.0"), _voice(2, "13.1")
    assert question(second.id) == question(first.id) == first.id
    assert voices([first, second]) == {first.id: [first, second]}


def test_who_says_it_and_in_what_words_is_no_part_of_what_is_said() -> None:
    assert says(_voice(1, "13.0")) == says(_voice(2, "13.0", "preferred", "seen twice"))
    assert says(_voice(1, "13.0")) != says(_voice(2, "13.1"))


@pytest.mark.parametrize(
    ("heard", "open_places"),
    [
        ([], []),
        ([("13.0", "normal")], []),
        ([("13.0", "normal"), ("13.0", "normal")], []),
        ([("13.0", "normal"), ("13.1", "normal")], [0, 1]),
        ([("13.0", "normal"), ("13.1", "deprecated")], []),
        ([("13.0", "normal"), ("13.1", "preferred")], []),
        ([("13.2", "deprecated"), ("13.0", "normal"), ("13.1", "normal")], [1, 2]),
    ],
)
def test_open_is_what_counting_voices_disagree_on(heard: list[tuple[str, str]], open_places: list[int]) -> None:
    claims = [_voice(place, cuda, standing) for place, (cuda, standing) in enumerate(heard, 1)]
    assert undecided(claims) == [claims[place] for place in open_places]
