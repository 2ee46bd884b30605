"""Stopping early: the tables of the rulings, exact operating points, and what the normal bounds spend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.statistics import sequential
from proctor.statistics.sequential import (
    Plan,
    is_futile,
    level_of,
    look_sizes,
    operating_point,
    plan,
    score_z,
    z_bounds,
)

TRUTHS = (0.80, 0.85, 0.88, 0.90, 0.92, 0.94, 0.95, 0.96, 0.98)


def shown(planned: Plan) -> dict[int, tuple[int | None, int | None]]:
    return {look.cases: (look.not_met, look.met if look.reachable else None) for look in planned.looks}


@pytest.mark.parametrize(
    ("cases", "told"),
    [
        (
            500,
            {
                25: (14, None), 75: (57, 75), 100: (79, 99), 125: (100, 122), 150: (122, 146), 200: (167, 192),
                250: (211, 238), 300: (255, 283), 400: (345, 374), 500: (434, 465),
            },
        ),
        (200, {10: (3, None), 60: (45, 60), 100: (80, 98)}),
        (100, {5: (0, None), 50: (38, 50), 95: (78, 92), 100: (82, None)}),
    ],
)  # fmt: skip
def test_the_bounds_are_those_of_the_worked_tables(cases: int, told: dict[int, tuple[int | None, int | None]]) -> None:
    found = shown(plan(cases, 0.9))
    assert {size: found[size] for size in told} == told


def test_at_the_bound_the_exact_errors_are_what_was_spent() -> None:
    assert plan(500, 0.9).spent == pytest.approx((0.02330, 0.02405), abs=1e-5)


def test_the_mean_calls_and_errors_are_those_of_the_worked_example() -> None:
    every_5 = [operating_point(plan(500, 0.9), rate) for rate in TRUTHS]
    assert sum(each.calls for each in every_5) / len(TRUTHS) == pytest.approx(0.507, abs=5e-4)
    assert (every_5[3].met, every_5[3].not_met) == pytest.approx((0.0225, 0.0223), abs=1e-4)
    every_2 = plan(500, 0.9, tuple(range(10, 501, 10)))
    calls = [operating_point(every_2, rate).calls for rate in TRUTHS]
    assert calls == pytest.approx([0.253, 0.545, 0.657, 0.591, 0.654, 0.605, 0.485, 0.374, 0.234], abs=6e-4)
    for cases, mean in ((200, 0.596), (100, 0.647)):
        found = [operating_point(plan(cases, 0.9), rate).calls for rate in TRUTHS]
        assert sum(found) / len(TRUTHS) == pytest.approx(mean, abs=6e-4)


@settings(max_examples=30)
@given(st.integers(2, 300), st.floats(0.02, 0.98), st.floats(0, 1))
def test_every_run_ends_in_just_one_way_and_no_error_exceeds_its_level(cases: int, bound: float, rate: float) -> None:
    found = operating_point(plan(cases, bound), rate)
    assert found.met + found.not_met + found.inconclusive == pytest.approx(1, abs=1e-9)
    assert 0 < found.calls <= 1 + 1e-9
    at_bound = operating_point(plan(cases, bound), bound)
    assert max(at_bound.met, at_bound.not_met) <= sequential.ALPHA + 1e-12


def test_a_simulated_agent_ends_as_the_exact_course_says() -> None:
    chance, planned, runs = np.random.default_rng(5), plan(200, 0.9), 4_000
    ends = [_play(planned, chance.random(200) < 0.95) for _ in range(runs)]
    exact = operating_point(planned, 0.95)
    met = sum(verdict == "met" for verdict, _ in ends) / runs
    assert met == pytest.approx(exact.met, abs=0.025)
    assert sum(cases for _, cases in ends) / runs / 200 == pytest.approx(exact.calls, abs=0.02)


def _play(planned: Plan, passed: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[str, int]:
    for look in planned.looks:
        count = int(passed[: look.cases].sum())
        if count >= look.met:
            return "met", look.cases
        if look.not_met is not None and count <= look.not_met:
            return "not met", look.cases
        if planned.is_futile(look.cases, count):
            return "inconclusive", look.cases
    return "inconclusive", planned.cases


@pytest.mark.parametrize(
    ("units", "looks", "last"), [(500, 20, 500), (100, 20, 100), (7, 7, 7), (1, 1, 1), (101, 17, 101)]
)
def test_looks_are_taken_every_twentieth_and_at_the_end(units: int, looks: int, last: int) -> None:
    sizes = look_sizes(units)
    assert (len(sizes), sizes[-1]) == (looks, last)
    assert list(sizes) == sorted(set(sizes))


def test_the_score_z_is_that_of_the_worked_example() -> None:
    assert score_z(122 / 125, 0.9, 125) == pytest.approx(2.8324, abs=5e-5)
    assert score_z(0.5, 0.9, 0) == -np.inf


def test_the_normal_bounds_spend_the_error_that_was_meant() -> None:
    shares = tuple(step / 20 for step in range(1, 21))
    bounds = z_bounds(shares)
    assert list(bounds) == sorted(bounds, reverse=True)
    steps = np.random.default_rng(1).normal(size=(200_000, 20)) * np.sqrt(1 / 20)
    z = np.cumsum(steps, axis=1) / np.sqrt(shares)
    above, below = z >= bounds, z <= -np.array(bounds)
    first_above = np.where(above.any(axis=1), above.argmax(axis=1), 99)
    first_below = np.where(below.any(axis=1), below.argmax(axis=1), 99)
    assert np.mean(first_above < first_below) == pytest.approx(sequential.ALPHA, abs=0.0012)
    assert np.mean(first_below < first_above) == pytest.approx(sequential.ALPHA, abs=0.0012)


def test_one_look_alone_is_the_usual_interval() -> None:
    [only] = z_bounds((1.0,))
    assert only == pytest.approx(1.959964, abs=1e-5)
    assert level_of(only) == pytest.approx(0.95, abs=1e-6)


def test_a_path_at_the_gate_half_way_is_hopeless_and_one_far_from_it_is_not() -> None:
    assert is_futile(0.0, 0.8, 2.2)
    assert not is_futile(2.0, 0.8, 2.2)
    assert not is_futile(-2.0, 0.8, 2.2)
    assert is_futile(1.0, 1.0, 2.2)
