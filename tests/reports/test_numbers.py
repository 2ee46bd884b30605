from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reports import numbers
from proctor.statistics.estimate import Estimate
from proctor.usage import Usage


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.878, "87.8 %"), (0.7, "70 %"), (1.0, "100 %"), (0.0, "0 %"), (0.99996, "99.9 %"), (1e-5, "0.1 %")],
)
def test_percentages_have_no_false_precision_and_no_false_certainty(share: float, said: str) -> None:
    assert numbers.percent(share) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0.874, "0.87"), (1.0, "1.00"), (0.0, "0.00"), (0.999, "0.99"), (0.001, "0.01")]
)
def test_scores_have_two_decimals_and_only_a_full_mark_is_one(value: float, said: str) -> None:
    assert numbers.score(value) == said


@given(st.floats(0, 1), st.floats(0, 1))
def test_intervals_are_whole_percents_unless_that_would_hide_them(a: float, b: float) -> None:
    low, high = sorted((a, b))
    said = numbers.interval(low, high)
    first, second = said.split(" – ")
    assert ("." in said) == (high - low < 0.02)
    assert abs(float(first) - 100 * low) <= 0.51
    assert abs(float(second) - 100 * high) <= 0.51


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0001, "< 1 ms"), (0.042, "42 ms"), (0.9996, "1.0 s"), (1.4, "1.4 s"), (9.96, "10 s"), (59.7, "1 min 00 s"),
        (124, "2 min 04 s"), (200, "3 min 20 s"), (3599.6, "1 h 00 min"), (7500, "2 h 05 min"), (90000, "1 d 1 h"),
        (None, "–"),
    ],
)  # fmt: skip
def test_durations_are_said_as_people_say_them(seconds: float | None, said: str) -> None:
    assert numbers.duration(seconds) == said


@pytest.mark.parametrize(
    ("amount", "said"), [(None, "unknown"), (0.0, "0.00"), (1.239, "1.24"), (0.0042, "0.0042"), (1e-7, "< 0.0001")]
)
def test_unknown_cost_is_unknown_and_never_zero(amount: float | None, said: str) -> None:
    assert numbers.cost(amount) == said


def test_usage_says_an_unknown_cost() -> None:
    assert numbers.usage(Usage(input_tokens=12345, output_tokens=6)) == "12,345 tokens in, 6 out, cost unknown"
    assert numbers.usage(Usage()) == ""


@pytest.mark.parametrize(
    ("past", "said"), [(5, "just now"), (60, "1 minute ago"), (7500, "2 hours ago"), (3 * 86400, "3 days ago")]
)
def test_recent_moments_are_relative(past: float, said: str) -> None:
    assert numbers.ago(1_794_710_770, 1_794_710_770 + past) == said


def test_old_and_future_moments_are_exact() -> None:
    moment = 1_794_710_770
    assert numbers.ago(moment, moment + 40 * 86400) == numbers.exact(moment) == "2026-11-15 02:46 UTC"
    assert numbers.ago(moment, moment - 3600) == numbers.exact(moment)


def test_an_estimate_that_cannot_be_had_says_why() -> None:
    said = numbers.say(Estimate(value=None, low=None, high=None, n=0, method="m", note="no score was given"), "score")
    assert (said.value, said.interval, said.basis) == ("–", "no score was given", "")


def test_an_estimate_with_missing_attempts_says_what_they_could_change() -> None:
    estimate = Estimate(
        value=0.8, low=0.6, high=0.9, n=29, attempts=85, method="m", missing=5, worst=0.744, best=0.8
    )  # fmt: skip
    said = numbers.say(estimate)
    assert said.full == (
        "80 % (60 – 90); 29 cases, 85 attempts; 5 attempts without a verdict: 74.4 % at worst, 80 % at best"
    )


def test_even_trials_are_said_as_a_product() -> None:
    estimate = Estimate(value=0.8, low=0.6, high=0.9, n=30, attempts=90, method="m")
    assert numbers.basis(estimate) == "30 cases × 3"
    assert numbers.basis(estimate, noun="conversation") == "30 conversations × 3"
