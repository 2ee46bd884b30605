from __future__ import annotations

from typing import Any

import pytest
from tests.metrics.scripted import conversation, judge_by, source, unsure

from proctor.metrics.agentic import Agentic, AgenticSummary, BayesianMode
from proctor.statistics.intervals import wilson
from proctor.statistics.pass_at_k import pass_at_k, pass_hat_k


def summary(*marks: str, k: int = 3, trials: int = 1, **options: Any) -> AgenticSummary:
    """The summary of conversations with these marks; with trials, so many of each in a row."""
    data = [conversation(f"s{i // trials}", mark, trial=i % trials + 1) for i, mark in enumerate(marks)]
    return Agentic.run(source(*data), model=judge_by(unsure), k=k, **options).summary


def test_n_counts_conversations_and_c_the_fully_correct_ones() -> None:
    found = summary("rrr", "rrw", "r", "rr")
    assert (found.n, found.conversations, found.counted, found.fully_correct) == (4, 4, 4, 3)
    assert found.pass_at_k.value == pytest.approx(1 - 0.25**3)
    assert found.pass_pow_k.value == pytest.approx(0.75**3)
    assert (found.pass_at_k.n, found.pass_at_k.method) == (4, "plug-in")


def test_intervals_are_wilson_s_put_through_the_formulas() -> None:
    found = summary(*["r"] * 7, *["w"] * 3, k=2)
    low, high = wilson(0.7, 10)
    assert (found.pass_rate.low, found.pass_rate.high) == pytest.approx((low, high))
    assert (found.pass_pow_k.low, found.pass_pow_k.high) == pytest.approx((low**2, high**2))
    assert (found.pass_at_k.low, found.pass_at_k.high) == pytest.approx((1 - (1 - low) ** 2, 1 - (1 - high) ** 2))


def test_more_conversations_narrow_the_interval() -> None:
    few, many = summary(*["r", "w"] * 5), summary(*["r", "w"] * 50)
    widths = [found.pass_pow_k.high - found.pass_pow_k.low for found in (few, many)]  # type: ignore[operator]
    assert widths[1] < widths[0] / 2


def test_the_bayesian_mode_gives_the_posterior_over_conversations() -> None:
    found = summary(*["r"] * 7, *["w"] * 3, statistical_mode=BayesianMode())
    assert found.pass_at_k.value == pytest.approx(0.945055, abs=5e-7)
    assert (found.pass_pow_k.low, found.pass_pow_k.high) == pytest.approx((0.059437, 0.706721), abs=5e-7)
    assert found.pass_at_k.method == "posterior"


def test_repeated_trials_give_the_unbiased_estimates_averaged_over_conversations() -> None:
    found = summary("r", "r", "w", "r", "w", "w", k=2, trials=3)
    assert (found.conversations, found.attempts, found.fully_correct) == (2, 6, 3)
    assert found.pass_at_k.value == pytest.approx((pass_at_k(3, 2, 2) + pass_at_k(3, 1, 2)) / 2)
    assert found.pass_pow_k.value == pytest.approx((pass_hat_k(3, 2, 2) + pass_hat_k(3, 1, 2)) / 2)
    assert found.pass_rate.value == pytest.approx(0.5)
    assert (found.pass_at_k.n, found.pass_at_k.attempts, found.pass_at_k.method) == (2, 6, "wilson-cases")
    assert any("unbiased" in note for note in found.notes)


def test_k_above_the_trials_has_no_value_and_says_why() -> None:
    found = summary("r", "r", "w", "r", k=3, trials=2)
    assert (found.pass_at_k.value, found.quality, found.quality_certain) == (None, None, False)
    assert "k exceeds the trials" in found.pass_at_k.note
    assert "k exceeds the trials" in found.assessment
    assert "k exceeds the trials" in str(found)


def test_undecided_conversations_are_out_of_n_and_bounded() -> None:
    found = summary("r", "r", "w", "ru", k=1)
    assert (found.conversations, found.counted) == (4, 3)
    for estimate in (found.pass_rate, found.pass_at_k, found.pass_pow_k):
        assert estimate.value == pytest.approx(2 / 3)
        assert (estimate.n, estimate.missing, estimate.worst, estimate.best) == (3, 1, 0.5, 0.75)
        assert estimate.gate_low == pytest.approx(wilson(0.5, 4)[0])
        assert estimate.gate_high == pytest.approx(wilson(0.75, 4)[1])
    (place,) = found.unscored
    assert (place.session_id, place.trial, place.index, place.qa_id) == ("s3", 1, 1, "q1")
    assert any("1 conversation undecided and out of n" in note for note in found.notes)
    assert any("pass@1 0.500 to 0.750" in note for note in found.notes)


def test_undecided_trials_are_bounded_too() -> None:
    found = summary("r", "u", "r", "w", k=2, trials=2)
    assert found.pass_at_k.n == 1
    assert (found.pass_pow_k.worst, found.pass_pow_k.best) == (0.0, 0.5)
    assert any("fewer than k = 2 counted trials" in note for note in found.notes)


def test_an_unscored_answer_in_a_wrong_conversation_changes_nothing() -> None:
    found = summary("r", "wu", k=1)
    assert (found.pass_rate.missing, len(found.unscored)) == (0, 1)
    assert any("decided without" in note for note in found.notes)


def test_with_nothing_counted_there_is_no_value_and_no_label() -> None:
    found = summary("u", "u")
    assert (found.pass_rate.value, found.pass_at_k.value, found.pass_pow_k.value) == (None, None, None)
    assert found.quality is None
    assert (found.pass_at_k.worst, found.pass_at_k.best) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("right", "wrong", "label"),
    [(9, 1, "Reliable"), (8, 2, "Inconsistent"), (5, 5, "Fair"), (2, 8, "Needs improvement")],
)
def test_quality_labels(right: int, wrong: int, label: str) -> None:
    found = summary(*["r"] * right, *["w"] * wrong)
    assert found.quality == label
    assert found.assessment == f"{label} (10 conversations: not certain)"
    assert not found.quality_certain


def test_a_label_is_certain_when_the_intervals_agree() -> None:
    found = summary(*["r"] * 100, k=1)
    assert (found.quality, found.quality_certain) == ("Reliable", True)
    assert found.assessment == "Reliable (100 conversations)"


def test_few_conversations_are_said_to_be_few() -> None:
    assert any("29 conversations: too few" in note for note in summary(*["r"] * 29).notes)
    assert not any("too few" in note for note in summary(*["r"] * 30).notes)


def test_without_trials_it_says_what_k_means() -> None:
    assert "different conversations drawn at random" in str(summary("r", "w"))


def test_usage_of_the_judge_is_added_up() -> None:
    found = summary("rr", "rw")
    assert (found.judge_calls, found.input_tokens, found.output_tokens) == (4, 40, 8)
