"""Pins of the packaging tools that go with a Python, from the claims."""

from __future__ import annotations

from matrices.catalogue import Catalogue
from matrices.model import PackageForPython
from matrices.versions import PythonVersion

__all__ = ["pin"]


def pin(catalogue: Catalogue, package: str, python: PythonVersion) -> str:
    """The requirement for a tool on a Python: the release named for it, else the one for every newer Python.

    Raises:
        KeyError: when nothing is known of the tool.
    """
    known = {claim.python: claim.version for claim in catalogue.claims(PackageForPython) if claim.subject == package}
    plain = PythonVersion(python.major, python.minor)
    return f"{package}=={known[plain] if plain in known else known[None]}"
