"""Cues: every one of the symptom files matches its samples and not its counters, and no pattern can be made slow."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from assistant import patterns
from assistant.cues import Cues, Hit, matches
from assistant.haystack import MOST_PLACES, Haystack, is_chatter, longest_word
from assistant.load import Library
from assistant.reading.document import Document
from assistant.symptom import Cue, Symptom

SYMPTOMS = Library.load().symptoms


def holds(cue: Cue, sample: str) -> bool:
    return matches(cue, Document(sample).text)


@pytest.mark.parametrize("symptom", SYMPTOMS.values(), ids=list(SYMPTOMS))
def test_every_cue_matches_its_samples_and_not_its_counters(symptom: Symptom) -> None:
    missed = [
        (number, sample) for number, cue in enumerate(symptom.cue) for sample in cue.samples if not holds(cue, sample)
    ]
    caught = [
        (number, sample) for number, cue in enumerate(symptom.cue) for sample in cue.counter if holds(cue, sample)
    ]
    assert (missed, caught) == ([], [])


# --- patterns -----------------------------------------------------------------------------------------------------------

ADVERSARIAL = """
import json, re, sys, time
from assistant.load import Library
from assistant.haystack import Haystack
from tests.assistant.test_cues import pieces_of

part, parts = int(sys.argv[1]), int(sys.argv[2])
cues = [(s.id, c) for s in Library.load().symptoms.values() for c in s.cue if c.regex][part::parts]
for name, cue in cues:
    pattern = re.compile(cue.regex)
    for text in pieces_of(cue, 200_000):
        Haystack(text).line_matching(pattern, cue.needle)
print(len(cues))
"""


def pieces_of(cue: Cue, size: int) -> list[str]:
    """Texts made of nothing but what a pattern looks for: in one line, in long lines, each piece by itself."""
    assert cue.regex is not None
    literals = patterns.literals(cue.regex)
    needle = cue.needle or "x"
    woven = " ".join(literals) or needle
    row = f"{needle} {woven} "
    one_line = (row * (size // len(row) + 1))[:size]
    long_lines = "\n".join(f"{number} {row * (1900 // len(row) + 1)}"[:1900] for number in range(size // 1900))
    runs = "\n".join(f"{needle}{each * (900 // len(each) + 1)}{needle}" for each in (*literals, "0", "a", " ", "."))
    return [one_line, long_lines, runs]


@pytest.mark.parametrize("part", range(6))
def test_no_pattern_can_be_made_slow(part: int) -> None:
    """A bound that only a pattern that backtracks without end misses; the timeout of the process is the test."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ADVERSARIAL), str(part), "6"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


@pytest.mark.parametrize("symptom", SYMPTOMS.values(), ids=list(SYMPTOMS))
def test_every_pattern_has_few_ways_to_match(symptom: Symptom) -> None:
    faults = [(number, patterns.fault(cue.regex)) for number, cue in enumerate(symptom.cue) if cue.regex]
    assert [each for each in faults if each[1]] == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+b",
        r"(?:\w+\s?)*x",
        r"(a|b+)*c",
        r"(?=(?:x+)+)y",
        r".{0,900}a.{0,900}b",
        r"(?:.*a){3}",
        "(",
    ],
)
def test_slow_patterns_are_refused(pattern: str) -> None:
    assert patterns.fault(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"compute_\d+",
        r"device \d+ oom \d+ ?/ ?\d+",
        r"(?:found|version) [0-9.]+ .{0,40}(?:but|and)",
        r"^nvidia[a-z-]{0,30}, ?[\d.]+: (?!added)\S+",
        r"[^,]{0,80},x",
        r"(?:a|b)?c{2,4}\bd|é|中文+",
        r"(?i:x)\w\W\s\S\d\D",
        r"(a)\1",
    ],
)
def test_plain_patterns_are_not(pattern: str) -> None:
    assert patterns.fault(pattern) is None


def test_literals_of_a_pattern() -> None:
    assert patterns.literals(r"foo (?:bar|qux)[0-9]+x{2,3}") == ["foo ", "bar", "qux", "x"]


# --- finding ------------------------------------------------------------------------------------------------------------


def test_literals_stand_in_order_within_one_line() -> None:
    cue = Cue("strong", (), line=("held", "broken"))
    assert matches(cue, "E: you have held broken packages")
    assert not matches(cue, "broken, held")
    assert not matches(cue, "held\nbroken")


def test_text_stands_anywhere() -> None:
    cue = Cue("strong", (), text=("显卡", "掉卡"))
    assert matches(cue, "掉卡了\n什么显卡都一样")
    assert not matches(cue, "掉卡了")
    assert not matches(cue, "plain ascii")


def test_what_annuls() -> None:
    cue = Cue("strong", (), text=("code 43",), unless=("radeon",))
    assert matches(cue, "Code 43 on my card")
    assert not matches(cue, "Code 43 on my card\nRadeon driver")


def test_a_pattern_is_tried_on_lines_with_its_needle() -> None:
    cue = Cue("strong", (), regex=r"xid.{0,20}: 79\b", needle="xid")
    assert matches(cue, "NVRM: Xid (PCI:0000:01:00): 79, pid=1")
    assert not matches(cue, "NVRM: Xid (PCI:0000:01:00): 790, pid=1")
    everywhere = Cue("strong", (), regex=r"^why\b", needle="")
    assert matches(everywhere, "one\nwhy is it so")


def test_hits_come_in_the_order_of_the_symptoms() -> None:
    symptoms = [SYMPTOMS["version_mismatch"], SYMPTOMS["secure_boot_unsigned_module"]]
    text = "Key was rejected by service\nFailed to initialize NVML: Driver/library version mismatch"
    hits = Cues(symptoms).hits(Haystack(text))
    assert hits[0] == Hit("version_mismatch", symptoms[0].cue[0], 1)
    assert {hit.symptom for hit in hits} == {"version_mismatch", "secure_boot_unsigned_module"}


# --- haystack -----------------------------------------------------------------------------------------------------------


def test_words_alone_and_inside_others() -> None:
    haystack = Haystack("libcudart.so.11 not found, code 1455")
    assert haystack.has_word("cudart")
    assert haystack.has_token("libcudart")
    assert not haystack.has_token("cudart")
    assert haystack.has_word("145")
    assert not haystack.has_word("nccl")
    assert "not found" in haystack
    assert "found not" not in haystack
    assert ": " not in haystack
    assert longest_word("-- : --") == ""


def test_equal_lines_count_once_and_chatter_not_at_all() -> None:
    text = "Jan  1 10:00:00 host systemd[1]: Started nothing.\nCUDA error\nCUDA error\nfor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
    haystack = Haystack(text)
    assert haystack.text == "cuda error"
    assert haystack.chatter == {0, 3}
    assert haystack.line_of("cuda error") == 1


@pytest.mark.parametrize(
    ("line", "chatter"),
    [
        ('i0412 10:11:12.123456    1234 kubelet.go:2345] "syncloop"', True),
        ('10.0.0.1 - - [01/nov/2025:10:00:00 +0000] "get / http/1.1" 200 5', True),
        ("setting up curl (7.81) ...", True),
        ("setting up nvidia-driver-535 ...", False),
        ("jan  1 10:00:00 host kernel: nvrm: xid (pci:0000:01:00): 79", False),
        ("2025-01-01 10:00:00 failed call to cuinit", True),
        ("2025-01-01 10:00:00 cuda failed", False),
        ("it crashed on jan  1 10:00:00", False),
    ],
)
def test_chatter(line: str, chatter: bool) -> None:
    assert is_chatter(line) is chatter


def test_long_lines_are_looked_at_in_pieces() -> None:
    text = "x" * 5000 + " held broken packages " + "y" * 5000
    assert matches(Cue("strong", (), line=("held", "broken packages")), text)
    assert not matches(Cue("strong", (), line=("xxx", "held", "broken packages", "yyy", "zzz")), text)
    assert matches(Cue("strong", (), line=("xxx", "held", "yyy")), text)


def test_many_places_are_not_all_looked_at() -> None:
    text = "\n".join(f"error {number}" for number in range(500))
    haystack = Haystack(text)
    assert len(haystack.places("error")) == MOST_PLACES
    assert len(haystack.places("")) == 2 * MOST_PLACES


def test_the_middle_of_a_long_text_counts_where_it_speaks_of_gpus() -> None:
    filler = [f"plain line number {number} of a program" for number in range(20_000)]
    filler[10_000] = "nvrm: the middle"
    filler[12_000] = "中间"
    filler[10_001] = "another middle line"
    haystack = Haystack("\n".join(filler))
    assert "the middle" in haystack
    assert "another middle line" not in haystack
    assert "中间" in haystack
    assert "line number 3 of" in haystack
    assert "line number 19999 of" in haystack
    assert haystack.line_of("the middle") == 10_000


def test_a_text_full_of_gpus_is_cut() -> None:
    haystack = Haystack("\n".join(f"gpu {number} is a line of some length in a text" for number in range(20_000)))
    assert len(haystack.text) < 250_000


def test_lines_near_a_literal() -> None:
    haystack = Haystack("a\nb\nthe mark\nc")
    assert list(haystack.lines_near("mark", 1)) == [(1, "b"), (2, "the mark")]
    assert list(haystack.lines_near("nothing", 1)) == []


def test_the_gist_begins_with_the_lines_about_gpus() -> None:
    haystack = Haystack("plain words first\nthe gpu is gone\nmore words")
    assert haystack.gist(1000) == haystack.text
    assert haystack.gist(20) == "the gpu is gone\nplai"
