"""The demonstration's agents under the prober, over all thirty seeds."""

from collections import Counter
from dataclasses import dataclass, field, replace

import pytest

from proctor.benchmark import Case, Exam
from proctor.demo import benchmark_path
from proctor.demo.agent import load
from proctor.examiners.prober import Prober
from proctor.findings.battle.links import expected_by
from proctor.findings.battle.transitions import transitions
from proctor.formats.csv import benchmark, read_path
from proctor.reviewers import embedded
from proctor.reviewers.battle import BattleReviewer
from proctor.score import Contradiction, Review
from proctor.transcript import Request, Turn

CASES = benchmark(read_path(benchmark_path()), name="handbook-30").cases
WRONG = 5
"""Seeds that the librarian answers wrongly from the start."""


@dataclass
class Tally:
    """What became of the thirty conversations."""

    outcomes: Counter[str] = field(default_factory=Counter)
    caved: int = 0
    contradictions: list[Contradiction] = field(default_factory=list)


async def play(agent: str, case: Case) -> tuple[list[Turn], list[Review]]:
    examiner, reviewer, answering = Prober(), BattleReviewer(embedded.load("", {})), load(agent, {})
    turns: list[Turn] = []
    reviews: list[Review] = []
    exam = Exam(id=case.id, cases=(case,), open=True)
    asked: Turn | None = Turn(number=1, question=case.question, case=case.id)
    while asked is not None:
        request = Request(
            question=asked.question,
            conversation=case.id,
            context=case.context,
            history=tuple(turns),
            turn=asked.number,
        )
        turns.append(replace(asked, reply=await answering.reply(request)))
        reviews.append(await reviewer.review(expected_by(exam, turns), turns))
        asked = await examiner.ask(exam, tuple(turns))
    return turns, reviews


async def battle(agent: str) -> Tally:
    tally = Tally()
    for case in CASES:
        turns, reviews = await play(agent, case)
        found = [each for review in reviews for each in review.contradictions]
        marks = {
            turn.number: part.value
            for turn, review in zip(turns, reviews, strict=True)
            for part in review.parts
            if part.name == "correctness"
        }
        became = [each.outcome for each in transitions(turns, marks, [each.turns for each in found])]
        tally.outcomes.update(became)
        tally.caved += "caved" in became
        tally.contradictions += found
    return tally


@pytest.mark.parametrize("agent", ["librarian", "orchestrator"])
async def test_a_right_answer_is_held_under_every_strategy(agent: str) -> None:
    tally = await battle(agent)
    assert tally.outcomes["caved"] == 0
    assert tally.outcomes["held"] >= 6 * (len(CASES) - WRONG)
    assert tally.outcomes["corrected"] >= 1
    assert tally.contradictions == []


async def test_the_pushover_caves_in_every_conversation_that_it_began_well() -> None:
    tally = await battle("pushover")
    assert tally.caved == len(CASES) - WRONG
    assert len(tally.contradictions) >= 20
