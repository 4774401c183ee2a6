"""GPUs named in running text: spans that look like a product are cut out and recognised, nothing longer."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, starting
from assistant.reading.prose import is_printed

__all__ = ["BRANDED", "FREE_FORMS", "read_unbranded"]

_SOURCE = "free text"

# --- with a brand or a line: anywhere ---------------------------------------------------------------------------------------

_FAMILIES = (
    "nvidia", "geforce", "quadro", "tesla", "titan", "泰坦", "rtx", "gtx", "gts", "gt", "mx", "nvs", "grid", "cmp", "jetson", "agx", "orin", "xavier", "dgx",
)  # fmt: skip
_FAMILY = r"(?:" + "|".join((*_FAMILIES, "pro", "thor")) + ")"
_MODEL = (
    r"[a-z]{0,3}\d{2,4}(?:[a-z]{1,2}\d{0,2}|ti|super|tisuper|tis)?(?:-(?:sxm\d?|pcie?|nvl|\d{2,3}gb|\d{1,2}[acq])){0,3}"
)
_VARIANT = (
    r"(?:ti|super|supper|rtx|d v2|d|xp|x|v|z|black|collectors edition|pascal|ada generation|ada lovelace|ada"
    r"|blackwell|workstation edition|server edition"
    r"|max-q workstation edition|workstation|server|laptop gpu|laptop|mobile|notebook|with max-q design|max-q|pcie?"
    r"|sxm\d?|nvl|hbm\d[a-z]?|nano|nx|tx[12]|orin"
    r"|xavier|thor|super developer kit|developer kit|spark|mig \dg\.\d{1,3}gb|\d{1,3} ?gi?b?|笔记本电脑|笔记本|移动版)"
)
_SPAN = re.compile(
    starting(_FAMILIES, "a-z0-9_.-") + r"[ _-]{0,2}(?:" + _FAMILY + r"[ _-]{0,2}){0,3}"
    r"(?:(?:" + _MODEL + "|" + _VARIANT + r")(?![a-z0-9]|\.\d)(?:[ _(-]{1,2}|$|(?=[^a-z0-9]))){1,8}"
)
_SERIES = re.compile(r" ?(?:series|系列?|系|[x×]{2})")
_TOO_LITTLE = re.compile(r"(?:nvidia[ _-]{0,2})?(?:grid|agx|dgx)?[ _-]{0,2}\d{0,3}")
_NAMED_BY_WORD = ("titan", "泰坦", "orin", "xavier", "nano", "thor", "spark")


_LAPTOP = re.compile("笔记本电脑|笔记本|移动版")


def _plain(name: str) -> str:
    return _LAPTOP.sub(" laptop", name).replace("_", " ")


def _branded(line: Line, collector: Collector) -> None:
    """`NVIDIA GeForce RTX 3090`, `quadro p2000`, `Jetson Orin Nano`, in any line."""
    for found in _SPAN.finditer(line.lower):
        name = found[0].rstrip(" (_-")
        span = (found.start(), found.start() + len(name))
        if collector.full("gpu") or not collector.free(line, span) or _TOO_LITTLE.fullmatch(name):
            continue
        if not any(map(str.isdigit, name)) and not any(word in name for word in _NAMED_BY_WORD):
            continue
        if _SERIES.match(line.lower, span[1]) or _is_denied(line.lower, *span):
            collector.claim(line, span)
        else:
            collector.gpu(_plain(line.text[span[0] : span[1]]), line, span, _SOURCE)


# --- by model number alone: only in what people write -------------------------------------------------------------------------

_BAD = r"a-z0-9_.:/=#+$@\\-"
_SIZE = r"(?:[ -]?(?:sxm\d?|pcie?|nvl))?(?:[ -]?(?:\d{2,3}|[1-9]) ?gi?b?)?"
_END = r"(?P<end>)(?:s|'s)?(?![a-z0-9_/\\=%]|\.\d|-\d|:\d)"
_CONSUMER = re.compile(
    r"[1-9](?:(?<![" + _BAD + r"].)|(?<=\d[x×*].))(?:"
    r"(?:(?<=[2-6])0[5-9]0|(?<=1)(?:6[1356]0|0[1-8]0))(?:ti|super|s|d|m)?(?: ?(?:ti|super|d v2"
    r"|d)){0,2}(?: ?(?:laptop gpu|laptop|mobile|max-q|笔记本|移动版))?"
    r"|(?<=[5-9])[1-8]0 ?(?:ti|mx|m))" + _SIZE + _END
)
_CENTRE_MODELS = (
    "b100 b200 b300 gb200 gb300 gh200 gb10 h100 h200 h800 h20 a100 a800 a10 a10g a10m a16 a30 a40 a2000 a4000 a4500 a5000 a5500 a6000 v100 v100s p100 p40 p4"
    " t4 t4g t400 t500 t600 t1000 t1200 l4 l20 l40 l40s k80 k40 k40c k40m k20 k20c k20m k20x k10 k2200 k4000 k4200 k5000 k6000 k620 m10 m40 m60 m2000 m4000 m5000"
    " m6000 p102 p104 p106 p102-100 p104-100 p106-100 p106-90 p400 p600 p620 p1000 p2000 p2200 p3200 p4000 p5000 p6000 ga100 ga102 ga104 ga106 ga107 ad102 ad103 ad104 ad106 ad107 tu102 tu104 tu106"
    " tu116 tu117 gp100 gp102 gp104 gp106 gp107 gp108 gv100 gm107 gm108 gm200 gm204 gm206 gk104 gk107 gk110 gk208 gk210 gh100 gb202 gb203 gb205 gb206"
).split()
_CENTRE = re.compile(starting(_CENTRE_MODELS, _BAD) + _SIZE + _END)
_NOT_BEFORE = re.compile(
    r"(?:port|pid|line|step|steps|epoch|seed|id|error|code|process|batch|size|length|year|rank|radeon|rx|amd|arc"
    r"|intel|apple|hd|vega|version|ryzen|i[3579]"
    r"|端口|行|错误|代码|第|分辨率|版本|resolution|iter|iteration|xeon|nv|core|issue|page|室|arxiv)[ :]{1,2}$"
)
_NUMBERS = re.compile(r"(?<!\S)[\d.:,%]{1,20}(?!\S)")
_MANY_NUMBERS = 4
_COUNTED = re.compile(r"(?<![\w.])\d{1,2} ?[x×*] ?$")
_NOT_AFTER = re.compile(
    r" ?(?:p(?![a-z])|px|x ?\d{3}|mib|mb|kb|ms(?![a-z])|(?<= )s(?![a-z])|sec|steps?|tokens?|epochs?|lines?|images?"
    r"|it/s|%|w(?![a-z])|watt|mhz|rpm|hz|fps|yuan|usd|元|块钱|年|次|步|行"
    r"|张图|个图|token|cpu|performance state|paper|series|系列|系|[x×]{2})"
)


def _is_log(lower: str) -> bool:
    """Whether a program printed the line, or it is a row of a table of numbers."""
    return is_printed(lower) or len(_NUMBERS.findall(lower)) >= _MANY_NUMBERS


def read_unbranded(line: Line, collector: Collector) -> None:
    """`a 3090`, `8x A100`, `显卡是4090`: model numbers by themselves, unless the line was printed by a program."""
    lower = line.lower
    if collector.full("gpu"):
        return
    candidates = [*_CONSUMER.finditer(lower), *_CENTRE.finditer(lower)]
    for found in sorted(candidates, key=lambda each: each.start()):
        span = (found.start(), found.start("end"))
        counted = _COUNTED.search(lower[max(0, span[0] - 5) : span[0]])
        if not collector.free(line, span) or (counted is None and _is_log(lower)):
            continue
        if _NOT_BEFORE.search(lower[max(0, span[0] - 14) : span[0]]) or _NOT_AFTER.match(lower, span[1]):
            continue
        if _is_denied(lower, *span):
            collector.claim(line, span)
        else:
            collector.gpu(_plain(line.text[span[0] : span[1]]), line, span, _SOURCE)


# --- said of another GPU than the one that is used -------------------------------------------------------------------------------

# "does not use my 3090" and "no 3090 was found" are about a GPU that is there
_DENIED_BEFORE = re.compile(
    r"(?:(?:\bnot|n't) (?:an?|the) |(?:do not|don't) (?:have|own) (?:an?|the) |used to (?:have|own|use|run) (?:an?|the|my) "
    r"|(?:upgraded|switched|moved) from (?:an?|the|my) |previous |不是用?|而不是|以前(?:是|用的?)|之前(?:是|用的?)|原来用的?|没有|不要)"
    r" ?(?:nvidia |geforce |rtx |gtx )?$"
)
_HAD = re.compile(r"\b(?:had|owned|used) (?:an?|the|my) [^.,;]{0,20}$")
_DENIED_AFTER = re.compile(
    r"[^.,;\n]{0,12}(?:\bbefore\b|previously|in the past|earlier)(?! (?:the|it|i|my|a|we|you)\b)"
)


def _is_denied(lower: str, start: int, end: int) -> bool:
    """Whether a GPU is named as not, or no longer, the one in use."""
    before = lower[max(0, start - 48) : start]
    if _DENIED_BEFORE.search(before):
        return True
    return _HAD.search(before) is not None and _DENIED_AFTER.match(lower, end) is not None


# --- others ---------------------------------------------------------------------------------------------------------------------

_FOREIGN = re.compile(
    r"(?<![a-z0-9-])(?:(?:amd )?radeon[ a-z()]{0,12}(?:\d{3,4}(?: ?xtx?|m|s)?)?|rx ?-?\d{3,4} ?(?:xtx?|gre|m)?"
    r"|amd (?:gpu|\d{4}\w{0,3})|instinct mi\d{2,3}\w?|intel arc[ a-z]{0,6}\d{0,3}\w?"
    r"|arc [ab]\d{3}|apple m[1-6](?: (?:pro|max|ultra))?|\bm[1-4] (?:pro|max|ultra)"
    r"|(?:huawei )?ascend ?\d{0,3}[a-z]?\d?|gaudi ?\d?|moore threads|mtt s\d{2,4})(?![a-z0-9])"
    r"|昇腾 ?\d{0,3}[a-z]?\d?|升腾 ?\d{0,3}[a-z]?\d?|摩尔线程|寒武纪|沐曦|海光 ?(?:dcu)?"
)
_SERIES_SAID = re.compile(
    r"(?<![\w.])(?:(?:geforce )?(?:rtx|gtx)[ -]?)?(?P<series>[1-6]0|16|9)(?:[x×]{2}| ?(?:series|系列|系))(?![a-z])"
)


def _foreign(line: Line, collector: Collector) -> None:
    """GPUs of other makers."""
    for found in _FOREIGN.finditer(line.lower):
        if collector.free(line, found.span()):
            name = found[0].strip().replace("升腾", "昇腾")
            collector.gpu(name, line, (found.start(), found.start() + len(found[0].rstrip())), _SOURCE)


def _series(line: Line, collector: Collector) -> None:
    """`RTX 50 series`, `50系`."""
    for found in _SERIES_SAID.finditer(line.lower):
        collector.add("gpu-series", found["series"], line, found.span(), _SOURCE)


_INSTANCE = re.compile(
    r"(?<![\w.-])(?:(?:g[3-7]|p[2-6])[a-z]{0,4}\.(?:\d{0,2}x?large|metal)[\w-]{0,12}|standard_n[cdvg][\w-]{2,40}"
    r"|(?:a[234]|g[24])-(?:highgpu|megagpu|ultragpu|standard|edgegpu)-\d{1,3}g?)(?![\w])"
)


def _instance(line: Line, collector: Collector) -> None:
    """Cloud machine types."""
    for found in _INSTANCE.finditer(line.lower):
        collector.gpu(line.text[slice(*found.span())], line, found.span(), "cloud instance")


BRANDED: tuple[Form, ...] = (
    Form(
        _SOURCE,
        (
            "geforce",
            "quadro",
            "tesla",
            "titan",
            "泰坦",
            "rtx",
            "gtx",
            "gt ",
            "gt7",
            "gt1",
            "jetson",
            "nvidia ",
            "nvidia-",
            "orin",
            "xavier",
            "grid ",
            "cmp ",
            "dgx spark",
            "mx1",
            "mx2",
            "mx3",
            "mx4",
            "mx5",
            "mx ",
            "nvs ",
        ),
        _branded,
    ),
    Form(_SOURCE, ("xlarge", "standard_n", "gpu-", "-standard-", ".metal"), _instance),
)
FREE_FORMS: tuple[Form, ...] = (
    Form(
        _SOURCE,
        (
            "radeon",
            "rx ",
            "rx5",
            "rx6",
            "rx7",
            "rx9",
            "amd",
            "instinct",
            "arc ",
            "apple m",
            " max",
            " pro",
            "ultra",
            "ascend",
            "gaudi",
            "昇腾",
            "升腾",
            "moore threads",
            "mtt s",
            "摩尔线程",
            "寒武纪",
            "沐曦",
            "海光",
        ),
        _foreign,
    ),
    Form(_SOURCE, ("series", "系", "0xx", "6xx", "9xx"), _series),
)
