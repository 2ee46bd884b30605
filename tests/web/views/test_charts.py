"""Charts that only pages have."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from proctor.statistics.estimate import Estimate
from proctor.web.views import charts


def estimate(value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=10, method="made up")


def test_both_courses_have_a_point_an_interval_and_a_sentence_for_every_k() -> None:
    at = {k: estimate(0.5 + k / 10, 0.4, 0.9) for k in (1, 2, 3)}
    hat = {k: estimate(0.6 - k / 10, 0.1, 0.7) for k in (1, 2, 3)}
    drawn = charts.over_k(at, hat)
    assert drawn.count("<circle") == 6
    assert drawn.count('class="range"') == 6
    assert drawn.count('class="course"') == 4
    assert "k = 3: pass@k 80 %, pass^k 30 %" in drawn


def test_what_is_not_known_is_not_drawn() -> None:
    drawn = charts.over_k(
        {1: estimate(0.5, 0.4, 0.6), 2: estimate(None)}, {1: estimate(0.5, 0.4, 0.6), 2: estimate(None)}
    )
    assert drawn.count("<circle") == 2
    assert "pass@k –" in drawn


def test_many_tries_are_thinned_out_but_the_first_and_last_are_there() -> None:
    many = {k: estimate(0.5, 0.4, 0.6) for k in range(1, 201)}
    drawn = charts.over_k(many, many)
    assert drawn.count("<circle") < 60
    assert ">1</text>" in drawn
    assert ">200</text>" in drawn


@pytest.mark.parametrize("most", [2, 3, 12, 13, 20, 23, 24, 25, 100])
def test_labels_of_k_stand_apart_and_begin_with_one(most: int) -> None:
    tries = {k: estimate(0.5, 0.4, 0.6) for k in range(1, most + 1)}
    drawn = str(charts.over_k(tries, tries))
    places = [float(x) for x in re.findall(r'<text x="([\d.]+)%"', drawn)]
    told = re.findall(r'text-anchor="middle">(\d+)<', drawn)
    assert (told[0], told[-1]) == ("1", str(most))
    assert min(after - before for before, after in pairwise(places)) >= 6


@pytest.mark.parametrize(("value", "x"), [(0.0, 50), (0.2, 100), (-0.2, 0), (0.1, 75), (9.0, 100)])
def test_a_difference_stands_beside_zero_in_the_middle(value: float, x: int) -> None:
    drawn = charts.difference(estimate(value, value, value), 0.2, "so much")
    assert f'cx="{x:.2f}%"' in drawn


def test_a_scale_holds_every_interval_and_says_its_ends() -> None:
    assert charts.scale_of([estimate(0.1, -0.22, 0.1), estimate(None)]) == 0.25
    assert charts.scale_of([]) == 1.0
    assert charts.ends(0.25) == ("−25", "+25")


def test_labels_are_escaped() -> None:
    assert re.search(r'aria-label="&lt;b&gt;"', charts.difference(estimate(0.1, 0, 0.2), 1.0, "<b>"))
