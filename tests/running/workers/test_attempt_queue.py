"""Who gets which attempt."""

from __future__ import annotations

from pathlib import Path

from proctor.run import Settings
from proctor.running.workers.attempt_queue import AttemptQueue
from proctor.running.workers.held import HeldAttempt
from proctor.testing import Scene


def dealer(cases: int, places: int) -> AttemptQueue:
    scene = Scene(folder=Path(), cases=cases, settings=Settings(concurrency=places))
    return AttemptQueue(scene.pending(), places=places)


def names(attempts: list[HeldAttempt]) -> list[str]:
    return [one.key.exam for one in attempts]


def test_a_worker_gets_as_much_as_it_can_play_and_some_to_go_on_with() -> None:
    assert names(dealer(20, 4).deal(1, places=2, spare=1)) == ["c1", "c2", "c3"]


def test_near_the_end_nobody_holds_what_another_could_play() -> None:
    assert names(dealer(4, 4).deal(1, places=2, spare=2)) == ["c1", "c2"]


def test_what_a_lost_worker_held_comes_first() -> None:
    deal = dealer(20, 4)
    deal.deal(1, places=2, spare=0)
    deal.give_again(deal.drop(1))
    assert sorted(names(deal.deal(2, places=2, spare=0))) == ["c1", "c2"]
    assert deal.moved == 2


def test_a_suspect_is_played_alone() -> None:
    deal = dealer(20, 4)
    (suspect,) = deal.deal(1, places=1, spare=0)
    suspect.deaths = 2
    deal.give_again(deal.drop(1))
    assert names(deal.deal(2, places=2, spare=2)) == ["c1"]
    assert deal.deal(2, places=2, spare=2) == []
    assert names(deal.deal(3, places=2, spare=0)) == ["c2", "c3"]


def test_it_is_done_when_nobody_holds_anything_and_nothing_is_left() -> None:
    deal = dealer(1, 4)
    assert not deal.is_done()
    deal.deal(1, places=1, spare=0)
    assert not deal.is_done()
    deal.drop(1)
    assert deal.is_done()
