"""Ids that come out the same twice, and times that survive the way there and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.run import Key
from proctor.telemetry.span import nanoseconds, seconds_of, span_id, trace_id

KEY = Key(run="r", exam="e", condition="slow", trial=2)


def test_ids_have_the_length_that_opentelemetry_wants() -> None:
    assert len(bytes.fromhex(trace_id(KEY))) == 16
    assert len(bytes.fromhex(span_id(KEY, "turn", 1))) == 8


def test_the_same_place_has_the_same_id_and_another_place_another() -> None:
    assert trace_id(KEY) == trace_id(Key(run="r", exam="e", condition="slow", trial=2))
    others = [Key(run="r", exam="e", condition="slow", trial=1), Key(run="r", exam="eslow", trial=2)]
    assert len({trace_id(KEY), *(trace_id(key) for key in others)}) == 3
    assert len({span_id(KEY), span_id(KEY, "turn", 1), span_id(KEY, "turn", 11), span_id(KEY, "turn", 1, 1)}) == 4


@given(st.floats(min_value=1e9, max_value=4e9))
def test_a_time_survives_the_way_to_nanoseconds_and_back(seconds: float) -> None:
    assert seconds_of(nanoseconds(seconds)) == seconds
