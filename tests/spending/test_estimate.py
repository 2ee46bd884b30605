"""What a run will take: counted by hand where it can be, and between what it may come to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.benchmark import Case, Exam
from proctor.run import Settings
from proctor.spending.estimate import LITTLE, USUAL, Caller, CostEstimate, Range, estimate
from proctor.spending.limits import Limit
from proctor.spending.prices import Price, tokens_in

CASE = Case(id="a", question="q" * 40, answer="a" * 80)
PRICE = Price(input=1.0, output=10.0)
AGENT = Caller(role="agent", name="openai:a", price=PRICE, prompt=5)
REVIEWER = Caller(role="reviewer", name="openai:r", price=PRICE, prompt=100)
EXAMINER = Caller(role="examiner", name="openai:e", price=PRICE, prompt=100)


def exams(count: int, *, cases: int = 1, is_open: bool = False) -> list[Exam]:
    return [Exam(id=str(number), cases=(CASE,) * cases, open=is_open) for number in range(count)]


def test_a_standard_run_is_counted() -> None:
    found = estimate(exams(10), Settings(trials=3, conditions=("", "slow")), [AGENT, REVIEWER])
    played = 10 * 3 * 2
    assert found.calls == Range(low=2 * played, likely=2 * played, high=3 * played)
    asked, answer = 10, 20
    likely = played * (5 + asked + 100 + asked + answer + USUAL.reply)
    assert found.input_tokens.likely == likely
    assert found.output_tokens.likely == played * (USUAL.reply + USUAL.verdict)
    assert found.cost is not None
    assert found.cost.likely == pytest.approx(PRICE.of(likely, played * (USUAL.reply + USUAL.verdict)))
    assert found.callers["agent"].calls == Range(low=played, likely=played, high=played)
    assert found.unpriced == ()


def test_every_turn_carries_the_conversation_so_far() -> None:
    found = estimate(exams(1, cases=3), Settings(), [AGENT])
    said = 10 + LITTLE.reply
    assert found.calls.low == 3
    assert found.input_tokens.low == 3 * (5 + 10) + said + 2 * said


def test_an_open_exam_may_end_early_or_go_on_to_the_last_turn() -> None:
    found = estimate(exams(2, is_open=True), Settings(max_turns=20), [AGENT, EXAMINER])
    assert found.callers["agent"].calls == Range(low=2 * 3, likely=2 * 12, high=2 * 20)
    assert found.callers["examiner"].calls == Range(low=2 * 2, likely=2 * 11, high=2 * 2 * 19)
    assert estimate(exams(1, is_open=True), Settings(max_turns=2), [AGENT]).calls.high == 2


def test_tools_are_called_as_often_as_they_may() -> None:
    found = estimate(exams(1), Settings(), [replace(AGENT, tool_rounds=4)])
    assert found.calls == Range(low=1, likely=2, high=5)
    assert estimate(exams(1), Settings(), [replace(AGENT, tool_rounds=1)]).calls.high == 2


def test_no_answer_is_longer_than_allowed() -> None:
    found = estimate(exams(4), Settings(), [replace(AGENT, max_output_tokens=50)])
    assert found.output_tokens == Range(low=4 * LITTLE.reply, likely=4 * 50, high=4 * 50)


def test_an_unknown_price_makes_the_whole_unknown_and_is_named() -> None:
    found = estimate(exams(1), Settings(), [AGENT, replace(REVIEWER, price=None)])
    assert found.cost is None
    assert found.unpriced == ("openai:r",)
    assert found.callers["agent"].cost is not None


def test_time_is_that_of_calls_side_by_side_or_of_the_limits() -> None:
    settings = Settings(concurrency=10)
    free = estimate(exams(100), settings, [AGENT])
    assert free.seconds.likely == pytest.approx(100 * USUAL.seconds / 10)
    limited = estimate(exams(100), settings, [replace(AGENT, limit=Limit(requests_per_minute=10))])
    assert limited.seconds == Range(low=600, likely=600, high=600)
    narrow = estimate(exams(100), settings, [replace(AGENT, limit=Limit(concurrency=1))])
    assert narrow.seconds.likely == pytest.approx(100 * USUAL.seconds)
    assert estimate(exams(2), settings, [AGENT]).seconds.likely == pytest.approx(USUAL.seconds)


def test_without_models_nothing_is_taken() -> None:
    found = estimate(exams(5), Settings(), [])
    assert (found.calls.high, found.seconds.high, found.cost) == (0, 0, Range(low=0, likely=0, high=0))


@given(st.integers(0, 5), st.integers(1, 4), st.booleans(), st.integers(1, 3), st.integers(0, 5))
def test_ranges_are_in_order(count: int, cases: int, is_open: bool, trials: int, rounds: int) -> None:
    callers = [replace(AGENT, tool_rounds=rounds), REVIEWER, EXAMINER]
    found = estimate(exams(count, cases=1 if is_open else cases, is_open=is_open), Settings(trials=trials), callers)
    for each in _ranges(found):
        assert 0 <= each.low <= each.likely <= each.high


def _ranges(found: CostEstimate) -> list[Range]:
    assert found.cost is not None
    return [found.calls, found.input_tokens, found.output_tokens, found.cost, found.seconds]


def test_a_better_tokenizer_is_used() -> None:
    found = estimate(exams(1), Settings(), [AGENT], count=lambda text: 7)
    assert found.input_tokens.low == 5 + 7 + 7


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("four", 1), ("five!", 2), ("日本", 2), (b"12345", 2)])
def test_tokens_are_about_four_letters_and_fewer_in_other_scripts(text: str | bytes, tokens: int) -> None:
    assert tokens_in(text) == tokens


def test_a_second_judge_is_asked_of_none_some_or_all_of_the_replies() -> None:
    second = estimate(exams(20), Settings(), [replace(REVIEWER, is_second=True)])
    assert second.calls == Range(low=0, likely=2, high=40)
    assert estimate(exams(20), Settings(), [REVIEWER]).calls == Range(low=20, likely=20, high=40)
