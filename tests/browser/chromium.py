"""A real browser at a real server on loopback."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from proctor.web.server import address, create_app, listening, server
from proctor.web.site.settings import WebSettings

PATIENCE = 60_000
"""Milliseconds that anything may take on a busy machine."""


@contextmanager
def chromium() -> Iterator[Any]:
    """Debian's own; skipped where it is not installed, unless PROCTOR_REQUIRE_BROWSER says that it must be."""
    path = shutil.which("chromium")
    if path is None:
        absent = pytest.fail if os.environ.get("PROCTOR_REQUIRE_BROWSER") == "1" else pytest.skip
        absent("there is no chromium: apt-get install chromium")
    import playwright.sync_api as playwright

    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serving(store: str, **settings: Any) -> Iterator[str]:
    """The address of a server over this store."""
    known = {"store": store, "folder": Path(store).parent, "processes": 0, **settings}
    with listening("127.0.0.1", 0) as listener:
        answering = server(create_app(WebSettings(**known)))
        thread = threading.Thread(target=answering.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield address(listener).rstrip("/")
        finally:
            answering.should_exit = True
            thread.join(10)
