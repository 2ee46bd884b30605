from __future__ import annotations

import pytest

from proctor.statistics.pass_at_k import rate_over_cases


def test_a_case_counts_once_however_often_it_was_tried() -> None:
    rate = rate_over_cases([(4, 4, 4), (1, 1, 0)])
    assert (rate.value, rate.n, rate.attempts, rate.missing) == (0.5, 2, 5, 0)


def test_what_is_missing_is_bounded() -> None:
    rate = rate_over_cases([(4, 2, 1), (4, 4, 4), (4, 0, 0)])
    assert (rate.value, rate.n, rate.attempts, rate.missing) == (0.75, 2, 6, 6)
    assert rate.worst == pytest.approx((0.25 + 1 + 0) / 3)
    assert rate.best == pytest.approx((0.75 + 1 + 1) / 3)
