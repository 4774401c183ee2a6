"""From what was typed to plain lower-case text: one alphabet, one kind of digit, one word for one thing."""

from __future__ import annotations

import re
import unicodedata

from resolver.naming.words import CHINESE

__all__ = ["LIMIT", "atoms", "clean", "rewrite", "squash", "translate"]

LIMIT = 300  # characters; a name is shorter, and a longer text is somebody else's job

_TRADEMARK = re.compile(r"[®™©]|\((?:r|tm|c)\)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_NOT_NAME = re.compile(r"[^a-z0-9]+|nvidia|corporation")
_GEFORCE = re.compile(r"geforce(?=gt|rtx|mx)")


def clean(text: str) -> str:
    """Lower case, compatibility forms resolved, invisible characters gone, symbols blank.

    >>> clean(" GeForce® RTX\\u200b ４０９０\\u202e ")
    'geforce rtx 4090'
    """
    text = _TRADEMARK.sub(" ", text)
    if not text.isascii():
        text = "".join(map(_plain, unicodedata.normalize("NFKC", text)))
    return " ".join(_CONTROL.sub(" ", text).lower().split())


def _plain(character: str) -> str:
    """One character without its oddity: format characters vanish, symbols and blanks become a blank."""
    category = unicodedata.category(character)
    if category in ("Cf", "Mn", "Cs", "Co", "Cn"):
        return ""
    if category == "Nd":
        return str(unicodedata.digit(character))
    if category[0] in "ZC" or category in ("So", "Sk"):
        return " "
    return character


def squash(text: str) -> str:
    """The letters and digits of a cleaned name, without the brand: the key of exact look-up.

    >>> squash("nvidia geforce rtx 4090 d")
    'rtx4090d'
    """
    return _GEFORCE.sub("", _NOT_NAME.sub("", text))


_COUNTED = re.compile(r"(?<![a-z0-9.\-])\d{1,2} ?[卡张块路片个]")
_CHINESE = re.compile("|".join(sorted(CHINESE, key=len, reverse=True)))
_REWRITES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"max[- ]?q", " maxq "),
        (r"lite hash rate", " "),
        (r"gv-n(?=\d)", "gv "),  # order numbers: GV-N4090..., DUAL-RTX4070S-O12G
        (r"(?<![a-z0-9])o(?=\d{1,2}g)", " "),
        (r"(?:g?ddr|hbm) ?\d[a-z]?(?![a-z0-9])", " "),
        (r"pci[- ]?e(?:xpress)?(?: ?x?\d{1,2}(?:\.0)?(?![\dg]))?(?: ?x\d{1,2})?", " pcie "),
        (r"(?:driver|cuda|驱动)(?: ?version)? ?[:=]? ?v?\d{1,3}(?:\.\d+)*", " "),
        (r"(?<![a-z0-9])\d{1,5} ?(?:bit|bits|w|watt|watts|mhz|ghz|nm|sp|位)(?![a-z0-9])", " "),
        # how many: "4x a100", "2 * 3090", "t4 x2", "a100*8"
        (r"(?<![a-z0-9.\-])\d{1,2} ?[x×*](?= ?[a-z0-9])", " "),
        (r"[×*] ?\d{1,3}(?![a-z0-9])", " "),
        (r"(?<!titan )(?<!tegra )(?<=[\d) ])x ?\d{1,3}(?![a-z0-9])", " "),
    )
)


def translate(text: str) -> str:
    """A cleaned text with the Chinese words that matter turned into English ones.

    >>> translate("英伟达4060笔记本").split()
    ['nvidia', '4060', 'laptop']
    """
    if text.isascii():
        return text
    return _CHINESE.sub(lambda found: f" {CHINESE[found[0]]} ", _COUNTED.sub(" ", text)).strip()


def rewrite(text: str) -> str:
    """A cleaned text without counts, bus widths, memory types and versions of software.

    >>> rewrite("4x a100-sxm4-80gb").strip()
    'a100-sxm4-80gb'
    """
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    return text


_ATOM = re.compile(r"[a-z]+|[0-9]+|[^\W\x00-\x7f]+")


def atoms(text: str) -> list[tuple[str, bool]]:
    """Runs of letters, of digits, and of other writing, in order; each with whether it touches the one before.

    >>> atoms("rtx a6000")
    [('rtx', False), ('a', False), ('6000', True)]
    """
    found = []
    end = -1
    for run in _ATOM.finditer(text):
        found.append((run[0], run.start() == end))
        end = run.end()
    return found
