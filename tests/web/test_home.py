"""The first page: what is running, quality over time, the last runs; and what it costs to show them."""

from __future__ import annotations

import re
import threading

import pytest
from tests.web.browsing import Browser
from tests.web.site.test_jobs import until

from proctor import evaluate, rescore
from proctor.benchmark import Benchmark, Case
from proctor.findings.run import Summary
from proctor.run import Run
from proctor.storage import Store
from proctor.web.pages import home
from proctor.web.site import summaries, trends
from proctor.web.site.render import breakable
from proctor.web.site.summaries import Summaries
from proctor.workflows.read import summarise


def numbered(name: str = "numbers", *, cases: int = 6) -> Benchmark:
    asked = tuple(Case(id=f"n-{place}", question=f"{place}?", answer=str(place)) for place in range(cases))
    return Benchmark(name=name, digest=f"{name}-1", cases=asked)


def examined(store: str, benchmark: Benchmark, *, right: int, reviewer: str = "exact") -> Run:
    """A run of an agent that knows the first answers."""

    def agent(question: str) -> str:
        place = question.rstrip("?")
        return place if int(place) < right else "no idea"

    return evaluate(benchmark, agent=agent, store=store, reviewer=reviewer, name=f"{right} right").run


def drawn(page: str) -> list[str]:
    return re.findall(r'<svg class="trend".*?</svg>', page, re.DOTALL)


def test_pass_rates_stand_in_the_order_of_time_with_their_intervals(browser: Browser, store_path: str) -> None:
    for right in (3, 6):
        examined(store_path, numbered(), right=right)
    page = browser.page("/")
    [trend] = drawn(page)
    assert "last 2 runs, oldest first: 50 %, 100 %" in trend
    assert trend.count('class="range"') == 2
    assert trend.count('class="course"') == 1
    assert 'href="/history?benchmark=numbers&amp;type=standard&amp;agent=' in page


def test_replies_that_were_judged_anew_are_no_news_of_the_agent(browser: Browser, store_path: str) -> None:
    run = examined(store_path, numbered(), right=6)
    rescore(run.id, store=store_path, passing_score=1.0, reviewer="embedded")
    [trend] = drawn(browser.page("/"))
    assert "last 1 run, oldest first: 100 %" in trend


def test_runs_of_different_agents_stand_apart(browser: Browser, store_path: str) -> None:
    for name in ("demo:librarian", "demo:pushover", "demo:librarian"):
        evaluate(numbered(), agent=name, store=store_path, reviewer="exact")
    page = browser.page("/")
    assert ["last 2 runs" in each for each in drawn(page)] == [True, False]
    assert "agent=demo%3Apushover" in page


def test_runs_that_were_not_judged_alike_are_not_joined(browser: Browser, store_path: str) -> None:
    examined(store_path, numbered(), right=3)
    examined(store_path, numbered(), right=3, reviewer="embedded")
    [trend] = drawn(browser.page("/"))
    assert 'class="course"' not in trend


def test_few_benchmarks_and_few_runs_of_each_are_drawn(
    browser: Browser, store_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trends, "BENCHMARKS", 2)
    monkeypatch.setattr(trends, "RUNS", 2)
    for name in ("first", "second", "third", "third", "third"):
        examined(store_path, numbered(name), right=2)
    found = drawn(browser.page("/"))
    assert ["last 2 runs" in each for each in found] == [True, False]


def test_what_is_known_of_a_run_is_not_counted_again(
    browser: Browser, store: Store, store_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = examined(store_path, numbered(), right=3)
    assert browser.site.summaries.known(run) is None
    browser.page("/")
    again = Summaries(browser.site.settings.folder / "web" / "found", lambda: store)
    monkeypatch.setattr("proctor.web.site.summaries.summarise", None)
    found = again.known(run)
    assert found is not None
    assert found.rate.value == 0.5


def test_many_runs_that_nobody_asked_for_are_counted_while_nobody_waits(
    browser: Browser, store_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trends, "AT_ONCE", 0)
    monkeypatch.setattr(home, "_SHOWN", 0)
    for right in (2, 4):
        examined(store_path, numbered(), right=right)
    runs, counted = browser.site.store.archive.runs(), browser.site.summaries.known
    assert drawn(browser.page("/")) == []
    until(lambda: all(counted(run) for run in runs))
    assert "last 2 runs, oldest first: 33.3 %, 66.7 %" in drawn(browser.page("/"))[0]


def test_who_asks_again_does_not_wait_for_a_large_run_that_is_being_counted(
    browser: Browser, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "SMALL", 0)
    monkeypatch.setattr(summaries, "PATIENCE", 60.0)
    site, asked, may_end = browser.site, threading.Event(), threading.Event()

    def slow(store: Store, run: Run) -> Summary | None:
        asked.set()
        may_end.wait(60)
        return summarise(store, run)

    monkeypatch.setattr(summaries, "summarise", slow)
    first = threading.Thread(target=site.summaries.of, args=(demo_run,))
    first.start()
    assert asked.wait(60)
    assert site.summaries.of(demo_run) is None
    may_end.set()
    first.join(60)
    found = site.summaries.known(demo_run)
    assert found is not None
    assert found.rate.value == 0.5


def test_a_run_that_goes_on_shows_how_far_it_is(browser: Browser, store: Store, demo_run: Run) -> None:
    store.journal.mark(demo_run.id, "queued")
    page = browser.page("/")
    assert 'data-refresh="3"' in page
    assert "4 of 4" in page
    assert re.search(r'<progress max="4" value="4" aria-label="[^"]+"', page)


def test_what_other_people_called_their_runs_is_escaped(browser: Browser, store_path: str) -> None:
    attack = "<script>window.attacked = true</script>"
    evaluate(numbered(attack), agent=lambda question: attack, store=store_path, reviewer="exact", name=attack)
    assert attack not in browser.page("/")


def test_names_break_after_colons_and_slashes_and_stay_harmless() -> None:
    assert breakable("python:agents:crashes") == "python:<wbr>agents:<wbr>crashes"
    assert breakable("https://a/b?<i>") == "https://<wbr>a/<wbr>b?&lt;i&gt;"
    assert (breakable(""), breakable("librarian")) == ("", "librarian")
