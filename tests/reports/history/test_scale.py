from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.made_histories import a_run, counts, told

from proctor.findings.history import History
from proctor.reports.history.panel import Scale, scale_of


def of_rates(*fails: int) -> History:
    return told([(a_run(number), counts(range(each))) for number, each in enumerate(fails, 1)])


@given(st.lists(st.integers(0, 60), min_size=1, max_size=4))
def test_every_interval_fits_between_round_ends(fails: list[int]) -> None:
    history = of_rates(*fails)
    scale = scale_of(history.entries)
    assert 0 <= scale.low < scale.high <= 1
    assert scale.high - scale.low >= 0.2 - 1e-9
    for entry in history.entries:
        assert entry.rate is not None
        assert entry.rate.low is not None
        assert entry.rate.high is not None
        assert scale.low - 1e-9 <= entry.rate.low <= entry.rate.high <= scale.high + 1e-9
    ticks = scale.ticks()
    assert (ticks[0], ticks[-1]) == (scale.low, scale.high)
    assert 3 <= len(ticks) <= 7


def test_places_run_from_end_to_end_and_not_beyond() -> None:
    scale = Scale(low=0.5, high=1.0)
    assert [scale.place(rate) for rate in (0.2, 0.5, 0.75, 1.0)] == [0, 0, 0.5, 1]


def test_nothing_to_draw_is_drawn_from_0_to_100() -> None:
    assert scale_of([]) == Scale(low=0.0, high=1.0)
