"""A real Chromium before the service in this process; every page is watched for errors of the console and of the policy."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from api.app import create_app
from api.settings import Settings
from resolver.engine import Engine

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# what a browser writes by itself where a page has a status of 4xx: the page is there, and meant
MEANT = "Failed to load resource: the server responded with a status of 4"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder need the browser."""
    for item in items:
        if "tests/browser" in item.nodeid:
            item.add_marker("browser")
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium is installed"))


@pytest.fixture(scope="session")
def address(engine: Engine) -> Iterator[str]:
    """The service on a free port of this machine."""
    config = uvicorn.Config(create_app(engine, Settings(log_requests=False)), port=0, log_level="critical", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


expect.set_options(timeout=20_000)  # a busy machine takes its time
Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Open]:
    """Opens a page in a context of its own; at the end nothing may have been complained of."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    @contextmanager
    def opened(path: str, **options: Any) -> Iterator[Page]:
        context = browser.new_context(**{"base_url": address, "locale": "en-US", **options})
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if _is_complaint(message) else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        yield page
        context.close()

    yield opened
    assert complaints == []


def _is_complaint(message: Any) -> bool:
    return message.type in ("error", "warning") and not message.text.startswith(MEANT)
