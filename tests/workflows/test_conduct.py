"""The middle of every run: play, write, count; and what is left when it stops."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import threads
from proctor.errors import RunBusy, StoreError
from proctor.run import Finished, Record, Run
from proctor.storage import open_store
from proctor.storage.journal import DatabaseJournal
from proctor.workflows import ledger
from proctor.workflows.change import cancel_run
from proctor.workflows.read import find_run, read_findings

CASES = [(f"q {number}", "yes") for number in range(40)]
Options = dict[str, Any]


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return {"store": str(tmp_path / "store.db"), "reviewer": "exact", "name": "it"}


class Gated:
    """An agent that answers a few questions and then waits."""

    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.asked = 0
        self.waiting = asyncio.Event()

    async def reply(self, question: str) -> str:
        self.asked += 1
        if self.asked > self.answers:
            self.waiting.set()
            await asyncio.Event().wait()
        return "yes"


async def begun(agent: Gated, options: Options) -> asyncio.Task[proctor.Evaluation]:
    """A run that has come to a standstill."""
    running = asyncio.create_task(proctor.aevaluate(CASES, agent=agent, concurrency=2, **options))
    await agent.waiting.wait()
    return running


async def test_a_record_is_on_disk_before_it_counts(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    write = DatabaseJournal.write

    def counted(journal: DatabaseJournal, records: Sequence[Record]) -> None:
        write(journal, records)
        written.append(sum(isinstance(record, Finished) for record in records))

    monkeypatch.setattr(DatabaseJournal, "write", counted)
    seen: list[tuple[int, int]] = []
    await proctor.aevaluate(
        CASES, agent=lambda question: "yes", watch=lambda tally: seen.append((tally.done, sum(written))), **options
    )
    assert seen[-1][0] == 40
    assert all(done <= stored for done, stored in seen)


async def test_a_wish_to_cancel_reaches_the_run_through_the_store(options: Options) -> None:
    agent = Gated(5)
    running = await begun(agent, options)
    cancelled = await threads.call(lambda: cancel_run("it", store=options["store"]))
    assert cancelled.status == "cancelled"
    evaluation = await running
    assert (evaluation.run.status, evaluation.findings.counts.scored) == ("cancelled", 5)


async def test_a_wish_to_pause_leaves_the_run_paused(options: Options) -> None:
    agent = Gated(5)
    running = await begun(agent, options)
    with open_store(options["store"]) as store:
        store.journal.request_stop(store.archive.find("it").id, "pause")
    evaluation = await running
    assert (evaluation.run.status, evaluation.findings.counts.pending) == ("paused", 35)


async def test_an_old_wish_does_not_stop_a_run_that_goes_on(options: Options) -> None:
    running = await begun(Gated(5), options)
    await threads.call(lambda: cancel_run("it", store=options["store"]))
    await running
    with open_store(options["store"]) as store:
        store.journal.request_stop(store.archive.find("it").id, "cancel")
    resumed = await proctor.aresume("it", agent=lambda question: "yes", store=options["store"])
    assert (resumed.run.status, resumed.findings.counts.scored) == ("completed", 40)


async def test_a_second_writer_is_refused_and_readers_are_let_in(options: Options) -> None:
    running = await begun(Gated(5), options)
    with pytest.raises(RunBusy, match="is being written by another process"):
        await proctor.aresume("it", agent=lambda question: "yes", store=options["store"])
    found = await threads.call(lambda: find_run("it", store=options["store"]))
    assert found.status == "running"
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    findings = await threads.call(lambda: read_findings("it", store=options["store"]))
    assert (findings.run.status, findings.run.reason) == ("paused", "interrupted")
    assert findings.counts.scored == 5


async def test_a_store_that_fails_for_a_while_loses_nothing(
    options: Options, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ledger, "_FIRST_PAUSE", 0.001)
    write = DatabaseJournal.write
    calls = iter(range(1000))
    asked: list[str] = []

    def failing(journal: DatabaseJournal, records: Sequence[Record]) -> None:
        if 2 <= next(calls) < 6:
            raise StoreError("the disk is full")
        write(journal, records)

    async def agent(question: str) -> str:
        asked.append(question)
        return "yes"

    monkeypatch.setattr(DatabaseJournal, "write", failing)
    found = await proctor.aevaluate(CASES, agent=agent, concurrency=2, **options)
    assert (found.run.status, found.findings.counts.scored) == ("completed", 40)
    assert sorted(asked) == sorted(question for question, _ in CASES)
    assert "the disk is full; trying again in" in caplog.text


async def test_a_store_that_fails_in_the_middle_stops_the_run_with_exit_code_4(
    options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "_STORE_PATIENCE", 0.0)
    write = DatabaseJournal.write
    calls = iter(range(1000))

    def failing(journal: DatabaseJournal, records: Sequence[Record]) -> None:
        if next(calls) == 2:
            raise StoreError("the disk is full")
        write(journal, records)

    async def slowly(question: str) -> str:
        await asyncio.sleep(0.01)
        return "yes"

    monkeypatch.setattr(DatabaseJournal, "write", failing)
    with pytest.raises(StoreError, match="the disk is full") as caught:
        await proctor.aevaluate(CASES, agent=slowly, concurrency=2, **options)
    assert caught.value.exit_code == 4
    findings = await threads.call(lambda: read_findings("it", store=options["store"]))
    assert findings.run.status == "failed"
    assert re.fullmatch(r"the disk is full; [1-4] answered calls? could not be stored", findings.run.reason)
    assert 0 < findings.counts.scored < 40
    resumed = await proctor.aresume("it", agent=slowly, store=options["store"])
    assert (resumed.run.status, resumed.findings.counts.scored) == ("completed", 40)


class Closing:
    """An agent that says when it was let go of."""

    name, takes_request = "closing", False

    def __init__(self, on_close: Callable[[], None]) -> None:
        self.closed = 0
        self.forgotten: list[str] = []
        self._on_close = on_close

    async def reply(self, request: proctor.Request) -> proctor.Reply:
        return proctor.Reply(text="yes")

    async def forget(self, conversation: str) -> None:
        self.forgotten.append(conversation)

    async def close(self) -> None:
        self.closed += 1
        self._on_close()


def breaks() -> None:
    raise RuntimeError("the connection was gone already")


@pytest.mark.parametrize("on_close", [lambda: None, breaks])
async def test_the_agent_is_let_go_of_once_and_what_it_says_then_changes_nothing(
    options: Options, on_close: Callable[[], None]
) -> None:
    agent = Closing(on_close)
    evaluation = await proctor.aevaluate(CASES, agent=agent, **options)
    assert evaluation.run.status == "completed"
    assert agent.closed == 1
    assert len(set(agent.forgotten)) == 40


async def test_the_time_of_a_run_is_the_time_it_was_played(options: Options) -> None:
    running = await begun(Gated(5), options)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    def stopped() -> Run:
        return find_run("it", store=options["store"])

    before = (await threads.call(stopped)).seconds
    resumed = await proctor.aresume("it", agent=lambda question: "yes", store=options["store"])
    assert 0 < before < resumed.run.seconds < 30
