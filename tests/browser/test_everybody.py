"""Every page for everybody: light and dark, phone and wide, by eye, by ear, by keyboard, by finger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.addressing import doing_pages, reading_pages
from tests.browser.chromium import serving
from tests.browser.opening import PHONE, Opening, found_by
from tests.web.reading.played import Played

_STOPS = 60
"""How often the Tab key is pressed on a page."""


@pytest.fixture(scope="module")
def site(browser: Any, played: Played) -> Iterator[str]:
    with serving(played.store) as address:
        yield address


@pytest.fixture(scope="module")
def empty(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a store without any run."""
    with serving(str(tmp_path_factory.mktemp("empty") / ".proctor" / "proctor.db")) as address:
        yield address


def every_page(played: Played, site: str, empty: str) -> dict[str, str]:
    """What it is → its whole address."""
    full = {name: site + path for name, path in (doing_pages() | reading_pages(played)).items()}
    return full | {f"{name}, nothing stored": empty + path for name, path in doing_pages().items()}


def told(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Pages with something wrong, and each thing once."""
    wrong = {name: list(dict.fromkeys(filter(None, each))) for name, each in found.items()}
    return {name: each for name, each in wrong.items() if each}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_edges_stand_out_from_what_is_behind_them(
    opened: Opening, played: Played, empty: str, scheme: str
) -> None:
    page, found = opened("/", color_scheme=scheme), {}
    for name, address in every_page(played, opened.site, empty).items():
        page.goto(address)
        found[name] = found_by(page, "contrast.js", "borders.js")
    assert told(found) == {}


def test_everything_has_a_name_for_those_who_do_not_see_it(opened: Opening, played: Played, empty: str) -> None:
    page, found = opened("/"), {}
    for name, address in every_page(played, opened.site, empty).items():
        page.goto(address)
        found[name] = found_by(page, "naming.js")
    assert told(found) == {}


def test_no_page_is_wider_than_a_phone_and_fingers_hit_what_they_aim_at(
    opened: Opening, played: Played, empty: str
) -> None:
    page, found = opened("/", viewport=PHONE, has_touch=True), {}
    for name, address in every_page(played, opened.site, empty).items():
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
        found[name] = found_by(page, "targets.js")
    assert told(found) == {}


def test_whoever_goes_on_by_keys_sees_where_they_are(opened: Opening, played: Played) -> None:
    page = opened("/")
    found: dict[str, list[str]] = {}
    seen = (Path(__file__).parent / "focus.js").read_text(encoding="utf-8")
    for name, path in (doing_pages() | reading_pages(played)).items():
        page.goto(opened.site + path)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip" or "autofocus" in page.content(), name
        found[name] = []
        for _ in range(_STOPS):
            page.keyboard.press("Tab")
            found[name].append(page.evaluate(seen))
    assert told(found) == {}


def test_a_picture_that_is_drawn_follows_the_theme(opened: Opening, played: Played) -> None:
    ink = "getComputedStyle(document.querySelector('.history .range')).stroke"
    page = opened("/history?benchmark=handbook-30", color_scheme="light")
    assert page.evaluate(ink) == "rgb(27, 31, 36)"
    page.click("[data-theme-switch]")
    assert page.evaluate(ink) == "rgb(230, 233, 238)"


def test_the_keys_are_told_and_closed_again(opened: Opening) -> None:
    page = opened("/runs")
    page.keyboard.press("?")
    box = page.locator("dialog")
    for what in ("next and previous row", "next and previous case", "search"):
        assert what in box.inner_text()
    page.keyboard.press("Escape")
    assert not box.is_visible()


def test_runs_that_go_on_are_kept_up_on_the_first_page(opened: Opening, played: Played) -> None:
    from proctor.storage import open_store

    run = played.id("better")
    with open_store(played.store) as store:
        store.journal.mark(run, "queued")
        page = opened("/")
        page.wait_for_selector(".going tr[data-row]")
        store.journal.mark(run, "completed")
    page.wait_for_selector(".going", state="detached")
