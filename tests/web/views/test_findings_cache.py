"""Findings kept at hand."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tests.web.browsing import Browser

from proctor import evaluate
from proctor.benchmark import Case
from proctor.errors import StoreError
from proctor.run import Run
from proctor.web.views import findings_cache as shelves
from proctor.web.views.findings_cache import CachedFindings, FindingsCache


@pytest.fixture
def findings_cache(browser: Browser) -> FindingsCache:
    return FindingsCache(browser.site)


def test_a_run_that_is_over_is_read_once(findings_cache: FindingsCache, demo_run: Run) -> None:
    first = findings_cache.findings(demo_run)
    assert first is not None
    assert first.findings.counts.planned == 4
    assert sum(first.outcomes.values()) == 4
    assert findings_cache.findings(demo_run) is first


def test_a_run_that_was_played_again_is_read_anew(findings_cache: FindingsCache, demo_run: Run) -> None:
    first = findings_cache.findings(demo_run)
    again = findings_cache.findings(replace(demo_run, seconds=demo_run.seconds + 1))
    assert again is not None
    assert again is not first


def test_all_who_wait_share_one_reading_and_nobody_waits_longer_than_asked(
    findings_cache: FindingsCache, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, done = [], threading.Event()
    real = shelves.read_run

    def slow(*given: object) -> CachedFindings:
        reading.append(given)
        done.wait(30)
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(shelves, "read_run", slow)
    assert findings_cache.findings(demo_run, patience=0.01) is None
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(findings_cache.findings, demo_run, patience=30) for _ in range(4)]
        done.set()
        found = {id(each.result()) for each in waiting}
    assert len(found) == 1
    assert len(reading) == 1


def test_what_was_read_while_a_run_went_on_is_not_shown_when_it_is_over(
    browser: Browser, findings_cache: FindingsCache, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a large run would stand there as incomplete, with old numbers, until somebody loads the page again."""
    going = replace(demo_run, status="running", ended=None)
    assert findings_cache.findings(going) is not None
    done, real = threading.Event(), shelves.read_run

    def slow(*given: object) -> CachedFindings:
        done.wait(30)
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(shelves, "read_run", slow)
    browser.app.state.findings_cache = findings_cache
    monkeypatch.setattr(FindingsCache.findings, "__kwdefaults__", {"patience": 0.05})
    assert findings_cache.findings(demo_run) is None
    page = browser.page(f"/runs/{demo_run.id}")
    assert "incomplete" not in page
    assert 'data-fresh="being-read"' in page
    assert 'data-refresh="1"' in page, "it loads itself again"
    done.set()
    read = findings_cache.findings(demo_run, patience=30)
    assert read is not None
    assert read.run.status == "completed"
    assert "being-read" not in browser.page(f"/runs/{demo_run.id}")


def test_what_cannot_be_read_is_told_and_tried_again(
    findings_cache: FindingsCache, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object) -> CachedFindings:
        raise StoreError("the store is away")

    with monkeypatch.context() as broken_for_now:
        broken_for_now.setattr(shelves, "read_run", broken)
        with pytest.raises(StoreError, match="away"):
            findings_cache.findings(demo_run)
    assert findings_cache.findings(demo_run) is not None


def test_what_was_not_asked_for_longest_makes_room(
    findings_cache: FindingsCache, store_path: str, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(id="one", question="How many?", answer="one")
    newer = evaluate([case], agent="demo:librarian", store=store_path, name="one question").run
    first, second = findings_cache.findings(demo_run), findings_cache.findings(newer)
    monkeypatch.setattr(shelves, "_MOST_CASES", 3)
    assert findings_cache.findings(newer) is second, "the newest stays, however large"
    assert findings_cache.findings(demo_run) is not first


def test_verdicts_of_a_run_that_goes_on_are_counted_every_time(findings_cache: FindingsCache, demo_run: Run) -> None:
    over = findings_cache.verdicts(demo_run)
    assert over == {"holiday": (2, 2), "nonsense": (2, 0)}
    assert findings_cache.verdicts(demo_run) is over
    moving = replace(demo_run, status="running")
    assert findings_cache.verdicts(moving) is not findings_cache.verdicts(moving)


def test_how_long_it_has_run_is_counted_from_the_last_time_it_was_resumed(
    findings_cache: FindingsCache, demo_run: Run
) -> None:
    read = findings_cache.findings(demo_run)
    assert read is not None
    starts = sorted(attempt.started for attempt in findings_cache._site.store.archive.attempts(demo_run.id))
    first = findings_cache.findings(replace(demo_run, status="running", ended=None))
    resumed = findings_cache.findings(replace(demo_run, status="running", ended=starts[1]))
    waits = findings_cache.findings(replace(demo_run, status="running", ended=starts[-1] + 1))
    assert first is not None
    assert resumed is not None
    assert waits is not None
    assert (first.since, resumed.since, waits.since) == (demo_run.started, starts[2], None)
