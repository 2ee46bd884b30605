"""What a run has come to while it goes on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import proctor
from proctor.run import Attempt, Failure, Key
from proctor.statistics.intervals import Sums
from proctor.transcript import Request
from proctor.workflows.tally import Tally


def ended(exam: str, trial: int, passed: bool | None) -> Attempt:
    return Attempt(key=Key(run="r", exam=exam, trial=trial), passed=passed, finished=True)


def test_the_sums_that_are_kept_are_those_of_all_cases_after_every_trial() -> None:
    chance, tally = random.Random(7), Tally(planned=200)
    seen: dict[str, list[bool]] = {}
    for trial in range(1, 6):
        for case in range(40):
            passed = chance.random() < case / 40
            seen.setdefault(str(case), []).append(passed)
            tally.count(ended(str(case), trial, passed))
        afresh = Sums.of(sum(each) / len(each) for each in seen.values())
        assert tally.pass_rate() == pytest.approx(afresh.mean)
        assert tally.interval() == pytest.approx(afresh.interval())


def test_what_has_no_verdict_leaves_the_rate_alone() -> None:
    tally = Tally(planned=3)
    assert (tally.pass_rate(), tally.interval()) == (None, None)
    lost = Failure(stage="agent", owner="environment", reason="away")
    tally.count(Attempt(key=Key(run="r", exam="a"), failure=lost, finished=True))
    tally.count(ended("b", 1, None))
    assert (tally.done, tally.failed, tally.lost, tally.pass_rate()) == (2, 1, 1, None)
    tally.count(ended("c", 1, True))
    assert tally.pass_rate() == 1.0


async def test_the_rate_while_a_battle_goes_on_is_the_one_it_ends_with(tmp_path: Path) -> None:
    def breaks_off(request: Request) -> str:
        if request.turn == 2:
            raise RuntimeError("I have had enough")
        return "1"

    seen: list[tuple[float | None, tuple[float, float] | None]] = []
    result = await proctor.aevaluate(
        [("What is 0 + 1?", "1"), ("What is 1 + 1?", "2"), ("What is 2 + 1?", "3")],
        agent=breaks_off, type="abm-static", trials=4, store=tmp_path / "s.db",
        watch=lambda tally: seen.append((tally.pass_rate(), tally.interval())),
    )  # fmt: skip
    rate = result.findings.pass_rate
    assert rate.value == pytest.approx(1 / 3), "what a script had left to ask is not passed"
    assert seen[-1][0] == pytest.approx(rate.value)
    assert seen[-1][1] == pytest.approx((rate.low, rate.high))
