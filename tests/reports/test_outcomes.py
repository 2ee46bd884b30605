from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.reports.battles import Fight, Said

from proctor.reports import outcomes
from proctor.run import Attempt, Failure, Key

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample


def test_every_attempt_has_one_outcome(sample: Sample) -> None:
    by_case = {attempt.key.exam: outcomes.of_attempt(attempt) for attempt in sample.attempts if attempt.key.trial == 1}
    assert by_case == {
        "good": outcomes.PASSED,
        "bad": outcomes.NOT_PASSED,
        "flaky": outcomes.NOT_PASSED,
        "crashing": outcomes.AGENT_FAILED,
        "offline": outcomes.ENVIRONMENT_FAILED,
        "odd": outcomes.UNSCORED,
    }
    assert outcomes.of_attempt(Attempt(key=Key(run="r", exam="e"))) is outcomes.PENDING


def test_the_worst_come_first_and_a_crash_before_a_low_mark(sample: Sample) -> None:
    ordered = [case.id for case in outcomes.worst_first(sample.findings.cases)]
    assert ordered == ["crashing", "bad", "flaky", "offline", "odd", "good"]


def test_a_pass_with_missing_trials_comes_before_a_whole_one(maker: Callable[..., Maker]) -> None:
    made = maker(trials=2)
    made.marked(made.case("whole"), 0.8, trial=1)
    made.marked("whole", 0.8, trial=2)
    made.marked(made.case("partly"), 0.9)
    cases = made.sample().findings.cases
    assert [case.id for case in outcomes.worst_first(cases)] == ["partly", "whole"]
    assert [outcomes.tally(case) for case in cases] == ["2 of 2 trials", "1 of 2 missing"]


def test_attempts_under_conditions_put_together_are_not_called_trials(sample: Sample) -> None:
    (case,) = [case for case in sample.findings.cases if case.id == "good"]
    assert outcomes.tally(case) == "3 of 3 trials"
    assert outcomes.tally(replace(case, conditions={"late": (2, 2), "slow": (1, 1)})) == "3 of 3 attempts"
    assert outcomes.tally(replace(case, conditions={"": (3, 3), "slow": (3, 1)})) == "3 of 3 trials"


def test_only_a_run_that_lacks_nothing_gets_the_tick(sample: Sample, maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.1)
    whole = made.sample().findings
    assert outcomes.of_run(whole).sign == "✓"
    assert (outcomes.of_run(sample.findings).sign, outcomes.of_run(sample.findings).word) == ("!", "incomplete")
    cancelled = replace(whole, run=replace(whole.run, status="cancelled"))
    assert outcomes.of_run(cancelled).sign == "!"
    assert outcomes.of_run(replace(whole, run=replace(whole.run, status="running"))).sign == "·"


def test_who_fails_under_a_condition_alone_is_signed_and_counted_as_in_the_plain_run(sample: Sample) -> None:
    [good] = [case for case in sample.findings.cases if case.id == "good"]
    case = replace(good, conditions={"": (2, 2), "slow": (2, 0)})
    assert outcomes.of_case(case) is outcomes.PASSED
    assert outcomes.count_by_outcome([case]) == {outcomes.PASSED.name: 1}
    assert outcomes.of_case(case, under_all=True) is outcomes.NOT_PASSED


def test_an_agent_that_broke_after_judged_replies_is_not_said_never_to_have_answered() -> None:
    fight = Fight(type="abm-static", examiner="script")
    crash = Failure(stage="agent", owner="agent", reason="broken", turn=2)
    said = [Said(mark=1.0), Said(mark=None, reply=None)]
    fight.held(fight.script("a", 3), said, failure=crash, ended="agent")
    assert outcomes.of_run(fight.battle().findings).name == "completed"
