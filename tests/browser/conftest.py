"""A browser for each file of tests, and what it opens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser.chromium import chromium
from tests.browser.opening import Opening
from tests.web.views.played import Played, play


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Runs of every kind; asked for after `browser`, so that nothing is played where there is none."""
    return play(str(tmp_path_factory.mktemp("played") / ".proctor" / "proctor.db"))


@pytest.fixture
def opened(browser: Any, site: str) -> Iterator[Opening]:
    """Opens pages; a test in which the browser had to complain about one has failed."""
    opening = Opening(browser, site)
    yield opening
    opening.close()
    assert opening.complaints == [], opening.complaints
