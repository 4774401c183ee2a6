"""The operating system: `/etc/os-release`, `uname -a`, `wsl --version`, kernel, glibc, and how people name it."""

from __future__ import annotations

import re

from assistant.reading.document import Line
from assistant.reading.form import Collector, Form, rule, rules

__all__ = ["FORMS", "FREE_FORMS", "GENERIC"]

GENERIC = ("linux", "windows")  # said only where nothing more exact is

_UBUNTU_OF = {
    "mint": {"20": "20.04", "21": "22.04", "22": "24.04"},
    "zorin": {"16": "20.04", "17": "22.04", "18": "24.04"},
}
_CODENAMES = {
    "xenial": "ubuntu-16.04", "bionic": "ubuntu-18.04", "focal": "ubuntu-20.04", "jammy": "ubuntu-22.04", "noble": "ubuntu-24.04",
    "buster": "debian-10", "bullseye": "debian-11", "bookworm": "debian-12", "trixie": "debian-13",
}  # fmt: skip
_NAMES = {
    "debian": "debian", "fedora": "fedora", "rhel": "rhel", "red hat": "rhel", "redhat": "rhel", "rocky": "rocky", "alma": "alma",
    "almalinux": "alma", "centos": "centos", "oracle linux": "oracle-linux", "amazon linux": "amazon-linux", "leap": "opensuse-leap", "sles": "sles",
    "azure linux": "azure-linux", "windows server": "windows-server", "win server": "windows-server",
}  # fmt: skip

_UBUNTU = re.compile(
    r"(?<![a-z:-])(?:x?k?l?ubuntu|pop[!_]{0,2}os)(?:[ _-]?(?:linux|server|desktop|lts|系统|版本|version|core"
    r"|mate)){0,2}[ :_=\"-]{0,3}v?"
    r"(?P<year>1[468]|2[0-6])(?:[. ]?(?P<month>04|10)|(?![.\d]))(?!\d)"
)
_PACKAGED = re.compile(r"(?:ubuntu0?[.~]|~|ubuntu1~)(?P<version>(?:1[468]|2[0246])\.04)(?![\d])")
_VERSIONED = re.compile(
    r"(?<![a-z])(?P<name>"
    + "|".join(sorted(_NAMES, key=len, reverse=True))
    + r")(?: enterprise)?(?: linux| gnu/linux| server| workstation){0,2}"
    r"(?: os)?(?: release| version| stream|系统|版)?[ :=_\"-]{0,3}v?(?P<version>\d{1,4})(?:\.\d{1,2})?(?!\d|\.\d)"
)
_BASED = re.compile(r"(?P<name>mint|zorin)(?: os)?[ -]{0,2}(?P<version>\d{2})(?!\d)")
_WINDOWS = re.compile(
    r"(?<![a-z])win(?:dows|)(?:\s?(?:nt|系统|版本|version))?[ _:-]{0,2}(?P<version>7|8\.1|8|10|11)(?:专业版|家庭版"
    r"|\b)(?!\.\d\.\d)(?![.\d])"
)
_BUILD = re.compile(r"(?:version:? |windows-10-|windows nt |windows version: |版本[: ]{1,3})10\.0\.(?P<build>\d{5})")
_CODENAME = re.compile(r"(?<![a-z])(?P<name>" + "|".join(_CODENAMES) + r")(?![a-z])")
_ROLLING = re.compile(
    r"(?<![a-z])(?:(?P<arch>arch ?linux|manjaro|endeavouros|cachyos|garuda)|(?P<nixos>nixos)"
    r"|(?P<wsl2>wsl ?2?(?![a-z])|windows subsystem for linux|microsoft-standard)"
    r"|(?P<tumbleweed>tumbleweed))"
)
_FEDORA_BUILD = re.compile(r"[.]fc(?P<version>[34]\d)(?!\d)")


def _system(line: Line, collector: Collector) -> None:
    """Every operating system that a line names, by id."""
    if collector.full("os"):
        return
    lower = line.lower
    for found in _UBUNTU.finditer(lower):
        _keep(collector, line, found, f"ubuntu-{found['year']}.{found['month'] or '04'}")
    for found in _VERSIONED.finditer(lower):
        name = _NAMES[found["name"]]
        if int(found["version"]) < 100 or name in ("windows-server", "amazon-linux"):
            _keep(collector, line, found, f"{name}-{found['version']}")
    for found in _BASED.finditer(lower):
        version = _UBUNTU_OF[found["name"]].get(found["version"])
        _keep(collector, line, found, f"ubuntu-{version}" if version else None)
    for found in _WINDOWS.finditer(lower):
        _keep(collector, line, found, f"windows-{found['version']}")
    for found in _BUILD.finditer(lower):
        _keep(collector, line, found, "windows-11" if int(found["build"]) >= 22000 else "windows-10")
    for found in _CODENAME.finditer(lower):
        _keep(collector, line, found, _CODENAMES[found["name"]])
    for found in _ROLLING.finditer(lower):
        _keep(collector, line, found, found.lastgroup)
    for found in _PACKAGED.finditer(lower):  # inside a package's version, which is a fact of its own
        collector.add("os", f"ubuntu-{found['version']}", line, found.span("version"), "package version")
    for found in _FEDORA_BUILD.finditer(lower):
        _keep(collector, line, found, f"fedora-{found['version']}")


def _keep(collector: Collector, line: Line, found: re.Match[str], name: str | None) -> None:
    if collector.free(line, found.span()):
        collector.add("os", name, line, found.span(), "free text")


_RELEASE_ID = re.compile(r"^id=\"?(?P<name>[a-z]{3,20})\"?$")
_RELEASE_VERSION = re.compile(r"^version_id=\"?(?P<version>\d{1,4}(?:\.\d{1,2})?)\"?$")
_RELEASE_NAMES = {
    "ubuntu": "ubuntu",
    "debian": "debian",
    "fedora": "fedora",
    "rhel": "rhel",
    "rocky": "rocky",
    "almalinux": "alma",
    "centos": "centos",
    "amzn": "amazon-linux",
    "ol": "oracle-linux",
    "sles": "sles",
}


def _os_release(line: Line, collector: Collector) -> None:
    """`VERSION_ID` with the `ID` near it."""
    version = _RELEASE_VERSION.match(line.lower)
    if version is None:
        return
    near = (*collector.document.preceding(line, 8), *collector.document.following(line, 8))
    for each in sorted(near, key=lambda other: abs(other.number - line.number)):
        named = _RELEASE_ID.match(each.lower)
        if named is not None and named["name"] in _RELEASE_NAMES:
            name = _RELEASE_NAMES[named["name"]]
            number = version["version"] if name == "ubuntu" else version["version"].split(".")[0]
            collector.add("os", f"{name}-{number}", line, version.span("version"), "os-release")
            return


def _generic(name: str) -> Form:
    def read(line: Line, collector: Collector) -> None:
        words = _LINUX if name == "linux" else _WINDOWS_WORDS
        found = words.search(line.lower)
        if found is not None:
            collector.add("os", name, line, found.span(), "free text")

    words = (
        ("linux", "ubuntu", "debian", "fedora", "centos", "/usr/", "sudo ", "/home/")
        if name == "linux"
        else (":\\", "windows", "win32", ".dll")
    )
    return Form("free text", words, read)


_LINUX = re.compile(
    r"(?<![a-z-])(?:gnu/linux|linux|ubuntu|debian|fedora|centos|rhel|rocky)(?![a-z])|/usr/(?:lib|bin|local|src"
    r"|share)|^[$#\s]{0,4}sudo |/home/"
)
_WINDOWS_WORDS = re.compile(r"(?<![a-z])[c-h]:\\|(?<![a-z-])windows(?!\.|[a-z])|win32|\.dll")

FORMS: tuple[Form, ...] = (
    Form("os-release", ("version_id=",), _os_release),
    rule("uname", "linux ", r"^(?:.{0,40}[$#] )?linux \S{1,64} <kernel> #.{0,120}? (?P<machine>x86_64|aarch64)"),
    *rules(
        "uname",
        ("uname -r", r"uname -r[^\d\n]{0,6}<kernel>"),
        (
            "kernel",
            (
                r"(?<![a-z-])kernel(?: version"
                r"| release)?(?: is)?[ :=]{1,4}(?P<kernel>[3-7]\.\d{1,3}(?:\.\d{1,4})?(?:-[a-z0-9][\w.+~-]{0,60})?)(?![\d.])"
            ),
        ),
        ("内核", r"内核(?:版本)?[ :=是为]{0,4}(?P<kernel>[3-7]\.\d{1,3}(?:\.\d{1,4})?(?:-[a-z0-9][\w.+~-]{0,60})?)"),
    ),
    rule("wsl", "kernel version:", r"^kernel version: {1,3}<kernel>"),
    *rules(
        "glibc",
        ("glibc", r"glibc_<glibc-required>' not found|(?:ldd \(.{0,40}?|gnu libc\)|glibc[ -=]{1,2})(?:glibc )?<glibc>"),
    ),
    rule("machine", ("aarch64", "arm64", "x86_64"), r"(?<![a-z0-9])(?P<machine>aarch64|arm64|x86_64)(?![a-z0-9])"),
)
FREE_FORMS: tuple[Form, ...] = (
    Form(
        "free text",
        tuple(_NAMES)
        + tuple(_CODENAMES)
        + (
            "ubuntu",
            "mint",
            "zorin",
            "windows",
            "win1",
            "win 1",
            "win7",
            "win8",
            "wsl",
            "10.0.",
            "arch linux",
            "archlinux",
            "manjaro",
            "nixos",
            ".fc3",
            ".fc4",
            "pop!",
            "pop_os",
            "~2",
            "microsoft-standard",
            "garuda",
            "cachyos",
            "endeavouros",
            "tumbleweed",
        ),
        _system,
    ),
    _generic("linux"),
    _generic("windows"),
)
