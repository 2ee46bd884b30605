"""The page on which several runs are compared: chosen in a form, ranked as far as the cases show, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.web.browsing import Browser

import proctor
from proctor import rescore
from proctor.benchmark import Benchmark, Case
from proctor.codec import benchmark_of
from proctor.storage import open_store

Runs = dict[str, str]


@pytest.fixture
def runs(store_path: str) -> Runs:
    """Agent → its run: a good one, a half good one, a bad one, and one that was judged otherwise."""
    cases = [
        Case(id=f"c{n}", question=f"What is {n}?", answer=str(n), categories=("even" if n % 2 == 0 else "odd",))
        for n in range(30)
    ]
    benchmark: Benchmark = benchmark_of(cases, name="numbers")
    agents: dict[str, Callable[[str], str]] = {
        "good": lambda question: question[8:-1],
        "half": lambda question: question[8:-1] if int(question[8:-1]) % 2 else "no idea",
        "bad": lambda question: "no idea",
    }
    played = {
        name: proctor.evaluate(benchmark, agent=agent, reviewer="exact", store=store_path, name=name).run.id
        for name, agent in agents.items()
    }
    other = proctor.evaluate(benchmark, agent=agents["bad"], reviewer="embedded", store=store_path, name="other")
    return {**played, "other": other.run.id}


def several(runs: Runs, *names: str, **query: str) -> str:
    chosen = [f"run={runs[name]}" for name in names]
    return "/compare/several?" + "&".join([*chosen, *(f"{key}={value}" for key, value in query.items())])


def test_runs_are_chosen_by_their_boxes(browser: Browser, runs: Runs) -> None:
    page = browser.page("/compare/several")
    assert page.count('type="checkbox" name="run"') == 4
    assert 'href="/compare/several"' in browser.page("/compare")


def test_the_page_says_who_is_best_and_shows_every_pair(browser: Browser, runs: Runs) -> None:
    page = browser.page(several(runs, "half", "good", "bad"))
    assert "is the best of 3: 100 %" in page
    assert page.count(" is better</td>") == 3
    assert f"/compare?a={runs['half']}&amp;b={runs['good']}" in page


def test_each_cell_of_the_matrix_leads_to_its_replies(browser: Browser, runs: Runs) -> None:
    page = browser.page(several(runs, "good", "half", "bad"))
    assert page.count('class="pass"') + page.count('class="fail"') == 90
    assert f"/runs/{runs['bad']}/attempt?case=c0" in page


def test_the_matrix_is_filtered_by_category_words_and_agreement(browser: Browser, runs: Runs) -> None:
    assert "30 cases" in browser.page(several(runs, "good", "half", "bad"))
    assert "15 cases" in browser.page(several(runs, "good", "half", "bad", category="odd"))
    assert "1 case<" in browser.page(several(runs, "good", "half", "bad", q="c7"))
    agreed = several(runs, "half", "bad")
    assert "15 cases" in browser.page(agreed)
    assert "30 cases" in browser.page(f"{agreed}&every=1")
    assert "No case matches these filters." in browser.page(several(runs, "good", "half", "bad", q="nothing like it"))


def test_runs_that_were_examined_otherwise_are_refused_with_the_reason(browser: Browser, runs: Runs) -> None:
    answer = browser.get(several(runs, "good", "other"))
    assert answer.status_code == 422
    assert "not evaluated in the same way" in answer.text
    assert "reviewer" in answer.text
    three = browser.get(several(runs, "good", "half", "other")).text
    assert "Compare the 2 comparable ones" in three
    assert f"/compare/several?run={runs['good']}&amp;run={runs['half']}" in three


def test_one_run_or_an_empty_store_asks_for_more(browser: Browser) -> None:
    assert "Two runs or more are needed" in browser.page("/compare/several")


def test_the_cases_that_one_run_did_better_than_another_are_shown_alone(browser: Browser, runs: Runs) -> None:
    page = browser.page(several(runs, "good", "half", "bad", better="1", worse="2"))
    assert "15 cases" in page
    assert "What is 1?" in page
    assert "What is 2?" not in page
    assert "No case matches these filters" in browser.page(several(runs, "good", "half", "bad", better="2", worse="0"))
    assert "No case matches these filters" in browser.page(several(runs, "good", "half", better="19", worse="0"))


def test_the_rows_can_be_copied_into_a_spreadsheet(browser: Browser, runs: Runs) -> None:
    page = browser.page(several(runs, "good", "half", q="c4"))
    assert 'data-copy="case\tquestion\tgood\thalf\nc4\tWhat is 4?\tpassed\tnot passed"' in page


def test_an_empty_choice_of_two_runs_is_none(browser: Browser, runs: Runs) -> None:
    assert browser.get(several(runs, "good", "half", better="-1", worse="-1")).status_code == 200


def test_while_runs_go_on_all_that_changes_is_fetched_again_and_nothing_is_told_of_what_was_not_played(
    browser: Browser, runs: Runs, store_path: str
) -> None:
    with open_store(store_path) as store:
        for name in ("queued-1", "queued-2"):
            ready = store.archive.find(runs["good"])
            begun = replace(ready, id=f"991231-235959-{name[-1] * 4}", name=name, status="running", created=2e9)
            store.journal.create(begun, store.archive.benchmark_of(ready.id))
            runs[name] = begun.id
    page = browser.page(several(runs, "queued-1", "queued-2"))
    assert "Nothing can be said yet: of the 2 runs some have no verdict." in page
    assert "No case has a verdict in two of them yet." in page
    for name in ("sentence", "opening", "warnings", "found"):
        assert f'data-fresh="{name}"' in page


def test_the_run_before_is_of_the_same_agent_and_of_other_replies(
    browser: Browser, runs: Runs, store_path: str
) -> None:
    again = proctor.evaluate(
        [(f"What is {n}?", str(n)) for n in range(30)], agent="demo:librarian", reviewer="exact", store=store_path
    ).run
    assert "Compare with the run before" not in browser.page(f"/runs/{again.id}"), "others examined the same cases"
    anew = rescore(again.id, store=store_path, passing_score=0.9).run
    assert "Compare with the run before" not in browser.page(f"/runs/{anew.id}"), "it judges the same replies"
    back = rescore(anew.id, store=store_path, passing_score=again.settings.passing_score).run
    assert "Compare with the run before" not in browser.page(f"/runs/{back.id}"), "and so does one of that one"
    twice = proctor.evaluate(
        [(f"What is {n}?", str(n)) for n in range(30)], agent="demo:librarian", reviewer="exact", store=store_path
    ).run
    assert "Compare with the run before" in browser.page(f"/runs/{twice.id}")
