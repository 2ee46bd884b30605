"""Small casts for the engine's tests: an executor over plain functions, and what it recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proctor.agents.function import adapt
from proctor.benchmark import Case, Exam
from proctor.roles import Reviewer
from proctor.run import Attempt, Finished, Key, PendingAttempt, Record, Run, Settings
from proctor.running.plan import pending_attempts
from proctor.running.schedule import LocalExecutor
from proctor.score import Part, Review
from proctor.threads import Stage, on_stage
from proctor.transcript import Turn


class SaysRight:
    """A reviewer that likes replies that contain the expected answer."""

    name = "says-right"
    rubric = "test-1"

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        reply = turns[-1].reply
        assert case is not None
        assert reply is not None
        right = (case.answer or "") in reply.text
        parts = [Part(name="correctness", value=float(right))]
        if case.context:
            parts.append(Part(name="context", value=1.0))
        return Review(parts=tuple(parts))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return None


class Reviews:
    """A reviewer made of one function."""

    name = "function"
    rubric = "test-1"

    def __init__(self, function: Callable[[Case | None, Sequence[Turn]], Any]) -> None:
        self._function = function

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        result = self._function(case, turns)
        review: Review = await result if hasattr(result, "__await__") else result
        return review

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return None


def exams(count: int, *, answer: str = "yes", context: str | None = None) -> tuple[Exam, ...]:
    return tuple(
        Exam(id=f"c{number}", cases=(Case(id=f"c{number}", question=f"q{number}", answer=answer, context=context),))
        for number in range(1, count + 1)
    )


def fresh(count: int = 1, *, settings: Settings | None = None, **options: Any) -> list[PendingAttempt]:
    run = Run(id="r1", name="r", benchmark="b", digest="d", agent="a", settings=settings or Settings())
    return list(pending_attempts(run, exams(count, **options)))


async def executed(
    make: Callable[[Stage], LocalExecutor],
    todo: Sequence[PendingAttempt],
    *,
    heard: Callable[[LocalExecutor, Sequence[Record]], None] | None = None,
) -> tuple[list[Record], LocalExecutor]:
    """All records of an executor that plays on this event loop, and the executor; each batch is `heard` of."""
    executors: list[LocalExecutor] = []

    def drive(stage: Stage) -> list[Record]:
        executor = make(stage)
        executors.append(executor)
        records: list[Record] = []
        for batch in executor.execute(todo):
            records += batch
            if heard is not None and batch:
                heard(executor, batch)
        return records

    return await on_stage(drive), executors[0]


async def played(
    agent: Any, todo: Sequence[PendingAttempt], *, reviewer: Reviewer | None = None, **settings: Any
) -> tuple[list[Attempt], list[Record], LocalExecutor]:
    """Play everything; the finished attempts, all records, and the executor."""
    examined = adapt(agent, name="agent")
    settings.setdefault("context_given", examined.takes_request)

    def make(stage: Stage) -> LocalExecutor:
        reviewers = (reviewer or SaysRight(),)
        return LocalExecutor(agent=examined, reviewers=reviewers, settings=Settings(**settings), stage=stage)

    records, executor = await executed(make, todo)
    return [record.attempt for record in records if isinstance(record, Finished)], records, executor


def key(exam: str = "c1", trial: int = 1) -> Key:
    return Key(run="r1", exam=exam, trial=trial)
