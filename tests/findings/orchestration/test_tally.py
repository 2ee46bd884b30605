"""Attempts of an orchestrator → findings, against numbers worked out by hand."""

from __future__ import annotations

import gc
import random
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from tests.findings.orchestration.made import ODD_STEPS, attempt, exam, spans, step, tokens

from proctor.codec import encode
from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.findings.orchestration.tally import OTHERS, OrchestrationTally
from proctor.run import Attempt, Failure, Key
from proctor.statistics.intervals import wilson
from proctor.transcript import Step, ToolCall, Transcript, Turn

FIND = step("d", "delegate", "find", agent="researcher", usage=tokens(30))
PLAN = step("p", "plan", usage=tokens(10))
LOST = Failure(stage="agent", owner="environment", reason="the network is down")


def found(*attempts: Attempt, **expect: Any) -> OrchestrationFindings:
    tally = OrchestrationTally()
    for each in attempts:
        tally.add(exam(each.key.exam, **expect), each)
    findings = tally.findings()
    assert findings is not None
    return findings


def test_without_steps_there_are_no_findings() -> None:
    tally = OrchestrationTally()
    tally.add(exam(), attempt())
    assert tally.findings() is None


def test_an_attempt_that_is_not_over_is_left_out() -> None:
    tally = OrchestrationTally()
    tally.add(exam(), attempt([PLAN], finished=False))
    assert tally.findings() is None


def test_success_is_the_mean_over_cases_with_undecided_attempts_bounded() -> None:
    rate = found(
        attempt([PLAN], case="a", trial=1),
        attempt([PLAN], case="a", trial=2),
        attempt([PLAN], case="b", trial=1, passed=False),
        attempt([PLAN], case="b", trial=2, passed=None, failure=LOST),
    ).success
    assert (rate.value, rate.worst, rate.best) == (0.5, 0.5, 0.75)
    assert (rate.n, rate.attempts, rate.missing, rate.method) == (2, 3, 1, "wilson-cases")


def test_what_failures_took_is_part_of_what_a_success_costs() -> None:
    calls = (ToolCall(name="search"), ToolCall(name="read"))
    findings = found(
        attempt([PLAN], case="a", usage=tokens(100, 0.25), calls=calls),
        attempt([PLAN], case="b", usage=tokens(300, 0.5), passed=False),
        attempt([PLAN], case="b", trial=2, usage=tokens(200, 0.25)),
        attempt(case="c", usage=tokens(100, 1.0), calls=calls, passed=False),
    )
    each = findings.per_success
    assert (each.tokens.value, each.cost.value, each.tool_calls.value) == (350, 1.0, 2)
    assert (each.tokens.n, each.tokens.attempts) == (3, 4)
    assert each.tokens.low is None  # below ten cases
    assert {case.id: case.tokens for case in findings.cases} == {"a": 100, "b": 500, "c": None}
    assert (findings.attempts, findings.outlined) == (4, 3)


def test_from_ten_cases_on_what_a_success_costs_has_an_interval() -> None:
    ratio = found(*[attempt([PLAN], case=f"c{number}", usage=tokens(90 + number)) for number in range(10)]).per_success
    assert ratio.tokens.value == pytest.approx(94.5)
    assert ratio.tokens.low is not None
    assert ratio.tokens.high is not None
    assert ratio.tokens.low < 94.5 < ratio.tokens.high
    assert ratio.tokens.method == "delta-cases"


def test_without_a_success_nothing_costs_anything_per_success() -> None:
    each = found(attempt([PLAN], usage=tokens(5), passed=False)).per_success
    assert each.tokens.value is None
    assert each.tokens.note == "no success"


def test_what_was_not_told_is_said_and_is_no_zero() -> None:
    crashed = Attempt(
        key=Key(run="r", exam="b"), transcript=Transcript(turns=(Turn(number=1, question="?"),)), passed=False,
        finished=True,
    )  # fmt: skip
    each = found(attempt([step("p", "plan")], case="a", usage=tokens(100)), crashed).per_success
    assert (each.tokens.value, each.tokens.missing) == (100, 1)
    assert "at least: not reported in 1 of 2 attempts" in each.tokens.note
    assert each.cost.value is None
    assert each.cost.note == "the agent does not report it"


def test_the_p95_is_given_from_twenty_values_on() -> None:
    few = found(*[attempt([PLAN], trial=number, seconds=float(number)) for number in range(1, 20)]).seconds
    many = found(*[attempt([PLAN], trial=number, seconds=float(number)) for number in range(1, 101)]).seconds
    assert few is not None
    assert many is not None
    assert (few.n, few.median, few.maximum, few.p95) == (19, 10, 19, None)
    assert (many.n, many.median, many.maximum) == (100, 50.5, 100)
    assert many.p95 is not None
    assert many.p95.value == 96
    assert many.p95.low is not None
    assert many.p95.low < 96


def test_a_case_counts_once_however_often_it_was_tried() -> None:
    broken = step("d", "delegate", "find", agent="researcher", status="error")
    findings = found(
        *[attempt([broken, FIND], case="a", trial=trial) for trial in (1, 2, 3)],
        attempt([broken], case="b"),
        attempt([FIND], case="c"),
        sub_agents=("researcher", "writer"),
    )
    recovered = findings.recovery.recovered
    assert (recovered.value, recovered.n, recovered.attempts) == (0.5, 2, 4)  # pooled it would be 3 of 4
    assert (recovered.low, recovered.high) == pytest.approx(wilson(0.5, 2))
    assert findings.recovery.errors == 4
    assert (findings.planning.used.value, findings.planning.used.n) == (0.5, 3)
    assert findings.planning.planned.value is None
    assert findings.planning.planned.note == "nothing was counted"
    assert findings.coordination.hand_offs == 8
    assert findings.coordination.right.value == 1


def test_the_speed_up_is_the_harmonic_mean_over_cases_with_its_interval_turned_round() -> None:
    findings = found(attempt(spans((0, 4), (0, 4)), case="a"), attempt(spans((0, 2), (2, 5)), case="b"))
    lay = findings.parallelism
    assert lay.speed_up.value == pytest.approx(2 / (1 / 2 + 1 / 1))
    assert lay.speed_up.low is not None
    assert lay.speed_up.high is not None
    assert 1 <= lay.speed_up.low < 4 / 3 < lay.speed_up.high
    assert lay.overlap.value == 0.5
    assert lay.critical.value == 1
    assert lay.at_once == 2
    assert {case.id: case.speed_up for case in findings.cases} == {"a": 2, "b": 1}


def test_a_sub_agent_that_took_no_part_in_a_case_has_none_of_its_tokens() -> None:
    write = step("w", "delegate", "write", agent="writer", usage=tokens(10))
    shares = found(attempt([PLAN, FIND], case="a"), attempt([PLAN, write], case="b")).resources.tokens
    assert {name: share.value for name, share in shares.items()} == pytest.approx(
        {"orchestrator": 0.375, "researcher": 0.375, "writer": 0.25}
    )
    assert all(share.n == 2 for share in shares.values())


def test_the_order_in_which_attempts_come_does_not_matter() -> None:
    attempts = [
        attempt([PLAN, FIND], case=f"c{number % 5}", trial=number, passed=number % 3 > 0, seconds=float(number))
        for number in range(30)
    ]
    shuffled = random.Random(1).sample(attempts, len(attempts))
    assert found(*attempts) == found(*shuffled)


def test_names_without_end_do_not_fill_the_memory() -> None:
    attempts = [
        attempt([step("d", "delegate", "x", agent=f"agent-{number}", usage=tokens(5))], trial=number)
        for number in range(300)
    ]
    shares = found(*attempts).resources.tokens
    assert len(shares) == 101
    assert shares[OTHERS].value == pytest.approx(200 / 300)


def test_memory_does_not_grow_with_attempts() -> None:
    tally = OrchestrationTally()
    play = attempt([PLAN, FIND], seconds=1.0, usage=tokens(5))
    for _ in range(200):
        tally.add(exam(), play)
    tracemalloc.start()
    try:
        for _ in range(2_000):
            tally.add(exam(), play)
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 60_000  # eight bytes for each time, with room to grow


@given(ODD_STEPS)
def test_no_steps_are_too_odd_for_the_tally(steps: list[Step]) -> None:
    tally = OrchestrationTally()
    for case in ("a", "b"):
        tally.add(exam(case, sub_agents=("researcher",), limits={"tokens": 3}), attempt(steps, case=case))
    findings = tally.findings()
    assert (findings is None) == (not steps)
    encode(findings)
