"""A run that may stop early shows its looks while it goes on, while it is paused, and when it is over."""

from __future__ import annotations

import re
from random import Random

import pytest
from tests.web.browsing import Browser

import proctor
from proctor.findings.run.interim import drawn
from proctor.score import InterimVerdict, LookPoint
from proctor.workflows.tally import RunTally

GATE = "pass_rate>=0.9"


def test_the_chart_grows_as_the_run_goes_on(browser: Browser) -> None:
    store, pages = browser.site.settings.store, list[tuple[int, str]]()

    def look(tally: RunTally) -> None:
        if not tally.done or tally.done >= 40:
            pages.append((tally.done, browser.page(f"/runs/{_id(browser)}")))
        if tally.done >= 40:
            raise KeyboardInterrupt

    cases = [(f"What is {number}?", str(number)) for number in range(200)]
    told = {"reviewer": "exact", "store": store, "stop_early": GATE, "concurrency": 1}
    with pytest.raises(KeyboardInterrupt):
        proctor.evaluate(cases, agent=_answer, watch=look, **told)
    (none, begun), (done, later) = pages[0], pages[-1]
    assert none == 0
    assert 'class="bounds"' in begun
    assert "look 1 of 20 at 10 attempts may end the run" in begun
    awaited = f"look {done // 10 + 1} of 20 at {10 * (done // 10 + 1)} attempts may end the run"
    assert awaited in later
    assert awaited in browser.page(f"/runs/{_id(browser)}"), "paused"
    proctor.resume(_id(browser), agent=_answer, store=store)
    assert re.search(
        rf"{GATE.replace('>', '&gt;')} is [a-z ]+, at look \d+ of 20", browser.page(f"/runs/{_id(browser)}")
    )


def _answer(question: str) -> str:
    """Right so often that it is not decided soon."""
    return question.removeprefix("What is ").removesuffix("?") if Random(question).random() < 0.92 else "no idea"


def _id(browser: Browser) -> str:
    return browser.site.store.archive.find("last").id


def test_only_lines_that_are_drawn_are_spoken_of() -> None:
    path = (LookPoint(attempts=15, value=-8.0, low=-6.0, high=None),)
    verdict = InterimVerdict(
        verdicts={GATE: "not met"}, look=1, looks=20, cases=15, of=300, attempts=15, z=-8.0, bound=6.0, path=path
    )
    assert drawn(verdict).endswith(
        "Below the lower line the first gate is not met; on the line across, the rate is just at the gate."
    )
    assert "upper" not in drawn(verdict)
