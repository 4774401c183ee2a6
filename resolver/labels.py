"""How builds, drivers, Pythons and ranges of capabilities are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matrices.model import PackageNeedsCc
from matrices.versions import PythonVersion
from resolver.rules import Driver

__all__ = ["driver_label", "label_of", "python_range", "span"]


def span(claim: PackageNeedsCc) -> str:
    """The capabilities a package is for, in words."""
    return f"{claim.minimum} to {claim.maximum}" if claim.maximum else f"{claim.minimum} and newer"


def driver_label(driver: Driver) -> str:
    """The driver as people write it: `570.124.06`, or `R570` where only the branch is known (on Windows also `R572`)."""
    if driver.exact:
        return str(driver.first)
    return f"R{driver.first.major if driver.first.is_branch else driver.branch}"


def python_range(pythons: tuple[PythonVersion, ...]) -> str:
    """`3.9 to 3.13` where they follow each other, else a list; free-threaded builds are left out."""
    plain = sorted(python for python in pythons if not python.free_threaded)
    minors = [python.minor for python in plain]
    if len(plain) > 2 and plain[0].major == plain[-1].major and minors == list(range(minors[0], minors[-1] + 1)):
        return f"{plain[0]} to {plain[-1]}"
    return ", ".join(map(str, plain))


def label_of(torch: Mapping[str, Any]) -> str:
    """The build of an answer's `torch`: with its variant, where it has one (a build for Jetson has none).

    >>> label_of({"version": "2.6.0", "variant": "cu124"}), label_of({"version": "2.5.0a0", "variant": None})
    ('2.6.0+cu124', '2.5.0a0')
    """
    return f"{torch['version']}+{torch['variant']}" if torch["variant"] else str(torch["version"])
