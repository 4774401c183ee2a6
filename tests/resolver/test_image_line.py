"""Monthly lines of images: what earlier and later releases tell of one that says nothing itself."""

from __future__ import annotations

import pytest

from resolver.engine import Checked, Engine
from tests.resolver.factory import from_toml


def image(tag: str, more: str = "") -> str:
    return f"""
[[image]]
id = "line:{tag}"
repository = "nvcr.io/line"
role = "ngc"
tags = ["{tag}"]
exists = {{ status = "exists" }}
{more}
"""


WORLD = """
[[os]]
id = "linux"
name = "Linux"
family = "linux"
[[capability]]
id = "3.7"
architecture = "Kepler"
[[capability]]
id = "6.0"
architecture = "Pascal"
[[capability]]
id = "7.0"
architecture = "Volta"
[[capability]]
id = "8.0"
architecture = "Ampere"
[[toolkit]]
id = "12.4"
targets-cc = { sass = ["6.0", "7.0", "8.0"] }
[[toolkit]]
id = "13.0"
targets-cc = { sass = ["8.0"] }
[[toolkit]]
id = "13.1"
targets-cc = { sass = ["8.0"], uncertain = "from a talk" }
""" + "".join(
    (
        image("23.01-py3", 'contains = { cuda = "12.4" }\nneeds-cc = { minimum = "6.0" }'),
        image("24.01-py3", 'contains = { cuda = "12.4" }'),
        image("24.06-py3", 'contains = { cuda = "12.4" }\nneeds-cc = { minimum = "7.0", uncertain = "hearsay" }'),
        image("24.08-py3", 'contains = { cuda = "12.4" }\nneeds-cc = { minimum = "7.0" }'),
        image("25.01-py3", 'contains = { cuda = "13.0" }'),
        image("25.02-py3", 'contains = { cuda = "13.1" }'),
        image("25.03-py3"),
        image("latest", 'contains = { cuda = "12.4" }'),
    )
)
ENGINE = Engine(from_toml(WORLD))
CASES = [
    ("23.01-py3", "6.0", "yes", "needs"),  # by its own note
    ("23.01-py3", "3.7", "no", "needs compute capability 6.0"),
    ("24.01-py3", "7.0", "yes", "A later image"),
    ("24.01-py3", "6.0", "unknown", "not known"),  # between a month that takes it and one that does not
    ("24.01-py3", "3.7", "no", "An earlier image"),
    ("24.06-py3", "7.0", "yes", "A later image"),  # its own word is in doubt
    ("24.06-py3", "6.0", "unknown", "not known"),
    ("25.01-py3", "6.0", "no", "An earlier image"),
    ("25.01-py3", "7.0", "no", "makes no code"),  # the compiler inside has left it behind
    ("25.01-py3", "8.0", "unknown", "not known"),  # no later month says so
    ("25.02-py3", "8.0", "unknown", "not known"),
    ("25.03-py3", "8.0", "unknown", "not known"),
    ("latest", "8.0", "unknown", "not known"),
    ("latest", "3.7", "no", "makes no code"),
]


@pytest.mark.parametrize(("tag", "capability", "verdict", "words"), CASES)
def test_by_the_line(tag: str, capability: str, verdict: str, words: str) -> None:
    found = ENGINE.check(Checked(gpu=[f"cc {capability}"], image=f"nvcr.io/line:{tag}"))
    assert found["verdict"] == verdict
    assert words in found["findings"][-1]["text"] or words == "needs"
