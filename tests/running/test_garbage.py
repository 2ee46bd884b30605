"""The garbage collector's threshold while attempts are played."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from proctor import evaluate
from proctor.benchmark import Case
from proctor.running.garbage import seldom_collected


@pytest.fixture
def young() -> Iterator[list[int]]:
    """The thresholds that an agent saw; Python's own hold before, and are there again after the test."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield []
    gc.set_threshold(*before)


def test_it_looks_less_often_while_a_run_is_played_and_as_before_afterwards(young: list[int]) -> None:
    def agent(question: str) -> str:
        young.append(gc.get_threshold()[0])
        return "28"

    evaluate([Case(id="a", question="?", answer="28")], agent=agent, reviewer="exact")
    assert young[0] > 700
    assert gc.get_threshold() == (700, 10, 10)


def test_a_failure_leaves_it_as_it_was(young: list[int]) -> None:
    with pytest.raises(ZeroDivisionError), seldom_collected():
        raise ZeroDivisionError
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("chosen", [0, 50_000])
def test_what_somebody_has_chosen_stays(young: list[int], chosen: int) -> None:
    gc.set_threshold(chosen, 5, 5)
    with seldom_collected():
        assert gc.get_threshold() == (chosen, 5, 5)
    assert gc.get_threshold() == (chosen, 5, 5)
