"""What the tests of all layers share: the committed catalogue, and Hypothesis without a clock."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from matrices.catalogue import Catalogue
from resolver.engine import Engine

settings.register_profile("whichcuda", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("whichcuda")


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine over the committed catalogue."""
    return Engine.load()


@pytest.fixture(scope="session")
def catalogue(engine: Engine) -> Catalogue:
    """The committed catalogue."""
    return engine.catalogue
