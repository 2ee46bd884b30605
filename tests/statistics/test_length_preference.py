from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.length_preference import LabelledMark, length_preference

MARKS = st.lists(st.builds(LabelledMark, st.floats(0, 1), st.integers(0, 500), st.booleans()), min_size=10, max_size=60)


def draw(rng: random.Random, n: int, *, pull: float) -> list[LabelledMark]:
    """Marks that follow people's label, and by `pull` the length too; right replies are longer by nature."""
    found = []
    for _ in range(n):
        people = rng.random() < 0.6
        length = rng.gauss(1.0 if people else 0.0, 1)
        mark = (1.0 if people else 0.0) + pull * (length - (1.0 if people else 0.0)) + rng.gauss(0, 1)
        found.append(LabelledMark(mark=mark, words=round(100 + 20 * length), people=people))
    return found


def test_it_is_the_partial_correlation_of_the_ranks() -> None:
    import numpy as np
    from scipy.stats import rankdata

    marks = draw(random.Random(1), 40, pull=0.5)
    x, y = (rankdata([each[place] for each in marks]) for place in (0, 1))
    z = np.array([float(each.people) for each in marks])
    r = np.corrcoef([x, y, z])
    expected = (r[0, 1] - r[0, 2] * r[1, 2]) / np.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2))
    assert length_preference(marks).value == pytest.approx(expected)


def test_right_replies_that_are_longer_by_nature_are_no_preference() -> None:
    found = length_preference(draw(random.Random(3), 2000, pull=0.0))
    assert found.value == pytest.approx(0.0, abs=0.05)
    assert found.side == 0


def test_a_judge_that_prefers_length_is_found_out() -> None:
    found = length_preference(draw(random.Random(2), 200, pull=0.8))
    assert found.side == 1


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng = random.Random(5)
    held = sum(length_preference(draw(rng, 50, pull=0.0)).side == 0 for _ in range(400))
    assert 0.92 <= held / 400 <= 0.98


def test_few_labels_or_marks_that_do_not_differ_say_nothing() -> None:
    few = length_preference([LabelledMark(0.5, 10, True)] * 9)
    same = length_preference([LabelledMark(0.5, place, True) for place in range(12)])
    assert (few.value, few.n, same.value) == (None, 9, None)
    assert all((few.note, same.note))


@given(MARKS)
def test_it_lies_between_its_ends_and_within_one(marks: list[LabelledMark]) -> None:
    found = length_preference(marks)
    if found.value is not None and found.low is not None and found.high is not None:
        assert -1 <= found.low <= found.high <= 1
        assert -1 <= found.value <= 1
