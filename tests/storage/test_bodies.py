"""Nouns as text: signs for what every row says, and nothing lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.storage.records import full_of_everything, key

from proctor.codec import decode, encode
from proctor.score import Part, Score
from proctor.storage.bodies import OUTCOME, TURN, outcome_body, outcome_text, turn_body, turn_text
from proctor.storage.rows import StoredOutcome
from proctor.transcript import Reply, Turn
from proctor.usage import Usage


def again(turn: Turn, exam: str = "c1") -> Turn:
    return decode(turn_text(turn_body(turn, exam), exam), Turn)


def test_a_plain_turn_holds_what_was_said_and_no_more() -> None:
    turn = Turn(number=1, question="Why?", reply=Reply(text="so", tools_known=False), case="c1", started=1.5, ended=2.5)
    assert turn_body(turn, "c1") == "\x02Why?\x03so\x06false\x011.5\x0b2.5\x0c"
    assert again(turn) == turn


def test_a_turn_that_is_full_of_everything_reads_back() -> None:
    [turn] = full_of_everything(key()).transcript.turns
    assert again(turn) == turn


def test_what_only_equals_the_usual_is_kept() -> None:
    turn = Turn(number=1, question="", reply=Reply(text="", usage=Usage(cost=0.0), tools_known=False))
    assert again(turn) == turn


@pytest.mark.parametrize("case", [None, "c1", "c2", 'odd "name\\'])
@pytest.mark.parametrize("exam", ["c1", 'odd "name\\'])
def test_a_turn_knows_its_case_whichever_exam_it_is_of(case: str | None, exam: str) -> None:
    turn = Turn(number=2, question="q", reply=Reply(text="r", tools_known=False), case=case)
    assert again(turn, exam) == turn


def test_words_that_look_like_signs_and_phrases_read_back() -> None:
    words = "".join(map(chr, range(32))) + "".join(phrase for _, phrase in (*TURN, *OUTCOME)) + "\ud83d\udca1"
    turn = Turn(number=1, question=words, reply=Reply(text=words), case=words)
    assert again(turn) == decode(encode(turn), Turn)
    outcome = {"turn_passed": (True,), "unscored": [{"reason": words}]}
    assert outcome_text(outcome_body(outcome)) == encode(outcome)


def test_rows_that_were_written_in_full_are_read_too() -> None:
    [turn] = full_of_everything(key()).transcript.turns
    assert decode(turn_text(encode(turn), "c1"), Turn) == turn


@pytest.mark.parametrize("phrases", [OUTCOME, (("\x01", ""), *TURN)], ids=["outcome", "turn"])
def test_each_sign_stands_for_one_thing_and_json_never_writes_it(phrases: tuple[tuple[str, str], ...]) -> None:
    signs = [sign for sign, _ in phrases]
    assert len(set(signs)) == len(signs)
    assert all(sign < " " and sign not in "\t\n\r" and len(sign) == 1 for sign in signs)


def test_a_mark_that_is_sure_and_was_not_passed_on_takes_no_more_room_than_before_and_reads_back() -> None:
    sure = Score(turn=1, of="agent", parts=(Part(name="correctness", value=1.0),), value=1.0, by="embedded")
    body = outcome_body({"turn_passed": (True,), "scores": (sure,)})
    assert body == '\x01\x03correctness\x111.0\x0c1.0\x0eembedded\x0f"}]}'
    unsure = replace(sure, parts=(Part(name="correctness", value=0.5, unsure=True),), passed_on=Usage(calls=1))
    for score in (sure, unsure):
        outcome = {"turn_passed": (True,), "scores": (score,)}
        assert decode(outcome_text(outcome_body(outcome)), StoredOutcome).scores == (score,)
