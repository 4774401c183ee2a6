"""The kernel's log (`NVRM`, Xid, module loading), `/proc/driver/nvidia/version`, `modinfo`, `dkms status`."""

from __future__ import annotations

import re

from assistant.reading import values
from assistant.reading.document import Line
from assistant.reading.facts import Xid
from assistant.reading.form import Collector, Form, rule

__all__ = ["FORMS"]

_LOG = "kernel log"

_XID = re.compile(
    r"xid {0,2}\((?:pci:)?(?P<bus>[0-9a-f:.]{7,20})\): {0,3}(?P<number>\d{1,3})(?![\d.])"
    r"(?:,? {0,2}pid=['\"]?(?:<?(?P<pid>\d{1,8})|[^,]{1,20})>?['\"]?)?(?:, {0,2}name=(?P<process>[^,]{1,60}))?"
)
_SAID = re.compile(
    r"(?<![a-z])xid(?:[ :=#_-]|error|code|errors|号|为|错误|报错|故障|编号){1,12}(?P<number>\d{1,3})(?![\d.:])"
)


def _xid(line: Line, collector: Collector) -> None:
    """Xid reports; where there is none, an Xid that somebody mentions."""
    found = None
    for found in _XID.finditer(line.lower):
        start, end = found.span("process")
        process = line.text[start:end].strip(" '\"") if start >= 0 else ""
        pid = int(found["pid"]) if found["pid"] else None
        xid = Xid(int(found["number"]), pid, None if process in ("", "<unknown>") else process, found["bus"])
        collector.add("xid", xid, line, found.span(), _LOG)
    if found is None:
        for said in _SAID.finditer(line.lower):
            collector.add("xid", Xid(int(said["number"])), line, said.span(), "free text")


_PRINTED_VERSION = re.compile(
    r"\s{0,20}(?:version:\s{0,20})?['\"]?(?P<version>\d{3}\.\d{1,3}(?:\.\d{1,3})?)['\"]?\s{0,20}"
)


def _module_file(line: Line, collector: Collector) -> None:
    """The version below `modinfo nvidia` or `cat /sys/module/nvidia/version`."""
    for each in collector.document.following(line, 12):
        found = _PRINTED_VERSION.fullmatch(each.lower)
        if found is not None:
            value = values.driver(found["version"])
            collector.add("kernel-module", value, each, found.span("version"), "modinfo")
            return


_LOADED = re.compile(
    r"nvidia unix (?P<open>open )?(?:(?:x86_64|aarch64|i386) )?kernel module(?: for (?:x86_64|aarch64))?\s{1,4}"
    r"(?P<version>\d{3}\.\d{1,3}(?:\.\d{1,3})?)"
)


def _loaded(line: Line, collector: Collector) -> None:
    """`NVIDIA UNIX Open Kernel Module for x86_64  560.35.03`: the module that runs, and so the driver."""
    found = _LOADED.search(line.lower)
    if found is not None:
        span = found.span("version")
        version = values.driver(found["version"])
        collector.add("driver", version, line, span, _LOG)
        collector.add("kernel-module", version, line, span, _LOG)
        flavour = "open" if found["open"] else "proprietary"
        collector.add("module-flavour", flavour, line, found.span(), _LOG)


FORMS: tuple[Form, ...] = (
    Form(_LOG, ("xid",), _xid),
    Form(_LOG, ("kernel module ",), _loaded),
    rule(_LOG, "kernel mode setting driver", r"kernel mode setting driver for [\w ]{1,20}\s{1,6}<kernel-module>"),
    rule(
        _LOG,
        ("client version", "kernel module version", "has the version"),
        r"client (?:version|has the version) <client-library>|kernel module (?:version"
        r"|has the version) <kernel-module>",
    ),
    rule(
        "nvidia-smi", "library version:", r"nvml library version: {1,4}(?P<client_library>\d{3}\.\d{1,3}(?:\.\d{1,3})?)"
    ),
    rule(_LOG, "driver will ignore", r"the <driver> nvidia driver will"),
    rule(_LOG, "legacy driver", r"(?P<legacy_driver>\d{2,3})(?:\.xx)? legacy driver"),
    Form("modinfo", ("modinfo", "/sys/module/nvidia/version"), _module_file),
    rule("modinfo", "license:", r"^license:\s{1,20}(?P<module_flavour>nvidia|dual mit/gpl)"),
    rule("modinfo", "/lib/modules/", r"/lib/modules/<kernel>/[\w/.-]{0,60}nvidia"),
    rule(
        "dkms",
        ("nvidia, ", "nvidia/", "nvidia-"),
        r"(?:^|\s)nvidia(?:-current|-srv)?(?:/|, )<kernel-module>, \S{4,60}, (?:x86_64|aarch64)",
    ),
    rule("dkms", "/dkms/nvidia", r"/var/lib/dkms/nvidia(?:-\w{1,20})?/<kernel-module>"),
    rule("dkms", "for kernel", r"for kernel:? <kernel>"),
    rule("dkms", ("on kernel", "initial module"), r"(?:on kernel:?|initial module for) <kernel>"),
    rule(_LOG, "linux version", r"linux version <kernel> "),
)
