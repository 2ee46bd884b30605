"""What failed, in groups, on the page of a run and in its HTML report; and what an agent made of lies."""

from __future__ import annotations

from tests.web.browsing import Browser

import proctor
from proctor import fault_injection as conditions
from proctor.config import Config
from proctor.errors import EnvironmentFault

CASES = [(f"What is {number}?", str(number)) for number in range(8)]


def test_groups_stand_on_the_page_and_in_the_report_with_examples_that_lead_to_them(
    browser: Browser, store_path: str
) -> None:
    def first(question: str) -> str:
        return "no idea" if question in ("What is 1?", "What is 2?") else question[8:-1]

    def second(question: str) -> str:
        return "ask somebody else" if question in ("What is 5?", "What is 6?") else first(question)

    second.__name__ = "first"  # another version of the same agent
    before = proctor.evaluate(CASES, agent=first, reviewer="exact", store=store_path, name="before").run
    run = proctor.evaluate(CASES, agent=second, reviewer="exact", store=store_path, name="after").run
    page = browser.page(f"/runs/{run.id}")
    assert "What failed, in groups" in page
    assert "4 of 8 cases failed" in page
    assert page.count("<strong>new</strong>") == 1
    assert f'nothing failed like that in <a href="/runs/{before.id}">' in page
    assert page.count(f'href="/runs/{run.id}/attempt?case=', page.index('id="failures"')) >= 4
    report = browser.page(f"/runs/{run.id}/export/html")
    assert "What failed, in groups" in report
    assert report.count("<strong>new</strong>") == 1
    assert "says “no idea”" in report


def test_one_case_alone_has_nothing_in_common_with_others(browser: Browser, store_path: str) -> None:
    run = proctor.evaluate(CASES[:1], agent=lambda question: "no idea", reviewer="exact", store=store_path).run
    page = browser.page(f"/runs/{run.id}")
    assert "1 of 1 case failed." in page
    assert "they have nothing in common" not in page


def test_a_run_without_failures_has_no_such_section(browser: Browser, store_path: str) -> None:
    run = proctor.evaluate(CASES, agent=lambda question: question[8:-1], reviewer="exact", store=store_path).run
    assert "in groups" not in browser.page(f"/runs/{run.id}")


def test_what_the_agent_made_of_lies_is_on_the_pages_of_run_and_attempt(browser: Browser, store_path: str) -> None:
    @conditions.tool
    def number(question: str) -> int:
        return int(question[8:-1]) * 100

    cases = [(f"What is {n}?", f"{n}00") for n in range(1, 5)]
    config = Config(conditions={"old": {"tool": "number", "lies": "stale"}})
    run = proctor.evaluate(
        cases, agent=lambda question: str(number(question)), reviewer="exact", conditions="old", store=store_path,
        config=config,
    ).run  # fmt: skip
    page = browser.page(f"/runs/{run.id}")
    assert "<h2>Lies</h2>" in page
    assert "number, a stale value" in page
    place = page.index("<h2>Lies</h2>")
    link = page[page.index(f'href="/runs/{run.id}/attempt', place) :].split('"')[1].replace("&amp;", "&")
    assert "The agent believed it: the reply repeats it." in browser.page(link)


def test_new_is_explained_only_where_something_is_new(browser: Browser, store_path: str) -> None:
    def unsure(question: str) -> str:
        return "no idea"

    for name in ("before", "after"):
        run = proctor.evaluate(CASES, agent=unsure, reviewer="exact", store=store_path, name=name).run
    for page in (browser.page(f"/runs/{run.id}"), browser.page(f"/runs/{run.id}/export/html")):
        assert "What failed, in groups" in page
        assert "new: nothing failed like that" not in page


def test_a_run_without_a_reply_draws_no_empty_tile_or_chart_and_offers_nothing_to_label(
    browser: Browser, store_path: str
) -> None:
    def away(question: str) -> str:
        raise EnvironmentFault("cannot connect")

    run = proctor.evaluate(CASES, agent=away, reviewer="exact", trials=2, store=store_path).run
    page = browser.page(f"/runs/{run.id}")
    assert "<dt>Failures</dt>" in page
    for left_out in ("nothing was counted", "at worst", "More tries", "Label replies"):
        assert left_out not in page
