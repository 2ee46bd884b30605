"""Reads stored runs. Any number of readers may work next to one writer."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from proctor.benchmark import Benchmark
from proctor.errors import StoreError
from proctor.run import Attempt, Key, Run, Stop, StopRequest
from proctor.score import Review
from proctor.storage import chunks
from proctor.storage import live_counts as standing
from proctor.storage import pages as paging
from proctor.storage import run_name as naming
from proctor.storage import search as searching
from proctor.storage.database import Database
from proctor.storage.lease import Leases
from proctor.storage.live_counts import LiveCounts
from proctor.storage.numbers import Numbers, numbers_of
from proctor.storage.pages import EVERY, CursorScope, Order, PageCursors
from proctor.storage.rows import (
    RUN_COLUMNS,
    STOPPED,
    UNFINISHED,
    Place,
    attempt_of,
    benchmark_from,
    reviews_of,
    run_of,
    turns_of,
)
from proctor.storage.search import SearchResult
from proctor.storage.tables import attempts, benchmarks, runs
from proctor.transcript import Transcript
from proctor.usage import Usage

_OUTCOMES = 500
"""Number of outcomes read at a time."""
_TRANSCRIPTS = 50
"""Number of attempts read at a time with transcripts, which may be long."""
_KEYS = 5000
"""Number of keys read at a time."""

_Started = tuple[Attempt, dict[int, tuple[Review, ...]]]
"""An attempt that is not over, and its reviews by turn."""

_NEWEST_FIRST = (runs.c.created.desc(), runs.c.no.desc())


class DatabaseArchive:
    """Reads runs, outcomes and transcripts. Satisfies `proctor.roles.Archive`."""

    def __init__(self, database: Database, leases: Leases) -> None:
        self._database = database
        self._leases = leases
        self._marks = PageCursors()

    def runs(self) -> list[Run]:
        """Return all runs, newest first; an unreadable one is `failed`, with the reason and nothing planned."""
        return [self._as_it_stands(number, run) for number, run in self._stored_runs()]

    def find(self, name: str) -> Run:
        """Find a run by id, unique prefix of an id, unique name, or `last`; raises NoSuchRun."""
        with self._database.reading() as connection:
            known = connection.execute(select(runs.c.id, runs.c.name).order_by(*_NEWEST_FIRST))
            wanted = naming.resolve(name, [(row.id, row.name) for row in known])
            number, *values = connection.execute(select(runs.c.no, *RUN_COLUMNS).where(runs.c.id == wanted)).one()
        return self._as_it_stands(number, run_of(values))

    def alive(self, run: str) -> bool:
        """Whether a process is writing the run right now."""
        return self._leases.held(self._numbers(run).own)

    def stop_request(self, run: str) -> StopRequest | None:
        """Return the pending request to pause or cancel the run, if any."""
        with self._database.reading() as connection:
            stop: StopRequest | None = connection.execute(select(runs.c.stop_request).where(runs.c.id == run)).scalar()
        return stop

    def benchmark_of(self, run: str) -> Benchmark:
        """Return a run's exact benchmark: others with equal cases may differ in conditions or passing scores."""
        number = self._numbers(run).benchmark
        with self._database.reading() as connection:
            body = connection.execute(select(benchmarks.c.body).where(benchmarks.c.no == number)).scalar()
        if body is None:
            raise StoreError(f"the benchmark of run {run} is not stored: the run has been deleted meanwhile")
        return benchmark_from(body, run)

    def attempts(self, run: str) -> Iterator[Attempt]:
        """Stream outcomes without transcripts, in the order of the plan."""
        found = chunks.outcomes(self._database, self._numbers(run), size=_OUTCOMES)
        return (attempt_of(run, row) for chunk in found for row in chunk.rows)

    def full_attempts(self, run: str) -> Iterator[Attempt]:
        """Stream outcomes with transcripts, in the order of the plan."""
        found = chunks.outcomes(self._database, self._numbers(run), size=_TRANSCRIPTS, with_turns=True)
        return (attempt_of(run, row, chunk.turns) for chunk in found for row in chunk.rows)

    def verdict_counts(self, run: str) -> dict[str, tuple[int, int]]:
        """Map each exam to (attempts with a verdict, attempts that passed), without loading the attempts."""
        number = self._numbers(run).own
        with self._database.reading() as connection:
            return standing.verdicts_by_exam(connection, number)

    def verdict_order(self, run: str) -> dict[tuple[str, str], str]:
        """Map (exam, condition) to its trials' verdicts in order, + passed and - not passed; those without any are left
        out."""
        number = self._numbers(run).own
        with self._database.reading() as connection:
            return standing.verdicts_in_order(connection, number)

    def usage(self, run: str) -> Usage:
        """Sum the usage of all attempts, without loading them."""
        number = self._numbers(run).own
        with self._database.reading() as connection:
            return standing.usage_of(connection, number)

    def standing(self, run: str) -> LiveCounts:
        """Count a run's verdicts in the database."""
        number = self._numbers(run).own
        with self._database.reading() as connection:
            return standing.standing(connection, number)

    def turns_under_way(self, run: str) -> dict[Key, int]:
        """Map each conversation in progress to its number of completed turns."""
        number = self._numbers(run).own
        with self._database.reading() as connection:
            found = standing.turns_under_way(connection, number)
        return {
            Key(run=run, exam=exam, condition=condition, trial=trial): turns
            for (exam, condition, trial), turns in found.items()
        }

    def since(self, run: str, last: int) -> tuple[Run, int, list[Attempt]]:
        """Return the run's current state and a batch of attempts newer than `last`, with the number of the newest."""
        number = self._numbers(run).own
        with self._database.reading() as connection:
            rows = standing.since(connection, number, last)
        found = self._as_it_stands(*self._stored_runs(runs.c.no == number)[0])
        return found, rows[-1].no if rows else last, [attempt_of(run, row) for row in rows]

    def search(
        self,
        run: str,
        words: str,
        *,
        after: Place | None = None,
        limit: int = 100,
        seconds: float = 0.8,
        **which: Any,
    ) -> SearchResult:
        """Find attempts whose questions or replies contain the words; `which` filters as in `count`."""
        return searching.search(
            self._database, run, self._numbers(run), words, after=after, limit=limit, seconds=seconds, **which
        )

    def page(
        self,
        run: str,
        *,
        order: Order = "place",
        descending: bool = False,
        offset: int = 0,
        limit: int = 100,
        **which: Any,
    ) -> list[Attempt]:
        """Return a page of outcomes, without transcripts; `which` filters as in `count`."""
        number = self._numbers(run).own
        conditions = paging.chosen(number, **which)
        with self._database.reading() as connection:
            scope = self._scope(connection, number, (order, descending, repr(sorted(which.items()))), offset)
            rows = paging.page(
                connection, conditions, order=order, descending=descending, offset=offset, limit=limit, scope=scope
            )
        return [attempt_of(run, row) for row in rows]

    def count(self, run: str, **which: Any) -> int:
        """Count the outcomes that match the filters of `paging.chosen`, such as `verdicts`."""
        conditions = paging.chosen(self._numbers(run).own, **which)
        with self._database.reading() as connection:
            return paging.count(connection, conditions)

    def attempt(self, key: Key) -> Attempt | None:
        """Return one attempt with its transcript, as far as it got, or None if it has not begun."""
        numbers, place = self._numbers(key.run), (key.trial, key.condition, key.exam)
        with self._database.reading() as connection:
            row, turn_bodies = chunks.one(connection, numbers, place)
        if row is not None:
            return attempt_of(key.run, row, turn_bodies)
        begun = turns_of(key, turn_bodies)
        return Attempt(key=key, transcript=Transcript(turns=begun)) if begun else None

    def trials(self, run: str, exam: str, *, condition: str = "", which: Collection[int]) -> list[Attempt]:
        """Return trials of one exam with transcripts, as far as they got; those that have not begun are left out."""
        numbers = self._numbers(run)
        with self._database.reading() as connection:
            rows, turn_bodies = chunks.trials(connection, numbers, exam, condition, sorted(which))
        ended = {row.trial: attempt_of(run, row, turn_bodies) for row in rows}
        keys = (Key(run=run, exam=exam, condition=condition, trial=trial) for trial, _, _ in turn_bodies)
        begun = {
            key.trial: Attempt(key=key, transcript=Transcript(turns=turns_of(key, turn_bodies)))
            for key in keys
            if key.trial not in ended
        }
        return [attempt for _, attempt in sorted({**ended, **begun}.items())]

    def pending_attempts(self, run: str) -> Iterator[_Started]:
        """Yield attempts in progress or failed by the environment, with turns and reviews already paid for.

        Attempts that never ended have no row with their place in the plan yet: their place is 0. Exhaust the iterator
        before new attempts begin, or those may appear in it.
        """
        numbers = self._numbers(run)
        return chain(self._broken(run, numbers), self._begun(run, numbers))

    def over(self, run: str) -> int:
        """Count the attempts that are over, whatever their outcome."""
        ended = select(func.count()).where(attempts.c.run_no == self._numbers(run).own, attempts.c.verdict != "open")
        with self._database.reading() as connection:
            return int(connection.execute(ended).scalar() or 0)

    def finished(self, run: str) -> set[tuple[str, str, int]]:
        """Return (exam, condition, trial) of attempts that need no more work."""
        all_keys = select(attempts.c.exam, attempts.c.condition, attempts.c.trial).where(
            attempts.c.run_no == self._numbers(run).own
        )
        shared: dict[str, str] = {}
        with self._database.reading() as connection:
            connection = connection.execution_options(yield_per=_KEYS)
            keys = {
                # later trials share one string per exam, which halves the memory at 40 trials
                (exam if trial == 1 else shared.setdefault(exam, exam), shared.setdefault(condition, condition), trial)
                for exam, condition, trial in connection.execute(all_keys)
            }
            unfinished = all_keys.where(attempts.c.verdict.in_(UNFINISHED))
            keys.difference_update(tuple(row) for row in connection.execute(unfinished))
        return keys

    def _broken(self, run: str, numbers: Numbers) -> Iterator[_Started]:
        """Yield attempts that ended but are retried: transcript and reviews are kept, results are not."""
        for verdict in UNFINISHED:
            found = chunks.outcomes(
                self._database, numbers, size=_TRANSCRIPTS, verdict=verdict, with_turns=True, with_drafts=True
            )
            for chunk in found:
                for row in chunk.rows:
                    ended = attempt_of(run, row, chunk.turns)
                    yield _reopen(ended), reviews_of(ended.key, chunk.drafts)

    def _begun(self, run: str, numbers: Numbers) -> Iterator[_Started]:
        """Yield attempts that never ended."""
        for chunk in chunks.begun(self._database, numbers, size=_TRANSCRIPTS):
            for trial, condition, exam in chunk.places:
                key = Key(run=run, exam=exam, condition=condition, trial=trial)
                transcript = Transcript(turns=turns_of(key, chunk.turns))
                yield Attempt(key=key, transcript=transcript), reviews_of(key, chunk.drafts)

    def _scope(self, connection: Connection, number: int, choice: tuple[Any, ...], offset: int) -> CursorScope | None:
        """Return where to cache cursors for a deep page; None if it is not deep, or the run may still change."""
        if offset < EVERY:
            return None
        state = select(runs.c.status, runs.c.started, runs.c.ended, runs.c.seconds).where(runs.c.no == number)
        found = connection.execute(state).first()
        if found is None or found.status not in STOPPED:
            return None
        return CursorScope(self._marks, (number, tuple(found), *choice))

    def _numbers(self, run: str) -> Numbers:
        with self._database.reading() as connection:
            return numbers_of(connection, run)

    def _stored_runs(self, *which: ColumnElement[bool]) -> list[tuple[int, Run]]:
        """Return runs with their row numbers, with the status last stored, newest first."""
        statement = select(runs.c.no, *RUN_COLUMNS).where(*which).order_by(*_NEWEST_FIRST)
        with self._database.reading() as connection:
            return [(row.no, _readable(row)) for row in connection.execute(statement)]

    def _as_it_stands(self, number: int, run: Run) -> Run:
        """Return the run as paused if it is stored as running, but its process is gone."""
        if run.status != "running" or self._leases.held(number):
            return run
        for _, now in self._stored_runs(runs.c.no == number):  # read again: it may have ended properly in between
            if now.status != "running" or self._leases.held(number):
                return now
        return replace(run, status="paused", reason="its process ended", stop=Stop(kind="killed"))


def _readable(row: Row[Any]) -> Run:
    """Return the run, or a placeholder if it is damaged, so that it does not hide all others."""
    try:
        return run_of(row[1:])
    except StoreError as error:
        known_fields = {name: row._mapping[name] for name in ("id", "name", "benchmark", "digest", "agent", "created")}
        return Run(**known_fields, status="failed", reason=str(error))


def _reopen(attempt: Attempt) -> Attempt:
    return Attempt(
        key=attempt.key,
        place=attempt.place,
        transcript=attempt.transcript,
        failure=attempt.failure,
        usage=attempt.usage,
        lost=attempt.lost,
        seconds=attempt.seconds,
        struck=attempt.struck,
        lie=attempt.lie,
        cut_off=attempt.cut_off,
        changed=attempt.changed,
        started=attempt.started,
    )
