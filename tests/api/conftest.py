"""The service in this process, asked without a network."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from resolver.engine import Engine


@pytest.fixture(scope="session")
def app(engine: Engine) -> FastAPI:
    """The service over the committed catalogue."""
    return create_app(engine, Settings())


@pytest.fixture(scope="session")
def client(app: FastAPI) -> TestClient:
    """A client of the service, to which failures come as responses."""
    return TestClient(app, raise_server_exceptions=False, follow_redirects=False)
