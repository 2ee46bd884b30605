"""The reading pages in a real browser: live numbers, keys, themes, small screens, no script, hostile replies."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from tests.browser.addressing import contradicted
from tests.browser.chromium import PATIENCE, serving
from tests.browser.opening import PHONE, WIDE, Opening, follow
from tests.web.views.played import ATTACK, Played

from proctor import evaluate
from proctor.benchmark import Case
from proctor.errors import InputError
from proctor.web.views import addresses

_INTERVAL = ".headline dd:nth-of-type(3)"


@pytest.fixture(scope="module")
def site(browser: Any, played: Played) -> Iterator[str]:
    with serving(played.store) as address:
        yield address


class GoingRun:
    """A run in a thread of its own, whose agent answers when it is told to."""

    def __init__(self, store: str, name: str, *, cases: int) -> None:
        self._may_answer = threading.Semaphore(0)
        self._asked = threading.Event()
        asked = [Case(id=f"w-{place}", question=f"Which day is {place}?", answer="28") for place in range(cases)]
        options: dict[str, Any] = {"store": store, "name": name, "concurrency": 1, "reviewer": "exact"}
        self._thread = threading.Thread(target=lambda: evaluate(asked, agent=self._agent, **options), daemon=True)
        self._thread.start()
        assert self._asked.wait(PATIENCE / 1000)

    def _agent(self, question: str) -> str:
        self._asked.set()
        self._may_answer.acquire(timeout=PATIENCE / 1000)
        return "28"

    def answer(self, questions: int) -> None:
        for _ in range(questions):
            self._may_answer.release()

    def end(self) -> None:
        """It was stopped, or is over: wait until its thread is."""
        self.answer(1)
        self._thread.join(PATIENCE / 1000)
        assert not self._thread.is_alive()


_SHIFTS = """() => new Promise((told) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const each of list.getEntries()) sum += each.value; told(sum); })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => told(sum), 50);
})"""


def test_numbers_move_and_rows_fill_in_place_while_a_run_goes_on_and_it_is_paused(
    opened: Opening, played: Played
) -> None:
    run = GoingRun(played.store, "watched", cases=20)
    page = opened("/runs/watched")
    page.wait_for_selector("[data-part=rows] tr:nth-child(20)")
    top = page.locator(".cases").bounding_box()["y"]
    run.answer(4)
    page.wait_for_selector("[data-now=done]:text-is('4')")
    page.wait_for_selector(".headline :text-is('4 cases')")
    page.wait_for_selector("[data-part=rows] tr:nth-child(4) .pass")
    before, spent = page.inner_text(_INTERVAL), page.inner_text("[data-spent]")
    page.wait_for_function("before => document.querySelector('[data-spent]').innerText !== before", arg=spent)
    page.locator("tr[data-row] a").nth(1).focus()
    run.answer(6)
    page.wait_for_selector("[data-now=done]:text-is('10')")
    page.wait_for_selector(".headline :text-is('10 cases')")
    assert page.inner_text(_INTERVAL) != before
    page.wait_for_selector("[data-part=chips] a:has-text('10 passed')")
    page.wait_for_selector("[data-part=rows] tr:nth-child(10) .pass")
    assert page.locator(".results tr[data-row] .pass").count() == 10
    assert page.locator("tr[data-row] a:focus").inner_text() == "w-1", "who is at a row stays there"
    assert page.locator(".cases").bounding_box()["y"] == top, "nothing pushes the table down"
    assert page.evaluate(_SHIFTS) < 0.02
    page.wait_for_selector("[data-now=announced]:text-is('10 of 20 attempts played.')", state="attached")
    page.click("button:text('Pause')")
    page.wait_for_selector(".state:has-text('paused')")
    page.wait_for_selector("text=Stopped: on request")
    page.wait_for_selector("[data-live]", state="detached")
    run.end()


def test_rows_in_another_order_stay_until_the_new_ones_are_asked_for(opened: Opening, played: Played) -> None:
    run = GoingRun(played.store, "sorted", cases=4)
    run.answer(1)
    page = opened("/runs/sorted?by=attempt")
    page.wait_for_selector("[data-now=done]:text-is('1')")
    run.answer(1)
    page.wait_for_selector(".headline :text-is('2 cases')")
    follow(page, page.locator(".results >> text=New results: show them"))
    page.wait_for_selector("text=The table is as of 2 attempts")
    run.answer(2)
    page.wait_for_selector(".state:has-text('completed')")
    run.end()


def test_parts_that_were_old_or_lost_are_asked_for_again_though_the_run_is_silent(
    opened: Opening, played: Played
) -> None:
    run = GoingRun(played.store, "silent", cases=4)
    page = opened("/runs/silent")
    old = page.request.get(page.url + "/parts").text()
    trouble = ["cut off", old]
    page.route("**/parts", lambda route: route.fulfill(body=trouble.pop()) if trouble else route.continue_())
    run.answer(2)
    page.wait_for_selector(".headline :text-is('2 cases')")
    assert not trouble
    run.answer(2)
    page.wait_for_selector(".state:has-text('completed')")
    run.end()


def test_a_run_that_ends_is_shown_as_it_ended(opened: Opening, played: Played) -> None:
    run = GoingRun(played.store, "ending", cases=6)
    page = opened("/runs/ending")
    page.wait_for_selector("[data-live]")
    run.answer(6)
    page.wait_for_selector(".state:has-text('completed')")
    page.wait_for_selector(".progress", state="detached")
    page.wait_for_selector(".headline .figure:text-is('100 %')")
    run.end()


def test_a_source_that_cannot_be_harvested_says_so_when_it_was_read(
    opened: Opening, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def fail(*_: Any, **__: Any) -> Any:
        go_on.wait(PATIENCE / 1000)
        raise InputError("there is nothing in it")

    monkeypatch.setattr("proctor.web.pages.harvest.harvest_run", fail)
    monkeypatch.setattr("proctor.web.pages.harvest._PATIENCE", 0.01)
    page = opened(f"/harvest?run={played.id('many')}")
    page.wait_for_selector("text=is being read")
    go_on.set()
    page.wait_for_selector("[role=alert]:has-text('there is nothing in it')")
    assert page.locator("[data-refresh]").count() == 0


def test_everything_that_changes_by_itself_is_kept_fresh(opened: Opening) -> None:
    page = opened("/runs")
    scripts = page.evaluate("() => [...document.scripts].map(each => each.outerHTML).join('')")
    asked = iter(range(1000))

    def answer(route: Any) -> None:
        parts = (f'<div data-refresh="0.1"><p data-fresh="{name}">{next(asked)}</p></div>' for name in "ab")
        route.fulfill(body=f"<!doctype html><meta charset=utf-8>{''.join(parts)}{scripts}", content_type="text/html")

    page.route("**/two", answer)
    page.goto(page.url.removesuffix("/runs") + "/two")
    for name in "ab":
        page.wait_for_function(
            "name => Number(document.querySelector(`[data-fresh=${name}]`).textContent) > 3", arg=name
        )


def test_rows_are_walked_and_opened_by_keys(opened: Opening, played: Played) -> None:
    page = opened(addresses.run(played.id("many")))
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.wait_for_selector("a:focus:has-text('n-90')")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    for key, reached in (("", "n-91"), ("n", "n-92"), ("p", "n-91"), ("j", "n-92"), ("k", "n-91")):
        if key:
            page.keyboard.press(key)
        page.wait_for_selector(f"h1:has-text('{reached}')")
        page.wait_for_load_state()  # keys are heard from then on
    page.keyboard.press("?")
    page.wait_for_selector("dialog:has-text('next and previous row')")


def test_a_slash_leads_to_the_search_of_the_results(opened: Opening, played: Played) -> None:
    page = opened(addresses.run(played.id("many")))
    page.keyboard.press("/")
    page.keyboard.type("after 95?")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=after+95*")
    assert [each.inner_text() for each in page.query_selector_all("tr[data-row] a")] == ["n-95"]


def test_choosing_a_filter_is_enough(opened: Opening, played: Played) -> None:
    page = opened(addresses.run(played.id("many")))
    page.select_option("select[name=category]", "odd")
    page.wait_for_url("**category=odd*")
    assert page.is_visible("text=60 cases")


def test_dark_is_remembered_and_follows_the_machine_before(opened: Opening, played: Played) -> None:
    paper = "paper => getComputedStyle(document.body).backgroundColor === paper"
    page = opened(addresses.run(played.id("many")), color_scheme="dark")
    page.wait_for_function(paper, arg="rgb(20, 23, 27)")
    page.click("[data-theme-switch]")
    page.wait_for_function(paper, arg="rgb(255, 255, 255)")
    page.goto(opened.site + contradicted(played))
    page.wait_for_function(paper, arg="rgb(255, 255, 255)")


def test_every_page_reads_without_a_script(opened: Opening, played: Played) -> None:
    page = opened(addresses.run(played.id("many")), java_script_enabled=False)
    assert page.inner_text(".headline .figure") == "75 %"
    follow(page, page.locator("a:has-text('30 not passed')"))
    follow(page, page.locator("tr[data-row] a").first)
    assert "n-90" in page.inner_text("h1")
    page.goto(opened.site + addresses.comparison(played.id("many"), played.id("better")))
    assert "B (better) is better by" in page.inner_text("h1")
    follow(page, page.locator("tr[data-row] a").first)
    assert page.locator("ins:has-text('one')").count() == 1
    page.goto(opened.site + contradicted(played))
    assert page.is_visible(".spoken mark:not(.cited)")


def test_without_a_script_a_run_that_goes_on_is_loaded_anew(opened: Opening, played: Played) -> None:
    run = GoingRun(played.store, "unscripted", cases=2)
    page = opened("/runs/unscripted", java_script_enabled=False)
    assert page.is_visible("noscript span")
    assert not page.is_visible("[data-theme-switch]")
    run.answer(2)
    page.wait_for_selector(".state:has-text('completed')")
    run.end()


def test_a_line_between_two_turns_leads_from_one_to_the_other(opened: Opening, played: Played) -> None:
    page = opened(contradicted(played))
    wire = page.locator(".wire").first
    target = wire.get_attribute("href")
    page.locator(".wire .reach").first.click(position={"x": 1, "y": 5}, force=True)
    page.wait_for_url(f"**{target}")
    assert page.evaluate("document.querySelector(':target').classList.contains('spoken')")


_STRANDS = """() => [...document.querySelectorAll(".spoken")].map((row) => {
  const [strand, said] = [".strand", ".agent"].map((part) => row.querySelector(part).getBoundingClientRect());
  return { top: strand.top, bottom: strand.bottom, beside: strand.left - said.right };
})"""


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_line_between_two_turns_has_no_gap_and_crosses_no_word(
    opened: Opening, played: Played, size: dict[str, int]
) -> None:
    strands = opened(contradicted(played), viewport=size).evaluate(_STRANDS)
    gaps = [round(below["top"] - above["bottom"]) for above, below in pairwise(strands)]
    assert gaps
    assert all(gap <= 1 for gap in gaps), gaps
    assert all(strand["beside"] >= 0 for strand in strands), strands


def test_fifty_kilobytes_of_hostile_reply_stay_text(opened: Opening, played: Played) -> None:
    page = opened(addresses.case(played.id("hostile"), f"../{ATTACK}"))
    assert ATTACK in page.inner_text("main")
    assert page.evaluate("window.attacked") is None
    assert page.query_selector("main img") is None
    page.click("text=more characters")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
