from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from proctor.reports.terminal import draw_estimate, writable
from proctor.statistics.estimate import Estimate

SHARE = st.floats(0, 1)


@given(SHARE, SHARE, SHARE, st.integers(1, 60))
def test_a_drawn_interval_fills_its_width_and_holds_its_value(a: float, b: float, c: float, width: int) -> None:
    low, value, high = sorted((a, b, c))
    line = draw_estimate(Estimate(value=value, low=low, high=high, n=3, method="m"), width).plain
    assert len(line) == width
    assert line.index("●") == round(value * (width - 1))
    assert line.count("●") == 1


def test_nothing_is_drawn_where_there_is_no_value() -> None:
    assert draw_estimate(Estimate(value=None, low=None, high=None, n=0, method="m"), 5).plain == "·····"


def test_the_scale_is_the_same_for_every_interval() -> None:
    assert draw_estimate(Estimate(value=0.5, low=0.0, high=1.0, n=3, method="m"), 9).plain == "├───●───┤"
    assert draw_estimate(Estimate(value=0.0, low=0.0, high=0.0, n=3, method="m"), 9).plain == "●········"


@pytest.mark.parametrize(
    ("encoding", "said"), [("utf-8", "✓ 漢"), ("ascii", "+ ??"), ("shift_jis", "+ 漢"), ("no-such-encoding", "+ ??")]
)
def test_what_an_encoding_lacks_is_stood_in_for_at_the_same_width(encoding: str, said: str) -> None:
    assert writable("✓ 漢", encoding) == said
    assert cell_len(said) == 4
