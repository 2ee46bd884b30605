from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.statistics.common_trials import (
    Count,
    Values,
    counts_alike,
    counts_in_common,
    differences_in_common,
    in_common,
)
from proctor.statistics.compare import compare_counts, differences_of, sign_flip_test

verdicts = st.lists(st.integers(0, 1).map(float), max_size=8)
cases = st.lists(st.tuples(verdicts, verdicts), min_size=1, max_size=25)


def count(values: list[float]) -> Count:
    return len(values), int(sum(values))


def test_a_run_is_cut_to_its_first_trials() -> None:
    assert in_common([[1, 0, 1, 1]], [[0, 0]]) == ([1, 0], [0, 0])
    assert counts_in_common([[1, 0, 1, 1]], [[0, 0]]) == ((2, 1), (2, 0))


def test_a_run_is_cut_under_each_condition_by_itself() -> None:
    plain_lost, slow_lost = [[1, 1, 1], [0]], [[1], [0, 0, 0]]
    assert in_common(plain_lost, slow_lost) == ([1, 0], [1, 0])


def test_runs_under_other_conditions_are_cut_as_a_whole() -> None:
    assert in_common([[1, 1], [0, 0]], [[0, 1, 1]]) == ([1, 1, 0], [0, 1, 1])


def test_a_case_of_which_the_runs_have_no_trial_in_common_is_not_tested() -> None:
    assert counts_in_common([[1], []], [[], [1]]) == ((0, 0), (0, 0))
    assert differences_in_common([([[1], []], [[], [1]]), ([[1], [1]], [[0], [1]])]) == [-0.5]


def test_marks_are_cut_like_verdicts() -> None:
    few: Values = [[0.5]]
    assert differences_in_common([(few, [[0.7, 0.1, 0.4]]), (few, [[0.5]])]) == pytest.approx([0.2, 0.0])
    assert differences_in_common([(few, [[0.7]]), (few, [[]])]) is None  # neither run has others


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((1, 1), (8, 7), ((1, 1), (1, 1))),
        ((1, 0), (8, 7), ((1, 0), (1, 0))),
        ((1, 0), (8, 8), ((1, 0), (1, 1))),
        ((4, 4), (2, 1), ((2, 2), (2, 1))),
        ((4, 1), (2, 1), ((2, 1), (2, 1))),
        ((3, 2), (3, 1), ((3, 2), (3, 1))),
        ((3, 2), (0, 0), ((0, 0), (0, 0))),
    ],
)
def test_trials_in_an_unknown_order_are_taken_as_alike_as_they_may_be(
    a: Count, b: Count, expected: tuple[Count, Count]
) -> None:
    assert counts_alike(a, b) == expected
    assert counts_alike(b, a) == expected[::-1]


@settings(deadline=None)
@given(cases)
def test_the_test_of_unequal_trials_is_that_of_the_trials_in_common(
    pairs: list[tuple[list[float], list[float]]],
) -> None:
    a, b = [count(x) for x, _ in pairs], [count(y) for _, y in pairs]
    common = [counts_in_common([x], [y]) for x, y in pairs]
    found = compare_counts(a, b, common=common)
    cut = [(x[: min(len(x), len(y))], y[: min(len(x), len(y))]) for x, y in pairs]
    equal = compare_counts([count(x) for x, _ in cut], [count(y) for _, y in cut])
    assert (found.p_value, found.better) == (equal.p_value, equal.better)
    assert found.thinned == any(len(x) != len(y) for x, y in pairs if x and y)
    if found.p_value is not None:
        differences = [sum(y) / len(y) - sum(x) / len(x) for x, y in cut if x]
        assert found.p_value == pytest.approx(sign_flip_test(differences))
    if not found.thinned:
        assert found == equal


@settings(deadline=None)
@given(cases, st.randoms(use_true_random=False))
def test_the_order_of_runs_turns_the_result_round_and_that_of_cases_changes_nothing(
    pairs: list[tuple[list[float], list[float]]], random: Random
) -> None:
    def compared(rows: list[tuple[list[float], list[float]]]) -> tuple[float | None, float | None]:
        common = [counts_in_common([x], [y]) for x, y in rows]
        found = compare_counts([count(x) for x, _ in rows], [count(y) for _, y in rows], common=common)
        return found.p_value, found.better

    p, better = compared(pairs)
    turned_p, turned = compared([(y, x) for x, y in pairs])
    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert compared(shuffled) == pytest.approx((p, better))
    if p is not None and better is not None:
        assert (turned_p, turned) == pytest.approx((p, 1 - better))


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 4), (1, 8), (4, 2)])
def test_the_same_agent_with_other_trials_seldom_looks_like_another(before: int, after: int) -> None:
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(400):
        rates = rng.beta(1.6, 0.4, 20)
        a, b = (rng.random((20, trials)) < rates[:, None] for trials in (before, after))
        common = [counts_in_common([x.tolist()], [y.tolist()]) for x, y in zip(a, b, strict=True)]
        found += sign_flip_test(differences_of(common)) <= 0.05
    assert found / 400 <= 0.05
