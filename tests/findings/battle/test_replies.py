"""How many replies somebody judged, and whether that is a test."""

from __future__ import annotations

import pytest
from tests.findings.battle.made import OPEN, attempt

from proctor.findings.battle.replies import as_counted, is_test, replies_of
from proctor.run import Attempt, Failure

CRASH = Failure(stage="agent", owner="agent", reason="it broke")
OUTAGE = Failure(stage="agent", owner="environment", reason="no network")
RIGHT, UNJUDGED = (True, 1.0), (None, None)


@pytest.mark.parametrize(
    ("played", "tested"),
    [
        pytest.param(attempt((None, *RIGHT), ("other", *UNJUDGED)), False, id="nothing but the seed was judged"),
        pytest.param(attempt((None, *RIGHT), ended="examiner"), False, id="the examiner ended at once"),
        pytest.param(attempt((None, *RIGHT), ended="budget"), False, id="the budget ended it"),
        pytest.param(attempt((None, *RIGHT), ("other", *RIGHT), faults=[2]), False, id="faulty questions alone"),
        pytest.param(attempt((None, *RIGHT), ended="turns"), False, id="one turn was wanted"),
        pytest.param(attempt((None, *UNJUDGED), ("other", *RIGHT)), True, id="a reply to the examiner was judged"),
        pytest.param(attempt((None, *RIGHT), failure=CRASH, ended="agent"), True, id="the agent broke"),
    ],
)
def test_a_test_needs_a_judged_reply_beyond_the_seed(played: Attempt, tested: bool) -> None:
    assert is_test(played) is replies_of(OPEN, played).tested is tested
    assert (replies_of(OPEN, played).share is not None) is tested


def test_one_fair_question_of_many_counts_and_the_counts_say_how_little_it_is() -> None:
    played = attempt((None, *RIGHT), *[("other", *RIGHT)] * 49, faults=range(3, 51))
    found = replies_of(OPEN, played)
    assert (found.asked, found.judged, found.passed, found.share) == (50, 2, 2, 1.0)


def test_what_the_environment_broke_has_no_share() -> None:
    found = replies_of(OPEN, attempt((None, *RIGHT), ("other", *RIGHT), failure=OUTAGE, ended=None))
    assert (found.lost, found.share) == (True, None)


def test_a_verdict_that_was_stored_for_what_is_no_test_is_not_counted() -> None:
    stored = attempt((None, *RIGHT), ("other", *UNJUDGED), passed=True)
    counted = as_counted(OPEN, stored)
    assert (counted.passed, counted.value, counted.outcome) == (None, None, "undecided")
    tested = attempt((None, *RIGHT), ("ask-again", *RIGHT))
    assert as_counted(OPEN, tested) is tested
