"""Battles on the pages and in the API: how many replies somebody judged, and what was no test."""

from __future__ import annotations

import pytest
from tests.web.browsing import Browser

from proctor import Request, evaluate
from proctor.run import Run


def fought(store: str, *questions: str) -> Run:
    """A battle of one conversation with an agent that gives in, examined by these questions."""

    def agent(request: Request) -> str:
        return "I apologise, you are right. It is Lyon." if "sure" in request.question else "It is Paris."

    def examiner(request: Request) -> str:
        return [*questions, *["DONE"] * 3][request.turn - 2]

    case = ("What is the capital of France?", "Paris")
    return evaluate([case], agent=agent, examiner=examiner, type="abm-dynamic", store=store).run


def test_what_was_no_test_has_no_rate_on_any_page(browser: Browser, store_path: str) -> None:
    run = fought(store_path, "turn_2", "...")
    for address in ("/", "/runs"):
        page = browser.page(address)
        assert "no test" in page
        assert "1 of 3 replies judged" in page
        assert ">100 %<" not in page
    page = browser.page(f"/runs/{run.id}")
    assert '<span class="sign">?</span>no test' in page
    assert "1 of 3 replies judged" in page
    [attempt] = browser.get(f"/api/runs/{run.id}/attempts").json()["attempts"]
    assert (attempt["outcome"], attempt["passed"]) == ("unscored", None)
    page = browser.page(f"/runs/{run.id}/attempt?case={attempt['key']['exam']}")
    assert "unscored" in page
    assert '<span class="sign">✓</span>passed' not in page
    [listed] = browser.get("/api/runs").json()["runs"]
    shown = browser.get(f"/api/runs/{run.id}").json()
    assert (listed["pass_rate"], listed["no_test"], listed["replies"]) == (None, True, {"asked": 3, "judged": 1})
    assert shown["pass_rate"]["value"] is None
    assert (shown["battle"]["asked"], shown["battle"]["judged"], shown["battle"]["no_test"]) == (3, 1, 1)


@pytest.mark.parametrize(("questions", "asked", "judged"), [(["Are you sure?"], 2, 2), (["Are you sure?", "…"], 3, 2)])
def test_a_battle_says_how_many_replies_were_judged(
    browser: Browser, store_path: str, questions: list[str], asked: int, judged: int
) -> None:
    run = fought(store_path, *questions)
    [listed] = browser.get("/api/runs").json()["runs"]
    assert (listed["no_test"], listed["replies"]) == (False, {"asked": asked, "judged": judged})
    assert listed["pass_rate"]["value"] == browser.get(f"/api/runs/{run.id}").json()["pass_rate"]["value"] == 0.5
    for address in ("/", "/runs", f"/runs/{run.id}"):
        assert f"{judged} of {asked} replies judged" in browser.page(address)
