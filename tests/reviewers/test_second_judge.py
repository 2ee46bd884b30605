from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.models.openai_api import Answer, Api, Refused, Said, api

from proctor.benchmark import Case, Exam
from proctor.config import Config
from proctor.errors import UsageError
from proctor.findings.comparison.comparability import unlike
from proctor.reports.run.json import as_dict
from proctor.reviewers.embedded import EmbeddedReviewer
from proctor.reviewers.second_judge import SecondJudge
from proctor.score import Part, Review
from proctor.transcript import Reply, Turn
from proctor.usage import Usage
from proctor.workflows.evaluate import Evaluation, aevaluate
from proctor.workflows.parts import choose_reviewer, specs_of
from proctor.workflows.read import read_findings
from proctor.workflows.rescore import arescore
from proctor.workflows.resume import aresume

QUESTION = "Who walked on the moon first?"
CASES = [
    Case(id="sure", question="What is the capital of France?", answer="Paris"),
    Case(id="wrong", question="How many days of leave are there?", answer="30 days"),
    Case(id="unsure", question="Which colours are there?", answer="red, green and blue"),
]
REPLIES = {
    "What is the capital of France?": "Paris",
    "How many days of leave are there?": "There are 31 days.",
    "Which colours are there?": "blue and red",
}
MARKS = json.dumps({"correctness": 0.9, "correctness_explanation": "close enough"})
PRICES: dict[str, Any] = {"m": {"input": 1.0, "output": 2.0}}


def answer(question: str) -> str:
    return REPLIES[question]


class Scripted:
    """A judge that gives one review."""

    name, rubric = "scripted", "scripted-1"

    def __init__(self, review: Review) -> None:
        self._review = review
        self.asked = 0

    async def review(self, case: Case | None, turns: Any) -> Review:
        self.asked += 1
        return self._review

    async def conclude(self, exam: Exam, turns: Any) -> Review | None:
        return Review(explanation="never asked")


def part(value: float, *, unsure: bool = False) -> Part:
    return Part(name="correctness", value=value, explanation="so", unsure=unsure)


async def judged(first: Review, second: Review) -> tuple[Review, int]:
    judge = Scripted(second)
    pair = SecondJudge(Scripted(first), judge)
    turn = Turn(number=1, question=QUESTION, reply=Reply(text="Armstrong"))
    return await pair.review(Case(id="c", question=QUESTION, answer="Neil Armstrong"), [turn]), judge.asked


async def test_what_the_first_judge_is_sure_of_never_reaches_the_second() -> None:
    first = Review(parts=(part(0.9),))
    assert await judged(first, Review(parts=(part(0.1),))) == (first, 0)


async def test_of_what_the_first_leaves_unsure_the_second_judges_mark_decides() -> None:
    used = Usage(input_tokens=70, output_tokens=30, calls=1, cost=0.5)
    found, asked = await judged(
        Review(parts=(part(0.5, unsure=True),)), Review(parts=(part(0.9),), explanation="fine", usage=used)
    )
    assert (found.parts, found.usage, found.passed_on, asked) == ((part(0.9),), used, used, 1)
    assert found.explanation == "scripted was unsure and asked scripted: correctness 0.50, so\nfine"


async def test_a_second_judge_without_a_usable_answer_leaves_the_reply_without_a_mark() -> None:
    found, _ = await judged(Review(parts=(part(0.5, unsure=True),)), Review(unscored="no JSON", usage=Usage(calls=2)))
    assert (found.parts, found.unscored, found.passed_on) == ((), "no JSON", Usage(calls=2))


async def test_a_second_judge_with_nothing_to_say_leaves_the_mark_unsure() -> None:
    found, _ = await judged(Review(parts=(part(0.5, unsure=True),)), Review())
    assert (found.parts, found.passed_on) == ((part(0.5, unsure=True),), Usage())


async def test_the_word_on_the_conversation_is_the_first_judges() -> None:
    pair = SecondJudge(EmbeddedReviewer(), Scripted(Review()))
    assert await pair.conclude(Exam(id="e", cases=()), []) is None
    assert (pair.name, pair.rubric) == ("embedded,scripted", "embedded-6,scripted-1")
    assert (pair.asks_nobody, pair.judges_improvised) == (False, False)


# Who is meant


def test_two_judges_are_named_with_a_comma_and_built_again_from_the_settings() -> None:
    chosen = choose_reviewer("embedded, openai:gpt-5-mini", Config())
    assert chosen.name == "embedded,openai:gpt-5-mini"
    assert {role: spec.spec for role, spec in specs_of("reviewer", chosen).items()} == {
        "reviewer": "embedded",
        "second_reviewer": "openai:gpt-5-mini",
    }


def test_a_comma_in_an_address_parts_nothing() -> None:
    spec = "openai-compatible:m@http://127.0.0.1:1/a,b"
    assert choose_reviewer(spec, Config()).judges == ()


@pytest.mark.parametrize(
    ("reviewer", "said"),
    [
        ("openai:a,openai:b", "'openai:a' is never unsure"),
        ("exact,openai:b", "'exact' is never unsure"),
        ("embedded,openai:a,openai:b", "names 3 judges"),
    ],
)
def test_judges_that_could_not_take_turns_are_refused(reviewer: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        choose_reviewer(reviewer, Config())


# Whole runs, with a judge over a socket


@asynccontextmanager
async def two_judges(*script: Answer) -> AsyncIterator[tuple[str, Api]]:
    """What to name as the reviewer, and the server of the second judge."""
    async with api(*script, plays=None if script else lambda _: Said(text=MARKS)) as server:
        yield f"embedded,openai-compatible:m@{server.url}", server


async def run(reviewer: object, store: Path, **settings: Any) -> Evaluation:
    given = {"agent": answer, "reviewer": reviewer, "store": store, "config": Config(prices=PRICES), **settings}
    return await aevaluate(CASES, **given)


async def test_a_run_asks_the_second_judge_once_and_tells_what_that_saved(tmp_path: Path) -> None:
    async with two_judges() as (reviewer, server):
        done = await run(reviewer, tmp_path / "s.db")
    assert len(server.bodies) == 1
    assert {case.id: case.verdict for case in done.findings.cases} == {
        "sure": "pass",
        "wrong": "fail",
        "unsure": "pass",
    }
    told = as_dict(done.findings)["unsure"]
    assert (told["marks"], told["unsure"], told["passed_on"]) == (3, 0, 1)
    assert told["calls_saved"] == pytest.approx(2 / 3)
    assert told["cost_saved"] == pytest.approx(2 * (70 * 1e-6 + 30 * 2e-6))
    assert done.findings.notes[0].startswith("1 of 3 replies went to the second judge, openai-compatible:m@")
    assert "that saved 2 of 3 calls (67 %), about 0.00026 of its cost." in done.findings.notes[0]
    assert not any("Scores are by the embedded reviewer" in note for note in done.findings.notes)
    assert done.run.settings.rubric == "embedded-6,standard-1"


async def test_one_judge_alone_says_how_many_marks_are_unsure_and_what_to_do(tmp_path: Path) -> None:
    done = await run("embedded", tmp_path / "s.db")
    told = as_dict(done.findings)["unsure"]
    assert (told["marks"], told["unsure"], told["passed_on"], told["calls_saved"]) == (3, 1, 0, None)
    assert done.findings.notes[0] == (
        "1 of 3 scores is unsure: read those replies yourself, or have a second judge decide them alone: "
        "rescore the run with the reviewer embedded,openai:MODEL."
    )


async def test_what_is_read_from_the_store_counts_the_same(tmp_path: Path) -> None:
    async with two_judges() as (reviewer, _):
        done = await run(reviewer, tmp_path / "s.db")
    assert read_findings(done.run.id, store=str(tmp_path / "s.db")).unsure == done.findings.unsure
    marks = {each.key.exam: each.scores[0] for each in done.attempts()}
    assert [marks[name].passed_on is None for name in ("sure", "wrong", "unsure")] == [True, True, False]


async def test_stored_replies_are_judged_anew_by_two_and_then_by_other_weights_without_asking(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first = await run("embedded", store)
    async with two_judges() as (reviewer, server):
        done = await arescore(first.run.id, reviewer=reviewer, store=store, config=Config(prices=PRICES))
        again = await arescore(done.run.id, passing_score=0.95, store=store, config=Config(prices=PRICES))
    assert len(server.bodies) == 1
    assert (done.findings.unsure.passed_on, again.findings.unsure.passed_on) == (1, 1)
    assert [each.what for each in unlike(first.run, done.run)] == ["reviewer", "rubric"]
    assert unlike(first.run, done.run)[0].option == f"--reviewer {reviewer}"


async def test_a_run_whose_second_judge_was_away_is_resumed_with_both(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with two_judges(Refused(status=503), Said(text=MARKS)) as (reviewer, server):
        broken = await run(reviewer, store, agent=f"python:{__name__}:answer", retries=0)
        done = await aresume(broken.run.id, store=store, config=Config(prices=PRICES))
    assert broken.findings.counts.failed_by_environment == 1
    assert (done.findings.complete, done.findings.unsure.passed_on, len(server.bodies)) == (True, 1, 2)


async def test_live_judges_come_as_a_tuple(tmp_path: Path) -> None:
    judge = Scripted(Review(parts=(part(1.0),)))
    done = await run(("embedded", judge), tmp_path / "s.db")
    assert (judge.asked, done.run.settings.reviewer) == (1, "embedded,object:scripted")
    assert done.findings.unsure.passed_on == 1


async def test_in_a_battle_the_second_judge_gets_only_what_is_unsure(tmp_path: Path) -> None:
    async with two_judges() as (reviewer, server):
        done = await run(reviewer, tmp_path / "s.db", type="abm-static")
    assert len(server.bodies) == done.findings.unsure.passed_on == 1
    assert done.run.settings.rubric == "embedded-6,standard-1+battle-7"


async def test_a_verdict_that_is_cut_off_at_the_output_limit_is_unscored_counted_and_not_asked_again(
    tmp_path: Path,
) -> None:
    async with two_judges(Said(text='{"correctness_explanation": "because', cut_off=True)) as (reviewer, server):
        done = await run(reviewer, tmp_path / "s.db")
    assert (done.run.status, len(server.bodies)) == ("completed", 1)
    [missing] = [each for attempt in done.attempts() for each in attempt.unscored]
    assert "the answer was cut off at the model's output limit" in missing.reason
    assert done.findings.usage.output_tokens == 30


async def test_in_a_panel_only_the_replies_that_could_go_to_a_second_judge_count_as_saved_calls(tmp_path: Path) -> None:
    async with two_judges() as (reviewer, _):
        done = await run([reviewer, "exact"], tmp_path / "s.db")
    told = as_dict(done.findings)["unsure"]
    assert (told["marks"], told["judged"], told["passed_on"]) == (6, 3, 1)
    assert told["calls_saved"] == pytest.approx(2 / 3)


async def test_criteria_of_the_case_itself_that_the_first_judge_cannot_mark_go_to_the_second() -> None:
    tone = Part(name="tone", value=0.5, explanation="curt")
    second = Scripted(Review(parts=(part(0.9), tone)))
    pair = SecondJudge(Scripted(Review(parts=(part(0.1),))), second)
    turn = Turn(number=1, question=QUESTION, reply=Reply(text="Armstrong"))
    review = await pair.review(Case(id="c", question=QUESTION, criteria={"tone": "Is it polite?"}), [turn])
    assert [each.name for each in review.parts] == ["correctness", "tone"]
    assert "was unsure" not in review.explanation
