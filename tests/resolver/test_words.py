"""Every kind of reason has words, every word is used, and every sentence ends like one."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import resolver
from matrices.model import DriverRunsCuda
from matrices.versions import CudaVersion
from resolver.judge import Reason
from resolver.words import TEMPLATES, joined, say, sentence, speaking
from resolver.words_zh import TEMPLATES_ZH

SOURCES = "".join(
    path.read_text(encoding="utf-8")
    for path in Path(resolver.__file__).parent.rglob("*.py")
    if path.name not in ("words.py", "words_zh.py", "names.py") and "naming" not in path.parts
)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_template(kind: str) -> None:
    template = TEMPLATES[kind]
    assert template.endswith(".") != kind.startswith("fix-")
    assert template.count("`") % 2 == 0
    names = {name for _, name, _, _ in Formatter().parse(template) if name}
    filled = say(kind, **dict.fromkeys(names, "X"))
    assert "{" not in filled
    assert filled[0].isupper() != kind.startswith("fix-") or filled.startswith(("torch", "`"))


def _names(template: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(template) if name)


def test_chinese_says_the_same() -> None:
    """Every kind, in the same order, with the same values and the same literals."""
    assert list(TEMPLATES_ZH) == list(TEMPLATES)
    for kind, template in TEMPLATES_ZH.items():
        assert set(_names(template)) == set(_names(TEMPLATES[kind])), kind
        assert re.findall("`[^`]*`", template) == re.findall("`[^`]*`", TEMPLATES[kind]), kind
        assert template.endswith("。") != kind.startswith("fix-"), kind


def test_speaking_chinese() -> None:
    with speaking("zh"):
        assert say("python-not", torch="2.6.0+cu124", python="3.8", has="3.9 to 3.13") == (
            "torch 2.6.0+cu124 没有 Python 3.8 的 wheel，只有 3.9 到 3.13。"
        )
        assert say("module", gpu="H100", flavour="the open kernel modules", branch=570) == (
            "H100 可以使用 R570 的开放内核模块。"
        )
        assert joined([say("fix-os", os="Ubuntu 24.04"), say("fix-machine", machine="x86_64")]) == (
            "使用 Ubuntu 24.04；换用 x86_64 的机器。"
        )
    assert joined([say("fix-os", os="Ubuntu 24.04")]) == "Use Ubuntu 24.04."


def test_every_kind_is_used() -> None:
    kinds = {kind for kind in TEMPLATES if f'"{kind}"' not in SOURCES}
    assert kinds == {
        "kernels-sass",
        "kernels-ptx",
        "package-sass",
        "package-ptx",
        "not-certain",
    }  # made of `kernels-` or `package-` and how; of the words themselves


def test_every_kind_used_has_words() -> None:
    used = set(re.findall(r'(?:Reason|say)\(\s*"([a-z-]+)"', SOURCES))
    assert len(used) > 20
    assert used <= set(TEMPLATES)


def test_doubt_is_said() -> None:
    sure = DriverRunsCuda(id="a", subject="R590", evidence=(), cuda=CudaVersion.parse("13.1"))
    unsure = DriverRunsCuda(id="b", subject="R590", evidence=(), cuda=CudaVersion.parse("13.1"), uncertain="a rumour")
    values = {"gpu": "H100", "capability": "9.0"}
    plain = "H100 has compute capability 9.0."
    assert sentence(Reason("capability", "every-gpu", "yes", (sure,), values)) == plain
    assert sentence(Reason("capability", "every-gpu", "unknown", (sure,), values)) == plain
    assert sentence(Reason("capability", "every-gpu", "yes", (unsure,), values)) == plain
    doubtful = Reason("capability", "every-gpu", "unknown", (sure, unsure), values)
    assert sentence(doubtful) == "H100 has compute capability 9.0 (not certain: a rumour)."
    own = {"torch": "2.8.0", "os": "linux", "machine": "x86_64", "doubt": "a rumour"}
    assert sentence(Reason("published-unknown", "published", "unknown", (unsure,), own)).count("a rumour") == 1


def test_a_remark_in_english_is_not_half_put_into_chinese() -> None:
    from resolver.words_zh import value_zh

    assert value_zh("5.0 to 9.0 and newer") == "5.0 到 9.0 及以上"
    assert (
        value_zh("the PTX is there, but compiling it was reported to fail")
        == "the PTX is there, but compiling it was reported to fail"
    )
