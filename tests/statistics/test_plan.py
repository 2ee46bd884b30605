import numpy as np
import pytest

from proctor.errors import InputError
from proctor.statistics.compare import compare
from proctor.statistics.plan import (
    cases_needed,
    detectable,
    plan,
    spread_from_flips,
    spread_from_run,
    spread_from_runs,
    within,
)


def test_five_points_with_a_tenth_flipping_need_306_cases() -> None:
    found = plan(spread_from_flips(0.10, 0.05), 0.05)
    assert [row.cases for row in found] == [306] * 4  # nothing is known of chance, so trials are not counted on
    assert found[0].floor == 306
    assert found[1].attempts == 2 * 306 * 2


def test_not_worse_by_two_points_needs_about_two_thousand_cases() -> None:
    assert cases_needed(0.10, 0.02) == pytest.approx(1963, abs=1)


def test_trials_help_down_to_the_floor_and_no_further() -> None:
    found = plan(spread_from_flips(0.10, 0.05, noise=0.02), 0.05, trials=(1, 2, 4, 1000))
    cases = [row.cases for row in found]
    assert cases[0] == 306
    assert cases == sorted(cases, reverse=True)
    assert cases[-1] == found[0].floor == 181
    assert len(set(cases)) == 4


def test_the_planned_cases_show_the_difference_four_times_in_five() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(600):
        kind = rng.choice(3, size=306, p=(0.075, 0.025, 0.9))
        found = compare([0.0 if k == 0 else 1.0 for k in kind], [0.0 if k == 1 else 1.0 for k in kind])
        seen += found.difference.low is not None and found.difference.low > 0
    assert seen / 600 == pytest.approx(0.8, abs=0.06)


def test_the_chance_between_trials_is_unbiased() -> None:
    assert within([(4, 2), (4, 4), (2, 1), (1, 1)]) == pytest.approx((4 / 12 + 0 + 1 / 2) / 3)
    rng = np.random.default_rng(6)
    rates = rng.beta(2, 1, 50_000)
    counts = [(3, int(c)) for c in rng.binomial(3, rates)]
    assert within(counts) == pytest.approx(float(np.mean(rates * (1 - rates))), abs=0.004)


def test_two_stored_runs_tell_change_from_chance() -> None:
    rng = np.random.default_rng(7)
    before = rng.beta(2, 1, 40_000)
    after = np.where(rng.random(40_000) < 0.1, 1 - before, before)
    a = [(4, int(c)) for c in rng.binomial(4, before)]
    b = [(4, int(c)) for c in rng.binomial(4, after)]
    found = spread_from_runs(a, b)
    assert found.between == pytest.approx(float(np.var(after - before)), abs=0.003)
    assert found.of(4, 4) == pytest.approx(
        float(np.var([y[1] / 4 - x[1] / 4 for x, y in zip(a, b, strict=True)])), rel=0.02
    )


def test_a_stored_run_gives_the_chance_and_the_user_the_flips() -> None:
    found = spread_from_run([(4, 4)] * 9 + [(4, 2)], 0.2, 0.05)
    assert (found.within_a, found.within_b) == pytest.approx((1 / 30, 1 / 30))
    assert found.between == pytest.approx(0.2 - 0.0025 - 2 / 30)


def test_what_so_many_cases_would_show_is_the_plan_read_backwards() -> None:
    assert cases_needed(0.1, detectable(0.1, 500)) == 500
    assert detectable(0.5, 1) == 1


def test_more_power_or_a_smaller_difference_need_more_cases() -> None:
    assert cases_needed(0.1, 0.05, power=0.9) > cases_needed(0.1, 0.05) > cases_needed(0.1, 0.06)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cases_needed(0.1, 0.0), "difference=0.0"),
        (lambda: cases_needed(0.1, 0.05, power=1.0), r"power=1\.0"),
        (lambda: spread_from_flips(0.03, 0.05), r"flips=0\.03"),
        (lambda: within([(1, 1)] * 20), "One trial a case"),
        (lambda: spread_from_runs([(2, 1)], [(2, 1)]), "cases=1"),
    ],
)
def test_a_plan_from_nothing_is_refused(call: object, said: str) -> None:
    assert callable(call)
    with pytest.raises(InputError, match=said):
        call()
