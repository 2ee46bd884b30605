"""An attempt over several sessions, with kills between them: everything paid is counted once, nothing is mixed up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.running.players import Reviews, executed

from proctor.agents.function import adapt
from proctor.benchmark import Benchmark, Case
from proctor.errors import EnvironmentFault, Misconfigured
from proctor.failures import with_spending
from proctor.run import Attempt, Record, Run, Settings
from proctor.running import calls
from proctor.running.plan import exams_of, pending_attempts
from proctor.running.schedule import LocalExecutor
from proctor.score import Part, Review
from proctor.storage import Store, open_store
from proctor.threads import Stage
from proctor.transcript import Reply, Request, Turn
from proctor.usage import Usage
from proctor.workflows.replies import place
from proctor.workflows.resume import _spent

CASES = tuple(Case(id=f"c{number}", question=f"q{number}", answer="yes") for number in range(1, 5))
SETTINGS = Settings(type="abm-static", max_turns=4, retries=1, passing_score=0.5)
RUN = Run(id="r1", name="r", benchmark="b", digest="d", agent="a", settings=SETTINGS, planned=1)
BENCHMARK = Benchmark(name="b", digest="d", cases=CASES)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0.001)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with open_store(tmp_path / "s.db") as opened:
        opened.journal.create(RUN, BENCHMARK)
        yield opened


class Till:
    """What was really paid: one token and one call a time, each for one more."""

    def __init__(self) -> None:
        self.take_written = 0

    def pay(self) -> Usage:
        self.take_written += 1
        return Usage(input_tokens=1, calls=1, cost=0.25)


def making(agent: Any, reviewer: Callable[..., Review]) -> Callable[[Stage], LocalExecutor]:
    examined, reviewers = adapt(agent, name="a"), (Reviews(reviewer),)
    return lambda stage: LocalExecutor(agent=examined, reviewers=reviewers, settings=SETTINGS, stage=stage)


async def sit(
    store: Store, agent: Any, reviewer: Callable[..., Review], *, killed: Callable[[Record], bool] | None = None
) -> None:
    """Play what is left. What happens after a record that `killed` likes is never stored."""
    under_way = {place(attempt): (attempt, reviews) for attempt, reviews in store.archive.pending_attempts(RUN.id)}
    left = pending_attempts(
        RUN, exams_of(BENCHMARK, SETTINGS), finished=store.archive.finished(RUN.id), under_way=under_way
    )
    records, _ = await executed(making(agent, reviewer), list(left))
    ends = next((at for at, record in enumerate(records) if killed is not None and killed(record)), len(records))
    store.journal.write(records[: ends + 1])


def outcome(store: Store) -> Attempt:
    [attempt] = store.archive.full_attempts(RUN.id)
    return attempt


def reply_to(turn: int) -> Callable[[Record], bool]:
    """The record of an answered turn."""

    def is_it(record: Any) -> bool:
        found: Turn | None = getattr(record, "turn", None) if not isinstance(getattr(record, "turn", 0), int) else None
        return found is not None and found.number == turn and found.reply is not None

    return is_it


def test_a_stale_review_never_judges_a_reply_of_a_later_sitting(store: Store) -> None:
    down = {"q3"}
    said = "good"

    def remembers(question: str) -> str:  # handed the question alone, so a conversation is replayed
        if question in down:
            raise ConnectionError("nobody is there")
        return said

    def judge(case: Case | None, turns: Sequence[Turn]) -> Review:
        assert turns[-1].reply is not None
        return Review(parts=(Part(name="correctness", value=float(turns[-1].reply.text == "good")),))

    asyncio.run(sit(store, remembers, judge))
    assert outcome(store).failure is not None
    down.add("q1")
    asyncio.run(sit(store, remembers, judge))
    down.clear()
    said = "bad"
    asyncio.run(sit(store, remembers, judge))
    ended = outcome(store)
    assert [turn.reply and turn.reply.text for turn in ended.transcript.turns] == ["bad"] * 4
    assert [score.value for score in ended.scores] == [0.0] * 4


def test_what_failed_tries_have_cost_survives_a_resume_that_is_killed(store: Store) -> None:
    till, tries = Till(), count(1)

    def informed(request: Request) -> Reply:
        if request.turn == 1 and next(tries) <= 4:
            raise with_spending(EnvironmentFault("busy"), till.pay())
        return Reply(text="yes", usage=till.pay())

    def judge(case: Case | None, turns: Sequence[Turn]) -> Review:
        return Review(parts=(Part(name="correctness", value=1.0),), usage=till.pay())

    asyncio.run(sit(store, informed, judge))
    asyncio.run(sit(store, informed, judge))
    assert till.take_written == 4
    asyncio.run(sit(store, informed, judge, killed=reply_to(3)))
    stored = 4 + 3 + 2
    assert _spent(store, RUN).calls == stored
    before = till.take_written
    asyncio.run(sit(store, informed, judge))
    assert outcome(store).passed is True
    assert outcome(store).usage.calls == stored + till.take_written - before
    assert _spent(store, RUN) == outcome(store).usage


def test_a_conversation_that_is_replayed_twice_has_cost_all_that_was_paid(store: Store) -> None:
    till = Till()

    def remembers(question: str) -> Reply:
        return Reply(text="yes", usage=till.pay())

    def judge(case: Case | None, turns: Sequence[Turn]) -> Review:
        return Review(parts=(Part(name="correctness", value=1.0),), usage=till.pay())

    asyncio.run(sit(store, remembers, judge, killed=reply_to(3)))
    assert _spent(store, RUN).calls == 3 + 2
    asyncio.run(sit(store, remembers, judge, killed=reply_to(2)))
    assert _spent(store, RUN).calls == 3 + 2 + 2 + 1
    till.take_written = 0
    asyncio.run(sit(store, remembers, judge))
    assert outcome(store).usage.calls == 3 + 2 + 2 + 1 + till.take_written
    assert [turn.number for turn in outcome(store).transcript.turns] == [1, 2, 3, 4]


async def test_what_failed_tries_have_cost_survives_a_pause(store: Store) -> None:
    till, reached = Till(), asyncio.Event()

    async def informed(request: Request) -> Reply:
        if not till.take_written:
            raise with_spending(EnvironmentFault("busy"), till.pay())
        reached.set()
        await asyncio.Event().wait()
        raise AssertionError("it waits for ever")

    todo = list(pending_attempts(RUN, exams_of(BENCHMARK, SETTINGS)))
    executors: list[LocalExecutor] = []

    def make(stage: Stage) -> LocalExecutor:
        executors.append(making(informed, lambda case, turns: Review())(stage))
        return executors[0]

    playing = asyncio.create_task(executed(make, todo))
    await reached.wait()
    executors[0].stop()
    records, _ = await playing
    store.journal.write(records)
    assert _spent(store, RUN) == Usage(input_tokens=1, calls=1, cost=0.25)


def test_a_wrong_setting_after_a_resume_counts_nothing_twice(store: Store) -> None:
    till, locked = Till(), True

    def informed(request: Request) -> Reply:
        if request.turn == 3 and locked:
            raise with_spending(Misconfigured("wrong key"), till.pay())
        return Reply(text="yes", usage=till.pay())

    def judge(case: Case | None, turns: Sequence[Turn]) -> Review:
        return Review(parts=(Part(name="correctness", value=1.0),), usage=till.pay())

    for _ in range(3):
        asyncio.run(sit(store, informed, judge))
        assert _spent(store, RUN).calls == outcome(store).usage.calls == till.take_written
    locked = False
    asyncio.run(sit(store, informed, judge))
    assert outcome(store).usage == Usage(
        input_tokens=till.take_written, calls=till.take_written, cost=till.take_written / 4
    )
