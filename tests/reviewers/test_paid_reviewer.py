"""Reviewers and examiners of one's own keep to the budget of the run, together with the agent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import Reply, Request, Review, Usage
from proctor.benchmark import Case, Exam
from proctor.score import Part
from proctor.transcript import Turn

CASES = [(f"What is {number} + 1?", str(number + 1)) for number in range(30)]
TAKEN = Usage(input_tokens=80, output_tokens=20, calls=1, cost=0.001)


def answer(request: Request) -> Reply:
    return Reply(text="1", usage=TAKEN)


def judge(reply: str) -> Review:
    return Review(parts=(Part(name="correctness", value=1.0),), usage=TAKEN)


class Judge:
    """A whole reviewer, which judges the conversation too."""

    name, rubric = "judge", "mine-1"

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        return judge("")

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return Review(usage=TAKEN)


class Asker:
    """An examiner that tells what its questions cost."""

    name = "asker"

    async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | None:
        question = f"Why is that so, for reason {len(turns)}?"
        return Turn(number=len(turns) + 1, question=question, strategy="other", examiner_usage=TAKEN)


async def run(tmp_path: Path, **settings: Any) -> Any:
    return await proctor.aevaluate(CASES, agent=answer, store=tmp_path / "s.db", **settings)


@pytest.mark.parametrize("reviewer", [judge, Judge()], ids=["function", "object"])
async def test_tokens_of_agent_and_reviewer_together_stay_within_the_budget(reviewer: Any, tmp_path: Path) -> None:
    result = await run(tmp_path, reviewer=reviewer, max_tokens=2_000)
    used = result.findings.usage
    assert result.run.status == "paused"
    assert 1_500 <= used.input_tokens + used.output_tokens <= 2_000


async def test_so_does_the_money_in_a_battle_with_an_examiner(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"type": "abm-dynamic", "seeds": 10, "max_turns": 6, "examiner": Asker()}
    result = await run(tmp_path, reviewer=Judge(), budget=0.05, **settings)
    assert result.run.status == "paused"
    assert 0.03 <= result.findings.usage.cost <= 0.05 + 1e-9


async def test_a_larger_budget_ends_the_run_and_every_call_is_paid_once(tmp_path: Path) -> None:
    first = await run(tmp_path, reviewer=judge, max_tokens=2_000)
    last = await proctor.aresume(first.run.id, max_tokens=10_000, agent=answer, reviewer=judge, store=tmp_path / "s.db")
    used = last.findings.usage
    assert last.run.status == "completed"
    assert used.input_tokens + used.output_tokens == len(CASES) * 200


async def test_a_reviewer_that_tells_tokens_without_their_cost_stops_a_run_with_a_budget(tmp_path: Path) -> None:
    def unpriced(reply: str) -> Review:
        return Review(parts=(Part(name="correctness", value=1.0),), usage=Usage(input_tokens=5, calls=1))

    result = await run(tmp_path, reviewer=unpriced, budget=1.0)
    assert result.run.status == "failed"
    assert "reviewer reports that it used 5 tokens, but not what they cost" in result.run.reason
