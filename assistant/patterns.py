"""How much work a regular expression can make at worst, read from its parsed form.

An expression is tried from each place of a line. From one place it can be matched in about as many ways as the product of
the counts of those repeats that leave a choice: where the next character tells that the repeat is over, there is none.
A pattern of a symptom file with too many ways is refused before anybody meets a text that makes it slow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]  # the parser of `re` has no public name
from re import _parser  # type: ignore[attr-defined]  # the same
from typing import Any

__all__ = ["LONGEST", "MOST_WAYS", "fault", "literals", "ways"]

LONGEST = 2000  # characters that an unbounded repeat is taken to run over
MOST_WAYS = 250_000

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_ALPHABET = [chr(code) for code in range(32, 127)] + ["\t", "é", "中", "。"]
_EVERYTHING = frozenset(_ALPHABET)
_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
Tree = Sequence[Any]


def fault(pattern: str) -> str | None:
    """What is wrong with a pattern: not a regular expression, or slow; None if nothing.

    >>> fault("compute_[0-9]+x"), fault("(a+)+b")
    (None, 'a repeat that varies stands inside one that varies')
    >>> fault(".{0,600}x.{0,600}y")
    'matches in 361201 ways from one place; 250000 are allowed'
    """
    try:
        re.compile(pattern)
        tree = list(_parser.parse(pattern))
    except re.error as error:
        return f"not a regular expression: {error}"
    if _nested(tree):
        return "a repeat that varies stands inside one that varies"
    count = ways(tree)
    return None if count <= MOST_WAYS else f"matches in {count} ways from one place; {MOST_WAYS} are allowed"


def ways(tree: Tree, after: frozenset[str] = frozenset()) -> int:
    """In how many ways a parsed expression may match from one place, with the characters that may follow it."""
    product = 1
    for number, (code, argument) in enumerate(tree):
        rest = list(tree[number + 1 :])
        follows = _first(rest) | after if _may_be_empty(rest) else _first(rest)
        inner = max((ways(body, follows) for body in _bodies(code, argument)), default=1)
        if code in _REPEATS:
            least, most, body = argument
            inner **= min(int(most), 8)
            choice = _first(list(body)) & follows
            inner *= min(int(most), LONGEST) - int(least) + 1 if choice else 1
        product *= inner
    return product


def literals(pattern: str) -> list[str]:
    """The runs of plain characters in a pattern, for making texts that it nearly matches.

    >>> literals("xid.{0,9}(?:79|fell off)")
    ['xid', '79', 'fell off']
    """
    found: list[str] = []

    def collect(tree: Tree) -> None:
        run = ""
        for code, argument in tree:
            if code is op.LITERAL:
                run += chr(argument)
                continue
            found.append(run)
            run = ""
            for body in _bodies(code, argument):
                collect(body)
        found.append(run)

    collect(list(_parser.parse(pattern)))
    return list(dict.fromkeys(filter(None, found)))


def _bodies(code: Any, argument: Any) -> list[Tree]:
    """The expressions inside a node."""
    if code in _REPEATS:
        return [list(argument[2])]
    if code is op.BRANCH:
        return [list(branch) for branch in argument[1]]
    if code is op.SUBPATTERN:
        return [list(argument[3])]
    if code in (op.ASSERT, op.ASSERT_NOT):
        return [list(argument[1])]
    return []


def _nested(tree: Tree, inside: bool = False) -> bool:
    """Whether a repeat that varies stands inside another that may run more than once."""
    for code, argument in tree:
        varies = code in _REPEATS and argument[1] > max(argument[0], 1)
        if varies and inside:
            return True
        if any(_nested(body, inside or varies) for body in _bodies(code, argument)):
            return True
    return False


def _first(tree: Tree) -> frozenset[str]:
    """The characters (of a small alphabet) that a match may begin with; nothing at the end of an expression."""
    found: frozenset[str] = frozenset()
    for code, argument in tree:
        characters, optional = _begins(code, argument)
        found |= characters
        if not optional:
            break
    return found


def _begins(code: Any, argument: Any) -> tuple[frozenset[str], bool]:
    """The characters that a node may begin with, and whether it may be empty."""
    if code in _REPEATS:
        return _first(list(argument[2])), argument[0] == 0
    if code in (op.AT, op.ASSERT, op.ASSERT_NOT):
        return frozenset(), True
    bodies = _bodies(code, argument)
    if bodies:
        return frozenset().union(*map(_first, bodies)), any(map(_may_be_empty, bodies))
    return _characters(code, argument), False


def _may_be_empty(tree: Tree) -> bool:
    return all(_begins(code, argument)[1] for code, argument in tree)


def _characters(code: Any, argument: Any) -> frozenset[str]:
    """The characters that a node for one character matches; all of them where it is of a kind not known here."""
    if code is op.LITERAL:
        return frozenset(chr(argument)) if chr(argument) in _EVERYTHING else frozenset("中")
    if code is op.RANGE:
        low, high = argument
        return frozenset(each for each in _ALPHABET if low <= ord(each) <= high)
    if code is op.CATEGORY:
        return _category(argument)
    if code is op.IN:
        parts = [each for each in argument if each[0] is not op.NEGATE]
        union = frozenset[str]().union(*(_characters(*part) for part in parts))
        return _EVERYTHING - union if len(parts) < len(argument) else union
    return _EVERYTHING


@cache
def _category(category: Any) -> frozenset[str]:
    return frozenset(each for each in _ALPHABET if re.match(_CATEGORIES[category], each))
