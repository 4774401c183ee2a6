"""Versions in running text, English and Chinese: driver, CUDA, torch, Python. Read last: printed forms come first."""

from __future__ import annotations

import re

from assistant.reading import values
from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, rule, rules
from assistant.reading.prose import is_printed

__all__ = ["FREE_FORMS", "read_bare_driver"]

_SOURCE = "free text"

# --- driver -------------------------------------------------------------------------------------------------------------

_DRIVER = r"(?:drivers?|驱动(?:程序)?|驅動(?:程式)?)"
_FILLER = (
    r"(?:[ :=(]|version|ver\.?|版本号?|branch|is|was|now|at|为|是|到|了|用的?|的|nvidia|显卡|linux|windows|upgraded?"
    r"|updated?|currently|still|only|also|then|installed|to|v|r|both|~|>=|>|≥|at least|至少){0,8}"
)
_NUMBER = r"(?P<{0}>[2-7]\d\d(?:\.\d{{1,3}}){{0,2}})(?:\.xx?|\.x)?(?!\d|\.\d| ?(?:mib|mb|gb|w\b|mhz|℃|%))"

_AFTER = re.compile(_DRIVER + _FILLER + _NUMBER.format("driver"))
_BEFORE = re.compile(
    r"(?<![\d.a-z_])(?:r|v)?"
    + _NUMBER.format("driver")
    + r"[ ,/-]{0,2}(?:\d{3}(?:\.\d{1,3}){0,2}[ ,/-]{0,2})?(?:nvidia |的|系列?|版本的?|series |branch |open |legacy "
    r"|proprietary |studio |game ready |linux |版|显卡|英伟达){0,3}" + _DRIVER
)
_BRANDED = re.compile(r"nvidia[ -]{1,2}(?:v|r)?(?P<driver>[2-7]\d\d\.\d{2,3}(?:\.\d{2})?)(?![\d.])")
_ASKED = re.compile(r"(?:needs?|requires?|至少|需要|at least|>=|>|≥|minimum)(?: an?| the| nvidia){0,2} {0,2}$")
_OR_NEWER = re.compile(r" ?(?:\+|or (?:newer|higher|later|above)|及?以上)")


def _driver(line: Line, collector: Collector) -> None:
    """`driver 535`, `驱动 535.104`, `the 470 driver`."""
    if collector.full("driver"):
        return
    for pattern in (_AFTER, _BEFORE, _BRANDED):
        for found in pattern.finditer(line.lower):
            span = found.span("driver")
            if collector.free(line, span):
                before = (
                    line.lower[max(0, span[0] - 60) : span[0]],
                    line.lower[max(0, found.start() - 60) : found.start()],
                )
                demanded = any(map(_ASKED.search, before)) or _OR_NEWER.match(line.lower, found.end())
                kind = "driver-required" if demanded else "driver"
                collector.add(kind, values.driver(found["driver"]), line, span, _SOURCE)


_BARE = re.compile(
    r"(?<![\w.:/=+-])(?P<driver>[3-6]\d\d\.\d{2,3}(?:\.\d{2})?)(?![\w%-]|\.\d| ?(?:mib|gib|mb|gb|ms|s\b|sec|w\b|mhz"
    r"|fps|tok|it/s|元|℃|usd))"
)
_ABOUT = re.compile(r"nvidia|driver|驱动|显卡|\.run\b|gpu|cuda")


def read_bare_driver(line: Line, collector: Collector) -> None:
    """A number that can hardly be anything else, in a sentence about drivers or GPUs: `works with 535.129.03`."""
    if collector.full("driver"):
        return
    for found in _BARE.finditer(line.lower):
        if is_printed(line.lower) or not (found["driver"].count(".") == 2 or _ABOUT.search(line.lower)):
            return
        if collector.free(line, found.span("driver")):
            kind = "driver-required" if _ASKED.search(line.lower[: found.start()]) else "driver"
            collector.add(kind, values.driver(found["driver"]), line, found.span("driver"), _SOURCE)


# --- CUDA ---------------------------------------------------------------------------------------------------------------

_CUDA = re.compile(
    r"(?<![a-z])cuda(?P<word> ?toolkit| ?sdk| ?runtime| ?工具包)?(?:[ _-]?(?:version|版本|ver\.?))?(?:[ _]?(?:is|为|是|==|="
    r"|:|v|-|\(|到|装的?|用的?)){0,2} {0,3}v?"
    r"(?P<version>\d{1,2}\.\d{1,2}(?:\.\d{1,3})?)(?![\d%]|\.\d)"
)
_TOOLKIT = re.compile(r"toolkit|nvcc|/usr/local|工具包|工具箱")
_SMI = re.compile(r"(?:nvidia-?smi|smi |supports?(?: up to)?|支持(?:到|的)?|max(?:imum)?|最高) {0,2}[^.,;，。]{0,24}$")
_BUILD = re.compile(
    r"(?:(?:py)?torch|built|compiled|build|编译)[^.,;，。]{0,8}(?:with|for|against|用|\+|for)? {0,2}$"
    r"|torch [\d.]{3,8}(?:\.\d)? ?\+ ?$"
)
_DEMAND = re.compile(r"(?:needs?|requires?|required|需要|要求|at least|至少|>=|minimum) {0,2}(?:at least |>= ?)?$")


def _cuda(line: Line, collector: Collector) -> None:
    """A CUDA version, of whatever its sentence says it is; `cuda` where it does not say."""
    if collector.full("cuda"):
        return
    for found in _CUDA.finditer(line.lower):
        span = found.span("version")
        if collector.free(line, span):
            before = line.lower[max(0, found.start() - 40) : found.start()]
            kind = _whose(found["word"] or "", before)
            collector.add(kind, values.cuda(found["version"]), line, span, _SOURCE)


def _whose(word: str, before: str) -> str:
    if _DEMAND.search(before):
        return "cuda-required"
    if word.strip() in ("toolkit", "sdk", "工具包") or _TOOLKIT.search(before[-16:]):
        return "toolkit"
    if _SMI.search(before):
        return "driver-cuda"
    return "torch-cuda" if _BUILD.search(before) else "cuda"


# --- torch, Python ------------------------------------------------------------------------------------------------------

_TORCH = (
    r"(?<![a-z/.-])(?:py)?torch(?:[ _-]?(?:version|版本|gpu版?|nightly|stable|cuda))?(?: ?(?:==|=|:|is|为|是|v|@|-"
    r"|\(|到|装的?)| (?:was |is |been )?(?:up|down)graded to| updated to){0,2} {0,3}v?"
)
_DEMANDED = (
    r"(?:requires?|needs?|depends on|asks for|wants|expects|pinned to|要求|需要) ?(?:py)?torch ?(?:[<>=~!]=?"
    r"|==)? ?v?<torch-required>"
)

FREE_FORMS: tuple[Form, ...] = (
    rule(_SOURCE, "torch", _DEMANDED, free=True),
    rule(_SOURCE, "torch", _TORCH + r"<torch-cpu>[ (+]{1,2}cpu", free=True),
    rule(_SOURCE, "torch", _TORCH + "<torch>", free=True),
    rule("pip", "satisfied: torch", r"satisfied: torch(?:[<>=!~][^ ]{1,20})? in .{1,200}?\(<torch>\)", free=True),
    Form(_SOURCE, ("driver", "驱动", "驅動", "nvidia"), _driver),
    rule(_SOURCE, "branch", r"(?<![a-z0-9])r(?P<driver>[2-7]\d\d)[ -]branch", free=True),
    rule(
        _SOURCE,
        "nvidia-smi",
        r"nvidia-smi[^\d\n|]{0,40}?(?<![\d.])<driver-cuda>(?![\d]|\.\d| ?(?:[gmk]i?b|[gmws%秒]|sec|min|ms))",
        free=True,
    ),
    rule(
        _SOURCE,
        "toolkit",
        r"(?<![\d.])<toolkit> (?:cuda )?toolkit"
        r"|toolkit(?: version)?[ :]{1,2}(?P<toolkit2>\d{1,2}\.\d{1,2}(?:\.\d{1,3})?)(?![\d.])",
        free=True,
    ),
    Form(_SOURCE, ("cuda",), _cuda),
    *rules(
        _SOURCE,
        (
            "cudnn",
            (
                r"(?<![_a-z])cudnn(?:[ _:=-]|version|library|版本|v"
                r"|is){0,4}(?P<cudnn>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]\d)"
            ),
        ),
        ("python", r"(?<![a-z])python ?-?(?:version|版本)?[ :=]{0,3}v?<python>"),
        (("py3", "py2"), r"(?<![a-z])py<python>|(?<![a-z])py(?P<python2>3\d{1,2})(?![\d.])"),
        (("cp3",), r"(?<![a-z])cp(?P<python>3\d{1,2}t?)(?![\d.])"),
        ("cpython-3", r"cpython-(?P<python>3\d{1,2}t?)(?![\d.])"),
    ),
)
