from __future__ import annotations

import time
from typing import Any

import pytest

from proctor.benchmark import Case, Exam
from proctor.errors import InputError
from proctor.reviewers.embedded import EmbeddedReviewer, load
from proctor.roles import Reviewer
from proctor.score import Part, Review
from proctor.transcript import Reply, Turn


async def review(reply: str, *, question: str = "What is the capital of France?", **fields: Any) -> dict[str, Part]:
    case = Case(id="c", question=question, **fields)
    found = await EmbeddedReviewer().review(case, [Turn(number=1, question=question, reply=Reply(text=reply))])
    return {part.name: part for part in found.parts}


# The parts


async def test_only_the_parts_that_the_case_has_fields_for_are_marked() -> None:
    assert set(await review("Paris", answer="Paris")) == {"correctness"}
    assert set(await review("Paris", reasoning="It is the seat of government.")) == {"reasoning"}
    all_three = await review(
        "Paris, the seat of government",
        answer="Paris",
        reasoning="The seat of government.",
        context="We spoke of Paris.",
    )
    assert list(all_three) == ["correctness", "reasoning", "context"]


async def test_without_a_case_or_a_reply_it_has_nothing_to_say() -> None:
    reviewer = EmbeddedReviewer()
    answered = Turn(number=1, question="q", reply=Reply(text="a"))
    assert await reviewer.review(None, [answered]) == Review()
    assert await reviewer.review(Case(id="c", question="q", answer="a"), [Turn(number=1, question="q")]) == Review()
    assert await reviewer.review(Case(id="c", question="q", answer="a"), []) == Review()
    assert await reviewer.conclude(Exam(id="e", cases=()), [answered]) is None


async def test_the_last_turn_is_judged() -> None:
    turns = [
        Turn(number=1, question="q", reply=Reply(text="London")),
        Turn(number=2, question="q", reply=Reply(text="Paris")),
    ]
    found = await EmbeddedReviewer().review(Case(id="c", question="q", answer="Paris"), turns)
    assert found.parts[0].value == 1.0


def test_it_is_loaded_by_name_and_has_no_settings() -> None:
    reviewer: Reviewer = load("", {})
    assert (reviewer.name, reviewer.rubric) == ("embedded", "embedded-6")
    with pytest.raises(InputError, match="no settings"):
        load("", {"threshold": 0.5})
    with pytest.raises(InputError, match="no settings"):
        load("strict", {})


async def test_reasoning_is_the_coverage_of_its_points() -> None:
    reasoning = "Ticket sales fell in spring. The roof needed repair."
    half = await review("Ticket sales fell in spring.", question="Why did it close?", reasoning=reasoning)
    full = await review(
        "Sales of tickets fell in spring; the roof needed repair.", question="Why?", reasoning=reasoning
    )
    none = await review("It was sold.", question="Why did it close?", reasoning=reasoning)
    assert none["reasoning"].value == 0.0
    assert half["reasoning"].value == 0.5
    assert full["reasoning"].value == 1.0
    assert half["reasoning"].explanation == "covers 50 % of 2 points; least 'The roof needed repair.' (0 %)"
    assert full["reasoning"].explanation == "covers 100 % of 2 points"


async def test_a_bare_answer_gives_no_reason_and_a_terse_derivation_does() -> None:
    case = {
        "question": "How long will it last?",
        "answer": "20 hours",
        "reasoning": "3000 mAh divided by 150 mA is 20 hours.",
    }
    bare = await review("20 hours", **case)
    terse = await review("3000 / 150 = 20 h", **case)
    assert bare["reasoning"].value == 0.5
    assert bare["reasoning"].explanation == "gives no reason"
    assert terse["reasoning"].value >= 0.7


async def test_a_reply_that_rests_on_the_context_uses_it_also_in_few_words() -> None:
    fields = {"answer": "In Lisbon it opens at 09:00.", "context": "The user works in the Lisbon office."}
    used = await review("The Lisbon office opens at 09:00.", question="When does it open?", **fields)
    assert used["context"].value == 1.0


async def test_a_reply_against_its_context_does_not_use_it() -> None:
    found = await review(
        "It is closed on 1 May and 24 December.",
        question="When is the library closed?",
        answer="On Sundays and on 1 May",
        context="The library is closed on Sundays and on 1 May. It is not closed on 24 December.",
    )
    assert found["context"].value == 0.0
    assert "24 December" in found["context"].explanation


async def test_a_mark_that_is_unsure_says_so() -> None:
    found = await review("It depends on the season.", question="Is the pool open?", answer="Yes")
    assert "unsure" in found["correctness"].explanation


async def test_context_that_the_answer_owes_nothing_to_is_not_marked() -> None:
    found = await review("Paris", answer="Paris", context="The user greeted the agent kindly.")
    assert "context" not in found


async def test_of_a_reply_of_five_million_characters_the_beginning_is_judged_and_that_is_said() -> None:
    case = Case(id="a", question="What is the capital of France?", answer="Paris")
    started = time.process_time()
    for text, right in (("Paris. " + "x y " * 1_250_000, True), ("x y " * 1_250_000 + "Paris.", False)):
        reviewed = await EmbeddedReviewer().review(case, [Turn(number=1, question="", reply=Reply(text=text))])
        (part,) = reviewed.parts
        assert (part.value >= 0.7) is right
        assert part.explanation.endswith(f"; only the first 100,000 of {len(text):,} characters were read")
    assert time.process_time() - started < 4.0  # read as a whole, each takes ten seconds and more
