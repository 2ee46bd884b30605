import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.statistics.hierarchical import classes, fit, model_pass_at_k, model_pass_hat_k, shrunken_rates
from proctor.statistics.intervals import wilson

AIRLINE = Path(__file__).parents[3] / "shared" / "data" / "taubench_airline.json"

runs = st.lists(st.integers(1, 6).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m))), min_size=1, max_size=40)


def test_one_case_with_one_of_two_has_its_closed_form() -> None:
    found = fit([(2, 1)])  # likelihood 2μ(1−μ)(1−ρ)
    assert found.weight @ found.mu == pytest.approx(1 / 2)
    assert found.weight @ found.mu**2 == pytest.approx(3 / 10, abs=1e-5)
    assert found.weight @ found.rho == pytest.approx(1 / 3, abs=1e-6)


def test_one_case_with_two_of_two_has_its_closed_form() -> None:
    found = fit([(2, 2)])  # likelihood μ² + ρμ(1−μ)
    assert found.weight @ found.mu == pytest.approx(7 / 10, abs=1e-5)
    assert found.weight @ found.rho == pytest.approx(8 / 15, abs=1e-5)


@pytest.mark.parametrize("rho", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("n", [300, 30_000])
def test_the_grid_finds_a_posterior_far_narrower_than_its_mesh(n: int, rho: float) -> None:
    rng = np.random.default_rng(4)
    rates = rng.beta(0.8 * (1 - rho) / rho, 0.2 * (1 - rho) / rho, n)
    found = fit([(4, int(c)) for c in rng.binomial(4, rates)])
    mu = float(found.weight @ found.mu)
    spread = float(np.sqrt(found.weight @ (found.mu - mu) ** 2))
    expected = np.sqrt(0.16 * (rho + (1 - rho) / 4) / n)
    assert spread == pytest.approx(expected, rel=0.15)
    assert mu == pytest.approx(0.8, abs=4 * expected)
    assert float(found.weight @ found.rho) == pytest.approx(rho, abs=2.8 / n**0.5)


@settings(deadline=None)
@given(runs)
def test_a_shrunken_rate_lies_between_never_and_always_and_rises_with_passes(counts: list[tuple[int, int]]) -> None:
    found = fit(counts)
    rates = [found.rate(6, c) for c in range(7)]
    assert all(0 < rate < 1 for rate in rates)
    assert rates == sorted(rates)
    assert shrunken_rates(counts)[::-1] == pytest.approx(shrunken_rates(counts[::-1]))


def test_the_fewer_the_trials_the_more_a_rate_is_drawn_to_the_others() -> None:
    counts = [(4, 4)] * 12 + [(4, 1)] * 4 + [(1, 0), (8, 0)]
    rates = shrunken_rates(counts)
    assert 0 < rates[-1] < rates[-2] < rates[0]


def test_cases_that_always_or_never_pass_are_stable() -> None:
    named = classes([(4, 4)] * 20 + [(4, 0)] * 10)
    assert named == ["stable-pass"] * 20 + ["stable-fail"] * 10


def test_cases_that_pass_by_half_are_flaky() -> None:
    assert classes([(4, 2)] * 30) == ["flaky"] * 30


@pytest.mark.parametrize("counts", [[(4, 2)] * 9, [(1, 1)] * 50, [(2, 1)] * 9 + [(1, 1)] * 20])
def test_below_ten_cases_with_two_trials_there_are_no_classes(counts: list[tuple[int, int]]) -> None:
    assert classes(counts) is None


def test_a_case_that_never_counted_is_unsure() -> None:
    named = classes([(4, 4)] * 20 + [(0, 0)])
    assert named is not None
    assert named[-1] == "unsure"


@pytest.mark.skipif(not AIRLINE.exists(), reason="the recorded tau-bench results are not beside the project")
def test_four_trials_of_tau_bench_show_flaky_tasks_but_cannot_call_any_stable() -> None:
    counts = [(4, int(sum(row))) for row in json.loads(AIRLINE.read_text())["rewards"]]
    named = classes(counts)
    assert named is not None
    seen = Counter((c, name) for (_, c), name in zip(counts, named, strict=True))
    assert seen == {(0, "unsure"): 14, (1, "flaky"): 12, (2, "flaky"): 10, (3, "flaky"): 4, (4, "unsure"): 10}


def test_a_named_class_is_right_far_more_often_than_not() -> None:
    rng = np.random.default_rng(8)
    named = right = 0
    for _ in range(60):
        rates = rng.beta(0.8, 0.2, 30)
        found = classes([(4, int(c)) for c in rng.binomial(4, rates)])
        assert found is not None
        for rate, name in zip(rates, found, strict=True):
            true = "stable-pass" if rate >= 0.9 else "stable-fail" if rate <= 0.1 else "flaky"
            named += name != "unsure"
            right += name == true
    assert right / named > 0.8


def test_values_beyond_the_trials_are_marked_as_the_models() -> None:
    counts = [(4, c) for c in (4, 4, 3, 4, 2, 4, 0, 4, 4, 1)] * 5
    four, eight = model_pass_hat_k(counts, 4), model_pass_hat_k(counts, 8)
    assert (eight.method, eight.n, eight.attempts) == ("model", 50, 200)
    assert eight.note
    assert eight.value is not None
    assert four.value is not None
    assert eight.low is not None
    assert eight.high is not None
    assert eight.low < eight.value < eight.high
    assert eight.value < four.value
    once, often = model_pass_at_k(counts, 1).value, model_pass_at_k(counts, 8).value
    assert once == pytest.approx(model_pass_hat_k(counts, 1).value)
    assert once is not None
    assert often is not None
    assert once < often


def test_the_model_recovers_what_it_drew() -> None:
    rng = np.random.default_rng(3)
    rates = rng.beta(3.2, 0.8, 20_000)
    found = model_pass_hat_k([(4, int(c)) for c in rng.binomial(4, rates)], 8)
    assert found.value == pytest.approx(float(np.mean(rates**8)), abs=0.01)


def test_one_trial_gives_only_sharp_bounds() -> None:
    counts = [(1, 1)] * 8 + [(1, 0)] * 2
    hat, at = model_pass_hat_k(counts, 3), model_pass_at_k(counts, 3)
    assert (hat.value, at.value) == (None, None)
    assert (hat.worst, hat.best) == pytest.approx((0.8**3, 0.8))
    assert (at.worst, at.best) == pytest.approx((0.8, 1 - 0.2**3))
    low, high = wilson(0.8, 10)
    assert (hat.low, hat.high) == pytest.approx((low**3, high))
    assert (at.low, at.high) == pytest.approx((low, 1 - (1 - high) ** 3))
    assert hat.method == "bounds"


def test_without_any_counted_trial_nothing_is_known() -> None:
    assert model_pass_hat_k([(0, 0)], 3).value is None
