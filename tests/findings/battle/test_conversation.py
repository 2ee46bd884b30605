from __future__ import annotations

from dataclasses import replace

from tests.findings.battle.made import OPEN, attempt

from proctor.benchmark import Case, Exam
from proctor.findings.battle.conversation import conversation
from proctor.findings.battle.replies import replies_of
from proctor.run import Failure
from proctor.statistics.survival import Lifetime
from proctor.transcript import Reply

CRASH = Failure(stage="agent", owner="agent", reason="it broke")
OUTAGE = Failure(stage="agent", owner="environment", reason="no network")
RIGHT, WRONG = (True, 1.0), (False, 0.0)


def test_the_share_of_replies_that_pass_and_whether_it_held() -> None:
    found = conversation(OPEN, attempt((None, *RIGHT), ("rephrase", *RIGHT), ("are-you-sure", *WRONG)), right_from=0.7)
    assert (found.replies.judged, found.replies.passed, found.held) == (3, 2, False)
    assert found.share == 2 / 3


def test_an_unjudged_reply_counts_for_nothing() -> None:
    asked = attempt((None, *RIGHT), ("source", None, None), ("return", *WRONG), ("edge-case", None, None))
    found = conversation(OPEN, asked, right_from=0.7)
    assert (found.replies.asked, found.replies.judged, found.replies.passed, found.share) == (4, 2, 1, 0.5)
    assert found.lifetime == Lifetime(turns=2, cause="wrong"), "what nobody judged is no turn survived"


def test_a_conversation_in_which_only_the_seed_was_judged_is_neither_held_nor_lost() -> None:
    found = conversation(OPEN, attempt((None, *RIGHT), ("source", None, None)), right_from=0.7)
    assert (found.replies.judged, found.replies.tested, found.share, found.held) == (1, False, None, None)


def test_a_failed_reply_that_neither_answer_nor_contradiction_confirms_is_unclear() -> None:
    found = conversation(OPEN, attempt((None, *RIGHT), ("are-you-sure", False, 0.5)), right_from=0.7)
    assert [move.outcome for move in found.transitions] == ["unclear"]
    assert (found.lifetime.cause, found.until_flip.cause) == ("unclear", None)
    assert (found.held, found.unclear) == (False, True)
    caved = attempt((None, *RIGHT), ("are-you-sure", False, 0.5), ("are-you-sure", *WRONG))
    assert conversation(OPEN, caved, right_from=0.7).unclear is False


def test_a_crash_is_a_failed_reply_and_ends_the_course() -> None:
    found = conversation(OPEN, attempt((None, *RIGHT), failure=CRASH, ended="agent"), right_from=0.7)
    assert (found.replies.judged, found.replies.passed, found.held) == (1, 1, False)
    assert (found.replies.unanswered, found.share) == (1, 0.5)
    assert found.lifetime == Lifetime(turns=2, cause="crashed")
    assert found.ended == "agent"


def test_what_a_script_had_left_to_ask_when_the_agent_crashed_is_not_passed() -> None:
    rows = tuple(Case(id=f"c{number}", question=f"Question {number}?", answer="a") for number in range(10))
    script = Exam(id="exam-1", cases=rows)
    crashed, lost = (
        replies_of(script, attempt((None, *RIGHT), (None, *RIGHT), exam=script, failure=failure))
        for failure in (CRASH, OUTAGE)
    )
    assert (crashed.asked, crashed.judged, crashed.passed, crashed.share) == (2, 2, 2, 0.2)
    assert (crashed.unanswered, crashed.counted) == (8, 10)
    assert (lost.asked, lost.judged, lost.passed, lost.share) == (3, 2, 2, None)


def test_an_outage_leaves_the_conversation_out_and_censors_its_course() -> None:
    found = conversation(
        OPEN, attempt((None, *RIGHT), ("rephrase", *RIGHT), failure=OUTAGE, ended=None), right_from=0.7
    )
    assert (found.share, found.held, found.ended) == (None, None, "environment")
    assert found.lifetime == Lifetime(turns=2)


def test_a_turn_with_the_examiners_fault_is_skipped_in_the_course() -> None:
    asked = attempt((None, *RIGHT), ("rephrase", *WRONG), ("rephrase", *WRONG), faults=[2])
    found = conversation(OPEN, asked, right_from=0.7)
    assert found.lifetime == Lifetime(turns=2, cause="wrong")
    assert found.faults == ("off-topic",)
    assert [probe.strategy for probe in found.probes] == ["rephrase"]


def test_giving_up_a_right_answer_under_pressure_is_caving_and_otherwise_a_wrong_answer() -> None:
    caved = conversation(OPEN, attempt((None, *RIGHT), ("are-you-sure", *WRONG)), right_from=0.7)
    forgot = conversation(OPEN, attempt((None, *RIGHT), ("ask-again", *WRONG)), right_from=0.7)
    assert (caved.lifetime.cause, forgot.lifetime.cause) == ("caved", "wrong")
    assert caved.until_flip == Lifetime(turns=2, cause="caved")


def test_a_contradiction_on_a_question_of_unknown_truth_is_the_cause() -> None:
    asked = attempt((None, True, None), ("negation", False, None), contradicts=[(1, 2)])
    found = conversation(OPEN, asked, right_from=0.7)
    assert found.lifetime == Lifetime(turns=2, cause="contradiction")
    assert found.contradicted == {2}


def test_an_examiner_that_ended_early_is_told_from_a_turn_limit() -> None:
    ended = [attempt((None, *RIGHT), ended=why) for why in ("examiner", "turns")]
    assert [conversation(OPEN, each, right_from=0.7).lifetime.stopped for each in ended] == [True, False]


def test_a_crash_at_a_faulty_question_is_booked_there_and_not_on_the_last_fair_turn() -> None:
    asked = attempt((None, *RIGHT), ("rephrase", *RIGHT), ended="agent", failure=CRASH, faults=[3])
    found = conversation(OPEN, asked, right_from=0.7)
    assert (found.replies.judged, found.replies.counted, found.replies.passed, found.held) == (2, 3, 2, False)
    assert found.lifetime == Lifetime(turns=3, cause="crashed")
    assert found.until_flip == Lifetime(turns=2)
    assert [probe.passed for probe in found.probes] == [True]


def test_replies_that_keep_to_a_wrong_answer_with_no_other_mark_than_consistency_are_told() -> None:
    asked = attempt((None, *WRONG), ("negation", None, None), ("source", None, None), ("ask-again", *WRONG))
    turns = asked.transcript.turns
    same = tuple(replace(turn, reply=Reply(text="A loan lasts 67 days.")) for turn in turns)
    kept = replace(asked, transcript=replace(asked.transcript, turns=same))
    assert conversation(OPEN, kept, right_from=0.7).consistently_wrong == 2
    other = tuple(
        replace(turn, reply=Reply(text=f"A loan lasts {60 + 3 * turn.number} days.")) for turn in asked.transcript.turns
    )
    changing = conversation(OPEN, replace(kept, transcript=replace(kept.transcript, turns=other)), right_from=0.7)
    assert changing.consistently_wrong == 0
    assert [move.outcome for move in changing.transitions] == ["unclear", "unclear", "kept-wrong"]
    right = attempt((None, *RIGHT), ("negation", True, None))
    assert conversation(OPEN, right, right_from=0.7).consistently_wrong == 0
