"""Lies: what is made of a true result, and how often it is told."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from proctor import fault_injection as conditions
from proctor.fault_injection.lies import LIES, make_lie


@pytest.mark.parametrize(
    ("kind", "truth", "lie"),
    [
        ("stale", 100, 90),
        ("stale", 3, 2),
        ("stale", 19.5, 17.55),
        ("stale", {"price": 100, "open": True, "at": "2026-03-01"}, {"price": 90, "open": True, "at": "2025-03-01"}),
        ("stale", "The fee is 1,200 EUR since 2024.", "The fee is 1,080 EUR since 2023."),
        ("stale", "on 2024-02-29", "on 2023-02-28"),
        ("stale", "order A-12 by Ann", "order A-12 by Ann"),
        ("swapped", {"price": 100, "stock": 7, "name": "lamp"}, {"price": 7, "stock": 100, "name": "lamp"}),
        ("swapped", {"from": "Rome", "to": "Oslo"}, {"from": "Oslo", "to": "Rome"}),
        ("swapped", [{"a": 1, "b": 2}, {"a": 3, "b": 3}], [{"a": 2, "b": 1}, {"a": 3, "b": 3}]),
        ("swapped", {"trip": {"from": "Rome", "to": "Oslo"}}, {"trip": {"from": "Oslo", "to": "Rome"}}),
        ("swapped", '{"a": 1, "b": 2}', '{"a": 2, "b": 1}'),
        ("swapped", "no fields", "no fields"),
        ("empty", "text", ""),
        ("empty", ["a"], []),
        ("empty", {"a": 1}, {}),
        ("empty", 5, None),
        ("unit", {"distance": 5, "unit": "km"}, {"distance": 5000, "unit": "km"}),
        ("unit", "Flat 4 is 2.5 km away", "Flat 4 is 2500 km away"),
        ("unit", "It costs $1,200 in 2024.", "It costs $1,200,000 in 2024."),
        ("unit", "12 of 2024", "12000 of 2024"),
        ("truncated", "twelve words", "twelve"),
        ("truncated", ["a", "b", "c", "d"], ["a", "b"]),
        ("truncated", {"text": "twelve words", "page": 3}, {"text": "twelve", "page": 3}),
        ("truncated", "short", "short"),
    ],
)  # fmt: skip
def test_a_lie_has_the_shape_of_the_truth(kind: Any, truth: object, lie: object) -> None:
    assert make_lie(kind, truth) == lie
    assert type(make_lie(kind, truth)) is type(lie)


@pytest.mark.parametrize("kind", LIES)
def test_the_truth_itself_is_left_as_it_was(kind: Any) -> None:
    truth = {"rows": [{"price": 100, "stock": 7, "note": "delivered on Monday morning"}]}
    before = json.dumps(truth)
    assert make_lie(kind, truth) != truth
    assert json.dumps(truth) == before


@conditions.tool
def price(item: str) -> int:
    return 100


@conditions.tool
async def slow_price(item: str) -> int:
    await asyncio.sleep(0)
    return 100


def test_a_lasting_lie_is_told_each_time_and_a_transient_one_so_often() -> None:
    with conditions.in_force("old", {"tool": "price", "lies": "stale"}):
        assert [price("lamp") for _ in range(3)] == [90, 90, 90]
    tally = conditions.Tally()
    with conditions.in_force("old", {"tool": "price", "lies": "stale", "times": 2}, tally=tally):
        assert [price("lamp") for _ in range(3)] == [90, 90, 100]
    assert tally.met == 2
    assert price("lamp") == 100


async def test_an_async_tool_lies_too() -> None:
    with conditions.in_force("old", {"tool": "slow_price", "lies": "stale", "times": 1}):
        assert [await slow_price("lamp"), await slow_price("lamp")] == [90, 100]


def test_a_lie_in_your_own_words_is_told_as_it_is() -> None:
    with conditions.in_force("old", {"tool": "price", "lies": "stale", "answers": 80, "times": 1}):
        assert [price("lamp"), price("lamp")] == [80, 100]


def test_where_no_lie_can_be_made_nobody_has_come_across_it() -> None:
    tally = conditions.Tally()
    with conditions.in_force("mixed", {"tool": "price", "lies": "swapped"}, tally=tally):
        assert price("lamp") == 100
    assert (tally.met, tally.lie) == (0, None)


def test_what_is_called_after_a_lie_is_remembered() -> None:
    @conditions.tool
    def catalogue(item: str) -> int:
        return 100

    tally = conditions.Tally()
    with conditions.in_force("old", {"tool": "price", "lies": "stale"}, tally=tally):
        catalogue("lamp")
        price("lamp")
        price("chair")
        price("lamp")
        catalogue("lamp")
    assert tally.lie is not None
    told = tally.lie.kind, tally.lie.source, tally.lie.said, tally.lie.truth
    assert told == ("stale", "price", "90", "100")
    assert (tally.lie.times, tally.lie.again, tally.lie.elsewhere) == (3, 1, ("catalogue",))
