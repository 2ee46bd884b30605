"""An attempt in a worker's hands, as the driver knows it."""

from __future__ import annotations

from pathlib import Path

from proctor.run import Finished, Reviewed, Turned
from proctor.running.workers.held import HeldAttempt
from proctor.score import Review
from proctor.testing import Scene
from proctor.transcript import Reply, Transcript, Turn


def held(turns: int = 3) -> HeldAttempt:
    return HeldAttempt(Scene(folder=Path(), cases=1, turns=turns).pending()[0])


def answered(one: HeldAttempt, number: int) -> Turned:
    return Turned(key=one.key, turn=Turn(number=number, question="?", reply=Reply(text="yes"), started=1.0, ended=2.0))


def test_it_goes_on_with_the_turns_and_reviews_that_came_back() -> None:
    one = held()
    one.note(answered(one, 1))
    one.note(Reviewed(key=one.key, turn=1, reviews=(Review(),)))
    one.note(answered(one, 2))
    dealt = one.dealt()
    assert [turn.number for turn in dealt.attempt.transcript.turns] == [1, 2]
    assert dealt.reviews == {1: (Review(),)}
    assert dealt.attempt.started == 1.0


def test_one_that_is_begun_again_has_said_nothing_yet() -> None:
    one = held()
    one.note(answered(one, 1))
    one.note(Reviewed(key=one.key, turn=1, reviews=(Review(),)))
    one.note(Finished(attempt=one.pending.attempt))
    dealt = one.dealt()
    assert (dealt.attempt.transcript, dealt.reviews) == (Transcript(), {})


def test_three_deaths_at_the_same_turn_are_too_many() -> None:
    one = held()
    for _ in range(3):
        one.note(answered(one, 1))
        one.lose()
        one.dealt()
    assert one.deaths == 3


def test_deaths_of_one_that_gets_further_each_time_are_not_its_own_doing() -> None:
    one = held()
    for number in (1, 2, 3):
        one.note(answered(one, number))
        one.lose()
        one.dealt()
    assert one.deaths == 1


def test_the_failure_of_a_blamed_one_says_why_and_keeps_what_was_said() -> None:
    one = held()
    one.note(answered(one, 1))
    one.deaths = 3
    attempt = one.fail_after_crashes("it was ended by SIGKILL").attempt
    assert attempt.failure is not None
    assert attempt.failure.owner == "environment"
    assert "3 workers died" in attempt.failure.reason
    assert "it was ended by SIGKILL" in attempt.failure.reason
    assert len(attempt.transcript.turns) == 1
