"""`lspci`, `lspci -nn`, `lspci -k`, and PCI ids in other messages."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, rule

__all__ = ["FORMS"]

_LSPCI = "lspci"

_ID = re.compile(r"\[(?P<id>[0-9a-f]{4}:[0-9a-f]{4})\]")
_NAMED = re.compile(r"nvidia corporation (?P<name>[a-z0-9]{3,10} {0,2}\[[^\[\]]{3,80}\])")
_BARE = re.compile(r"nvidia corporation device (?P<device>[0-9a-f]{4})(?![0-9a-f])")
_DISPLAY = ("vga compatible", "3d controller", "display controller")


def _device(line: Line, collector: Collector) -> None:
    """A display device: its ids say more than its name, which may be older than the product."""
    ids = _ID.search(line.lower)
    named, bare = _NAMED.search(line.lower), _BARE.search(line.lower)
    known = ids is not None and collector.gpu(ids["id"], line, ids.span(), _LSPCI)
    if not known and named:
        start, end = named.span("name")
        collector.gpu(line.text[start:end], line, (start, end), _LSPCI)
    elif not known and bare:
        collector.gpu(f"10de:{bare['device']}", line, bare.span("device"), _LSPCI)
    elif not known:
        _foreign(line, collector)
    collector.claim(line, (0, len(line.text)))


_MAKERS = {"advanced micro devices": "AMD", "intel corporation": "Intel", "aspeed": "ASPEED", "matrox": "Matrox"}


def _foreign(line: Line, collector: Collector) -> None:
    for words, maker in _MAKERS.items():
        at = line.lower.find(words)
        if at >= 0:
            collector.add("other-gpu", maker, line, (at, at + len(words)), _LSPCI)


_CARD = re.compile(r"nvidia card \(id: (?P<device>[0-9a-f]{4})\)")


def _card(line: Line, collector: Collector) -> None:
    """The packager's `Sorry, your Nvidia card (id: 2204) is not supported`."""
    found = _CARD.search(line.lower)
    if found is not None:
        collector.gpu(f"10de:{found['device']}", line, found.span("device"), "installer")


FORMS: tuple[Form, ...] = (
    Form(_LSPCI, _DISPLAY, _device),
    rule(
        _LSPCI,
        "kernel driver in use",
        r"kernel driver in use: (?P<kernel_driver>nvidia|nouveau|nova|vfio-pci|pci-stub)(?![\w-])",
    ),
    rule("kernel log", "10de", r"pci id: ?(?P<gpu>10de:[0-9a-f]{4})"),
    Form("installer", ("card (id: ",), _card),
    rule("windows", "ven_10de", r"(?P<gpu>ven_10de&dev_[0-9a-f]{4})"),
    rule("pci id", "10de:", r"(?<![0-9a-f:])(?P<gpu>10de:[0-9a-f]{4})(?![0-9a-f:])"),
)
