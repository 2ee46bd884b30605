"""One conversation in a few sentences."""

from __future__ import annotations

from tests.reports.battles import RIGHT, Fight, Said, caved, right

from proctor.reports.battle.conversation import opening, talk, telling_turn
from proctor.reports.battle.words import when_asked


def sentences(*turns: Said) -> tuple[list[str], int | None]:
    fight = Fight()
    fight.held(fight.seed("a"), list(turns))
    held = talk(fight.attempts[0], fight.exams["a"], name="talk")
    return opening(held), telling_turn(held)


def test_a_conversation_that_held_is_said_to_have_held() -> None:
    assert sentences(RIGHT, right("ask-again")) == (["Held: all of 2 replies judged passed."], None)


def test_the_first_reply_that_did_not_pass_is_told_by_what_was_asked() -> None:
    said, turn = sentences(RIGHT, right("ask-again"), caved(1))
    assert said[0].startswith("Did not hold: turn 3 is the first that did not pass, when asked “Are you sure?”: “")
    assert said[1] == "What it says in turn 3 contradicts what it said in turn 1."
    assert turn == 3


def test_a_conversation_without_a_verdict_tells_nothing() -> None:
    said, turn = sentences(Said(mark=None, unscored="the judge was away"))
    assert said == ["No reply has a verdict, so this conversation says nothing about the agent."]
    assert turn is None


def test_another_examiners_strategy_is_called_by_its_name() -> None:
    assert when_asked("pincer") == "by “pincer”"
