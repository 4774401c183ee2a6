from __future__ import annotations

from pathlib import Path

import pytest

from matrices.catalogue import Catalogue
from tests.matrices.collect.saved import catalogue_of, world


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return world(tmp_path)


@pytest.fixture
def catalogue(data: Path) -> Catalogue:
    return catalogue_of(data)
