"""The symptom files: all faults at once, and that the compiled file says the same as they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant import build
from assistant.load import Library
from assistant.symptom import Ask, Code, Symptom, Text
from matrices.load import DataFaults

CODE = """
[[code]]
family = "xid"
number = 79
name = "GPU_HAS_FALLEN_OFF_THE_BUS"
cause = "lost"
source = "https://example.org"
meaning.en = "m"
meaning.zh = "m"
action.en = "a"
action.zh = "a"
"""


def symptom_file(name: str, more: str = "", cues: str = "") -> str:
    return f"""
id = "{name}"
group = "B"
title.en = "t"
title.zh = "t"
explanation.en = "e"
explanation.zh = "e"
phrases.en = ["p"]
{more}
{cues}
"""


CUE = """
[[cue]]
weight = "strong"
line = ["fallen off"]
samples = ["GPU has fallen off the bus"]
"""


def folder_with(path: Path, symptoms: dict[str, str], codes: dict[str, str] | None = None) -> Path:
    for part, files in (("symptoms", symptoms), ("codes", codes or {})):
        (path / part).mkdir()
        for name, text in files.items():
            (path / part / f"{name}.toml").write_text(text, encoding="utf-8")
    return path


def faults_of(folder: Path) -> list[str]:
    with pytest.raises(DataFaults) as raised:
        build.read(folder)
    return [str(fault) for fault in raised.value.faults]


# --- the committed files --------------------------------------------------------------------------------------------------


def test_the_compiled_file_is_fresh() -> None:
    assert build.main(["--check"]) == 0


def test_loading_gives_what_the_files_say() -> None:
    sources = build.read()
    library = Library.load()
    assert library.symptoms == {symptom.id: symptom for symptom in sources.symptoms}
    assert sorted(library.codes, key=repr) == sorted(sources.codes, key=repr)


def test_nothing_explains_itself_over_others() -> None:
    library = Library.load()
    assert [name for name, explained in library.consequences.items() if name in explained] == []


def test_every_cause_asks_something_or_is_out_of_scope() -> None:
    """What is only proposed is asked about."""
    silent = [each.id for each in Library.load().symptoms.values() if each.ask is None and each.group != "N"]
    assert silent == []


# --- a small library ------------------------------------------------------------------------------------------------------


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    asked = 'explains = ["noisy"]\nask.text.en = "which?"\nask.text.zh = "哪个？"\nask.command = "lspci"'
    folder = folder_with(
        tmp_path, {"lost": symptom_file("lost", asked, CUE), "noisy": symptom_file("noisy", "", CUE)}, {"xid": CODE}
    )
    target = tmp_path / "out.json"
    assert build.main(["--check"], folder, target) == 1
    assert build.main([], folder, target) == 0
    assert build.main(["--check"], folder, target) == 0
    library = Library.load(target)
    lost = library.symptoms["lost"]
    assert isinstance(lost, Symptom)
    assert lost.ask == Ask(Text("which?", "哪个？"), "lspci")
    assert lost.phrases == {"en": ("p",)}
    assert lost.cue[0].line == ("fallen off",)
    code = library.code("xid", 79)
    assert isinstance(code, Code)
    assert code is library.named("xid", "gpu_has_fallen_off_the_bus")
    assert library.code("xid", 80) is None
    assert library.consequences["lost"] == {"noisy"}


def test_consequences_go_over_several_steps_and_circles_end() -> None:
    empty = Text("", "")

    def symptom(name: str, *explains: str) -> Symptom:
        return Symptom(name, "B", empty, (), empty, explains=explains)

    library = Library([symptom("a", "b"), symptom("b", "c", "gone"), symptom("c")])
    assert library.consequences["a"] == {"b", "c", "gone"}
    assert "x" in Library([symptom("x", "y"), symptom("y", "x")]).consequences["y"]


def test_every_fault_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad_cues = """
[[cue]]
weight = "strong"
samples = []
line = ["Upper", " ", "ｗｉｄｅ", "two\\nlines"]
text = ["x"]
[[cue]]
weight = "strong"
samples = ["s"]
regex = "(a+)+"
[[cue]]
weight = "strong"
samples = ["s"]
line = ["s"]
needle = "N"
"""
    more = 'when = ["no-such"]\nexplains = ["bad", "nothing", "back"]\nphrases.zh = [" "]'
    folder = folder_with(
        tmp_path,
        {
            "broken": "id = ",
            "unknown": symptom_file("unknown", "colour = 1"),
            "moved": symptom_file("elsewhere", "cue = []"),
            "bad": symptom_file("bad", more, bad_cues),
            "back": symptom_file("back", 'explains = ["bad"]\ncue = []'),
        },
        {"xid": CODE + CODE, "worse": "[[code]]\nfamily = 'xid'", "text": "["},
    )
    told = faults_of(folder)
    for expected in (
        "symptoms/broken.toml: not TOML",
        "symptoms/unknown.toml · colour: ",
        "symptoms/moved.toml · id: `elsewhere` must be the name of the file",
        "symptoms/bad.toml · cue.0: exactly one",
        "symptoms/bad.toml · cue.0.samples: ",
        "symptoms/bad.toml · cue.0.line: `Upper` is not lower-case",
        "symptoms/bad.toml · cue.0.line: an empty literal",
        "symptoms/bad.toml · cue.0.line: `two\nlines` goes over",
        "symptoms/bad.toml · cue.1.needle: ",
        "symptoms/bad.toml · cue.1.regex: a repeat",
        "symptoms/bad.toml · cue.2.needle: belongs to",
        "symptoms/bad.toml · cue.2.needle: `N` is not",
        "symptoms/bad.toml · when: no predicate is called `no-such`",
        "symptoms/bad.toml · explains: a cause cannot explain itself",
        "symptoms/bad.toml · explains: no cause is called `nothing`",
        "symptoms/bad.toml · explains: `back` says that it explains this one",
        "symptoms/bad.toml · phrases.zh.0: empty",
        "codes/xid.toml · xid 79: no cause is called `lost`",
        "codes/xid.toml · xid 79: stands there twice",
        "codes/worse.toml · code.0.number: ",
        "codes/text.toml: not TOML",
    ):
        assert any(fault.startswith(expected) for fault in told), expected
    assert build.main([], folder, tmp_path / "out.json") == 1
    assert "faults in the symptoms" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()
