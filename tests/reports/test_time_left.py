from __future__ import annotations

from itertools import pairwise

import pytest

from proctor.reports.progress import TimeLeft, say_time_left


def test_the_time_left_never_grows_while_nothing_comes_back() -> None:
    left = TimeLeft(0.0, done=0, planned=30)
    left.count(4.0, 10, 30)
    told = [left.seconds(4.0 + tenth / 10) for tenth in range(80)]
    assert told[0] == pytest.approx(8.0)
    assert all(later < earlier for earlier, later in pairwise(told) if earlier and later)


@pytest.mark.parametrize(("size", "every"), [(10, 4.0), (1, 0.42), (1, 3.0), (3, 1.0), (50, 0.01)])
def test_waves_of_any_size_do_not_make_it_jump(size: int, every: float) -> None:
    planned, left = 20 * size, TimeLeft(0.0, done=0, planned=20 * size)
    for wave in range(1, 20):
        for place in range(size):
            left.count(wave * every + place * 1e-4, (wave - 1) * size + place + 1, planned)
            told = left.seconds(wave * every + place * 1e-4)
            if wave > 1:
                assert told == pytest.approx((20 - wave) * every, abs=0.2 + every / 10)


def test_how_long_the_first_answer_took_to_come_is_no_part_of_the_pace() -> None:
    left = TimeLeft(0.0, done=0, planned=10)
    for done in range(1, 4):
        left.count(60.0 + done, done, 10)
    assert left.seconds(63.0) == pytest.approx(7.0)


def test_what_was_done_before_is_no_part_of_the_pace() -> None:
    left = TimeLeft(100.0, done=80, planned=100)
    left.count(110.0, 90, 100)
    assert left.seconds(110.0) == pytest.approx(10.0)


def test_an_estimate_that_has_run_out_is_not_told_for_ever() -> None:
    left = TimeLeft(0.0, done=0, planned=2)
    left.count(1.0, 1, 2)
    assert left.seconds(2.5) == 0.0
    assert left.seconds(60.0) is None


def test_nothing_is_told_before_the_first_answer_and_after_the_last() -> None:
    left = TimeLeft(0.0, done=0, planned=1)
    assert left.seconds(5.0) is None
    left.count(6.0, 1, 1)
    assert left.seconds(6.0) is None


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, ""), (0.0, "less than a second left"), (0.99, "less than a second left"), (1.0, "1 s left"),
        (3.2, "4 s left"), (59.5, "1 min 00 s left"), (65.0, "1 min 05 s left"), (7300.0, "2 h 01 min left"),
    ],
)  # fmt: skip
def test_it_is_said_without_tenths(seconds: float | None, said: str) -> None:
    assert say_time_left(seconds) == said


def test_a_conversation_that_is_replayed_takes_units_back_and_breaks_nothing() -> None:
    left = TimeLeft(0.0, done=0, planned=10)
    for now, done in ((1.0, 1), (2.0, 0), (3.0, 1), (4.0, 2), (5.0, 3)):
        left.count(now, done, 10)
    assert left.seconds(5.0) == pytest.approx(8.0, abs=3.0)
