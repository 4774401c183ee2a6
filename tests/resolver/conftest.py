"""The engine over the committed data, made once, and how many examples Hypothesis draws."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from matrices.catalogue import Catalogue
from resolver.engine import Engine

settings.register_profile(
    "resolver", max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile("resolver")


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine over the committed catalogue."""
    return Engine.load()


@pytest.fixture(scope="session")
def catalogue(engine: Engine) -> Catalogue:
    """The committed catalogue."""
    return engine.catalogue
