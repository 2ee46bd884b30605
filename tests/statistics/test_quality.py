import pytest

from proctor.statistics.estimate import Estimate
from proctor.statistics.pass_at_k import plug_in_at_k, plug_in_hat_k
from proctor.statistics.quality import Quality, certain, label, sentence


def estimate(value: float | None, low: float | None, high: float | None, n: int = 3) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=n, method="posterior")


@pytest.mark.parametrize(
    ("at_k", "hat_k", "expected"),
    [
        (0.95, 0.70, "Reliable"),
        (0.95, 0.699, "Inconsistent"),
        (0.949, 0.9, "Fair"),
        (0.70, 0.1, "Fair"),
        (0.699, 0.1, "Needs improvement"),
        (0.95 - 1e-12, 0.7 - 1e-12, "Reliable"),
    ],
)
def test_the_label_follows_the_thresholds(at_k: float, hat_k: float, expected: Quality) -> None:
    assert label(at_k, hat_k) == expected


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        (888, "Reliable"),
        (887, "Inconsistent"),
        (632, "Inconsistent"),
        (631, "Fair"),
        (331, "Fair"),
        (330, "Needs improvement"),
    ],
)
def test_with_three_plug_in_tries_the_label_is_just_a_cut_of_the_rate(passes: int, expected: Quality) -> None:
    assert label(plug_in_at_k(1000, passes, 3), plug_in_hat_k(1000, passes, 3)) == expected


def test_a_label_is_certain_when_all_ends_agree() -> None:
    assert certain(estimate(0.99, 0.96, 1.0), estimate(0.8, 0.75, 0.9))
    assert not certain(estimate(0.99, 0.90, 1.0), estimate(0.8, 0.75, 0.9))
    assert not certain(estimate(0.99, 0.96, 1.0), estimate(0.8, 0.6, 0.9))
    assert not certain(estimate(0.99, None, None), estimate(0.8, None, None))


def test_a_value_outside_its_own_interval_is_not_certain() -> None:
    assert not certain(estimate(0.99, 0.2, 0.6), estimate(0.2, 0.1, 0.3))


def test_the_sentence_says_what_it_rests_on() -> None:
    wide = estimate(0.99, 0.5, 1.0), estimate(0.8, 0.3, 0.9)
    assert sentence(*wide) == "Reliable (3 conversations: not certain)"
    sure = estimate(0.99, 0.96, 1.0, n=1), estimate(0.8, 0.75, 0.9, n=1)
    assert sentence(*sure) == "Reliable (1 conversation)"
    assert sentence(estimate(None, None, None), estimate(None, None, None)) == "Not known (nothing was counted)"
