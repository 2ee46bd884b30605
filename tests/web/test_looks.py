"""A run that may stop early shows its looks while it goes on, while it is paused, and when it is over."""

from __future__ import annotations

import pytest
from tests.web.browsing import Browser

import proctor
from proctor.workflows.tally import RunTally

GATE = "pass_rate>=0.9"


def test_the_chart_grows_as_the_run_goes_on(browser: Browser) -> None:
    store, pages = browser.site.settings.store, list[str]()

    def look(tally: RunTally) -> None:
        if tally.done in (0, 50):
            pages.append(browser.page(f"/runs/{_id(browser)}"))
        if tally.done == 50:
            raise KeyboardInterrupt

    cases = [(f"What is {number}?", str(number)) for number in range(200)]
    told = {"reviewer": "exact", "store": store, "stop_early": GATE, "concurrency": 1}
    with pytest.raises(KeyboardInterrupt):
        proctor.evaluate(cases, agent=_answer, watch=look, **told)
    begun, half = pages
    assert "look 1 of 20 at 10 attempts may end the run" in begun
    assert "look 6 of 20 at 60 attempts may end the run" in half
    assert 'class="bounds"' in begun
    paused = browser.page(f"/runs/{_id(browser)}")
    assert "look 6 of 20 at 60 attempts may end the run" in paused
    proctor.resume(_id(browser), agent=_answer, store=store)
    assert f"{GATE.replace('>', '&gt;')} is met, at look 6 of 20" in browser.page(f"/runs/{_id(browser)}")


def _answer(question: str) -> str:
    return question.removeprefix("What is ").removesuffix("?")


def _id(browser: Browser) -> str:
    return browser.site.store.archive.find("last").id
