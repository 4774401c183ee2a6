"""Templates to pages: one Jinja environment, escaping on, undefined names an error; and the static files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from api.page.words import Words
from api.rendering import Rendered, rendered
from resolver.words import Language

__all__ = ["SECURITY_HEADERS", "STATIC", "Frame", "Templates", "address"]

_HERE = Path(__file__).parent
STATIC = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_LITERAL = re.compile(r"`([^`]+)`")


def address(path: str, values: Mapping[str, object] | None = None) -> str:
    """A path with a query string of the values that are given.

    >>> address("/", {"gpu": "RTX 5090", "driver": None})
    '/?gpu=RTX+5090'
    """
    given = {name: value for name, value in (values or {}).items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def prose(text: str) -> Markup:
    """A sentence with its literals, written in backticks, marked as code.

    >>> prose("`a<b` fits")
    Markup('<code>a&lt;b</code> fits')
    """
    return Markup(_LITERAL.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped first


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page knows: its language, how that was chosen, and where it stands.

    Attributes:
        language: of the page.
        chosen: whether the address names the language: then every link keeps it.
        path: of the page.
        query: of the page, without the language.
    """

    language: Language
    chosen: bool
    path: str
    query: tuple[tuple[str, str], ...]

    def link(self, path: str, **values: object) -> str:
        """The address of another page, in the language chosen."""
        return address(path, {**values, "lang": self.language if self.chosen else None})

    @property
    def other_language(self) -> str:
        """The address of this page in the other language."""
        other = "en" if self.language == "zh" else "zh"
        return f"{self.path}?{urlencode([*self.query, ('lang', other)])}"


class Templates:
    """All templates of the page."""

    def __init__(self, data_version: str) -> None:
        self.environment = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters["prose"] = prose
        self.environment.globals |= {"data_version": data_version, "static": self.static_address}

    def page(self, name: str, frame: Frame, **values: Any) -> Rendered:
        """A whole page."""
        words = Words(frame.language)
        text = self.environment.get_template(name).render(frame=frame, words=words, link=frame.link, **values)
        return rendered(text.encode(), "text/html; charset=utf-8")

    def piece(self, name: str, frame: Frame, **values: Any) -> str:
        """A part of a page, to be put into one that is shown."""
        return self.environment.get_template(name).render(
            frame=frame, words=Words(frame.language), link=frame.link, **values
        )

    @cached_property
    def files(self) -> dict[str, Rendered]:
        """The static files by name."""
        return {name: rendered((_HERE / "static" / name).read_bytes(), kind) for name, kind in STATIC.items()}

    def static_address(self, name: str) -> str:
        """The address of a static file; it changes with the file, so that caches may keep it for ever."""
        return f"/static/{name}?v={self.files[name].etag[1:9]}"
