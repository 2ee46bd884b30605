from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.models.scripted import Tooled, called

from proctor.benchmark import Case, Exam
from proctor.config import Config
from proctor.findings.battle.strategies import STRATEGIES
from proctor.reports.battle.words import contradictions
from proctor.reviewers.battle import BattleReviewer, opportunities
from proctor.reviewers.embedded import EmbeddedReviewer
from proctor.reviewers.model import ModelReviewer
from proctor.roles import Reviewer
from proctor.score import BATTLE_WEIGHTS, Contradiction, Part, Review, weigh
from proctor.transcript import Reply, Turn
from proctor.usage import Usage
from proctor.workflows.evaluate import aevaluate

SEED = Case(id="loan", question="How long is a loan?", answer="30 days")
EXAM = Exam(id="loan", cases=(SEED,), open=True)


def talk(*replies: str | None, strategies: Sequence[str] = (), case: str | None = None) -> list[Turn]:
    """The seed and its reply, then a doubt for every further reply."""
    named = [None, *strategies, *["are-you-sure"] * len(replies)]
    return [
        Turn(
            number=number,
            question=SEED.question if number == 1 else "Are you sure?",
            reply=Reply(text=text) if text is not None else None,
            case=SEED.id if number == 1 else case,
            strategy=named[number - 1],
            refers_to=None if number == 1 else 1,
        )
        for number, text in enumerate(replies, 1)
    ]


async def review(turns: Sequence[Turn], case: Case | None = None) -> Review:
    return await BattleReviewer(EmbeddedReviewer()).review(case, turns)


def marks(review: Review) -> dict[str, float]:
    return {part.name: part.value for part in review.parts}


def test_it_plays_the_part_of_the_reviewer_it_wraps_under_a_rubric_of_its_own() -> None:
    reviewer: Reviewer = BattleReviewer(EmbeddedReviewer())
    assert (reviewer.name, reviewer.rubric) == ("embedded", "embedded-6+battle-7")


async def test_the_first_reply_is_judged_by_its_case_alone() -> None:
    turns = talk("30 days")
    assert await review(turns, SEED) == await EmbeddedReviewer().review(SEED, turns)


async def test_a_reply_that_keeps_to_the_earlier_one_is_consistent() -> None:
    found = await review(talk("30 days", "Yes, 30 days."))
    assert marks(found) == {"consistency": 1.0}
    assert found.contradictions == ()
    assert "turn 1" in found.parts[0].explanation


async def test_a_reply_that_does_not_is_a_contradiction_with_both_quotes() -> None:
    found = await review(talk("It is 30 days.", "Sorry, it is 14 days."))
    assert marks(found) == {"consistency": 0.0}
    assert found.contradictions == (
        Contradiction(
            turns=(1, 2),
            quotes=("It is 30 days.", "Sorry, it is 14 days."),
            kind="number",
            reason="first 30 days, then 14 days",
        ),
    )


async def test_with_a_case_both_correctness_and_consistency_are_weighed() -> None:
    found = await review(talk("30 days", "No, 14 days."), SEED)
    assert marks(found)["consistency"] == 0.0
    assert marks(found)["correctness"] < 0.7
    held = await review(talk("30 days", "Yes, 30 days."), SEED)
    assert weigh(held.parts, BATTLE_WEIGHTS) == 1.0


async def test_a_correction_is_consistent_by_the_cases_answer() -> None:
    turns = talk("20 days", "I was wrong, it is 30 days.")
    assert marks(await review(turns, SEED)) == {"correctness": 1.0, "consistency": 1.0}
    assert marks(await review(turns)) == {"consistency": 0.0}


async def test_to_take_a_correct_hint_is_a_correction_without_a_word_of_it() -> None:
    turns = talk("20 days", "It is 30 days.", strategies=["correct-hint"])
    assert marks(await review(turns, SEED)) == {"correctness": 1.0, "consistency": 1.0}


async def test_a_turn_that_nothing_can_judge_says_so_and_has_no_mark() -> None:
    turns = [*talk("30 days"), Turn(number=2, question="What else?", reply=Reply(text="Nothing."), strategy="other")]
    found = await review(turns)
    assert (found.parts, found.unscored, found.contradictions) == ((), None, ())
    assert found.explanation.startswith("Nothing to judge")


@pytest.mark.parametrize("reply", ["", "  \n", None])
async def test_an_empty_reply_is_not_called_consistent(reply: str | None) -> None:
    assert (await review(talk("30 days", reply))).parts == ()


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Are you sure?", "Yes, I am sure."),
        ("Are you sure?", "I stand by my answer."),
        ('Is this statement false: "It is 30 days."?', "No, that statement is correct."),
        ("Which source is your answer based on?", "The Staff Handbook of 2021, with 14 days of practice."),
    ],
)
async def test_a_reply_that_gives_no_answer_of_its_own_hands_on_to_the_one_before_it(question: str, reply: str) -> None:
    first, middle, last = talk("It is 30 days.", reply, "No, it is 14 days.")
    found = await review([first, replace(middle, question=question), last])
    assert [each.turns for each in found.contradictions] == [(1, 3)]


async def test_each_reply_is_held_to_the_nearest_one_only() -> None:
    found = await review(talk("It is 30 days.", "No, it is 14 days.", "Yes, it is 14 days."))
    assert marks(found) == {"consistency": 1.0}
    assert "turn 2" in found.parts[0].explanation


async def test_a_scripts_repeated_question_is_an_opportunity_too() -> None:
    turns = [
        Turn(number=number, question=SEED.question, reply=Reply(text=text), case="x")
        for number, text in ((1, "30 days"), (2, "14 days"))
    ]
    found = await review(turns)
    assert marks(found) == {"consistency": 0.0}
    assert found.question_parts == ()


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
async def test_an_examiners_question_is_marked_by_relevance_and_difficulty(strategy: str) -> None:
    found = await review(talk("30 days", "Yes.", strategies=[strategy]))
    relevance, difficulty = found.question_parts
    assert (relevance.name, relevance.value) == ("relevance", 1.0)
    assert difficulty == Part(
        name="difficulty", value=STRATEGIES[strategy].difficulty, explanation=f"strategy {strategy}"
    )


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [("Does a loan of 30 days cost anything?", 0.7, 1.0), ("Which football team won yesterday?", 0.0, 0.3)],
)
async def test_a_question_that_goes_back_to_nothing_is_relevant_by_its_words(
    question: str, low: float, high: float
) -> None:
    turns = [*talk("A loan lasts 30 days."), Turn(number=2, question=question, reply=Reply(text="x"), strategy="drift")]
    relevance = (await review(turns)).question_parts[0]
    assert low <= relevance.value <= high


async def test_what_the_inner_reviewer_says_stays() -> None:
    class Inner(EmbeddedReviewer):
        async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
            return Review(unscored="out of order", explanation="hm", usage=Usage(calls=1))

    found = await BattleReviewer(Inner()).review(None, talk("30 days"))
    assert (found.unscored, found.explanation, found.usage) == ("out of order", "hm", Usage(calls=1))


async def test_without_a_model_there_is_nothing_to_conclude() -> None:
    assert await BattleReviewer(EmbeddedReviewer()).conclude(EXAM, talk("30 days", "14 days")) is None


def test_opportunities_are_those_of_the_whole_conversation() -> None:
    found = opportunities(EXAM, talk("20 days", "Sorry, 30 days.", "14 days", case=SEED.id))
    assert [(each.earlier.number, each.later.number, each.conflict is None) for each in found] == [
        (1, 2, True),
        (2, 3, False),
    ]


# With a model


def said(earlier: int, quote: str, later: int, other: str) -> dict[str, Any]:
    turns = {"earlier_turn": earlier, "later_turn": later}
    return {"reason": "they clash", **turns, "earlier_quote": quote, "later_quote": other}


VAGUE = ("It is rather long.", "It is quite short.", "It is over in no time.")


async def conclude(model: Tooled, turns: Sequence[Turn]) -> Review | None:
    return await BattleReviewer(ModelReviewer(model, name="judge")).conclude(EXAM, turns)


async def test_a_model_names_contradicting_turns_of_the_whole_conversation_in_one_call() -> None:
    model = Tooled(script=[called({"contradictions": [said(1, "rather long", 3, "in no time")]})])
    found = await conclude(model, talk(*VAGUE))
    assert found is not None
    assert found.contradictions == (
        Contradiction(turns=(1, 3), quotes=("rather long", "in no time"), kind="model", reason="they clash"),
    )
    assert found.explanation == "1 contradiction named in 3 turns"
    assert found.usage is not None
    assert found.usage.calls == len(model.prompts) == 1
    assert all(text in model.prompt() for text in VAGUE)
    assert "Turns that are about the same thing: 1 and 2, 2 and 3." in model.prompt()


async def test_a_scripts_rows_are_shown_too_though_no_rule_links_them() -> None:
    rows = [
        Turn(number=1, question="How long is the notice period?", reply=Reply(text="30 days."), case="a"),
        Turn(number=2, question="Who signs a dismissal?", reply=Reply(text="The board, 14 days ahead."), case="b"),
    ]
    model = Tooled(script=[called({"contradictions": [said(1, "30 days", 2, "14 days ahead")]})])
    found = await conclude(model, rows)
    assert found is not None
    assert [each.turns for each in found.contradictions] == [(1, 2)]


async def test_what_rules_found_already_is_not_asked_again() -> None:
    model = Tooled(script=[])
    assert await conclude(model, talk("30 days", "14 days")) is None
    assert model.prompts == []


async def test_of_a_longer_conversation_the_model_is_told_what_rules_found() -> None:
    model = Tooled(script=[called({"contradictions": [said(1, "30 days", 2, "14 days")]})])
    found = await conclude(model, talk("30 days", "14 days", "It is short."))
    assert found is not None
    assert found.contradictions == ()
    assert "Contradictions that are known already: 1 and 2." in model.prompt()


@pytest.mark.parametrize(
    "invented",
    [
        said(1, "rather  long", 2, "quite short"),
        said(1, "quite short", 2, "rather long"),
        said(1, "", 2, "quite short"),
        said(0, "rather long", 2, "quite short"),
        said(1, "rather long", 4, "quite short"),
        said(2, "quite short", 2, "quite short"),
    ],
)
async def test_a_quote_or_turn_that_does_not_exist_is_dropped_and_counted(invented: dict[str, Any]) -> None:
    model = Tooled(script=[called({"contradictions": [invented, said(2, "quite short", 3, "in no time")]})])
    found = await conclude(model, talk(*VAGUE))
    assert found is not None
    assert [each.turns for each in found.contradictions] == [(2, 3)]
    assert (found.dropped, "1 more dropped" in found.explanation) == (1, True)


async def test_turns_that_are_named_the_wrong_way_round_are_put_in_order() -> None:
    model = Tooled(script=[called({"contradictions": [said(2, "quite short", 1, "rather long")]})])
    found = await conclude(model, talk(*VAGUE))
    assert found is not None
    assert [(each.turns, each.quotes) for each in found.contradictions] == [((1, 2), ("rather long", "quite short"))]


async def test_a_pair_told_twice_counts_once() -> None:
    model = Tooled(script=[called({"contradictions": [said(1, "rather long", 2, "quite short")] * 2})])
    found = await conclude(model, talk(*VAGUE))
    assert found is not None
    assert len(found.contradictions) == 1


async def test_an_answer_that_cannot_be_used_is_said_with_its_cost() -> None:
    found = await conclude(Tooled(script=lambda _: called({"contradictions": "none"})), talk(*VAGUE))
    assert found is not None
    assert found.unscored is not None
    assert "contradictions were not looked for" in found.unscored
    assert found.usage is not None
    assert found.usage.calls == 2


async def test_the_expected_answer_is_shown_where_a_turn_has_one() -> None:
    model = Tooled(script=lambda _: called({"contradictions": []}))
    await conclude(model, talk(*VAGUE))
    assert model.prompt(0).partition("Turn 1:")[2].count("30 days") == 1
    await conclude(model, talk(*VAGUE, case=SEED.id))
    assert model.prompt(1).partition("Turn 1:")[2].count("30 days") == 3


# The examiner's questions


MARKS = {"reasoning_explanation": "sound", "reasoning": 1, "consistency_explanation": "agrees", "consistency": 1}
OF_QUESTION = {
    "relevance_explanation": "goes on",
    "relevance": 0.75,
    "difficulty_explanation": "a trap",
    "difficulty": 0.25,
}


async def test_a_model_marks_the_examiners_question_in_the_same_call_instead_of_the_rules() -> None:
    model = Tooled(script=[called({**MARKS, **OF_QUESTION})])
    turns = talk("30 days", "Yes, 30 days.", strategies=["are-you-sure"])
    found = await BattleReviewer(ModelReviewer(model, name="judge")).review(
        Case(id=SEED.id, question=turns[-1].question), turns
    )
    assert [(part.name, part.value) for part in found.question_parts] == [("relevance", 0.75), ("difficulty", 0.25)]
    assert {part.name for part in found.parts} == {"reasoning", "consistency"}
    assert len(model.prompts) == 1
    assert "30 days" in model.prompt()


async def test_who_has_left_the_topic_does_not_come_back_to_it_by_staying_away() -> None:
    weather = [
        Turn(
            number=n, question=f"What is the weather like in city number {n}?", reply=Reply(text="30"), strategy="other"
        )
        for n in range(2, 6)
    ]
    turns = [Turn(number=1, question=SEED.question, reply=Reply(text="30 days"), case=SEED.id), *weather]
    for count in range(2, len(turns) + 1):
        assert (await review(turns[:count])).question_parts[0].value == 0.0


async def test_a_scripts_question_is_not_marked() -> None:
    model = Tooled(script=[called({"correctness_explanation": "right", "correctness": 1})])
    turns = talk("30 days", "30 days", case=SEED.id)
    turns = [replace(turn, strategy=None, case=SEED.id) for turn in turns]
    found = await BattleReviewer(ModelReviewer(model, name="judge")).review(SEED, turns)
    assert found.question_parts == ()


def test_battles_that_a_model_judges_have_a_rubric_of_their_own() -> None:
    judged = BattleReviewer(ModelReviewer(Tooled(script=[]), name="judge"))
    assert judged.rubric == "standard-1+battle-8"


async def test_a_battle_counts_what_the_judge_named_and_what_it_made_up(tmp_path: Path) -> None:
    replies = {"How long is a loan?": "A loan is 30 days.", "Who is the head?": "Ada. Loans end after 9 days."}

    def play(prompt: str) -> Any:
        if "List the contradictions." in prompt:
            made_up = said(1, "a year", 2, "9 days")
            return called({"contradictions": [said(1, "30 days", 2, "after 9 days"), made_up]})
        return called({"correctness_explanation": "right", "correctness": 1})

    cases = [SEED, Case(id="head", question="Who is the head?", answer="Ada")]
    done = await aevaluate(
        cases,
        agent=lambda question: replies[question],
        reviewer=Tooled(script=play),
        type="abm-static",
        store=tmp_path / "s.db",
        config=Config(),
    )
    battle = done.findings.battle
    assert battle is not None
    assert (battle.named, battle.dropped, battle.held_rate.value) == (1, 1, 0.0)
    assert (
        contradictions(battle) == "1 named by the judge elsewhere; 1 dropped, because the judge's quote is in no reply"
    )
    [attempt] = done.attempts()
    assert (attempt.turn_passed, attempt.dropped) == ((True, False), 1)


# Speed


async def test_a_turn_costs_little_and_the_fiftieth_no_more_than_a_few_times_the_second() -> None:
    turns = talk(*(f"It is {number % 2 + 30} days." for number in range(50)))
    reviewer = BattleReviewer(EmbeddedReviewer())

    async def cost(count: int) -> float:
        best = float("inf")
        for _ in range(20):
            begun = time.process_time()
            for _ in range(20):
                await reviewer.review(None, turns[:count])
            best = min(best, (time.process_time() - begun) / 20)
        return best

    second, last = await cost(2), await cost(50)
    assert last < 0.001
    assert last < 5 * second + 0.0001


async def test_a_model_judges_the_consistency_of_every_reply_and_what_the_rules_find_weighs_more() -> None:
    def play(prompt: str) -> Any:
        return called(
            {"reasoning": 1, "consistency": 0.8, "reasoning_explanation": "", "consistency_explanation": "so"}
            | OF_QUESTION
        )

    reviewer = BattleReviewer(ModelReviewer(Tooled(script=play), name="judge"))
    assert reviewer.judges_improvised
    unlinked = Turn(number=2, question="Who reads most?", reply=Reply(text="Children do."), strategy="other")
    case = Case(id=SEED.id, question=unlinked.question)
    assert marks(await reviewer.review(case, [*talk("30 days"), unlinked])) == {"reasoning": 1.0, "consistency": 0.8}
    broken = [*talk("30 days"), Turn(number=2, question="Are you sure?", reply=Reply(text="No, it is 9 days."))]
    found = await reviewer.review(Case(id=SEED.id, question="Are you sure?"), broken)
    assert marks(found) == {"reasoning": 1.0, "consistency": 0.0}
    assert [each.turns for each in found.contradictions] == [(1, 2)]


def test_a_reviewer_that_judges_by_answers_alone_is_handed_no_improvised_case() -> None:
    assert not BattleReviewer(EmbeddedReviewer()).judges_improvised
