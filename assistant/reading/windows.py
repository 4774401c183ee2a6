"""Windows: driver file versions, Device Manager codes, the event log, `systeminfo`, `dxdiag`."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, rule, rules

__all__ = ["FORMS"]

_EVENT = re.compile(r"(?:event ?id|eventid|事件 ?id|event|事件)[ :=：]{0,4}(?P<number>\d{1,4})(?!\d)")
_NEAR = 8


def _event(line: Line, collector: Collector) -> None:
    """The number of an event of the display driver, in its line or near it."""
    source = "nvlddmkm" if "nvlddmkm" in line.lower else "display"
    near = (line, *collector.document.following(line, _NEAR), *collector.document.preceding(line, _NEAR))
    for each in near:
        found = _EVENT.search(each.lower)
        if found is not None:
            event = source, int(found["number"])
            collector.add("windows-event", event, each, found.span(), "event log")
            return


FORMS: tuple[Form, ...] = (
    rule(
        "windows",
        ("31.0.", "32.0.", "30.0.", "27.21.", "26.21.", "25.21.", "23.21.", "24.21."),
        r"(?<![\d.])<windows-driver>(?!\.\d)",
    ),
    *rules(
        "device manager",
        (
            ("code", "代码"),
            (
                r"(?:\(|this device.{0,80}?|device manager.{0,40}?)(?:code|代码)[ :：]{0,2}(?P<device_code>10|12|14|18|19"
                r"|28|31|32|35|37|39|43|45|48|52|56)(?!\d)"
            ),
        ),
        (
            ("error 43", "error43", "code 43", "code43", "代码43", "代码 43", "错误43", "错误 43"),
            r"(?:error|code|代码|错误) ?(?P<device_code>43)(?![\d.])",
        ),
    ),
    Form("event log", ("nvlddmkm", "display driver"), _event),
    rule("dxdiag", "card name:", r"card name: {1,3}(?P<gpu>[^\n]{3,60}?)\s{0,5}$"),
)
