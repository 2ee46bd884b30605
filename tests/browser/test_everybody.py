"""Every page for everybody: light and dark, phone and wide, by eye, by ear, by keyboard, by finger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.browser.addressing import doing_pages, reading_pages
from tests.browser.chromium import serving
from tests.browser.opening import PHONE, WIDE, Opening, found_by, found_by_axe
from tests.web.views.played import Played

from proctor import evaluate
from proctor.benchmark import Benchmark, Case
from proctor.run import Key
from proctor.web.views import addresses
from proctor.workflows.human_labels import put_label


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
    bare = ("home", "runs", "benchmarks", "agents", "form", "comparing", "history", "settings")
    return full | {f"{name}, nothing stored": empty + doing_pages()[name] for name in bare}


_SHARES = 4
"""Tests among which the pages are dealt, so that several processes can look at them."""
_OF_COLOUR = ("color-contrast", "link-in-text-block")
_OF_SIZE = ("target-size", "scrollable-region-focusable", "color-contrast")


def _looked_at(page: Any) -> Iterator[tuple[str, list[str]]]:
    """What was looked for, and what is wrong with the page; other rules see the same in every size and scheme."""
    _resize(page, WIDE)
    for scheme, only in (("dark", _OF_COLOUR), ("light", ())):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("scheme => matchMedia(`(prefers-color-scheme: ${scheme})`).matches", arg=scheme)
        yield scheme, [*found_by_axe(page, *only), *found_by(page, "borders.js")]
    _resize(page, PHONE)
    yield "phone", [*found_by_axe(page, *_OF_SIZE), *found_by(page, "width.js")]
    page.keyboard.press("Tab")
    yield "focus", found_by(page, "focus.js")
    for width in (320, 640):
        _resize(page, {"width": width, "height": 812})
        yield f"{width} points", found_by(page, "width.js")


def _resize(page: Any, size: Mapping[str, int]) -> None:
    """A page is told of its new size after the browser is."""
    page.set_viewport_size(size)
    page.wait_for_function("width => innerWidth === width", arg=size["width"])


@pytest.mark.parametrize("share", range(_SHARES))
def test_every_page_is_for_everybody(opened: Opening, played: Played, empty: str, share: int) -> None:
    """Texts and edges stand out in light and dark, everything has a name, nothing is too wide or too small for a
    phone, and whoever goes on by keys sees where they are; each page is opened once for all of it."""
    page = opened("/", reduced_motion="reduce")
    page.context.add_cookies([{"name": "proctor_who", "value": "ann", "url": opened.site}])
    wrong: dict[str, list[str]] = {}
    for name, address in [*every_page(played, opened.site, empty).items()][share::_SHARES]:
        page.goto(address)
        for looked_for, found in _looked_at(page):
            wrong |= {f"{name}, {looked_for}": list(dict.fromkeys(found))} if found else {}
    assert wrong == {}


def test_what_is_wrong_with_a_page_is_found(opened: Opening) -> None:
    page = opened("/runs")
    page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    page.evaluate("() => { document.querySelector('main').style.color = '#bbb'; }")
    assert {each.partition(":")[0] for each in found_by_axe(page)} >= {"button-name", "color-contrast"}


_LONG = "Ab" * 95


@pytest.fixture(scope="module")
def wordy(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """A server over two runs in which everything has a long name without a blank, and its pages."""
    store = str(tmp_path_factory.mktemp("wordy") / ".proctor" / "proctor.db")
    case = Case(id=f"case{_LONG}", question=f"Why{_LONG}?", answer=_LONG, categories=(f"kind{_LONG}",))
    asked = Benchmark(name=f"bench{_LONG}", digest="wordy-1", cases=(case,))
    known: dict[str, Any] = {"store": store, "reviewer": "exact", "name": f"run{_LONG}", "labels": {_LONG: _LONG}}
    a, b = (evaluate(asked, agent=lambda question: _LONG, **known).run.id for _ in range(2))
    pages = ["/", "/runs", f"/history?benchmark=bench{_LONG}", "/compare", addresses.comparison(a, b)]
    pages += [addresses.run(a), f"{addresses.run(a)}?by=attempt", addresses.case(a, case.id), addresses.label(a)]
    pages += [addresses.pair(a, b, case.id), "/runs/new"]
    with serving(store) as address:
        yield address, pages


def test_long_names_make_no_page_wider_than_its_screen(opened: Opening, wordy: tuple[str, list[str]]) -> None:
    page, (site, pages) = opened("/"), wordy
    page.context.add_cookies([{"name": "proctor_who", "value": "ann", "url": site}])
    wrong: dict[str, list[str]] = {}
    for address in pages:
        page.goto(site + address)
        for width in (320, 390, 640):
            _resize(page, {"width": width, "height": 812})
            found = found_by(page, "width.js")
            wrong |= {f"{address[:60]} at {width}": found} if found else {}
    assert wrong == {}


_CUT = """() => [...document.querySelectorAll(".top nav, main .planned .wide")]
    .filter(each => each.scrollWidth > each.clientWidth)
    .concat([...document.querySelectorAll(".versions")].filter(each => each.getBoundingClientRect().right > 304))
    .map(each => each.className || each.tagName)"""


@pytest.mark.parametrize(
    "address",
    [
        "/benchmarks",
        "/benchmarks/handbook-30",
        "/plan?what=early&gate=pass_rate%3E%3D0.9&cases=100",
    ],
)
def test_nothing_is_cut_at_320_points(opened: Opening, address: str) -> None:
    page = opened(address, viewport={"width": 320, "height": 812})
    assert page.evaluate(_CUT) == []


_BARE = """() => [...document.querySelectorAll(".rows td.strong, .rates td.strong")]
    .filter(each => each.innerText.includes("%") && !/ – /.test(each.innerText)).map(each => each.innerText)"""


def test_no_rate_stands_without_its_interval_on_a_phone(opened: Opening, played: Played) -> None:
    page = opened("/", viewport=PHONE)
    several = reading_pages(played)["several"]
    for address in ("/", "/runs", "/agents", "/history?benchmark=handbook-30", several):
        page.goto(opened.site + address)
        assert page.locator("td.strong:has-text('%')").count(), address
        assert page.evaluate(_BARE) == [], address


_STARTS = """() => [...document.querySelectorAll(".changes thead tr")].map(row =>
    [...row.cells].map(cell => Math.round(cell.getBoundingClientRect().left)).join(" "))"""


def test_tables_of_a_history_have_their_columns_in_line(opened: Opening) -> None:
    page = opened("/history?benchmark=handbook-30", viewport=WIDE)
    starts = page.evaluate(_STARTS)
    assert len(starts) > 1
    assert len(set(starts)) == 1


def test_buttons_beside_a_title_keep_apart_where_they_take_two_lines(opened: Opening) -> None:
    page = opened("/benchmarks", viewport={"width": 320, "height": 812})
    first, last = (page.locator(".title .actions a").nth(place).bounding_box() for place in (0, -1))
    assert last["y"] - (first["y"] + first["height"]) >= 8


def test_the_first_key_leads_past_the_links_that_every_page_has(opened: Opening) -> None:
    page = opened("/runs")
    page.keyboard.press("Tab")
    page.wait_for_selector(".skip:focus")
    page.keyboard.press("Enter")
    page.wait_for_url("**#main")


def test_a_picture_that_is_drawn_follows_the_theme(opened: Opening, played: Played) -> None:
    ink = "ink => getComputedStyle(document.querySelector('.history .range')).stroke === ink"
    page = opened("/history?benchmark=handbook-30&by=nothing", color_scheme="light")
    page.wait_for_function(ink, arg="rgb(27, 31, 36)")
    page.click("[data-theme-switch]")
    page.wait_for_function(ink, arg="rgb(230, 233, 238)")


def test_the_keys_are_told_and_closed_again(opened: Opening) -> None:
    page = opened("/runs")
    page.keyboard.press("?")
    box = page.locator("dialog")
    for what in ("next and previous row", "next and previous case", "search"):
        assert what in box.inner_text()
    page.keyboard.press("Escape")
    box.wait_for(state="hidden")


def test_runs_that_go_on_are_kept_up_on_the_first_page(opened: Opening, played: Played) -> None:
    from proctor.storage import open_store

    run = played.id("better")
    with open_store(played.store) as store:
        store.journal.mark(run, "queued")
        page = opened("/")
        page.wait_for_selector(".going tr[data-row]")
        store.journal.mark(run, "completed")
    page.wait_for_selector(".going", state="detached")


def test_runs_that_are_compared_while_they_go_on_are_kept_up(opened: Opening, played: Played) -> None:
    from proctor.storage import open_store

    better, many = played.id("better"), played.id("many")
    with open_store(played.store) as store:
        store.journal.mark(better, "queued")
        page = opened(f"/compare/several?run={better}&run={many}")
        assert "1 run of 2 still goes on" in page.locator("[data-fresh=moving]").inner_text()
        store.journal.mark(better, "completed")
    page.wait_for_selector("[data-fresh=moving]", state="detached")


def test_what_is_wider_than_a_phone_is_reached_by_keys_and_the_matrix_shows_its_verdicts(
    opened: Opening, tmp_path: Path
) -> None:
    store = str(tmp_path / ".proctor" / "proctor.db")
    asked = [Case(id=f"c{n}", question=f"{'How long is a long question ' * 5}{n}?", answer=str(n)) for n in range(4)]
    runs = [evaluate(asked, agent=lambda question: "2", store=store, reviewer="exact", name=name).run for name in "ab"]
    for n in range(4):
        put_label(Key(run=runs[0].id, exam=f"c{n}"), passed=n == 2, who="ann", store=store)
    with serving(store) as address:
        page = opened("/")
        _resize(page, PHONE)
        page.goto(f"{address}/runs/{runs[0].id}/judges")
        assert found_by_axe(page, *_OF_SIZE) == []
        page.goto(f"{address}{addresses.several(*(run.id for run in runs))}&every=1")
        cells = page.locator(".matrix tbody tr:first-child td.number").all()
        assert all((cell.bounding_box() or {"x": 999})["x"] < PHONE["width"] - 20 for cell in cells)
