"""Where the doubt in a mean comes from: worked checks, properties, and how often the intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import UsageError
from proctor.statistics.noise import flip_rate, noise_components

_TRUE = (0.09, 0.03, 0.02)


def _world(rng: np.random.Generator, n: int = 100, m: int = 3, r: int = 3) -> list[list[list[float]]]:
    cases, trials, judge = (share**0.5 for share in _TRUE)
    values = rng.normal(0, cases, (n, 1, 1)) + rng.normal(0, trials, (n, m, 1)) + rng.normal(0, judge, (n, m, r))
    return values.tolist()  # type: ignore[no-any-return]


def test_the_components_that_made_the_values_are_found_and_their_intervals_hold_them() -> None:
    rng = np.random.default_rng(1)
    found = [noise_components(_world(rng)) for _ in range(300)]
    for name, truth, off in (("cases", 0.09, 0.003), ("trials", 0.03, 0.0005), ("judgements", 0.02, 0.0003)):
        estimates = [getattr(each, name) for each in found]
        assert np.mean([each.value for each in estimates]) == pytest.approx(truth, abs=off)
        assert np.mean([each.low <= truth <= each.high for each in estimates]) > 0.9


def test_a_judge_that_flips_a_tenth_of_150_replies_is_found() -> None:
    # a pass with the chance q that 2q(1−q) = .1
    q = (1 - 0.8**0.5) / 2
    rng = np.random.default_rng(2)
    found = [flip_rate(rng.binomial(3, q, (150, 1)).tolist(), 3) for _ in range(200)]
    assert np.mean([each.value for each in found]) == pytest.approx(0.1, abs=0.004)
    assert np.mean([abs((each.value or 0) - 0.1) <= 0.04 for each in found]) > 0.92
    assert np.mean([(each.low or 0) <= 0.1 <= (each.high or 0) for each in found]) > 0.92


def test_a_worked_example_by_hand() -> None:
    values = [[[1.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]]
    found = noise_components(values)
    # mean squares: of judgements .5/6, of trials 2 · .125/3, of cases 4 · (.75² + 1 − 1.75²/3)/2
    assert found.judgements.value == pytest.approx(1 / 12)
    assert found.trials is not None
    assert found.trials.value == 0.0
    assert found.cases.value == pytest.approx((4 * (0.75**2 + 1 - 1.75**2 / 3) / 2 - 1 / 12) / 4)
    assert found.shape == (3, 2, 2)


def test_a_component_below_nothing_is_nothing_and_said() -> None:
    values = [[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 0.0]], [[0.0, 1.0]]]
    found = noise_components(values)
    assert found.cases.value == 0.0
    assert found.negative == ("cases",)
    assert found.trials is None


def test_on_verdicts_the_judges_noise_is_half_its_flip_rate() -> None:
    passes = [[3, 1], [0, 2], [3, 3], [2, 0]]
    values = [[[1.0] * c + [0.0] * (3 - c) for c in case] for case in passes]
    rate = flip_rate(passes, 3).value
    assert rate is not None
    assert noise_components(values).judgements.value == pytest.approx(rate / 2)


@given(st.lists(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=2), min_size=3))
def test_more_of_anything_never_makes_the_mean_less_sure(values: list[list[list[float]]]) -> None:
    found = noise_components(values)
    assert all(each is not None and (each.low or 0) <= (each.value or 0) <= (each.high or 0) for each in
               (found.cases, found.trials, found.judgements))  # fmt: skip
    now = found.variance_of_mean(10, 2, 1)
    assert min(now, 1.0) >= 0
    for more in ((20, 2, 1), (10, 4, 1), (10, 2, 2)):
        assert found.variance_of_mean(*more) <= now + 1e-12


@pytest.mark.parametrize(
    "values",
    [
        [],
        [[[1.0, 0.0]], [[1.0, 1.0]]],
        [[[1.0], [0.0]], [[1.0], [0.0]], [[1.0], [0.0]]],
        [[[1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0]]],
    ],
)
def test_what_is_not_balanced_is_refused(values: list[list[list[float]]]) -> None:
    with pytest.raises(UsageError, match="not balanced"):
        noise_components(values)


def test_one_judgement_cannot_differ() -> None:
    with pytest.raises(UsageError, match="at least 2"):
        flip_rate([[1]], 1)
