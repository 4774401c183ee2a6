"""Reads versions: a driver, a torch with its variant, a Python, a CUDA."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from matrices.model import OperatingSystem
from matrices.versions import CudaVersion, DriverVersion, InvalidVersion, PythonVersion, TorchVersion
from resolver.errors import InvalidRequest, UnknownVersion
from resolver.index import Index
from resolver.query import Wanted
from resolver.rules import Driver
from resolver.specifiers import allowed, near

__all__ = ["VersionReader"]

V = TypeVar("V")


class VersionReader:
    """Reads versions against one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._toolkits = tuple(sorted(map(CudaVersion.parse, index.targets.toolkits)))
        self._variants = frozenset(build.wheel.variant for build in index.builds)

    def driver(self, text: str | None, system: OperatingSystem) -> tuple[Driver | None, str]:
        """The driver installed: a bare branch, or an exact version in the branch it belongs to."""
        if text is None:
            return None, ""
        given = text.strip().removeprefix("R").removeprefix("r").removeprefix("v")
        device_manager = re.fullmatch(r"3\d\.0\.1(\d)\.(\d{2})(\d{2})", given)
        if device_manager:  # 32.0.15.6109 in the Device Manager is 561.09: the last five digits
            given = f"{device_manager[1]}{device_manager[2]}.{device_manager[3]}"
        try:
            version = DriverVersion.parse(given)
        except InvalidVersion:
            hint = " (that looks like a CUDA version; the driver's own is on the left in the head of `nvidia-smi`)"
            shown = hint if re.fullmatch(r"\d{1,2}\.\d{1,2}", given) else ""
            raise UnknownVersion(
                f"a driver is a branch like `570` or a version like `570.124.06`{shown}", field="driver", given=text
            ) from None
        if version.major < 100:
            raise UnknownVersion(
                "that looks like a CUDA version; the driver's own is on the left in the head of `nvidia-smi`",
                field="driver",
                given=text,
            )
        windows = system.id == "wsl2" or system.family == "windows"
        facts = self.index.drivers.branch_of(version)
        if facts is None:
            branches = [f"R{number}" for number in self.index.drivers.branches]
            raise UnknownVersion(
                f"older than any driver known; the oldest is {branches[0]}",
                field="driver",
                given=text,
                candidates=branches[:3],
            )
        beyond = version.major > self.index.drivers.newest_branch
        if version.is_branch:
            if facts.number != version.major and not beyond and not windows:
                closest = sorted(self.index.drivers.branches, key=lambda number: abs(number - version.major))[:3]
                raise UnknownVersion(
                    "no such driver branch",
                    field="driver",
                    given=text,
                    candidates=[f"R{number}" for number in sorted(closest)],
                )
            if facts.number == version.major and not beyond:
                return facts.driver("windows" if windows else "linux"), given
        if not windows and not beyond and facts.number != version.major:
            raise UnknownVersion(
                f"Linux drivers of that time are {facts.number}.x: `{version}` is a Windows number; say `os`: `windows-11` or `wsl2`",
                field="driver",
                given=text,
                candidates=[f"R{facts.number}"],
            )
        number = version.major if beyond else facts.number
        # a bare number that is no branch known: one of Windows inside a branch, or a later branch
        last = DriverVersion.parse(f"{version.major}.999") if version.is_branch else version
        return Driver(number, version, last), given

    def torch(self, text: str | None) -> tuple[Wanted | None, str | None]:
        """The torch releases that a version or specifier allows, and the variant where a local tag names one."""
        if text is None:
            return None, None
        base, _, variant = text.strip().partition("+")
        wanted = _wanted("torch", base, tuple(self.index.by_torch), TorchVersion.parse, text)
        if variant and not re.fullmatch(r"cu\d{2,3}|cpu", variant):
            raise InvalidRequest("a local tag is like `+cu126`", field="torch", given=text)
        if variant and variant != "cpu":
            self.variant(variant, "torch", text)
        if variant == "cpu":
            raise InvalidRequest(
                "`+cpu` is the build without CUDA: it runs anywhere and uses no GPU", field="torch", given=text
            )
        return wanted, variant or None

    def variant(self, text: str, field: str = "variant", given: str | None = None) -> str:
        """The variant that a text such as `cu126` names; `given` is what the asker wrote, where that was more."""
        number = re.fullmatch(r"cu(\d{2,3})", text)
        if number is None:
            raise InvalidRequest("a variant is like `cu126`", field=field, given=given or text)
        if text not in self._variants:
            closest = sorted(self._variants, key=lambda known: abs(int(known[2:]) - int(number[1])))[:5]
            raise UnknownVersion(
                f"no torch was ever built as `+{text}`", field=field, given=given or text, candidates=sorted(closest)
            )
        return text

    def python(self, text: str | None) -> Wanted | None:
        """The Python versions that a version or specifier allows; `3.12.4` is read as 3.12."""
        if text is None:
            return None
        given = re.sub(r"^(\s*(?:cp|python)?\s*)(?=\d)", "", text.strip(), flags=re.IGNORECASE)
        given = re.sub(r"^(3)(\d{1,2}t?)$", r"\1.\2", given)  # cp312
        exact = re.fullmatch(r"(3\.\d{1,2})(?:\.\d{1,2})?(t?)", given, re.ASCII)
        if exact:
            version = PythonVersion.parse(exact[1] + exact[2])
            return Wanted(text, frozenset({version}), version > max(self.index.by_python))
        known = tuple(python for python in self.index.by_python if not python.free_threaded)
        return _wanted("python", given, known, PythonVersion.parse, text)

    def cuda(self, text: str | None) -> Wanted | None:
        """The CUDA releases (major.minor) that a version, specifier or tag like `cu126` allows."""
        if text is None:
            return None
        given = text.strip().lower().removeprefix("cuda").strip(" -")
        tag = re.fullmatch(r"cu(\d{2})(\d)", given) or re.fullmatch(r"cu(9|8)(\d)", given)
        given = f"{tag[1]}.{tag[2]}" if tag else given
        if re.match(r"\d{3}", given):
            raise UnknownVersion(
                "that looks like a driver version; CUDA versions are like `12.6`", field="cuda", given=text
            )
        exact = re.fullmatch(r"(\d{1,2}\.\d{1,2})(\.\d{1,3})?", given)
        known = self._toolkits
        return _wanted("cuda", exact[1] if exact else given, known, CudaVersion.parse, text)


def _wanted(name: str, given: str, known: tuple[V, ...], parse: Callable[[object], V], text: str) -> Wanted:
    """The members of `known` (ascending) that `given` allows: an exact one, a prefix of one, or a specifier."""
    if not given or len(given) > 100:
        raise InvalidRequest(
            f"`{name}` is a version like `{known[-1]}` or a specifier like `>={known[-1]}`", field=name, given=text
        )
    fitting, beyond = allowed(given, tuple(map(str, known)), name, text)
    if not fitting and not beyond:
        closest = near(given, [str(version) for version in known])
        raise UnknownVersion(
            f"no such release of {name}; the newest known is {known[-1]}", field=name, given=text, candidates=closest
        )
    return Wanted(text, frozenset(parse(version) for version in fitting), beyond)
