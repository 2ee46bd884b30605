"""A battle in which nothing was judged beyond the seed questions: nothing is said of the agent, whatever it replied."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proctor import Attempt, Case, Exam, Failure, Part, Run, Score, Settings, Unscored
from proctor.findings.run import Findings, gather
from proctor.run import Key
from proctor.transcript import Reply, Transcript, Turn
from proctor.workflows.tally import RunTally

REFUSES = "refuses: the examiner declines to ask instead of asking"
BROKE = Failure(stage="agent", owner="agent", reason="it broke", turn=2)
DOWN = Failure(stage="examiner", owner="environment", reason="the network is down", turn=2)


def exam(name: str) -> Exam:
    return Exam(id=name, cases=(Case(id=name, question=f"what is {name}?", categories=("all",)),), open=True)


def talk(
    name: str,
    *faults: str | None,
    ended: str = "turns",
    failure: Failure | None = None,
    unscored: bool = False,
    judged: bool = True,
) -> Attempt:
    """A seed question that was answered well, then a question for each fault (None: it was fair)."""
    asked = [Turn(number=1, question=name, reply=Reply(text="yes"), case=name)]
    for number, fault in enumerate(faults, 2):
        asked.append(Turn(number=number, question="?", reply=Reply(text="yes"), strategy="other", fault=fault))
    verdicts = [True, *(None if fault or unscored or not judged else True for fault in faults)]
    marks = tuple(
        Score(turn=turn, of="agent", parts=(Part(name="correctness", value=1.0),), value=1.0, by="judge")
        for turn, verdict in enumerate(verdicts, 1)
        if verdict is not None
    )
    passed = False if failure is BROKE else None if failure is DOWN or unscored else True
    return Attempt(
        key=Key(run="r", exam=name),
        transcript=Transcript(turns=tuple(asked), ended=ended),
        scores=marks,
        unscored=(Unscored(turn=2, of="agent", by="judge", reason="no answer"),) if unscored else (),
        failure=failure,
        turn_passed=tuple(verdicts),
        passed=passed,
        finished=True,
    )


def run(**settings: object) -> Run:
    chosen = Settings(type="abm-dynamic", **settings)  # type: ignore[arg-type]
    return Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=chosen, status="completed")


def tallied(attempts: Sequence[Attempt], **settings: object) -> RunTally:
    tally = RunTally.of(run(**settings), [exam(attempt.key.exam) for attempt in attempts])
    for attempt in attempts:
        tally.count(attempt)
    return tally


def found(attempts: Sequence[Attempt], **settings: object) -> Findings:
    exams = tuple(exam(attempt.key.exam) for attempt in attempts)
    return gather(run(**settings), exams, attempts)


def test_every_rate_is_unknown_and_every_attempt_unscored_where_no_question_was_fair() -> None:
    findings = found([talk("x", REFUSES, REFUSES), talk("y", REFUSES)])
    assert findings.untested
    assert findings.battle is not None
    estimates = [
        findings.pass_rate,
        findings.mean_score,
        findings.pass_at_k[1],
        findings.pass_hat_k[1],
        findings.battle.held_rate,
        findings.categories["all"].pass_rate,
    ]
    assert {(each.value, each.n, each.missing, each.worst, each.best) for each in estimates} == {(None, 0, 2, 0.0, 1.0)}
    assert {findings.pass_rate.note, findings.battle.held_rate.note} == {
        "no reply beyond those to the seed questions was judged"
    }
    assert (findings.battle.judged, findings.battle.asked, findings.battle.no_test) == (2, 5, 2)
    assert (findings.counts.scored, findings.counts.unscored) == (0, 2)
    assert [(case.verdict, case.unscored, case.score) for case in findings.cases] == [("missing", 1, None)] * 2
    assert findings.median_score is None
    assert not findings.parts


def test_the_notes_say_that_it_is_no_test_and_nothing_of_intervals() -> None:
    notes = found([talk("x", REFUSES)]).notes
    assert any("no fair question: all 1 were faulty" in note for note in notes)
    assert "1 of 2 replies was judged, none beyond the seed questions. This is no test." in notes
    assert not any("interval" in note or "Bounded" in note for note in notes)


def test_an_examiner_that_ends_every_exam_at_once_has_tested_nothing() -> None:
    findings = found([talk("x", ended="examiner"), talk("y", ended="examiner")])
    assert findings.untested
    assert any("it ended every exam after the seed question." in note for note in findings.notes)


def test_fair_questions_whose_replies_nobody_judged_are_no_test() -> None:
    findings = found([talk("x", None, None, judged=False), talk("y", None, judged=False)])
    assert findings.untested
    assert findings.pass_rate.value is None
    assert "2 of 5 replies were judged, none beyond the seed questions. This is no test." in findings.notes


def test_replies_whose_marks_could_not_be_given_are_no_test_either() -> None:
    assert found([talk("x", None, unscored=True)]).untested


def test_one_fair_question_among_many_faulty_ones_is_a_test_and_is_said_loudly() -> None:
    findings = found([talk("x", None, *[REFUSES] * 48)])
    assert findings.battle is not None
    assert (findings.pass_rate.value, findings.battle.judged, findings.battle.asked) == (1.0, 2, 50)
    assert "Only 2 of 50 replies were judged: the rates say nothing of the others." in findings.notes
    assert "Of the examiner's 49 questions 48 were faulty and count for nothing." in findings.notes


def test_a_conversation_that_was_no_test_is_missing_beside_others_and_bounds_them() -> None:
    findings = found([talk("x", None), talk("y", REFUSES)])
    assert findings.battle is not None
    rates = (findings.pass_rate, findings.battle.held_rate, findings.mean_score)
    assert {(each.value, each.n, each.missing, each.worst, each.best) for each in rates} == {(1.0, 1, 1, 0.5, 1.0)}
    assert (findings.counts.scored, findings.counts.unscored) == (1, 1)
    assert "1 of 2 conversations was no test and is not in the rates." in findings.notes


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(talk("y", None), id="a fair question"),
        pytest.param(talk("y", REFUSES, failure=BROKE), id="the agent broke"),
    ],
)
def test_one_conversation_that_tells_something_is_enough(other: Attempt) -> None:
    attempts = [talk("x", REFUSES), other]
    assert not found(attempts).untested
    assert not tallied(attempts).no_test


def test_a_battle_of_seed_questions_alone_is_no_test_even_where_one_turn_was_all_that_was_wanted() -> None:
    attempts = [talk("x"), talk("y")]
    findings = found(attempts, max_turns=1)
    assert findings.untested
    assert findings.pass_rate.value is None
    assert tallied(attempts, max_turns=1).no_test


@pytest.mark.parametrize(
    "attempts",
    [
        pytest.param([talk("x", REFUSES), talk("y", REFUSES)], id="faulty"),
        pytest.param([talk("x", ended="examiner")], id="ended at once"),
        pytest.param([talk("x", REFUSES), talk("y", REFUSES, failure=DOWN)], id="the rest is lost"),
    ],
)
def test_outcomes_without_transcripts_tell_the_same(attempts: list[Attempt]) -> None:
    assert found(attempts).untested
    assert tallied(attempts).no_test
    assert tallied(attempts).pass_rate() is None


def test_nothing_played_yet_is_not_called_no_test() -> None:
    assert not tallied([]).no_test
    assert not gather(run(), (exam("x"),), []).untested
