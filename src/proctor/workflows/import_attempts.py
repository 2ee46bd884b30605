"""Import the results in another tool's file as stored attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

from proctor.benchmark import Case
from proctor.codec.replies import to_reply
from proctor.errors import AgentFault, UsageError
from proctor.formats.cases import check_case
from proctor.formats.imports.case_book import CaseBook, GatheredCases
from proctor.formats.imports.contract import CutOff, ImportedRecord, ImportedRun, ImportLog, ImportSource
from proctor.run import PLACES, Attempt, Finished, Key, Record, Run, Stop, Turned
from proctor.running.verdict import marks, turn_passes
from proctor.score import Unscored
from proctor.storage import Store
from proctor.transcript import Reply, Transcript, Turn
from proctor.usage import Usage

_BATCH = 200
_BROKEN_OFF = "its import was broken off; import the file again"


def read_records(source: ImportSource, log: ImportLog) -> Iterator[ImportedRecord]:
    """Yield the complete records of a file that a benchmark can represent."""
    try:
        for record in source.records(log):
            try:
                check_case(record.case)
            except UsageError as error:
                log.skip(record.place, str(error))
            else:
                yield record
    except CutOff as error:
        log.cut_off = str(error)


def in_order(cases: Mapping[str, Case], imported: ImportedRun) -> list[Case]:
    """Return the cases in the order of their dataset, not of their answers."""
    return sorted(cases.values(), key=lambda case: imported.order.get(case.id, len(imported.order)))


def write_attempts(
    source: ImportSource, made: Mapping[str, Run], gathered: GatheredCases, store: Store, *, cut_off: bool
) -> dict[str, Counter[str]]:
    """Store the attempts in batches; return the number of attempts by run and outcome."""
    outcomes: dict[str, Counter[str]] = {run.id: Counter() for run in made.values()}
    if not made:
        return outcomes
    batch: list[Record] = []
    with ExitStack() as held:
        for run in made.values():
            held.enter_context(store.journal.writing(run.id))
        try:
            for attempt in _attempts(source, made, gathered):
                outcomes[attempt.key.run][attempt.outcome] += 1
                batch += [*(Turned(key=attempt.key, turn=turn) for turn in attempt.transcript.turns)]
                batch.append(Finished(attempt=attempt))
                if len(batch) >= _BATCH:
                    store.journal.write(batch)
                    batch.clear()
            store.journal.write(batch)
        except BaseException:
            for run in made.values():
                store.journal.mark(run.id, "cancelled", reason=_BROKEN_OFF, stop=Stop(kind="interrupted"))
            raise
        for key, run in made.items():
            _finish(store, run, source.runs()[key], outcomes[run.id], cut_off=cut_off)
    return outcomes


def _attempts(source: ImportSource, made: Mapping[str, Run], gathered: GatheredCases) -> Iterator[Attempt]:
    """Yield the attempts, reading the file a second time."""
    ordered = {key: in_order(gathered.cases[key], source.runs()[key]) for key in made}
    places = {key: {case.id: row for row, case in enumerate(cases)} for key, cases in ordered.items()}
    names = GatheredCases(source.runs(), book=CaseBook(), keeps=False)
    for record in read_records(source, ImportLog()):
        case, _ = names.add(record)
        if record.result is None or record.run not in made:
            continue
        trial = names.trial_of(record, case)
        if trial is None:  # reported in the first pass
            continue
        yield _attempt(record, case, made[record.run], trial, places[record.run][case.id] * PLACES + trial)


def _attempt(record: ImportedRecord, case: Case, run: Run, trial: int, place: int) -> Attempt:
    result = record.result
    assert result is not None, "only results are stored"
    reply = _sound(result.reply)
    turn = Turn(number=1, question=case.question, reply=reply, case=case.id, started=result.started, ended=result.ended)
    review, settings = result.review, run.settings
    scores, missing = marks([(settings.reviewer or "", review)], turn=1, settings=settings)
    verdict = result.passed
    if result.failure is not None:
        verdict = False if result.failure.owner == "agent" and result.failure.stage != "reviewer" else None
    elif verdict is None and review.unscored is None and scores:
        verdict = turn_passes(None, scores, missing, review.checks, settings=settings)
    if verdict is None and result.failure is None and not missing:
        missing = (Unscored(turn=1, of="agent", by=settings.reviewer or "", reason="it has no verdict there"),)
    return Attempt(
        key=Key(run=run.id, exam=case.id, trial=trial),
        place=place,
        transcript=Transcript(turns=(turn,), ended="agent" if reply is None else "script"),
        scores=scores,
        unscored=missing,
        checks=review.checks,
        failure=result.failure,
        turn_passed=(verdict if result.failure is None else None,),
        passed=verdict,
        finished=True,
        usage=result.usage or (reply.usage if reply is not None and reply.usage else Usage()),
        seconds=turn.seconds,
        cut_off=int(reply is not None and reply.cut_off),
        started=result.started,
        ended=result.ended,
    )


def _sound(reply: Reply | None) -> Reply | None:
    """Return a reply that every store accepts, reduced to its text if it has unsupported values."""
    try:
        return None if reply is None else to_reply(reply)
    except AgentFault:
        return None if reply is None else Reply(text=reply.text, tools_known=False)


def _finish(store: Store, run: Run, imported: ImportedRun, outcomes: Counter[str], *, cut_off: bool) -> None:
    """Set the final status as in the file; an unfinished or partially imported run is not completed."""
    seconds = max(0.0, imported.ended - imported.started) if imported.started and imported.ended else 0.0
    missing, lost = run.planned - outcomes.total(), outcomes["environment_failed"]
    if cut_off or imported.stopped or missing > 0:
        where = run.imported.tool if run.imported is not None else ""
        reason = "its file is cut off" if cut_off else f"{imported.stopped or 'not all was played'} in {where}"
        store.journal.mark(run.id, "cancelled", reason=reason, stop=Stop(kind="unplayed"), seconds=seconds)
    elif lost:
        reason = f"{lost:,} {'attempt' if lost == 1 else 'attempts'} failed there for reasons outside the agent"
        store.journal.mark(run.id, "failed", reason=reason, stop=Stop(kind="lost"), seconds=seconds)
    else:
        store.journal.mark(run.id, "completed", seconds=seconds)
