from __future__ import annotations

import pytest

from proctor.benchmark import Case, Exam
from proctor.errors import InputError
from proctor.reviewers.exact import ExactReviewer, load
from proctor.roles import Reviewer
from proctor.score import Review
from proctor.transcript import Reply, Turn


async def mark(answer: str, reply: str) -> float:
    turns = [Turn(number=1, question="q", reply=Reply(text=reply))]
    found = await ExactReviewer().review(Case(id="c", question="q", answer=answer), turns)
    (part,) = found.parts
    assert part.name == "correctness"
    return part.value


@pytest.mark.parametrize("reply", ["Paris", "paris", " PARIS. ", "Paris!", '"Paris"', "Paris\n"])
async def test_case_white_space_quotes_and_final_punctuation_do_not_count(reply: str) -> None:
    assert await mark("Paris", reply) == 1.0


@pytest.mark.parametrize("reply", ["It is Paris", "Pari", "", "not Paris", "London"])
async def test_anything_else_is_wrong(reply: str) -> None:
    assert await mark("Paris", reply) == 0.0


async def test_a_leading_point_counts() -> None:
    assert await mark(".5", "5") == 0.0


async def test_a_wrong_reply_is_told_what_was_expected() -> None:
    turns = [Turn(number=1, question="q", reply=Reply(text="Rome"))]
    found = await ExactReviewer().review(Case(id="c", question="q", answer="Paris"), turns)
    assert found.parts[0].explanation == "expected exactly 'Paris'"


async def test_without_case_answer_or_reply_it_has_nothing_to_say() -> None:
    reviewer = ExactReviewer()
    answered = [Turn(number=1, question="q", reply=Reply(text="a"))]
    assert await reviewer.review(None, answered) == Review()
    assert await reviewer.review(Case(id="c", question="q"), answered) == Review()
    assert await reviewer.review(Case(id="c", question="q", answer="a"), [Turn(number=1, question="q")]) == Review()
    assert await reviewer.conclude(Exam(id="e", cases=()), answered) is None


def test_it_is_loaded_by_name_and_has_no_settings() -> None:
    reviewer: Reviewer = load("", {})
    assert (reviewer.name, reviewer.rubric) == ("exact", "exact-1")
    with pytest.raises(InputError, match="no settings"):
        load("", {"case": True})
