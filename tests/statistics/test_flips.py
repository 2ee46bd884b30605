import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from proctor.statistics.flips import Rate, flips, grid, rate_of
from proctor.statistics.hierarchical import Population, fit_for_means

UNIFORM = Population(mu=np.array([1 / 2]), rho=np.array([1 / 3]), weight=np.ones(1))
ONCE = grid(20)


def rate(m: int, c: int) -> Rate:
    """Of a case, before which every rate was as probable: Beta(1 + c, 1 + m − c)."""
    return rate_of(UNIFORM, m, c, ONCE)


def test_with_one_trial_a_changed_verdict_is_a_flip() -> None:
    a, b = [(1, 0), (1, 1), (1, 1), (1, 0), (0, 0)], [(1, 1), (1, 0), (1, 1), (1, 0), (1, 1)]
    assert flips(a, b) == ["fixed", "broken", "unchanged", "unchanged", "missing"]


def test_with_several_trials_a_flip_must_be_probable() -> None:
    a = [(4, 4)] * 20 + [(4, 0)] * 5 + [(4, 2)] * 5
    b = [(4, 4)] * 15 + [(4, 0)] * 10 + [(4, 2)] * 5
    assert flips(a, b) == ["unchanged"] * 15 + ["broken"] * 5 + ["unchanged"] * 5 + ["flaky"] * 5
    assert flips(b, a)[15:20] == ["fixed"] * 5


def test_one_trial_more_or_less_of_a_flaky_case_is_no_flip() -> None:
    a, b = [(4, 2)] * 12 + [(4, 3)], [(4, 2)] * 12 + [(4, 2)]
    assert flips(a, b)[-1] == "flaky"


def test_small_runs_fall_back_on_a_flat_prior() -> None:
    assert flips([(4, 4), (4, 0), (4, 1), (4, 4)], [(4, 0), (4, 4), (4, 2), (4, 4)]) == [
        "broken",
        "fixed",
        "flaky",
        "unchanged",
    ]


@pytest.mark.parametrize("others", [1, 3, 8])
def test_two_failures_of_two_that_become_two_passes_of_two_are_a_flip_by_a_hair(others: int) -> None:
    assert flips([(2, 0)] + [(2, 2)] * others, [(2, 2)] * (others + 1))[0] == "fixed"  # .95 under a flat prior
    assert flips([(2, 2)] * (others + 1), [(2, 0)] + [(2, 2)] * others)[0] == "broken"


def test_a_case_that_went_the_same_way_every_time_is_not_flaky_however_flaky_the_others_are() -> None:
    a = [(3, 1)] * 12 + [(3, 2)] * 13 + [(3, 3)] * 12 + [(3, 0)] * 3
    named = flips(a, a)
    assert named == ["flaky"] * 25 + ["unchanged"] * 15


def test_one_failure_of_three_and_none_in_the_next_three_is_no_repair() -> None:
    a, b = [(3, 2)] * 2 + [(3, 3)] * 38, [(3, 3)] * 40
    assert flips(a, b) == ["flaky"] * 2 + ["unchanged"] * 38
    assert flips(b, a) == ["flaky"] * 2 + ["unchanged"] * 38


def test_a_case_that_went_each_way_throughout_one_run_is_not_flaky_but_perhaps_changed() -> None:
    a, b = [(3, 0)] * 24 + [(3, 3)] * 6, [(1, 1)] * 24 + [(1, 1)] * 6
    assert flips(a, b) == ["changed"] * 24 + ["unchanged"] * 6
    assert flips(b, a)[0] == "changed"
    assert flips([(3, 1)] * 12, [(1, 1)] * 12)[0] == "flaky", "seen both ways within one run"


def test_a_case_missing_in_one_run_is_missing() -> None:
    assert flips([(4, 4), (0, 0)], [(4, 4), (4, 4)]) == ["unchanged", "missing"]


_tried = st.integers(0, 20).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m)))


@settings(deadline=None)
@given(_tried, _tried)
def test_one_of_the_two_is_less(x: tuple[int, int], y: tuple[int, int]) -> None:
    assert rate(*x).less_than(rate(*y)) + rate(*y).less_than(rate(*x)) == pytest.approx(1, abs=1e-6)


def test_the_probability_has_its_closed_form() -> None:
    assert rate(0, 0).less_than(rate(2, 2)) == pytest.approx(3 / 4, abs=1e-6)  # the mean of the second
    assert rate(0, 0).less_than(rate(5, 1)) == pytest.approx(2 / 7, abs=1e-6)


def test_rates_that_many_trials_make_narrow_are_told_apart_as_finely() -> None:
    logits = grid(10_000)
    before, after = rate_of(UNIFORM, 10_000, 5_000, logits), rate_of(UNIFORM, 10_000, 5_100, logits)
    by_the_normal_limit = stats.norm.cdf(0.0099980004 / (2 * 0.25 / 10_000) ** 0.5)
    assert before.less_than(after) == pytest.approx(by_the_normal_limit, abs=1e-3)


def test_what_is_not_known_of_the_other_cases_is_averaged_over() -> None:
    population = fit_for_means([(2, 2)] * 12 + [(2, 1)] * 4 + [(2, 0)] * 4)
    a, b = population.priors
    sample = np.random.default_rng(1).choice(len(a), 200_000, p=population.weight)
    draws = np.random.default_rng(2).beta(a[sample] + 2, b[sample])
    others = np.random.default_rng(3).beta(a[sample[::-1]] + 1, b[sample[::-1]] + 1)
    logits = grid(2)
    found = rate_of(population, 2, 1, logits).less_than(rate_of(population, 2, 2, logits))
    assert found == pytest.approx(float(np.mean(others < draws)), abs=0.004)


def test_a_clear_break_among_stable_cases_is_seen() -> None:
    assert flips([(4, 4)] * 20, [(4, 0)] + [(4, 4)] * 19)[0] == "broken"
    assert flips([(4, 0)] + [(4, 4)] * 19, [(4, 4)] * 20)[0] == "fixed"


@pytest.mark.parametrize("several", [(2, 2), (3, 3), (5, 5)])
def test_a_run_of_one_trial_breaks_and_fixes_nothing_that_goes_the_same(several: tuple[int, int]) -> None:
    assert set(flips([several] * 20, [(1, 1)] * 20)) == {"unchanged"}
    assert set(flips([(1, 1)] * 20, [several] * 20)) == {"unchanged"}
    always_wrong = [(several[0], 0)] * 20
    assert set(flips(always_wrong, [(1, 0)] * 20)) == set(flips([(1, 0)] * 20, always_wrong)) == {"unchanged"}


def test_one_trial_still_shows_what_broke_among_stable_cases() -> None:
    stable = [(5, 5)] * 60 + [(5, 0)] * 40
    once = [(1, 0)] * 3 + [(1, 1)] * 57 + [(1, 0)] * 38 + [(1, 1)] * 2
    assert flips(stable, once) == ["broken"] * 3 + ["unchanged"] * 95 + ["fixed"] * 2


_counts = st.integers(0, 5).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m)))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_counts, _counts), min_size=1, max_size=25))
def test_only_a_case_that_passed_more_often_is_fixed_and_less_often_broken(
    pairs: list[tuple[tuple[int, int], tuple[int, int]]],
) -> None:
    named = flips([a for a, _ in pairs], [b for _, b in pairs])
    for (a, b), name in zip(pairs, named, strict=True):
        moved = b[1] * a[0] - a[1] * b[0]
        assert name != "fixed" or moved > 0
        assert name != "broken" or moved < 0
        assert name != "flaky" or 0 < a[1] + b[1] < a[0] + b[0]
        assert name != "unchanged" or a[1] + b[1] in (0, a[0] + b[0]) or (a[0] <= 1 and b[0] <= 1)


@pytest.mark.parametrize("trials", [(1, 8), (8, 1), (2, 8), (4, 2)])
def test_more_trials_of_the_same_agent_seldom_break_or_fix_a_case(trials: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    named = 0
    for _ in range(30):
        rates = rng.beta(1.6, 0.4, 20)
        a, b = ([(m, int(c)) for c in rng.binomial(m, rates)] for m in trials)
        named += sum(name in ("fixed", "broken") for name in flips(a, b))
    assert named / (30 * 20) < 0.08
