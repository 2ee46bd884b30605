"""Convert between objects and table rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import msgspec

from proctor.benchmark import Benchmark
from proctor.codec import decode, encode
from proctor.errors import StoreError
from proctor.run import Attempt, Failure, Key, Resumed, Run, Settings, Stop
from proctor.score import (
    CanaryVerdicts,
    CheckResult,
    Contradiction,
    ImportedFrom,
    InterimVerdict,
    Review,
    Score,
    Unscored,
)
from proctor.storage.bodies import outcome_body, outcome_text, turn_text
from proctor.storage.tables import attempts, runs
from proctor.transcript import InjectedLie, Transcript, Turn
from proctor.usage import Usage, WorkerCounts

T = TypeVar("T")
Place = tuple[int, str, str]
"""(trial, condition, exam): key of an attempt within its run, in the order of the tables' keys."""
Bodies = dict[Place, list[tuple[int, str]]]
"""Attempt → its (turn number, body), in order."""

_LARGEST = 2**63 - 1
_NOTHING: Bodies = {}

STOPPED = ("paused", "completed", "failed", "cancelled")
"""Statuses of runs that no process writes."""

UNFINISHED = ("environment", "open")
"""Verdicts of attempts that `resume` retries or continues."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredOutcome:
    """Fields of an Attempt stored in `attempts.body`: those without a column of their own, except the transcript."""

    scores: tuple[Score, ...] = ()
    unscored: tuple[Unscored, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    failure: Failure | None = None
    turn_passed: tuple[bool | None, ...] = ()
    resumed: Resumed = ""
    known_cost: float = 0.0
    cached: int = 0
    lost: Usage = Usage()
    struck: int | None = None
    cut_off: int = 0
    changed: dict[str, float] = field(default_factory=dict)
    judges: dict[str, Usage] = field(default_factory=dict)
    dropped: int = 0
    lie: InjectedLie | None = None
    first_token: float | None = None


def verdict_of(attempt: Attempt) -> str:
    """Return the state of an attempt as one word, used to filter pages."""
    failure = attempt.failure
    if not attempt.finished:
        return "open"
    if failure is not None:
        return "agent" if failure.owner == "agent" and failure.stage != "reviewer" else "environment"
    if attempt.passed is None:
        return "unscored"
    return "pass" if attempt.passed else "fail"


ATTEMPT_COLUMNS = tuple(column.name for column in attempts.columns if column.name != "no")


def attempt_row(run_no: int, attempt: Attempt) -> tuple[object, ...]:
    """Return the values of ATTEMPT_COLUMNS."""
    key, usage, failure = attempt.key, attempt.usage, attempt.failure
    return (
        run_no,
        key.trial,
        key.condition,
        key.exam,
        attempt.place,
        verdict_of(attempt),
        attempt.passed,
        attempt.value,
        None if failure is None else failure.stage,
        len(attempt.transcript.turns),
        attempt.seconds,
        min(usage.input_tokens, _LARGEST),  # agents report their own usage, some of it invalid
        min(usage.output_tokens, _LARGEST),
        min(usage.calls, _LARGEST),
        usage.cost,
        attempt.started,
        attempt.ended,
        attempt.transcript.ended,
        outcome_body(_outcome(attempt)),
        failed_checks(attempt),
    )


def failed_checks(attempt: Attempt) -> str | None:
    """Return the names of the failed checks, one per line, with a line break before and after each."""
    names = sorted({" ".join(check.name.split()) for check in attempt.checks if check.passed is False})
    return storable("\n".join(["", *names, ""])) if names else None


def _outcome(attempt: Attempt) -> dict[str, Any]:
    """Return the non-empty fields of StoredOutcome; most attempts have few."""
    kept: dict[str, Any] = {"turn_passed": attempt.turn_passed}
    if attempt.scores:
        kept["scores"] = attempt.scores
    if attempt.unscored:
        kept["unscored"] = attempt.unscored
    if attempt.checks:
        kept["checks"] = attempt.checks
    if attempt.contradictions:
        kept["contradictions"] = attempt.contradictions
    if attempt.failure is not None:
        kept["failure"] = attempt.failure
    if attempt.resumed:
        kept["resumed"] = attempt.resumed
    if attempt.usage.known_cost:
        kept["known_cost"] = attempt.usage.known_cost
    if attempt.usage.cached:
        kept["cached"] = attempt.usage.cached
    if attempt.lost:
        kept["lost"] = attempt.lost
    if attempt.struck is not None:
        kept["struck"] = attempt.struck
    if attempt.cut_off:
        kept["cut_off"] = attempt.cut_off
    if attempt.changed:
        kept["changed"] = attempt.changed
    if attempt.judges:
        kept["judges"] = attempt.judges
    if attempt.dropped:
        kept["dropped"] = attempt.dropped
    if attempt.lie is not None:
        kept["lie"] = attempt.lie
    if attempt.first_token is not None:
        kept["first_token"] = attempt.first_token
    return kept


OUTCOME_COLUMNS = tuple(
    attempts.c[name]
    for name in (
        "place", "no", "trial", "condition", "exam", "verdict", "passed", "seconds",
        "input_tokens", "output_tokens", "calls", "cost", "started", "ended", "ended_why", "body",
    )
)  # fmt: skip


def attempt_of(run: str, row: Sequence[Any], bodies: Bodies = _NOTHING) -> Attempt:
    """Build an attempt from the values of OUTCOME_COLUMNS, with its transcript if that was read too."""
    (place, _, trial, condition, exam, verdict, passed, seconds,
     sent, received, calls, cost, started, ended, why, body) = row  # fmt: skip
    key = Key(run=run, exam=exam, condition=condition, trial=trial)
    outcome = read(outcome_text(body), StoredOutcome, key)
    return Attempt(
        key=key,
        place=place,
        transcript=Transcript(turns=turns_of(key, bodies) if bodies else (), ended=why),
        scores=outcome.scores,
        unscored=outcome.unscored,
        checks=outcome.checks,
        contradictions=outcome.contradictions,
        failure=outcome.failure,
        turn_passed=outcome.turn_passed,
        passed=passed,
        resumed=outcome.resumed,
        finished=verdict != "open",
        usage=Usage(
            input_tokens=sent,
            output_tokens=received,
            calls=calls,
            cost=cost,
            known_cost=outcome.known_cost,
            cached=outcome.cached,
        ),
        lost=outcome.lost,
        seconds=seconds,
        first_token=outcome.first_token,
        struck=outcome.struck,
        lie=outcome.lie,
        cut_off=outcome.cut_off,
        judges=outcome.judges,
        dropped=outcome.dropped,
        changed=outcome.changed,
        started=started,
        ended=ended,
    )


def turns_of(key: Key, bodies: Bodies) -> tuple[Turn, ...]:
    """Decode the turns of a transcript."""
    return tuple(turn_of(body, key) for _, body in bodies.get((key.trial, key.condition, key.exam), ()))


def turn_of(body: str, key: Key) -> Turn:
    """Decode one turn."""
    return read(turn_text(body, key.exam), Turn, key)


def reviews_of(key: Key, paid: Bodies) -> dict[int, tuple[Review, ...]]:
    """Decode the reviews of an attempt: turn → reviews."""
    mine = paid.get((key.trial, key.condition, key.exam), ())
    return {number: read(body, tuple[Review, ...], key) for number, body in mine}


def read(body: str, kind: type[T], key: Key) -> T:
    """Decode a body written by `encode`; raises StoreError naming the attempt if it is damaged."""
    try:
        return decode(body, kind)
    except msgspec.DecodeError as error:
        raise StoreError(
            f"the stored attempt exam={key.exam!r}, condition={key.condition!r}, trial={key.trial} of run {key.run} "
            f"cannot be read ({error}): the store is damaged there"
        ) from error


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFacts:
    """Fields of a Run stored in `runs.facts`: a new field here needs no new column."""

    stop: Stop | None = None
    workers: WorkerCounts | None = None
    interim: InterimVerdict | None = None
    earlier_rubrics: tuple[str, ...] = ()
    cut: bool = False
    gates: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    imported: ImportedFrom | None = None
    canaries: CanaryVerdicts | None = None
    sent: dict[str, str] = field(default_factory=dict)
    judge_decides: bool | None = None


_FACTS = tuple(each.name for each in fields(RunFacts))
_RUN_FIELDS = tuple(each.name for each in fields(Run) if each.name not in _FACTS)
RUN_COLUMNS = (*(runs.c[name] for name in _RUN_FIELDS), runs.c.facts)


def run_row(run: Run) -> dict[str, object]:
    """Return a run as column values."""
    row = {name: getattr(run, name) for name in _RUN_FIELDS}
    facts = RunFacts(**{name: getattr(run, name) for name in _FACTS})
    row |= {"settings": encode(run.settings), "labels": encode(run.labels), "facts": encode(facts)}
    return {name: storable(value) if isinstance(value, str) else value for name, value in row.items()}


def run_of(row: Sequence[Any]) -> Run:
    """Build a run from the values of RUN_COLUMNS."""
    values = dict(zip((*_RUN_FIELDS, "facts"), row, strict=True))
    try:
        facts = decode(values.pop("facts"), RunFacts)
        values["settings"] = decode(values["settings"], Settings)
        values["labels"] = decode(values["labels"], dict[str, str])
    except msgspec.DecodeError as error:
        raise StoreError(
            f"the stored run {values['id']} cannot be read ({error}): the store is damaged there"
        ) from error
    return Run(**values, **{name: getattr(facts, name) for name in _FACTS})


def benchmark_from(body: str, wanted: str) -> Benchmark:
    """Decode a benchmark from its body."""
    try:
        return decode(body, Benchmark)
    except msgspec.DecodeError as error:
        raise StoreError(
            f"the stored benchmark of {wanted} cannot be read ({error}): the store is damaged there"
        ) from error


def storable(text: str) -> str:
    """Make text storable in both databases: a NUL or a lone surrogate in an error message must not stop a run."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
