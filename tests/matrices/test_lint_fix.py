"""The fixers: pieces of text change places or go, comments stay, and what the files say stays the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrices.lint import CHECKS
from matrices.lint.__main__ import main
from matrices.lint.base import mended
from matrices.lint.fixing import fix
from matrices.lint.material import Material
from matrices.lint.order import keys_in_order, rows_in_order
from matrices.lint.outline import blocks, outline, tables
from matrices.load import DATA, load
from tests.matrices.toml_files import WORLD, data_folder

FILES = sorted([*DATA.rglob("*.toml"), *WORLD.rglob("*.toml")])
MENDS = [check.mend for check in CHECKS if check.mend is not None]

UNTIDY = '''# Two branches.

[evidence.one] # a name
link = "https://example.org/a=b#c"~~~
kind = "reported"
on = 2026-11-01

[defaults]
evidence = ["one"]

# The newer one.
[[branch]]
# its number
number = 580
id = "R580"
runs-cuda = { evidence = ["one"], cuda = "13.0" } # as seen
[branch.offers-module]
default = "open"
modules = [
  "open", # since 515
  "proprietary",
]
[[branch.released]]
first = "580.65.06"
os = "linux"

# The older one.
[[branch]]
id = "R570"
number = 570
note = """
[[branch]]
id = "no row"
"""
'''.replace("~", " ")

TIDY = '''# Two branches.

[evidence.one] # a name
kind = "reported"
link = "https://example.org/a=b#c"
on = 2026-11-01

[defaults]
evidence = ["one"]

# The older one.
[[branch]]
id = "R570"
number = 570
note = """
[[branch]]
id = "no row"
"""

# The newer one.
[[branch]]
id = "R580"
# its number
number = 580
runs-cuda = { cuda = "13.0" } # as seen
[[branch.released]]
os = "linux"
first = "580.65.06"
[branch.offers-module]
modules = [
  "open", # since 515
  "proprietary",
]
default = "open"
'''


def test_the_pieces_of_a_file_make_the_file() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert "".join(section.text for section in outline(text)) == text
        assert "".join(section.text for block in blocks(outline(text)) for section in block.sections) == text


def test_headers_and_keys_are_read_without_their_quotes() -> None:
    first, second = outline('a = 1\n[evidence."x-1.2"]\n"b" . c = 2\n')
    assert (first.header, first.statements[0].key) == ("", ("a",))
    assert (second.header, second.statements[0].key) == ("evidence.x-1.2", ("b", "c"))
    assert second.value("b") == ""


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a = { b = 1, c = [2, 3] }", [["b", "c"]]),
        ("a = [{ b = 1 }, { c = '}' }]", [["b"], ["c"]]),
        ('a = { b = { c = "," }, d = 1 }', [["c"]]),  # the outer one is left alone
        ("a = {}", [[]]),
        ("a = [\n  { b = 1 }, # { c = 2 }\n]", [["b"]]),
        ("a = { b = [ # why\n 1 ] }", []),
        ("a = ]}", []),
    ],
)
def test_inline_tables_are_found(text: str, items: list[list[str]]) -> None:
    assert [[key for key, _ in table.items] for table in tables(text)] == items


def test_everything_untidy_is_mended_and_comments_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = data_folder(tmp_path, {"drivers/old.toml": UNTIDY})
    before = load(folder)
    none = tmp_path / "exceptions"
    none.write_text("exception = []\n", encoding="utf-8")
    assert main(["--fix"], folder, none) == 1  # no toolkit of that number: that takes a person
    assert capsys.readouterr().err.splitlines()[0] == "mended drivers/old.toml"
    assert (folder / "drivers/old.toml").read_text(encoding="utf-8") == TIDY
    after = load(folder)
    assert (after.claims, after.entities) == (before.claims, before.entities)
    assert fix(folder) == []


def test_mending_twice_changes_nothing_more() -> None:
    for mend in MENDS:
        assert mend(mend(UNTIDY)) == mend(UNTIDY)
        assert mend(TIDY) == TIDY


def test_the_committed_data_is_tidy() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert [mend for mend in MENDS if mend(text) != text] == []


def test_a_file_that_would_say_something_else_stays_as_it_is(tmp_path: Path) -> None:
    """A tab inside a text is part of what the file says."""
    text = '[[branch]]\nid = "R570"\nnumber = 570\nnote = "a\tb"\n'
    folder = data_folder(tmp_path, {"drivers/r570.toml": text})
    assert fix(folder) == []
    assert (folder / "drivers/r570.toml").read_text(encoding="utf-8") == text


def test_unknown_kinds_and_keys_stay_where_they_are() -> None:
    text = 'z = 1\na = { z = 1, a = 2 }\n[strange]\nz = 1\na = 2\n[[branch]]\nid = "R1"\nz = 1\na = 2\n'
    assert keys_in_order(text) == text
    assert rows_in_order(text) == text


def test_inline_tables_keep_their_spaces() -> None:
    text = '[[branch]]\nid = "R1"\nnumber = 1\nlifecycle = {until = "2028-06", type = "lts"}\n'
    assert 'lifecycle = {type = "lts", until = "2028-06"}' in keys_in_order(text)


def test_the_first_line_that_would_change_is_named(tmp_path: Path) -> None:
    folder = data_folder(tmp_path, {"a.toml": "# a\n# b\n", "b.toml": "# a\n"})
    material = Material.read(folder)
    found = list(mended(lambda text: text.replace("# b\n", ""), "shorter")(material))
    assert [(finding.subject, finding.line) for finding in found] == [("file:a.toml", 2)]
    longer = list(mended(lambda text: text + "more\n" if text == "# a\n" else text, "longer")(material))
    assert [(finding.subject, finding.line) for finding in longer] == [("file:b.toml", 2)]
