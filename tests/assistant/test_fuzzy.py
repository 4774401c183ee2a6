"""Likeness to what the symptom files say: by words in English, by pairs of characters in Chinese."""

from __future__ import annotations

import pytest

from assistant.fuzzy import Language, Profile, Profiles, bigrams, words
from assistant.load import Library
from assistant.symptom import Ask, Cue, Symptom, Text

NOTHING = Text("", "")


def symptom(name: str, en: tuple[str, ...] = (), zh: tuple[str, ...] = (), **more: object) -> Symptom:
    return Symptom(name, "D", NOTHING, more.pop("cue", ()), NOTHING, phrases={"en": en, "zh": zh}, **more)  # type: ignore[arg-type]  # keyword parts of many types


PROFILES = Profiles(
    [
        symptom("fans", ("the fans of my card are loud", "noise from the graphics card"), ("显卡风扇声音很大",)),
        symptom("heat", ("the card gets too hot",), ("显卡温度太高",), ask=Ask(Text("which temperature?", "多少度？"))),
        symptom("bus", cue=(Cue("weak", ("fallen off the bus", "掉卡了")),)),
        Symptom("silent", "D", NOTHING, (), NOTHING),
    ]
)


def best(text: str, language: Language) -> str:
    alike = PROFILES.alike(text, language)
    return max(alike, key=lambda name: (alike[name], name), default="")


def test_words_in_english() -> None:
    assert best("since yesterday the fans of the card are really loud", "en") == "fans"
    assert best("temperature", "en") == "heat"
    assert best("has fallen off", "en") == "bus"
    assert "silent" not in PROFILES.alike("the fans of the card", "en")


def test_pairs_of_characters_in_chinese() -> None:
    assert best("我的显卡温度一直太高怎么办", "zh") == "heat"
    assert best("又掉卡了", "zh") == "bus"


def test_what_programs_print_counts_in_chinese_too() -> None:
    assert best("日志里有 fallen off the bus", "zh") == "bus"
    assert best("掉卡", "en") == ""


def test_misspelt_words_are_mended() -> None:
    assert PROFILES.alike("temperatrue", "en", mend=True)["heat"] > 0.1
    assert PROFILES.alike("temperatrue", "en") == {}
    assert PROFILES.alike("xylophone concerto", "en", mend=True) == {}


def test_likeness_is_between_nothing_and_one() -> None:
    assert Profile([symptom("one", ("alpha beta",))], "en").alike("alpha beta") == pytest.approx({"one": 1.0})
    assert PROFILES.alike("", "en") == {}


def test_parts() -> None:
    assert bigrams("ＧＰＵ不见了") == {"gpu", "不见", "见了"}
    assert bigrams("卡") == {"卡"}
    assert words("It is NOT loaded, error-45.") == {"loaded", "error-45"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_phrase_of_the_library_finds_its_own_cause(language: Language) -> None:
    """Nearly always, and among the three best: causes that are hard to tell apart are described alike."""
    library = Library.load()
    profiles = Profiles(library.symptoms.values())
    missed, tried = [], 0
    for name, each in library.symptoms.items():
        for phrase in (each.phrases or {}).get(language, ()):
            alike = profiles.alike(phrase, language)
            tried += 1
            if name not in sorted(alike, key=lambda other: (-alike[other], other))[:3]:
                missed.append(phrase)
    assert len(missed) <= tried // 50
