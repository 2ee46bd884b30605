"""Players wait for a slow journal: what is answered and not stored would be paid again after a crash."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.running.players import exams, executed, fresh

from proctor.agents.function import adapt
from proctor.benchmark import Case, Exam
from proctor.run import Finished, PendingAttempt, Record, Run, Settings, Turned
from proctor.running.plan import pending_attempts
from proctor.running.schedule import LocalExecutor
from proctor.score import Part, Review
from proctor.threads import Stage
from proctor.transcript import Reply, Transcript, Turn

CONCURRENCY = 4


@dataclass(slots=True)
class Till:
    """What was answered, and how much of it was ever not stored."""

    answered: int = 0
    stored: int = 0
    most: int = 0

    async def answer(self) -> None:
        await asyncio.sleep(0.001)
        self.answered += 1
        self.most = max(self.most, self.answered - self.stored)


@dataclass(slots=True)
class Judge:
    """A reviewer that has to be paid."""

    till: Till
    name: str = "judge"
    rubric: str = "1"

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        await self.till.answer()
        return Review(parts=(Part(name="correctness", value=1.0),))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return None


@dataclass(slots=True)
class Asker:
    """An examiner that has to be paid, too."""

    till: Till
    name: str = "asker"

    async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | None:
        await self.till.answer()
        return Turn(number=0, question=f"and {len(turns)}?")


def calls_in(records: Sequence[Record], *, judged: bool, single: bool) -> int:
    """How many calls these records tell of; the review of a single reply comes with the outcome."""
    told = 0
    for record in records:
        told += judged and single if isinstance(record, Finished) else isinstance(record, Turned) or judged
    return told


async def unsaved(todo: Sequence[PendingAttempt], till: Till, *, judged: bool, examined: bool = False) -> int:
    """The most answers that were not stored, with a journal that takes its time."""

    async def agent(question: str) -> str:
        await till.answer()
        return "yes"

    def make(stage: Stage) -> LocalExecutor:
        return LocalExecutor(
            agent=adapt(agent, name="agent"),
            reviewers=(Judge(till),) if judged else (),
            settings=Settings(concurrency=CONCURRENCY, max_turns=4),
            stage=stage,
            examiner=Asker(till) if examined else None,
        )

    def slowly(_: LocalExecutor, batch: Sequence[Record]) -> None:
        threading.Event().wait(0.03)
        till.stored += calls_in(batch, judged=judged, single=not examined)

    await executed(make, todo, heard=slowly)
    return till.most


def answered(pending: PendingAttempt) -> PendingAttempt:
    """As a rescored run finds it: only the review is missing."""
    turn = Turn(number=1, question=pending.exam.cases[0].question, reply=Reply(text="yes"), case=pending.exam.id)
    return replace(pending, attempt=replace(pending.attempt, transcript=Transcript(turns=(turn,))))


def battles(count: int) -> list[PendingAttempt]:
    run = Run(id="r1", name="r", benchmark="b", digest="d", agent="a", settings=Settings(type="abm-dynamic"))
    return list(pending_attempts(run, tuple(replace(exam, open=True) for exam in exams(count))))


@pytest.mark.parametrize(
    ("todo", "calls", "options"),
    [
        (fresh(60), 60, {"judged": False}),
        (fresh(60), 120, {"judged": True}),
        ([answered(each) for each in fresh(60)], 60, {"judged": True}),
        (battles(12), 12 * (4 + 3 + 4), {"judged": True, "examined": True}),
    ],
    ids=["asked", "asked and judged", "rescored", "a battle"],
)
async def test_a_slow_journal_leaves_at_most_two_answers_unsaved_for_each_attempt_under_way(
    todo: list[PendingAttempt], calls: int, options: dict[str, Any]
) -> None:
    till = Till()
    most = await unsaved(todo, till, **options)
    assert till.answered == till.stored == calls
    assert CONCURRENCY <= most <= 2 * CONCURRENCY
