"""Minimal conflicts and relaxations, over satisfiability given as sets of names that cannot hold together."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from resolver.conflict import minimal_conflict, relaxations

NAMES = ("cuda", "torch", "python", "driver", "machine", "gpu")
cores = st.sets(st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=4), min_size=1, max_size=4)


def satisfiable_without(cores: set[frozenset[str]], without: frozenset[str]) -> bool:
    """Whether every core is broken by what is left out."""
    return all(core & without for core in cores)


@given(cores)
def test_conflict_is_a_smallest_core(cores: set[frozenset[str]]) -> None:
    asked: list[frozenset[str]] = []

    def satisfiable(without: frozenset[str]) -> bool:
        asked.append(without)
        return satisfiable_without(cores, without)

    found = minimal_conflict(NAMES, satisfiable)
    assert frozenset(found) in cores
    assert not any(core < frozenset(found) for core in cores)
    assert list(found) == [name for name in NAMES if name in found]  # in the order given
    assert len(asked) == len(NAMES)  # one question for each


@given(cores)
def test_relaxations_are_all_single_ones_or_else_all_pairs(cores: set[frozenset[str]]) -> None:
    found = relaxations(NAMES, lambda without: satisfiable_without(cores, without))
    singles = [(name,) for name in NAMES if satisfiable_without(cores, frozenset({name}))]
    pairs = [pair for pair in combinations(NAMES, 2) if satisfiable_without(cores, frozenset(pair))]
    assert list(found) == (singles or pairs)


def test_nothing_helps() -> None:
    assert relaxations(["torch", "python", "driver"], lambda without: len(without) > 2) == ()
    assert relaxations([], lambda _: True) == ()


def test_what_is_easily_changed_stays_in_the_conflict() -> None:
    both = {frozenset({"cuda", "gpu"}), frozenset({"machine", "gpu"})}
    assert minimal_conflict(NAMES, lambda without: satisfiable_without(both, without)) == ("cuda", "gpu")
