"""Compute capabilities: what a GPU has, what a build was made for, what is demanded."""

from __future__ import annotations

import re

from assistant.reading import values
from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, rule
from matrices.versions import ArchTarget

__all__ = ["FORMS"]

_TORCH = "torch"

_ARCH = re.compile(r"(?<![a-z0-9])(?P<prefix>sm|compute)_(?P<digits>\d{2,3}[af]?)(?![a-z0-9])")
_LISTED = re.compile(
    r"(?:capabilities|arch_?list(?:\(\))?|architectures|getarchflags\(\)|supports)[^a-z0-9]{1,12}(?:(?!sm_"
    r"|compute_)[a-z]{2,12} ){0,3}"
    r"(?P<list>['\"]?(?:sm|compute)_\d{2,3}[af]?(?:[ ,'\"]{1,4}(?:sm|compute)_\d{2,3}[af]?){0,30})"
)
_PRINTED_LIST = re.compile(
    r"^[^a-z0-9]{0,6}(?P<list>['\"](?:sm|compute)_\d{2,3}[af]?(?:['\", ]{1,4}(?:sm"
    r"|compute)_\d{2,3}[af]?){0,30})['\"]{0,2}\]"
)


def _arch_list(line: Line, collector: Collector) -> None:
    """The list that torch was built for, from its warning or from `torch.cuda.get_arch_list()`."""
    found = _LISTED.search(line.lower) or _PRINTED_LIST.search(line.lower)
    if found is None:
        return
    span = found.span("list")
    kinds: dict[str, list[ArchTarget]] = {"sm": [], "compute": []}
    for arch in _ARCH.finditer(found["list"]):
        target = values.arch_target(f"sm_{arch['digits']}")
        if target is not None:
            kinds[arch["prefix"]].append(target)
    collector.add("arch-list", tuple(kinds["sm"]) or None, line, span, _TORCH)
    collector.add("ptx-list", tuple(kinds["compute"]) or None, line, span, _TORCH)
    collector.claim(line, span)


_BUILT_FOR = re.compile(r"^[\s-]{0,12}(?P<capability>\d{1,2}\.\d) which supports hardware cc")


def _built_for(line: Line, collector: Collector) -> None:
    """The list of newer torch, one capability a line; read at its first line."""
    before = collector.document.preceding(line, 1)
    if before and _BUILT_FOR.match(before[0].lower):
        return
    targets = []
    for each in (line, *collector.document.following(line, 30)):
        found = _BUILT_FOR.match(each.lower)
        if found is None:
            break
        target = values.arch_target(found["capability"])
        targets += [target] if target else []
    collector.add("arch-list", tuple(targets) or None, line, (0, len(line.text)), _TORCH)


_RANGE = re.compile(r"\((?P<least>\d{1,2}\.\d)\) - \((?P<most>\d{1,2}\.\d)\)")


def _range(line: Line, collector: Collector) -> None:
    for each in (line, *collector.document.following(line, 2)):
        found = _RANGE.search(each.lower)
        if found is not None:
            ends = values.capability(found["least"]), values.capability(found["most"])
            collector.add("capability-range", None if None in ends else ends, each, found.span(), _TORCH)
            return


_MENTION = re.compile(
    r"(?:capabilit(?:y|ies)|计算能力|算力)"
    r"(?P<demand>(?: version)?(?: of|:| is)?(?: at least|至少| 至少)| ?(?:>=|>|<|≥|<=) ?| or higher| (?:needs|required"
    r"|supported)[a-z ,]{0,50}? is| must be at least)?"
    r"[^0-9a-z\n]{0,6}(?:is |of |版本|是|为|达到|在)?[^0-9a-z\n]{0,3}(?:cc\) ?)?"
    r"(?P<value>sm_?\d{2,3}|\d{1,2}\.\d)(?![\d.]\d)[af]?(?P<after>\+| ?(?:or|and) (?:higher|above|newer|later)| ?以上"
    r"| ?及以上)?"
)
_DEMANDED = re.compile(r"(?:minimum|at least|requires?|needs?|only supports?|要求|需要|至少)[^.\n]{0,60}$")


def _mention(line: Line, collector: Collector) -> None:
    """`CUDA capability sm_120`, `compute capability 7.0`, and what is demanded of it."""
    for found in _MENTION.finditer(line.lower):
        if not collector.free(line, found.span("value")):
            continue
        demanded = (
            found["demand"]
            or found["after"]
            or _DEMANDED.search(line.lower[max(0, found.start() - 90) : found.start()])
        )
        kind = "capability-required" if demanded else "gpu-capability"
        collector.add(kind, values.capability(found["value"]), line, found.span("value"), "message")


_BARE = re.compile(
    r"(?<![a-z0-9_='-])(?P<value>sm_?(?:[3-9]\d|1[0-3]\d))(?![a-z0-9])"
    r"|(?<![a-z])cc[ :=]{1,2}(?P<plain>\d{1,2}\.\d)(?![\d.])"
)


def _bare(line: Line, collector: Collector) -> None:
    """`sm_120` or `cc 8.6` in running text."""
    for found in _BARE.finditer(line.lower):
        group = "value" if found["value"] else "plain"
        if collector.free(line, found.span(group)):
            collector.add("gpu-capability", values.capability(found[group]), line, found.span(group), "free text")


FORMS: tuple[Form, ...] = (
    Form(_TORCH, ("sm_", "compute_"), _arch_list),
    Form(_TORCH, ("which supports hardware cc",), _built_for),
    Form(_TORCH, ("minimum and maximum cuda capability",), _range),
    rule("ollama", "compute=", r"compute=<gpu-capability>(?: driver=<driver-cuda>)?"),
    rule("llama.cpp", ("highest compute capability", "compute capability among"), r"gpus detected: <gpu-capability>"),
    Form("message", ("capabilit", "算力", "计算能力"), _mention),
)
FREE_FORMS: tuple[Form, ...] = (Form("free text", ("sm_", "sm1", "sm8", "sm9", "cc "), _bare),)
