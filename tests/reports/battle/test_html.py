from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reports.battles import RIGHT, Battle, Fight, Said, caved, eventful, right
from tests.reports.pages import HOSTILE, assert_harmless, parsed, written

from proctor.run import Failure
from proctor.score import Contradiction


@pytest.fixture(scope="module")
def battle() -> Battle:
    return eventful()


@pytest.fixture(scope="module")
def text(battle: Battle) -> str:
    return written(battle)


def test_the_first_screen_says_how_good_how_sure_and_how_it_held(text: str) -> None:
    said = parsed(text).said
    order = [
        "Pass rate 69.4 %", "Held rate 33.3 %", "Mean score", "Consistency 80 %",
        "Turns until the first failed reply", "Answers given up",
        "Under pressure", "Asked again", "Strategies", "are-you-sure", "By part of the score", "Conversations all 7",
    ]  # fmt: skip
    places = [said.index(words) for words in order]
    assert places == sorted(places)
    assert "6 of 22 opportunities" in said
    assert "1 fault (off-topic 1)" in said


def test_each_turn_stands_with_its_strategy_reply_and_mark(text: str) -> None:
    said = parsed(text).said
    assert "are-you-sure Are you sure? relevance 0.90 · difficulty 0.40 4 You are right, it is 30 days." in said
    assert "✗ not passed 0.00 ✗ contradicts turn 3 : You have 28 days. / You are right, it is 30 days." in said
    assert "correctness: expected 28 days, found You are right, it is" in said


def test_contradictions_are_linked_both_ways_and_both_quotes_are_marked(text: str) -> None:
    page = parsed(text)
    links = [value for tag, name, value in page.attributes if tag == "a" and name == "href"]
    assert {value.removeprefix("#") for value in links} <= set(page.ids)
    turn_3, turn_4 = (text.split(f'id="talk-1-turn-{n}"')[1].split("</section>")[0] for n in (3, 4))
    assert "<mark>You have 28 days.</mark>" in turn_3
    assert 'contradicted in <a href="#talk-1-turn-4">turn 4</a>' in turn_3
    assert "<mark>You are right, it is 30 days.</mark>" in turn_4
    assert 'contradicts <a href="#talk-1-turn-3">turn 3</a>' in turn_4


def test_a_line_is_drawn_from_the_row_of_one_turn_to_that_of_the_other(text: str) -> None:
    first = text.split('class="talk"')[1].split("</div>\n<p")[0]
    assert re.findall(r'class="bond"[^>]*style="grid-row: (\d+) / (\d+); --lane: (\d)"', first) == [
        ("4", "5", "0"),
        ("6", "7", "0"),
    ]


def test_lines_that_would_lie_on_each_other_take_lanes_of_their_own() -> None:
    fight = Fight()
    fight.held(fight.seed("a"), [RIGHT, right("ask-again"), caved(1), caved(2), caved(3)])
    lanes = re.findall(r"--lane: (\d)", written(fight.battle()))
    assert lanes == ["0", "1", "2"]
    assert '"--lanes: 3"' in written(fight.battle())


def test_a_faulty_question_is_greyed_with_the_reason(text: str) -> None:
    said = parsed(text).said
    assert "The examiner's fault, not counted: off-topic (no word of the seed)" in said
    assert text.count('class="spoken faulty"') == 1


def test_why_a_conversation_ended_and_how_it_went_on_is_said(text: str) -> None:
    said = parsed(text).said
    assert "Ended: the turn limit was reached. It was cut off and went on where it stopped." in said
    assert "Ended: the agent failed." in said
    assert "agent: HTTP 503 after 3 tries 3 tries" in said


def test_scripted_questions_that_a_crash_left_unasked_are_said_to_be_not_passed() -> None:
    fight = Fight(type="abm-static", examiner="script")
    crash = Failure(stage="agent", owner="agent", reason="ValueError", turn=2)
    said = [RIGHT, Said(mark=None, reply=None)]
    fight.held(fight.script("exam-1", 5), said, ended="agent", failure=crash)
    page = parsed(written(fight.battle()))
    assert "3 scripted questions not asked: not passed." in page.said
    assert "Expected Answer 0." in page.said


def test_the_rows_of_a_script_are_listed_the_worst_first() -> None:
    fight = Fight(type="abm-static", examiner="script")
    fight.held(fight.script("exam-1", 3), [RIGHT, RIGHT, replace(RIGHT, mark=0.1)], ended="script")
    said = parsed(written(fight.battle())).said
    assert "3 rows of the script, the worst first" in said
    assert said.index("✗ exam-1-2 Question 2? 0/1 0.10") < said.index("✓ exam-1-0 Question 0? 1/1 1.00")


def test_two_trials_have_anchors_of_their_own() -> None:
    fight = Fight(trials=2)
    for trial in (1, 2):
        fight.held(fight.seed("a"), [RIGHT, caved(1)], trial=trial)
    page = parsed(written(fight.battle()))
    assert len(set(page.ids)) == len(page.ids)
    assert {"talk-1-turn-2", "talk-2-turn-2"} <= set(page.ids)


def hostile(text: str) -> Battle:
    fight = Fight(examiner=text)
    said = Said(mark=0.0, strategy=text, question=text, reply=text, contradicts=1, unscored=text)
    fight.held(fight.seed(text), [replace(RIGHT, reply=text), said, replace(said, fault=text)], ended=text)
    found = Contradiction(turns=(1, 99), quotes=(text, text), kind=text, reason=text)
    fight.attempts[0] = replace(fight.attempts[0], contradictions=(*fight.attempts[0].contradictions, found))
    return fight.battle()


def test_hostile_text_is_shown_and_harmless() -> None:
    text = written(hostile(HOSTILE))
    page = parsed(text)
    assert_harmless(page)
    assert "<script>alert(1)</script>" in page.said
    assert not re.search("[\x00\x1b\u202e]", text)


@settings(deadline=None, max_examples=25)
@given(st.text(st.characters(exclude_categories=[])) | st.text("<>&\"'=/ !-ab`\n"))
def test_any_text_makes_a_page_whose_elements_close(text: str) -> None:
    page = written(hostile(text))
    page.encode("utf-8")
    assert_harmless(parsed(page))


def test_every_style_that_the_page_gives_itself_is_made_of_numbers(text: str) -> None:
    for _, name, value in parsed(written(hostile(HOSTILE))).attributes:
        if name == "style":
            assert re.fullmatch(r"(--lanes: \d+|grid-row: \d+( / \d+; --lane: \d)?)", value)


def test_a_standard_run_carries_nothing_of_battles(text: str) -> None:
    assert ".spoken" in text
    standard = written(Battle(findings=replace(eventful().findings, battle=None), exams={}, attempts=[]))
    assert ".spoken" not in standard
    assert "Turns until the first failed reply" not in standard
