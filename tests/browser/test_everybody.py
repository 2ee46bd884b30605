"""Every page for everybody: light and dark, phone and wide, by eye, by ear, by keyboard, by finger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser.addressing import doing_pages, reading_pages
from tests.browser.chromium import serving
from tests.browser.opening import PHONE, WIDE, Opening, found_by
from tests.web.reading.played import Played


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


Wrong = dict[str, dict[str, list[str]]]
"""What was looked for → page → what is wrong with it, each thing once."""


@pytest.fixture(scope="module")
def wrong(browser: Any, site: str, empty: str, played: Played) -> Wrong:
    """Every page, opened once and looked at in every way."""
    opening = Opening(browser, site)
    page, found = opening("/", reduced_motion="reduce"), Wrong()
    for name, address in every_page(played, site, empty).items():
        page.goto(address)
        for looked_for, each in _looked_at(page):
            found.setdefault(looked_for, {})[name] = list(dict.fromkeys(each))
    opening.close()
    assert opening.complaints == []
    return {looked_for: {name: each for name, each in by.items() if each} for looked_for, by in found.items()}


def _looked_at(page: Any) -> Iterator[tuple[str, list[str]]]:
    page.set_viewport_size(WIDE)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        yield scheme, found_by(page, "contrast.js", "borders.js")
    yield "names", found_by(page, "naming.js")
    page.set_viewport_size(PHONE)
    yield "phone", found_by(page, "targets.js", "width.js")
    page.keyboard.press("Tab")
    yield "focus", found_by(page, "focus.js")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_edges_stand_out_from_what_is_behind_them(wrong: Wrong, scheme: str) -> None:
    assert wrong[scheme] == {}


def test_everything_has_a_name_for_those_who_do_not_see_it(wrong: Wrong) -> None:
    assert wrong["names"] == {}


def test_no_page_is_wider_than_a_phone_and_fingers_hit_what_they_aim_at(wrong: Wrong) -> None:
    assert wrong["phone"] == {}


def test_whoever_goes_on_by_keys_sees_where_they_are(wrong: Wrong) -> None:
    assert wrong["focus"] == {}


def test_the_first_key_leads_past_the_links_that_every_page_has(opened: Opening) -> None:
    page = opened("/runs")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_url("**#main")


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
