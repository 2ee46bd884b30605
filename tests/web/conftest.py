"""A web app over a store of its own, with a demonstration run in it where a test asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.web.browsing import TOKEN, Browser

from proctor.run import Run
from proctor.storage import Store, open_store
from proctor.web.server import create_app
from proctor.web.site.settings import WebSettings

Opener = Callable[..., Browser]


@pytest.fixture(autouse=True)
def patient_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages wait for what is being counted however busy the machine is."""
    monkeypatch.setattr("proctor.web.views.findings_cache.PATIENCE", 60.0)
    for page in ("harvest", "benchmark_edit", "label"):
        monkeypatch.setattr(f"proctor.web.pages.{page}._PATIENCE", 60.0)


@pytest.fixture
def store_path(tmp_path: Path) -> str:
    return str(tmp_path / ".proctor" / "proctor.db")


@pytest.fixture
def store(store_path: str) -> Iterator[Store]:
    with open_store(store_path) as opened:
        yield opened


@pytest.fixture
def opened(tmp_path: Path, store_path: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    """Opens servers that play nothing, unless told how many processes they may have."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:

        def opening(**settings: Any) -> Browser:
            known = {"store": store_path, "folder": tmp_path / ".proctor", "processes": 0, **settings}
            return stack.enter_context(Browser(create_app(WebSettings(**known))))

        yield opening


@pytest.fixture
def browser(opened: Opener) -> Browser:
    """A browser at a server that asks nobody for a token."""
    return opened()


@pytest.fixture
def stranger(opened: Opener) -> Browser:
    """A browser at a server with a token, not logged in."""
    return opened(token=TOKEN)


@pytest.fixture
def demo_run(store_path: str) -> Run:
    """The librarian on the first questions of the handbook, played and stored."""
    from proctor import evaluate
    from proctor.benchmark import Case

    cases = [
        Case(id="holiday", question="How many days of paid holiday do full-time staff have?", answer="28 days"),
        Case(id="nonsense", question="What colour is the tide?", answer="green"),
    ]
    return evaluate(cases, agent="demo:librarian", store=store_path, name="two questions", trials=2).run
