"""The page on which several runs meet case by case."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.web.browsing import Browser

import proctor
from proctor.cli import main

CASES = [(f"What is {n}?", f"number {n}") for n in range(30)]
JUDGE = """\
from tests.metrics.scripted import judge_by


def decide(shown, prompt):
    first, second = ("number" in shown[name] for name in ("first reply", "second reply"))
    better = "neither" if first == second else "first" if first else "second"
    return {"reasoning": "it <b>answers</b>", "better": better, "confidence": 0.9}


def model():
    return judge_by(decide)
"""


@pytest.fixture
def runs(store_path: str) -> list[str]:
    """The runs of three agents, the best first."""

    def wrong_below(least: int) -> proctor.Evaluation:
        def answer(question: str) -> str:
            number = int(question[8:-1])
            return "no idea" if number < least else f"number {number}"

        return proctor.evaluate(CASES, agent=answer, reviewer="exact", store=store_path, name=f"wrong-{least}")

    return [wrong_below(least).run.id for least in (0, 10, 24)]


def address(runs: list[str], **query: str) -> str:
    return "/tournament?" + "&".join([*(f"run={run}" for run in runs), *(f"{key}={v}" for key, v in query.items())])


def test_stored_scores_rank_the_runs_without_asking_anybody(browser: Browser, runs: list[str]) -> None:
    page = browser.page(address(runs))
    assert "is the strongest of 3" in page
    assert "A contest is won by the stored score" in page
    assert page.count('class="inherit"') == 6
    assert "proctor tournament" not in page, "whoever reads a page has no terminal"
    assert "What the judge said" not in page


def test_what_a_judge_has_said_is_shown_as_it_is_stored(
    browser: Browser, runs: list[str], store_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "judge_of_pages.py").write_text(JUDGE)
    assert main(["tournament", *runs, "--reviewer", "python:judge_of_pages:model", "--store", store_path]) == 0
    page = browser.page(address(runs))
    link = page[page.index('href="/tournament?run=', page.index("stored scores</a>")) + 6 :].partition('"')[0]
    judged = browser.page(link.replace("&amp;", "&"))
    assert "is the strongest of 3" in judged
    assert "Each contest was judged by python:judge_of_pages:model in both orders" in judged
    assert "it &lt;b&gt;answers&lt;/b&gt;" in judged
    assert f"/compare/case?a={runs[0]}" in judged
    other_order = browser.page(
        link.replace("&amp;", "&").replace(f"run={runs[0]}&run={runs[1]}", f"run={runs[1]}&run={runs[0]}")
    )
    assert "B (" in other_order
    assert "is the strongest of 3" in other_order


def test_the_page_tells_what_a_passed_case_costs_and_the_first_token_where_measured(
    browser: Browser, runs: list[str], store_path: str
) -> None:
    async def stream(question: str) -> AsyncIterator[proctor.Reply]:
        yield proctor.Reply(text=f"number {question[8:-1]}", usage=proctor.Usage(calls=1, cost=0.02))

    paid = proctor.evaluate(CASES, agent=stream, reviewer="exact", store=store_path).run.id
    for where in (address([*runs, paid]), "/compare/several" + address([*runs, paid]).removeprefix("/tournament")):
        page = browser.page(where)
        assert ">per passed case</th>" in page
        assert ">first token</th>" in page
        assert "0.02" in page
    assert "<dt>First token</dt><dd>A not measured; B median" in browser.page(f"/compare?a={runs[0]}&b={paid}")
    assert "irst token" not in browser.page(address(runs))


def test_runs_are_chosen_where_none_are_named_and_strangers_are_refused(
    browser: Browser, runs: list[str], store_path: str
) -> None:
    page = browser.page("/tournament")
    assert page.count('type="checkbox" name="run"') == 3
    assert 'action="/tournament"' in page
    stranger = browser.get(address(runs, judge="nobody"))
    assert stranger.status_code == 404
    assert "nor has any other: their stored scores rank them" in stranger.text
    other = proctor.evaluate(CASES[:3], agent=lambda question: "?", reviewer="exact", store=store_path).run.id
    assert browser.get(address([runs[0], other])).status_code == 422
