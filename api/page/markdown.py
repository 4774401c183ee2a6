"""The assistant's Markdown as HTML, block by block. HTML and images in it stay text, links lead to http(s) only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["blocks"]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).disable(["image", "html_block", "html_inline", "lheading"])
    parser.validateLink = _is_web  # type: ignore[method-assign]  # its documented hook
    return parser


def _is_web(url: str) -> bool:
    return url.startswith(("https://", "http://"))


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The blocks of a text in order: `("html", ...)`, or `("code", ...)` for a fenced one, as plain text.

    >>> list(blocks("**Fix**\\n\\n1. see <b>\\n\\n```sh\\nls\\n```\\n"))[:2]
    [('html', '<h3>Fix</h3>\\n'), ('html', '<ol>\\n<li>see &lt;b&gt;</li>\\n</ol>\\n')]
    """
    parser = _parser()
    for tokens in _groups(parser.parse(text)):
        if tokens[0].type == "fence":
            yield "code", tokens[0].content.rstrip("\n")
        else:
            yield "html", str(parser.renderer.render(_titled(tokens), parser.options, {}))


def _groups(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of one block after the other."""
    group: list[Token] = []
    depth = 0
    for token in tokens:
        group.append(token)
        depth += token.nesting
        if depth == 0:
            yield group
            group = []


def _titled(tokens: list[Token]) -> list[Token]:
    """A paragraph that is bold as a whole is a title: it becomes a heading."""
    if len(tokens) == 3 and tokens[0].type == "paragraph_open":
        inside = [token for token in tokens[1].children or [] if token.type != "text" or token.content]
        if len(inside) > 2 and inside[0].type == "strong_open" and inside[-1].type == "strong_close":
            if sum(token.type == "strong_open" for token in inside) == 1:
                tokens[1].children = inside[1:-1]
                tokens[0].tag = tokens[2].tag = "h3"
    return tokens
