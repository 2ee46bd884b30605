"""The pass rate as people judge: worked examples, properties, and how often its interval holds the truth."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import UsageError
from proctor.statistics.intervals import wilson
from proctor.statistics.people import (
    Labelled,
    correlation,
    effective_labels,
    judge_quality,
    labels_needed,
    labels_needed_of,
    labels_to_tell,
    rate_by_other_labels,
    rate_by_people,
)


def labelled(passes: int, right: int, fails: int, wrong: int) -> Labelled:
    return Labelled(passes=passes, passes_right=right, fails=fails, fails_wrong=wrong)


@pytest.mark.parametrize(
    ("cases", "passed", "labels", "value", "interval", "n_eff"),
    [
        (500, 430, (43, 40, 7, 2), 0.8400, (0.7373, 0.9076), 70.54),
        (500, 430, (86, 80, 14, 4), 0.8400, (0.7699, 0.8918), 138.32),
        (500, 430, (25, 23, 25, 6), 0.8248, (0.7030, 0.9035), 54.05),
        (200, 180, (45, 45, 5, 5), 1.0000, (0.9300, 1.0), 51.02),
        (100, 60, (30, 30, 20, 0), 0.6000, (0.4982, 0.6938), 92.73),
    ],
)
def test_the_worked_examples(
    cases: int,
    passed: int,
    labels: tuple[int, int, int, int],
    value: float,
    interval: tuple[float, float],
    n_eff: float,
) -> None:
    share = passed / cases
    found = rate_by_people(labelled(*labels), share=share, cases=cases)
    assert found.value == pytest.approx(value, abs=5e-5)
    assert (found.low, found.high) == pytest.approx(interval, abs=5e-5)
    assert effective_labels(labelled(*labels), share=share, cases=cases) == pytest.approx(n_eff, abs=0.006)


def test_labels_of_another_run_by_rogan_and_gladen() -> None:
    found = rate_by_other_labels(430, 500, sensitivity=(90, 100), specificity=(85, 100))
    assert found.value == pytest.approx(0.9467, abs=5e-5)
    assert (found.low, found.high) == pytest.approx((0.8619, 1.0), abs=5e-5)


def test_labels_whose_weights_do_not_add_up_to_the_last_digit_are_carried_over_all_the_same() -> None:
    found = rate_by_other_labels(0, 10, sensitivity=(13, 15), specificity=(3.0000000000000004, 3))
    assert found.value == 0.0


@pytest.mark.parametrize(("passed", "cases"), [(1, 1), (10, 10), (0, 1), (0, 10), (500, 500)])
def test_a_run_that_passed_or_failed_throughout_is_no_surer_by_carried_labels_than_by_its_judge(
    passed: int, cases: int
) -> None:
    found = rate_by_other_labels(passed, cases, sensitivity=(95, 100), specificity=(95, 100))
    low, high = wilson(passed / cases, cases)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low >= min(high - low, 1.0) * 0.99


@given(
    passed=st.integers(0, 30),
    more=st.integers(0, 30),
    sensitivity=st.floats(0, 1),
    specificity=st.floats(0, 1),
    labels=st.tuples(st.floats(0.5, 200), st.floats(0.5, 200)),
)
def test_carried_labels_give_an_interval_around_their_rate_or_are_refused(
    passed: int, more: int, sensitivity: float, specificity: float, labels: tuple[float, float]
) -> None:
    good, bad = labels
    try:
        found = rate_by_other_labels(
            passed, passed + more + 1, sensitivity=(sensitivity * good, good), specificity=(specificity * bad, bad)
        )
    except UsageError:
        return
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_a_judge_that_hardly_tells_people_apart_cannot_carry_labels_over() -> None:
    with pytest.raises(UsageError, match="is too inaccurate"):
        rate_by_other_labels(430, 500, sensitivity=(60, 100), specificity=(50, 100))


@pytest.mark.parametrize(("phi", "needed"), [(0.0, 385), (0.7, 196), (0.8, 139), (0.9, 73)])
def test_how_many_labels_it_takes(phi: float, needed: int) -> None:
    assert labels_needed(rate=0.9, half_width=0.03, correlation=phi) == pytest.approx(needed, abs=1)


def test_few_cases_take_more_labels_or_cannot_be_told_so_surely_at_all() -> None:
    told = {"rate": 0.84, "half_width": 0.05, "correlation": 0.61}
    many = labels_needed(**told)
    assert labels_needed_of(1_000_000, **told) == many
    assert labels_needed_of(500, **told) == pytest.approx(153, abs=2)  # of which 50 are there: about 110 more
    assert labels_needed_of(30, **told) is None


@pytest.mark.parametrize(
    ("labels", "share", "said"),
    [
        ((0, 0, 0, 0), 0.5, "nobody has labelled"),
        ((10, 9, 0, 0), 0.5, "that the judge failed"),
        ((0, 0, 10, 1), 0.5, "that the judge passed"),
    ],
)
def test_what_is_missing_is_said_and_no_value_given(labels: tuple[int, int, int, int], share: float, said: str) -> None:
    found = rate_by_people(labelled(*labels), share=share, cases=100)
    assert found.value is None
    assert said in found.note
    assert judge_quality(labelled(*labels), share=share) is None


def test_a_judge_that_passes_everything_needs_no_labels_on_what_it_failed() -> None:
    assert rate_by_people(labelled(20, 15, 0, 0), share=1.0, cases=100).value == 0.75


@given(st.data(), st.integers(2, 60), st.integers(2, 60), st.floats(0.05, 0.95))
def test_the_value_lies_in_its_interval_which_is_never_wider_than_by_the_labels_alone(
    data: st.DataObject, passes: int, fails: int, share: float
) -> None:
    found = labelled(passes, data.draw(st.integers(0, passes)), fails, data.draw(st.integers(0, fails)))
    rate = rate_by_people(found, share=share, cases=1_000)
    assert rate.value is not None
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low <= rate.value <= rate.high
    alone = wilson(rate.value, found.labels)
    assert rate.high - rate.low <= alone[1] - alone[0] + 1e-9


@given(st.floats(0.05, 0.95), st.integers(1, 40), st.integers(1, 40))
def test_a_perfect_judge_has_kappa_one_and_the_rate_it_gives(share: float, passes: int, fails: int) -> None:
    perfect = labelled(passes, passes, fails, 0)
    quality = judge_quality(perfect, share=share)
    assert quality is not None
    assert (quality.sensitivity, quality.specificity) == pytest.approx((1.0, 1.0))
    assert (quality.agreement, quality.kappa) == pytest.approx((1.0, 1.0))
    assert correlation(perfect, share=share) == pytest.approx(1.0)
    assert rate_by_people(perfect, share=share, cases=200).value == pytest.approx(share)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng, held, drawn = random.Random(7), 0, 0
    for _ in range(400):
        truth = [rng.random() < 0.8 for _ in range(500)]
        judge = [rng.random() < (0.85 if good else 0.15) for good in truth]
        chosen = rng.sample(range(500), 50)
        found = labelled(
            sum(judge[i] for i in chosen),
            sum(judge[i] and truth[i] for i in chosen),
            sum(not judge[i] for i in chosen),
            sum(not judge[i] and truth[i] for i in chosen),
        )
        rate = rate_by_people(found, share=sum(judge) / 500, cases=500)
        if rate.low is not None and rate.high is not None:
            drawn += 1
            held += rate.low <= 0.8 <= rate.high
    assert held / drawn >= 0.92


def test_labels_to_tell_a_rate_from_a_bound_are_those_of_a_sample_less_what_the_judge_tells() -> None:
    assert labels_to_tell(0.8, 0.5, given=0, cases=60, correlation=0.0) == 20  # rule 22 of the statistics: 19.2
    assert labels_to_tell(0.8, 0.5, given=6, cases=60, correlation=0.8) == 12
    assert labels_to_tell(0.8, 0.5, given=6, cases=15, correlation=0.0) is None
    assert labels_to_tell(0.5, 0.5, given=6, cases=10**6, correlation=0.0) is None


def test_as_many_labels_as_advised_settle_it_four_times_in_five() -> None:
    chance = random.Random(7)
    cases, bound, settled, advised = 80, 0.5, 0, 0
    for _ in range(300):
        truth = [chance.random() < 0.75 for _ in range(cases)]
        judge = [right is (chance.random() < 0.9) for right in truth]
        share = sum(judge) / cases
        order = chance.sample(range(cases), cases)

        def given(labels: int) -> Labelled:
            drawn = order[:labels]  # noqa: B023
            passes = [truth[each] for each in drawn if judge[each]]  # noqa: B023
            fails = [truth[each] for each in drawn if not judge[each]]  # noqa: B023
            return labelled(len(passes), sum(passes), len(fails), sum(fails))

        first = rate_by_people(given(8), share=share, cases=cases)
        if first.value is None or first.low is None or first.low >= bound or first.value <= bound + 0.05:
            continue
        told = correlation(given(8), share=share, cautious=True)
        needed = labels_to_tell(first.value, bound, given=8, cases=cases, correlation=told)
        if needed is None:
            continue
        advised += 1
        then = rate_by_people(given(max(9, needed)), share=share, cases=cases)
        settled += then.low is not None and then.low >= bound
    assert advised > 50
    assert settled / advised >= 0.75
