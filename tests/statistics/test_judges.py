"""How a judge agrees with people: worked examples, properties, and how often the intervals hold the truth."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.intervals import wilson
from proctor.statistics.judges import (
    Opinion,
    agreement_between_people,
    agreement_difference,
    agreement_with_people,
    effective_size,
    prefers_place,
    share_toward_first,
)
from proctor.statistics.people import Labelled, judge_quality


def opinions(right: int, false_pass: int, false_fail: int, both_fail: int) -> list[Opinion]:
    cells = (
        ((True, True), right),
        ((False, True), false_pass),
        ((True, False), false_fail),
        ((False, False), both_fail),
    )
    return [Opinion(people=people, judge=judge) for (people, judge), times in cells for _ in range(times)]


def test_a_worked_example_of_cohens_kappa() -> None:
    # Cohen's table: 20 and 15 agree, 5 and 10 do not; agreement .70, chance .50, kappa .40
    found = agreement_with_people(opinions(20, 10, 5, 15))
    assert found.agreement.value == pytest.approx(0.70)
    assert found.kappa.value == pytest.approx(0.40)
    assert (found.agreement.low, found.agreement.high) == pytest.approx(wilson(0.70, 50))
    assert (found.kappa.low, found.kappa.high) == pytest.approx(tuple(2 * end - 1 for end in wilson(0.70, 50)))
    assert found.sensitivity.value == pytest.approx(20 / 25)
    assert found.specificity.value == pytest.approx(15 / 25)
    assert (found.sensitivity.n, found.specificity.n) == (25, 25)


def test_what_there_is_nothing_of_has_no_value_and_says_so() -> None:
    nothing, only_passes = agreement_with_people([]), agreement_with_people(opinions(5, 0, 0, 0))
    assert nothing.agreement.value is None
    assert nothing.kappa.value is None
    assert only_passes.agreement.value == 1.0
    assert (only_passes.kappa.value, only_passes.kappa.note) == (None, "one of them always says the same")
    assert (only_passes.specificity.value, only_passes.specificity.note) == (None, "people fail none of them")


@given(st.integers(1, 30), st.integers(1, 30), st.data(), st.floats(0.05, 0.95))
def test_the_weights_give_what_the_correction_gives(passes: int, fails: int, data: st.DataObject, share: float) -> None:
    right, wrong = data.draw(st.integers(0, passes)), data.draw(st.integers(0, fails))
    labelled = Labelled(passes=passes, passes_right=right, fails=fails, fails_wrong=wrong)
    said = [Opinion(people=i < right, judge=True, weight=share / passes) for i in range(passes)]
    said += [Opinion(people=i < wrong, judge=False, weight=(1 - share) / fails) for i in range(fails)]
    found, told = agreement_with_people(said), judge_quality(labelled, share=share)
    assert told is not None
    assert found.agreement.value == pytest.approx(told.agreement)
    if told.sensitivity is not None:
        assert found.sensitivity.value == pytest.approx(told.sensitivity)
    if found.kappa.value is not None:
        assert found.kappa.value == pytest.approx(told.kappa)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=50))
def test_unequal_weights_are_worth_fewer_labels(weights: list[float]) -> None:
    assert 1 - 1e-9 <= effective_size(weights) <= len(weights) + 1e-9


def test_the_better_of_two_judges_on_the_same_attempts() -> None:
    a, b = opinions(20, 10, 5, 15), opinions(25, 0, 0, 25)
    people = [Opinion(people=each.people, judge=each.people) for each in a]
    found = agreement_difference(a, people)
    assert found.value == pytest.approx(0.30)
    assert found.low is not None
    assert found.low > 0.1
    assert agreement_difference(b, b).value == 0.0
    same = agreement_difference(b, b)
    assert same.low is not None
    assert same.high is not None
    assert same.low < 0 < same.high
    assert agreement_difference([], []).value is None


@pytest.mark.parametrize("draw_failed", [0, 15])
def test_the_intervals_hold_the_truth_also_where_more_of_what_failed_was_drawn(draw_failed: int) -> None:
    rng, held, drawn = random.Random(5), {"sensitivity": 0, "specificity": 0, "agreement": 0}, 0
    truth = {"sensitivity": 0.9, "specificity": 0.7, "agreement": 0.8 * 0.9 + 0.2 * 0.7}
    for _ in range(300):
        people = [rng.random() < 0.8 for _ in range(500)]
        judge = [rng.random() < (0.9 if good else 0.3) for good in people]
        failed = [i for i in range(500) if not judge[i]]
        chosen = {*rng.sample(range(500), 60), *rng.sample(failed, draw_failed)}
        strata = {True: sum(judge) / 500, False: 1 - sum(judge) / 500}
        sizes = {verdict: sum(judge[i] is verdict for i in chosen) for verdict in strata}
        said = [Opinion(people=people[i], judge=judge[i], weight=strata[judge[i]] / sizes[judge[i]]) for i in chosen]
        found = agreement_with_people(said)
        drawn += 1
        for name, value in truth.items():
            estimate = getattr(found, name)
            held[name] += estimate.low <= value <= estimate.high
    assert min(held.values()) / drawn >= 0.92


def test_two_people_agree_as_cohens_table_says_with_an_interval_over_attempts() -> None:
    cells = {(True, True): 20, (True, False): 5, (False, True): 10, (False, False): 15}
    votes = [{"ann": a, "bob": b} for (a, b), times in cells.items() for _ in range(times)]
    found = agreement_between_people([*votes, {"ann": True}])
    assert found is not None
    assert (found.agreement.n, found.agreement.value) == (50, 0.7)
    assert found.kappa.value == pytest.approx(0.4)
    assert found.kappa.low is not None
    assert found.kappa.low < 0.4


def test_of_three_people_every_pair_counts_and_nobody_alone_does() -> None:
    found = agreement_between_people([{"a": True, "b": True, "c": False}, {"a": False, "b": False, "c": False}])
    assert found is not None
    assert found.agreement.value == pytest.approx((1 / 3 + 1) / 2)
    assert agreement_between_people([{"a": True}, {"b": False}]) is None


def test_people_who_always_say_the_same_have_no_kappa() -> None:
    found = agreement_between_people([{"a": True, "b": True}] * 5)
    assert found is not None
    assert (found.agreement.value, found.kappa.value) == (1.0, None)


def test_which_place_a_judge_prefers_is_told_beyond_chance() -> None:
    first = share_toward_first((case, 1.0) for case in range(30))
    assert (first.value, first.n, prefers_place(first)) == (1.0, 30, "first")
    assert prefers_place(share_toward_first((case, -0.5) for case in range(30))) == "second"
    assert prefers_place(share_toward_first((case, (-1.0) ** case) for case in range(30))) == ""
    none = share_toward_first((case, 0.0) for case in range(30))
    assert (none.value, prefers_place(none)) == (None, "")
