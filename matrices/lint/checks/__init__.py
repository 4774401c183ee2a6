"""One module for each check, in the folder of its scope; the module is named after the check and holds `CHECK`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from matrices.lint.base import SCOPES, Check

__all__ = ["CHECKS"]


def _found() -> tuple[Check, ...]:
    packages = [import_module(f"{__name__}.{scope}") for scope in SCOPES]
    return tuple(
        import_module(f"{package.__name__}.{module.name}").CHECK
        for package in packages
        for module in iter_modules(package.__path__)
    )


CHECKS: tuple[Check, ...] = _found()
