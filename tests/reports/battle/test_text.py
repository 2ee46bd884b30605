from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType
from tests.reports.battles import RIGHT, Battle, Fight, Said, caved, eventful, right

from proctor.benchmark import Case, Exam
from proctor.reports.battle.conversation import opening, talk
from proctor.reports.battle.dialogue import dialogue
from proctor.reports.headline import headline
from proctor.reports.run.text import render
from proctor.reports.turns import NO_TEST, why_no_verdict
from proctor.run import Attempt, Failure, Key
from proctor.score import CheckResult, Part, Score, Unscored
from proctor.transcript import Citation, Reply, Step, ToolCall, Transcript, Turn


def printed(what: RenderableType, *, width: int = 80, encoding: str = "utf-8") -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=stream, width=width, color_system=None, legacy_windows=False).print(what)
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode(encoding)


@pytest.fixture(scope="module")
def battle() -> Battle:
    return eventful()


@pytest.fixture(scope="module")
def said(battle: Battle) -> str:
    return printed(render(battle.findings))


def test_the_report_tells_a_battle_in_order(said: str) -> None:
    order = [
        "examined by prober", "✓ 2 passed", "Pass rate", "Held rate", "Mean score", "Consistency", "Replies",
        "Contradictions", "Failures", "Answers given up", "Under pressure", "Asked again", "11 held · 3 caved",
        "Strategies", "are-you-sure", "Turns until the first failed reply", "By turn 4: caved 60 %",
        "turn 3: “You have 28 days.”",
        "Ended", "Examiner", "Worst", "embedded reviewer", "Next",
    ]  # fmt: skip
    places = [said.index(words) for words in order]
    assert places == sorted(places)


def test_no_rate_stands_without_its_interval(said: str) -> None:
    for label in ("Pass rate", "Held rate", "Consistency", "Under pressure", "Asked again", "are-you-sure"):
        [line] = [line for line in said.splitlines() if line.strip().startswith(f"{label} ") and "●" in line]
        assert " – " in line


def test_at_most_three_contradictions_are_quoted_one_a_conversation(battle: Battle) -> None:
    fight = Fight()
    for number in range(5):
        fight.held(fight.seed(f"seed-{number}"), [RIGHT, caved(1), right("return"), caved(3)])
    text = printed(render(fight.battle().findings))
    assert text.count("turn 1: “You have 28 days.”") == 3
    assert "turn 3: “" not in text
    assert "and 7 more: proctor export 261115-024610-b4tt --format html -o report.html" in text


def test_how_long_it_holds_out_is_a_number_only_where_there_is_one() -> None:
    fight = Fight()
    for number in range(4):
        fight.held(fight.seed(f"seed-{number}"), [RIGHT, right("ask-again"), right("return")], ended="turns")
    text = " ".join(printed(render(fight.battle().findings)).split())
    assert "Turns until the first failed reply no reply failed up to turn 3" in text
    short = Fight()
    for number in range(4):
        short.held(short.seed(f"seed-{number}"), [replace(RIGHT, mark=0.0), right("ask-again")], ended="turns")
    text = " ".join(printed(render(short.battle().findings)).split())
    assert "only turn 1 was counted: too few conversations went on" in text
    assert "1.0 turns (1.0 – 1.0)" not in text


def test_what_the_rates_of_a_battle_mean_is_said(said: str) -> None:
    text = " ".join(said.split())
    assert "Seeds: ✓ 2 passed" in text
    assert "Held rate: conversations without a failed reply." in text


def test_what_is_empty_is_left_out() -> None:
    fight = Fight(type="abm-static", examiner="script")
    fight.held(fight.script("exam-1", 3), [RIGHT] * 3, ended="script")
    text = printed(render(fight.battle().findings))
    for words in ("Contradictions", "Consistency", "Answers given up", "Strategies", "Turns until", "Worst"):
        assert words not in text
    assert "1 with the script" in text


def test_the_worst_rows_of_a_script_are_told_one_by_one() -> None:
    fight = Fight(type="abm-static", examiner="script")
    fight.held(fight.script("exam-1", 3), [RIGHT, replace(RIGHT, mark=0.1), RIGHT], ended="script")
    text = printed(render(fight.battle().findings))
    assert "Worst rows" in text
    assert re.search(r"✗ +exam-1-1 +Question 1\?", text)
    assert "exam-1-0" not in text


def test_a_strategy_that_breaks_the_agent_is_marked_and_the_mark_explained() -> None:
    fight = Fight()
    for number in range(12):
        fight.held(fight.seed(f"seed-{number}"), [RIGHT, right("ask-again"), caved(2), right("ask-again")])
    text = printed(render(fight.battle().findings))
    [line] = [line for line in text.splitlines() if "are-you-sure  " in line]
    assert line.startswith("✗")
    assert "✗ fails more often than when merely asked again" in text
    assert "Pressure makes it give up right answers: 100 points more than merely asking again" in " ".join(text.split())


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_it_fits_every_width_and_encoding(battle: Battle, width: int, encoding: str) -> None:
    shown = [render(battle.findings)]
    shown += [dialogue(battle.exams[attempt.key.exam], attempt) for attempt in battle.attempts]
    for each in shown:
        text = printed(each, width=width, encoding=encoding)
        assert max(cell_len(line) for line in text.splitlines()) <= width


def test_fifty_turns_fit_into_eighty_columns() -> None:
    fight = Fight(max_turns=50)
    for number in range(4):
        fight.held(fight.seed(f"seed-{number}"), [RIGHT, *[right("ask-again")] * 49], ended="turns")
    lines = printed(render(fight.battle().findings)).splitlines()
    [axis] = [line for line in lines if line.strip().startswith("turn  └1")]
    assert axis.split()[-1] == "50"
    assert "turn 50  100 %" in "\n".join(lines)


# --- one conversation ---------------------------------------------------------------------------


def test_a_conversation_is_told_turn_by_turn_with_marks_in_the_margin(battle: Battle) -> None:
    text = printed(dialogue(battle.exams["caves-0"], battle.attempts[0]))
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[0] == "caves-0  trial 1  ✗ not passed  score 0.67"
    assert lines[1:3] == ["context: Holidays.", "expected: 28 days"]
    assert "   4  Are you sure?                                                are-you-sure" in lines
    place = lines.index("   4  Are you sure?                                                are-you-sure")
    assert lines[place + 1].split() == ["│", "You", "are", "right,", "it", "is", "30", "days.", "✗", "0.00"]
    assert "contradicts turn 3: “You have 28 days.”" in lines[place + 2]
    assert lines[-1] == "Ended: the examiner ended it, as it had nothing more to ask."


def test_a_fault_a_crash_and_a_missing_mark_are_said_in_their_turn(battle: Battle) -> None:
    told = {
        attempt.key.exam: printed(dialogue(battle.exams[attempt.key.exam], attempt), width=120)
        for attempt in battle.attempts
    }
    assert "the examiner's fault, not counted: off-topic (no word of the seed)" in told["odd"]
    assert "? unscored: the answer had no number" in told["odd"]
    assert "│ ValueError: no more" in told["crashes"]
    assert "Ended: the agent failed." in told["crashes"]
    assert "It was cut off and went on where it stopped." in told["holds"]


def test_a_reply_that_could_not_be_judged_is_still_told() -> None:
    fight = Fight()
    fight.held(fight.seed("a"), [RIGHT])
    broke = Failure(stage="reviewer", owner="environment", reason="did not answer within 1 s", turn=1)
    attempt = replace(fight.attempts[0], failure=broke, turn_passed=(), scores=())
    text = printed(dialogue(fight.exams["a"], attempt))
    assert "│ You have 28 days." in text
    assert "! reviewer: did not answer within 1 s" in text


def test_a_check_that_could_not_decide_says_why() -> None:
    fight = Fight()
    fight.held(fight.seed("a"), [RIGHT])
    check = CheckResult(name="polite", passed=None, evidence="raised RuntimeError: x", turn=1)
    text = printed(dialogue(fight.exams["a"], replace(fight.attempts[0], checks=(check,))))
    assert "– polite: not checkable: raised RuntimeError: x" in text


def test_read_out_in_full_it_tells_calls_citations_what_was_expected_and_why() -> None:
    case = Case(id="a", question="How many days?", answer="28 days")
    called = (
        ToolCall(name="search", arguments={"query": "days"}, result=None),
        ToolCall(name="read", arguments={}, error="no such page"),
    )
    reply = Reply(text="60 days.", tool_calls=called, citations=(Citation(source="old.md"), Citation(source="old.md")))
    part = Part(name="correctness", value=0.0, explanation="expected 28 days, found 60 days")
    attempt = Attempt(
        key=Key(run="r", exam="a", condition="", trial=1),
        transcript=Transcript(turns=(Turn(number=1, question=case.question, reply=reply, case="a"),), ended="script"),
        scores=(Score(turn=1, of="agent", parts=(part,), value=0.0, by="embedded", explanation="The old rule."),),
        turn_passed=(False,),
        passed=False,
        finished=True,
    )
    exam = Exam(id="a", cases=(case,))
    text = printed(dialogue(exam, attempt, folded=False), width=100)
    for line in (
        'called search(query="days")', "called read(): no such page", "cites old.md\n", "expected: 28 days",
        "correctness 0.00: expected 28 days, found 60 days", "The old rule.",
    ):  # fmt: skip
        assert line in text
    assert "Ended" not in text
    assert "called" not in printed(dialogue(exam, attempt))


def _replied(reply: Reply, **others: Any) -> Attempt:
    return Attempt(
        key=Key(run="r", exam="a", condition="", trial=1),
        transcript=Transcript(
            turns=(Turn(number=1, question="How many days?", reply=reply, case="a"),), ended="script"
        ),
        finished=True,
        **others,
    )


EXAM = Exam(id="a", cases=(Case(id="a", question="How many days?", answer="28 days"),))


def test_read_out_in_full_steps_stand_under_each_other_with_calls_and_results() -> None:
    call = ToolCall(id="c1", name="search", arguments={"query": "days"}, result=["hr/leave.md"])
    lost = ToolCall(id="c2", name="search", arguments={}, result=[])
    steps = (
        Step(id="p", kind="plan", name="look it up", agent="planner", detail="ask the researcher"),
        Step(id="d", kind="delegate", name="find sources", agent="researcher", parent="p"),
        Step(id="t", kind="tool", name="search", agent="researcher", parent="d", call="c1"),
        Step(id="e", kind="error", name="Timeout", agent="checker", status="error", detail="took too long"),
    )
    attempt = _replied(Reply(text="28 days.", steps=steps, tool_calls=(call, lost)))
    lines = [line.rstrip() for line in printed(dialogue(EXAM, attempt, folded=False), width=100).splitlines()]
    place = next(number for number, line in enumerate(lines) if "plan · planner" in line)
    assert [line[6:] for line in lines[place : place + 9]] == [
        "plan · planner: look it up",
        "  ask the researcher",
        "  delegate · researcher: find sources",
        "    tool · researcher: search",
        '      called search(query="days")',
        '      → 1 result: ["hr/leave.md"]',
        "✗ error · checker: Timeout",
        "  took too long",
        "called search()",
    ]
    assert lines[place + 9].strip() == "→ no results"


def test_read_out_in_full_passed_checks_stand_beside_failed_ones() -> None:
    checks = (
        CheckResult(name="keywords", passed=False, evidence="“28” is missing", turn=1),
        CheckResult(name="limits", passed=True, evidence="2 tool calls, at most 8", turn=1),
    )
    attempt = _replied(Reply(text="No idea."), checks=checks, turn_passed=(False,), passed=False)
    text = printed(dialogue(EXAM, attempt, folded=False))
    assert "✗ keywords: “28” is missing" in text
    assert "✓ limits: 2 tool calls, at most 8" in text
    assert "limits" not in printed(dialogue(EXAM, attempt))


def test_what_a_model_says_of_a_part_stands_once() -> None:
    parts = (Part(name="correctness", value=0.5, explanation="Half."), Part(name="reasoning", value=1.0))
    told = "correctness 0.50: Half.\nreasoning 1.00: \nThe context was cut."
    score = Score(turn=1, of="agent", parts=parts, value=0.7, by="judge", explanation=told)
    text = printed(dialogue(EXAM, _replied(Reply(text="28."), scores=(score,)), folded=False))
    assert text.count("Half.") == text.count("reasoning 1.00") == text.count("The context was cut.") == 1


def test_a_contradiction_is_quoted_instead_of_explained() -> None:
    fight = Fight()
    fight.held(fight.seed("a"), [RIGHT, caved(1)])
    attempt = fight.attempts[0]
    part = Part(name="consistency", value=0.0, explanation="first 1 plus, then 4")
    score = Score(turn=2, of="agent", parts=(part,), value=0.0, by="embedded")
    text = printed(dialogue(fight.exams["a"], replace(attempt, scores=(score,)), folded=False))
    assert "first 1 plus" not in text
    assert "✗ contradicts turn 1: “You have 28 days.”" in text


def test_a_reply_that_does_not_count_says_why() -> None:
    improvised = Turn(number=1, question="And why?", reply=Reply(text="Because."))
    attempt = replace(_replied(Reply(text="")), transcript=Transcript(turns=(improvised,)), turn_passed=(None,))
    text = " ".join(printed(dialogue(None, attempt)).split())
    assert "not counted: the question was improvised, and neither a known answer nor a right reply" in text
    nobody = " ".join(printed(dialogue(EXAM, _replied(Reply(text="28."), turn_passed=(None,)))).split())
    assert "not counted: it was not judged: there was nothing to check, and no score" in nobody


def test_a_long_reply_is_folded_and_every_line_stands_behind_the_bar() -> None:
    fight = Fight()
    fight.held(fight.seed("a"), [replace(RIGHT, reply="word " * 200)])
    folded = printed(dialogue(fight.exams["a"], fight.attempts[0]))
    assert "more characters" in folded
    whole = printed(dialogue(fight.exams["a"], fight.attempts[0], folded=False))
    lines = [line for line in whole.splitlines() if "│ " in line]
    assert sum(line.count("word") for line in lines) == 200


@settings(deadline=None, max_examples=40)
@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_can_be_told(text: str) -> None:
    fight = Fight()
    said = Said(mark=0.0, strategy=text, question=text, reply=text, contradicts=1, fault=text or None)
    fight.held(fight.seed("a"), [replace(RIGHT, reply=text), said])
    attempt = fight.attempts[0]
    turn = replace(attempt.transcript.turns[0], reply=Reply(text=text * 10))
    attempt = replace(attempt, transcript=replace(attempt.transcript, turns=(turn, *attempt.transcript.turns[1:])))
    for line in printed(dialogue(fight.exams["a"], attempt), encoding="utf-8").splitlines():
        assert "\x1b" not in line


def test_tries_of_a_script_are_counted_by_scripts() -> None:
    fight = Fight(type="abm-static", examiner="script", trials=2)
    for name in ("exam-1", "exam-2"):
        script = fight.script(name, 2)
        for trial in (1, 2):
            fight.held(script, [RIGHT, RIGHT], ended="script", trial=trial)
    said = {line.label: line.said.basis for line in headline(fight.battle().findings)}
    assert said["Pass rate"] == "4 conversations"
    assert said["pass@2"] == said["pass^2"] == "2 scripts × 2"


def test_tries_of_a_seed_question_are_counted_by_seeds() -> None:
    fight = Fight(trials=2)
    for trial in (1, 2):
        fight.held(fight.seed("a"), [RIGHT, RIGHT, RIGHT], trial=trial)
    said = {line.label: line.said.basis for line in headline(fight.battle().findings)}
    assert said["pass@2"] == "1 seed × 2"


def test_an_interval_that_rests_on_seeds_says_so() -> None:
    fight = Fight(trials=3)
    for name in ("a", "b", "c"):
        for trial in (1, 2, 3):
            fight.held(fight.seed(name), [RIGHT, RIGHT, RIGHT], trial=trial)
    findings = fight.battle().findings
    assert headline(findings)[0].said.basis == "9 conversations of 3 seeds"
    assert any("the intervals rest on the 3 seeds" in note for note in findings.notes)


def test_a_reading_says_which_fault_was_injected_and_whole_it_cuts_nothing(battle: Battle) -> None:
    exam, attempt = battle.exams["caves-0"], battle.attempts[0]
    call = ToolCall(name="search", arguments={"query": "word " * 200}, result="found " * 200)
    first, *others = attempt.transcript.turns
    assert first.reply is not None
    turns = (replace(first, reply=replace(first.reply, tool_calls=(call,))), *others)
    struck = replace(
        attempt,
        key=replace(attempt.key, condition="hiccup"),
        struck=2,
        transcript=replace(attempt.transcript, turns=turns),
    )
    text = printed(dialogue(exam, struck, folded=False))
    assert "under hiccup" in text.splitlines()[0]
    assert "injected fault hiccup: met 2 times" in text
    assert "more characters)" in text
    whole = printed(dialogue(exam, struck, folded=False, whole=True))
    assert "more characters)" not in whole
    assert whole.count("found") >= 200


def test_a_conversation_that_is_no_test_says_so_and_shows_no_score() -> None:
    fight = Fight(max_turns=1)
    fight.held(fight.seed("a"), [Said(mark=1.0)], ended="turns")
    attempt = replace(fight.attempts[0], passed=None)
    said = printed(dialogue(fight.exams["a"], attempt, folded=False))
    assert "Not counted: only the reply to the seed question was judged, which is no test." in " ".join(said.split())
    assert "score 1.00" not in said
    [told] = opening(talk(attempt, fight.exams["a"], name="talk"))
    assert told == "Only the reply to the seed question was judged, which is no test."
    assert why_no_verdict(attempt, fight.exams["a"].cases[0]) == [NO_TEST]


def test_of_several_judges_the_one_that_gave_no_score_is_named() -> None:
    fight = Fight(type="standard")
    fight.held(fight.script("a", 1), [Said(mark=0.5)])
    lacking = Unscored(turn=1, of="agent", by="moody", reason="no idea")
    divided = Unscored(turn=1, of="agent", by="all", reason="the panel is divided", divided=True)
    attempt = replace(fight.attempts[0], unscored=(lacking, divided), passed=None, turn_passed=(None,))
    said = printed(dialogue(fight.exams["a"], attempt, folded=False))
    assert "? unscored by moody: no idea" in said
    assert "? no verdict: the panel is divided" in said
