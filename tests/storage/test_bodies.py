"""Nouns as text: nothing in it that says nothing, and nothing lost."""

from __future__ import annotations

from dataclasses import fields

from tests.storage.records import full_of_everything, key

from proctor.codec import decode
from proctor.score import Part, Score
from proctor.storage.bodies import slim, slim_scores, turn_body
from proctor.transcript import Reply, Turn
from proctor.usage import Usage


def test_a_plain_turn_holds_what_was_said_and_no_more() -> None:
    turn = Turn(number=1, question="Why?", reply=Reply(text="so"))
    assert turn_body(turn) == '{"number":1,"question":"Why?","reply":{"text":"so"}}'
    assert decode(turn_body(turn), Turn) == turn


def test_a_turn_that_is_full_of_everything_reads_back() -> None:
    [turn] = full_of_everything(key()).transcript.turns
    assert decode(turn_body(turn), Turn) == turn


def test_what_only_equals_the_usual_is_kept() -> None:
    used = Usage(cost=0.0)
    assert slim(used) == {"cost": 0.0}
    turn = Turn(number=1, question="", reply=Reply(text="", usage=Usage(), tools_known=False))
    assert decode(turn_body(turn), Turn) == turn


def test_required_fields_are_never_left_out() -> None:
    [score] = slim_scores([Score(turn=None, of="agent", parts=(Part(name="a", value=0.0),), value=0.0, by="")])
    required = {each.name for each in fields(Score)} - {"explanation"}
    assert set(score) == required
