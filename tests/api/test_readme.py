"""What the README shows is what the program prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from api.cli import main

ROOT = Path(__file__).parent.parent.parent
BLOCKS = re.findall(
    r"```console\n\$ whichcuda (.*?)\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
)


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_the_readme_shows_what_is_printed(command: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(shlex.split(command))
    assert capsys.readouterr().out == shown


def test_every_route_stands_in_the_readme() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    from api.app import create_app

    for path in create_app().openapi()["paths"]:
        if path != "/":
            assert f"`{path}`" in page or f" {path}`" in page, path
