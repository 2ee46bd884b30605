"""Pages of the table of results: the same rows, whether they are counted or told from the plan."""

from __future__ import annotations

import pytest
from tests.web.browsing import Browser

from proctor import evaluate
from proctor.benchmark import Case
from proctor.run import Run
from proctor.web.views import results
from proctor.web.views.findings_cache import FindingsCache
from proctor.web.views.results import ResultFilter, ResultPage

CASES = [
    Case(id=f"c{number}", question=f"{number}?", answer="x", categories=(("even", "odd")[number % 2],))
    for number in range(9)
]


@pytest.fixture
def run(store_path: str) -> Run:
    """27 attempts: of nine cases, three trials each."""
    return evaluate(CASES, agent=lambda question: "x", trials=3, store=store_path, reviewer="exact").run


def looked_at(browser: Browser, run: Run, wanted: ResultFilter) -> ResultPage:
    return results.table(browser.site, run, FindingsCache(browser.site).exams(run), None, wanted)


def rows_of(table: ResultPage) -> list[tuple[str, int]]:
    return [(line.attempt.key.exam, line.attempt.key.trial) for line in table.lines if line.attempt is not None]


@pytest.mark.parametrize("sort", ["", "-case"])
@pytest.mark.parametrize("category", ["", "odd"])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 50])
def test_pages_of_a_run_that_was_played_to_its_end_hold_every_attempt_once_and_in_order(
    browser: Browser, run: Run, monkeypatch: pytest.MonkeyPatch, sort: str, category: str, size: int
) -> None:
    monkeypatch.setattr(results, "PAGE", size)
    first = looked_at(browser, run, ResultFilter(by="attempt", sort=sort, category=category))
    pages = [
        rows_of(looked_at(browser, run, ResultFilter(by="attempt", sort=sort, category=category, page=number)))
        for number in range(1, first.pages + 2)
    ]
    inside = [case.id for case in CASES if not category or category in case.categories]
    expected = [(case, trial) for case in inside for trial in (1, 2, 3)]
    assert [row for page in pages[:-1] for row in page] == (expected[::-1] if sort else expected)
    assert (first.found, [len(page) for page in pages[:-2]]) == (len(expected), [size] * (first.pages - 1))
    assert pages[-1] == pages[-2], "beyond the last page is the last page"


def test_a_run_that_was_not_played_to_its_end_is_counted(browser: Browser, run: Run) -> None:
    with browser.site.store.archive._database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM attempts WHERE exam = 'c3' AND trial = 2")
    table = looked_at(browser, run, ResultFilter(by="attempt", category="odd"))
    assert table.found == 11
    assert ("c3", 2) not in rows_of(table)
    assert len(rows_of(table)) == 11
