"""What a run has come to while it goes on."""

from __future__ import annotations

import random

import pytest

from proctor.run import Attempt, Failure, Key
from proctor.statistics.intervals import Sums
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
