"""Which lines a person wrote and which a program printed; and the language of the person."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

__all__ = ["is_printed", "language"]

_STARTS = re.compile(
    r"\s{0,60}(?:"
    r"[|{}<]|[bcdlps-][rwxst-]{9}[ .+]|(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d |\+-|>>>|\.\.\. |\$ |\[ {0,8}\d|\[(?:info|warn|error|debug|rank|notice|trace)|\(base\)|==|--|\[\w{2,20}\]"
    r"|\d{4}[-/]\d{1,2}[-/]\d{1,2}[t ]|\d{1,2}:\d\d:\d\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)\s{1,2}\d{1,2} \d\d:"
    r"|file \"|traceback|during handling|the above exception|nvrm:|kernel:|caused by|raise |import "
    r"|from \S{1,60} import|return |self\.|def |class "
    r"|[\w.]{0,60}(?:error|exception|warning|fatal|abort)\b ?(?:\(.{0,40}\))?:|(?:e|w|i) ?:|(?:e|w|i) \w+/"
    r"|(?:docker|podman|modprobe|insmod|nvcc|ptxas|g?make|cmake|gcc|collecting|requirement already|successfully"
    r"|nvidia-container-cli|ctr|dkms|dpkg|apt|e|ii"
    r"|get|setting up|unpacking|preparing)[:\[(/ ](?=\S)"
    r"|[\w./~-]{1,80}:\d{1,6}[:)]|[a-z]:\\\S|/\S{3,200}$|(?:info|warning|warn|error|debug|fatal|critical)\b[^a-z]"
    r"|[\w.\[\]()'\"]{1,60} {0,2}=(?!=) {0,2}\S|[\w@.-]{1,60}:[~/]\S{0,60}[$#]"
    r")"
)
_INSIDE = re.compile(
    r"0x[0-9a-f]{4,16}|\", line \d{1,6}|\w=\S{1,40}[ ,]{1,2}\w{1,30}=\S|\.(?:py|cc?|cpp|cu|rs|go):\d{1,6}"
    r"|\d{2}:\d{2}:\d{2}[.,]\d"
)


def is_printed(lower: str) -> bool:
    """Whether a lower-case line looks like the output of a program, or code.

    >>> is_printed("nvrm: xid (pci:0000:01:00): 79"), is_printed("my 3090 crashes every evening")
    (True, False)
    """
    return _STARTS.match(lower) is not None or (lower.isascii() and _INSIDE.search(lower) is not None)


_CJK = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_ELSEWHERE = re.compile(
    r"[\w.\-~/\\]{0,200}[/\\][^\s,]{1,200}|[\"“][^\"”]{0,200}[\"”]|\S{1,80}\.(?:py|safetensors|ckpt|exe|mp4|png|jpg|zip|txt)"
)
_ENGLISH = re.compile(
    r"\b(?:the|is|are|was|my|i|it|this|that|with|on|in|of|to|and|but|how|why|what|when|does|do|can|cannot|not|for"
    r"|have|has|get|after|from|which)\b"
)
_ENOUGH_PRINTED = 4  # characters in the messages of a Chinese system, where nothing else was written


def language(lines: Iterable[str]) -> Literal["en", "zh"]:
    """The language somebody asks in, from all lower-case lines; names of files and quotations do not count."""
    written = printed = english = foreign = 0
    for line in lines:
        if line.isascii():
            english += 0 if is_printed(line) else len(_ENGLISH.findall(line))
            continue
        foreign += len(_KANA.findall(line)) + len(_HANGUL.findall(line))
        if is_printed(line):
            printed += len(_CJK.findall(line))
        else:
            said = _ELSEWHERE.sub(" ", line)
            written += len(_CJK.findall(said))
            english += len(_ENGLISH.findall(said))
    if foreign > (written + printed) / 4:
        return "en"
    if written:
        return "zh" if 2 * written > english else "en"
    return "zh" if printed >= _ENOUGH_PRINTED and not english else "en"
