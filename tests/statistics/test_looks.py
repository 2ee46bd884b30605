import numpy as np
import pytest

from proctor.statistics.looks import CHART_LEVEL, lond_level, watch


def test_a_marked_run_becomes_the_baseline() -> None:
    level = {0: 0, 1: 0, 2: 1, 3: 1, 4: 0}
    looks = watch(5, lambda a, b: 1.0 if level[a] == level[b] else 0.001)
    assert [(look.baseline, look.run, look.marked) for look in looks] == [
        (0, 1, False),
        (0, 2, True),
        (2, 3, False),
        (2, 4, True),
    ]


def test_a_mark_never_vanishes_when_later_runs_come() -> None:
    rng = np.random.default_rng(1)
    p = rng.random((40, 40)) ** 4
    for strict in (False, True):
        whole = watch(40, lambda a, b: float(p[a, b]), strict=strict)
        for until in range(2, 40):
            assert watch(until, lambda a, b: float(p[a, b]), strict=strict) == whole[: until - 1]


def test_the_chart_marks_at_one_in_two_hundred() -> None:
    assert CHART_LEVEL == 0.005
    assert watch(2, lambda a, b: 0.005)[0].marked
    assert not watch(2, lambda a, b: 0.0051)[0].marked


def test_lond_spends_its_level_once_and_earns_by_marks() -> None:
    assert lond_level(1, 0) == pytest.approx(0.05 / 2.2858, rel=1e-4)
    assert lond_level(8, 3) == pytest.approx(4 * 0.05 * 8**-1.6 / 2.2858, rel=1e-4)
    total = sum(lond_level(t, 0) for t in range(1, 200_001))
    assert total == pytest.approx(0.05, rel=2e-3)
    assert total < 0.05


@pytest.mark.parametrize(("strict", "expected"), [(False, 0.22), (True, 0.046)])
def test_fifty_comparisons_without_a_change_seldom_show_one(strict: bool, expected: float) -> None:
    rng = np.random.default_rng(2)
    false = sum(any(look.marked for look in watch(51, lambda a, b: rng.random(), strict=strict)) for _ in range(1500))
    assert false / 1500 == pytest.approx(expected, abs=0.03)
