"""Writes records: one transaction per call, on disk when it returns."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from sqlalchemy import (
    Connection,
    Delete,
    Dialect,
    Insert,
    Table,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from proctor.benchmark import Benchmark
from proctor.codec import decode, encode
from proctor.errors import NoSuchRun, StoreError
from proctor.run import Attempt, Key, Record, Reviewed, Run, Status, Stop, StopRequest, Turned
from proctor.score import Review
from proctor.storage.bodies import turn_body
from proctor.storage.database import Database
from proctor.storage.lease import Lease, Leases
from proctor.storage.numbers import Numbers, numbers_of
from proctor.storage.rows import (
    ATTEMPT_COLUMNS,
    STOPPED,
    UNFINISHED,
    RunFacts,
    attempt_row,
    run_row,
    storable,
    verdict_of,
)
from proctor.storage.snapshots import forget
from proctor.storage.tables import attempts, benchmarks, drafts, runs, turns
from proctor.transcript import Turn

_PLACE = ("run_no", "trial", "condition", "exam")
_NUMBERED = (*_PLACE, "number", "body")


@dataclass(frozen=True, kw_only=True, slots=True)
class SqlStatements:
    """SQL statements whose parameters are tuples in the documented order."""

    put_turn: str
    """run_no, trial, condition, exam, number, body"""
    put_draft: str
    """Same parameters as `put_turn`."""
    put_attempt: str
    """ATTEMPT_COLUMNS"""
    drop_drafts: str
    """run_no, trial, condition, exam"""
    drop_turns_after: str
    """run_no, trial, condition, exam, number"""


_compiled_for: dict[tuple[str, str], SqlStatements] = {}


def statements_for(dialect: Dialect) -> SqlStatements:
    """Return the statements in this database's dialect, cached."""
    kind = (dialect.name, dialect.paramstyle)
    if kind not in _compiled_for:
        _compiled_for[kind] = _written(dialect)
    return _compiled_for[kind]


def _written(dialect: Dialect) -> SqlStatements:
    these = delete(drafts).where(*(drafts.c[name] == bindparam(name) for name in _PLACE))
    later = delete(turns).where(
        *(turns.c[name] == bindparam(name) for name in _PLACE), turns.c.number > bindparam("number")
    )
    return SqlStatements(
        put_turn=_upsert(turns, dialect, key=_NUMBERED[:5], columns=_NUMBERED),
        put_draft=_upsert(drafts, dialect, key=_NUMBERED[:5], columns=_NUMBERED),
        put_attempt=_upsert(attempts, dialect, key=_PLACE, columns=ATTEMPT_COLUMNS),
        drop_drafts=_compile_statement(these, dialect, _PLACE),
        drop_turns_after=_compile_statement(later, dialect, _NUMBERED[:5]),
    )


def _upsert(table: Table, dialect: Dialect, *, key: Sequence[str], columns: Sequence[str]) -> str:
    """Compile an insert that replaces all columns but the key on conflict: idempotent."""
    insert = _insert(table, dialect)
    replaced = {name: insert.excluded[name] for name in columns if name not in key}
    return _compile_statement(insert.on_conflict_do_update(index_elements=key, set_=replaced), dialect, columns)


def _insert(table: Table, dialect: Dialect) -> Any:
    """Return the insert construct of the database's own dialect, importing no other."""
    return import_module(f"sqlalchemy.dialects.{dialect.name}").insert(table)


def _compile_statement(statement: Insert | Delete, dialect: Dialect, columns: Sequence[str]) -> str:
    compiled = statement.compile(dialect=dialect, column_keys=columns)
    if tuple(getattr(compiled, "positiontup", ())) != tuple(columns):
        raise AssertionError(f"the parameters of {compiled} are not {columns}")
    return str(compiled)


@dataclass(slots=True)
class _Batch:
    """Records of one call, without those replaced by later ones."""

    turns: dict[tuple[Key, int], Turn] = field(default_factory=dict)
    drafts: dict[Key, dict[int, tuple[Review, ...]]] = field(default_factory=dict)
    finished: dict[Key, Attempt] = field(default_factory=dict)
    settled: list[Key] = field(default_factory=list)
    """Attempts that are complete or restarted, so that their drafts can be deleted."""

    def add(self, record: Record) -> None:
        if isinstance(record, Turned):
            self.turns[record.key, record.turn.number] = record.turn
        elif isinstance(record, Reviewed):
            self.drafts.setdefault(record.key, {})[record.turn] = record.reviews
        else:
            self._finish(record.attempt)

    def runs(self) -> set[str]:
        """Return the ids of the runs in the batch."""
        return {key.run for key in (*self.finished, *self.drafts, *(key for key, _ in self.turns))}

    def _finish(self, attempt: Attempt) -> None:
        """Add a finished attempt. One that the environment failed keeps its drafts, to be reused on retry."""
        self.finished[attempt.key] = attempt
        if verdict_of(attempt) not in UNFINISHED or _is_new(attempt):
            self.settled.append(attempt.key)
            self.drafts.pop(attempt.key, None)


class DatabaseJournal:
    """Writes runs, turns, reviews and outcomes. Satisfies `proctor.roles.Journal`."""

    def __init__(self, database: Database, leases: Leases) -> None:
        self._database = database
        self._leases = leases
        self._sql = statements_for(database.dialect)
        self._known: dict[str, Numbers] = {}
        self._held: dict[str, Lease] = {}

    def create(self, run: Run, benchmark: Benchmark) -> None:
        """Store a new run and its benchmark."""
        row, body = run_row(run), encode(benchmark)
        with self._database.alone() as connection:
            if connection.execute(select(runs.c.no).where(runs.c.id == run.id)).first():
                raise StoreError(f"run {run.id} is stored already: give the new one another id")
            row["benchmark_no"] = _stored_benchmark(connection, benchmark, body)
            source = run.rescored_from
            row["turns_no"] = 0 if source is None else numbers_of(connection, source).turns
            connection.execute(insert(runs), row)
            if source is None:
                connection.execute(update(runs).where(runs.c.id == run.id).values(turns_no=runs.c.no))

    def amend(self, run: Run) -> None:
        """Update a run's settings, plan, kind of agent and facts; its attempts are kept."""
        row = run_row(run)
        self._update(run.id, {name: row[name] for name in ("settings", "planned", "kind", "facts")})

    @contextmanager
    def writing(self, run: str) -> Iterator[None]:
        """Lock the run against a second writer; raises RunBusy. The lock ends with the process.

        Discards stop requests made to an earlier writer; later ones are for this writer. Once another process has taken
        the run over, writes raise RunLost.
        """
        with self._database.reading() as connection:
            numbers = numbers_of(connection, run)
        with self._leases.hold(run, numbers.own) as lease:
            self.request_stop(run, None)
            self._held[run] = lease
            try:
                yield
            finally:
                del self._held[run]

    def number(self, run: str) -> int | None:
        """Return the lease number with which this process writes a run, or None if it does not."""
        lease = self._held.get(run)
        return None if lease is None else lease.writer

    def take_stop_request(self, run: str) -> StopRequest | None:
        """Return the stop request for this process, which writes the run; raises RunLost if another took it over."""
        lease = self._held.get(run)
        with self._database.reading() as connection:
            row = connection.execute(select(runs.c.stop_request, runs.c.writer).where(runs.c.id == run)).first()
        if lease is not None and (lease.lost.is_set() or (row is not None and row.writer != lease.writer)):
            raise lease.refuse()
        return None if row is None else row.stop_request

    def write(self, records: Sequence[Record]) -> None:
        """Store records in one transaction. Idempotent: writing the same key twice changes nothing."""
        batch = _Batch()
        for record in records:
            batch.add(record)
        self._learn(batch.runs())
        turns_put, drafts_put, outcomes = self._turn_rows(batch), self._draft_rows(batch), self._attempt_rows(batch)
        with self._database.writing() as connection:
            self._check(batch.runs(), connection)
            _many(connection, self._sql.drop_turns_after, self._replayed_rows(batch))
            _many(connection, self._sql.put_turn, turns_put)
            _many(connection, self._sql.put_attempt, outcomes)
            if batch.finished:
                forget(connection, {self._known[key.run].own for key in batch.finished})
            self._drop_drafts(connection, batch.settled)
            _many(connection, self._sql.put_draft, drafts_put)

    def mark(
        self, run: str, status: Status, *, reason: str = "", stop: Stop | None = None, seconds: float = 0.0
    ) -> None:
        """Set a run's status, and why it stopped; `seconds` is added to its running time."""
        now = time.time()
        values: dict[str, Any] = {"status": status, "reason": storable(reason), "seconds": runs.c.seconds + seconds}
        values["facts"] = self._facts(run, stop=stop)
        if status == "running":
            values["started"] = func.coalesce(runs.c.started, now)
        elif status in STOPPED:
            values["ended"] = now
        self._update(run, values)
        if status in STOPPED:
            self._database.take_stock(("attempts", "turns"))

    def _facts(self, run: str, **changes: Any) -> str:
        with self._database.reading() as connection:
            stored = connection.execute(select(runs.c.facts).where(runs.c.id == run)).scalar()
        return encode(replace(decode(stored or "{}", RunFacts), **changes))

    def request_stop(self, run: str, stop: StopRequest | None) -> None:
        """Request the process that plays the run to pause or cancel."""
        self._update(run, {"stop_request": stop})

    def describe(self, run: str, *, name: str, labels: Mapping[str, str]) -> None:
        """Rename and relabel a run, without interfering with the process that plays it."""
        with self._database.writing() as connection:
            numbers_of(connection, run)  # raises NoSuchRun
            values = {"name": storable(name), "labels": encode(dict(labels))}
            connection.execute(update(runs).where(runs.c.id == run).values(values))

    def note_sent(self, run: str, destination: str, link: str) -> None:
        """Record the link to a run at another service, without interfering with the process that plays it."""
        with self._database.writing() as connection:
            stored = connection.execute(select(runs.c.facts).where(runs.c.id == run)).scalar()
            facts = decode(stored or "{}", RunFacts)
            facts_json = encode(replace(facts, sent={**facts.sent, destination: link}))
            connection.execute(update(runs).where(runs.c.id == run).values(facts=facts_json))

    def delete(self, run: str) -> None:
        """Delete a run; transcripts that another run reads are kept. Raises RunBusy while another process writes it."""
        with nullcontext() if run in self._held else self.writing(run), self._database.alone() as connection:
            numbers = numbers_of(connection, run)
            connection.execute(delete(runs).where(runs.c.no == numbers.own))  # cascades to its attempts and drafts
            unread = ~exists().where(runs.c.turns_no == numbers.turns)
            connection.execute(delete(turns).where(turns.c.run_no == numbers.turns, unread))
            unused = ~exists().where(runs.c.benchmark_no == benchmarks.c.no)
            connection.execute(delete(benchmarks).where(benchmarks.c.no == numbers.benchmark, unused))
        self._known.pop(run, None)

    def _check(self, names: Iterable[str], connection: Connection) -> None:
        """Raise RunLost if another process has taken over one of these runs."""
        for name in names:
            if (lease := self._held.get(name)) is not None:
                self._leases.check(connection, lease)

    def _update(self, run: str, values: dict[str, Any]) -> None:
        with self._database.writing() as connection:
            if "stop_request" not in values:  # any process may request a stop
                self._check([run], connection)
            changed = connection.execute(update(runs).where(runs.c.id == run).values(values))
        if not changed.rowcount:
            raise NoSuchRun(f"there is no run {run!r}: `proctor list` shows those that are stored")

    def _learn(self, names: Iterable[str]) -> None:
        """Look up the row numbers of runs not known yet."""
        for name in names:
            if name not in self._known:
                with self._database.reading() as connection:
                    self._known[name] = numbers_of(connection, name)

    def _turn_rows(self, batch: _Batch) -> list[tuple[object, ...]]:
        """Return rows of the turns; a rescored run reads those of another and has none of its own."""
        rows: list[tuple[object, ...]] = []
        for (key, number), turn in batch.turns.items():
            numbers = self._known[key.run]
            if numbers.own == numbers.turns:
                rows.append((numbers.own, key.trial, key.condition, key.exam, number, turn_body(turn, key.exam)))
        return rows

    def _draft_rows(self, batch: _Batch) -> list[tuple[object, ...]]:
        return [
            (self._known[key.run].own, key.trial, key.condition, key.exam, number, encode(reviews))
            for key, by_turn in batch.drafts.items()
            for number, reviews in by_turn.items()
        ]

    def _attempt_rows(self, batch: _Batch) -> list[tuple[object, ...]]:
        return [attempt_row(self._known[key.run].own, attempt) for key, attempt in batch.finished.items()]

    def _replayed_rows(self, batch: _Batch) -> list[tuple[object, ...]]:
        """Return rows for deleting the earlier turns of replayed conversations."""
        return [
            (self._known[key.run].own, key.trial, key.condition, key.exam, len(attempt.transcript.turns))
            for key, attempt in batch.finished.items()
            if attempt.resumed == "replayed"
        ]

    def _drop_drafts(self, connection: Connection, keys: Iterable[Key]) -> None:
        """Delete drafts; checks first whether the run has any, as most have none."""
        rows = [(self._known[key.run].own, key.trial, key.condition, key.exam) for key in keys]
        owners = {row[0] for row in rows}
        drafted = {no for no in owners if connection.execute(select(exists().where(drafts.c.run_no == no))).scalar()}
        _many(connection, self._sql.drop_drafts, [row for row in rows if row[0] in drafted])


def _is_new(attempt: Attempt) -> bool:
    """Whether a conversation restarts from the beginning, so that reviews of earlier turns are obsolete."""
    return attempt.resumed == "replayed" and not attempt.transcript.turns


def _many(connection: Connection, sql: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        connection.exec_driver_sql(sql, rows)


def _stored_benchmark(connection: Connection, benchmark: Benchmark, body: str) -> int:
    """Return the row number of the benchmark, which runs with exactly the same benchmark share."""
    content = hashlib.sha256(body.encode()).hexdigest()
    found = connection.execute(select(benchmarks.c.no).where(benchmarks.c.content == content)).scalar()
    if found is not None:
        return int(found)
    row = {
        "digest": benchmark.digest,
        "content": content,
        "name": storable(benchmark.name),
        "description": storable(benchmark.description),
        "body": body,
        "created": time.time(),
    }
    key = connection.execute(insert(benchmarks), row).inserted_primary_key
    assert key is not None
    return int(key[0])
