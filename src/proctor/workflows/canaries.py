"""Canaries: replies with a known verdict, given to the judge of a run to test it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

from proctor.benchmark import Exam
from proctor.codec import digest
from proctor.errors import InputError, UsageError
from proctor.formats.suites.canaries import Canary, read_canaries
from proctor.run import Attempt, Finished, Key, PendingAttempt, Run, Settings
from proctor.running.schedule import LocalExecutor
from proctor.score import CanaryVerdicts
from proctor.settings import check_path, given
from proctor.storage import Store
from proctor.threads import Stage
from proctor.transcript import Reply, Transcript, Turn
from proctor.workflows.replies import KEPT

if TYPE_CHECKING:
    from proctor.workflows.parts import Cast

NONE, STANDARD = "none", "standard"
_USUAL_SCORE = Settings().passing_score


def check_canaries(run: Run) -> None:
    """Raise an error for canaries that cannot be read or that no judge would judge."""
    source = run.settings.canaries
    if not isinstance(source, str):
        raise UsageError(given("canaries", source), f" is not a name; expected {STANDARD}, {NONE} or a suite file")
    if source == NONE:
        return
    if run.settings.reviewer is None:
        raise UsageError(f"canaries={source!r} try out a judge, and the reviewer is none; name one, or leave them out")
    load_canaries(source)


def canary_warning(settings: Settings) -> str | None:
    """Return a warning to show before a run with canaries starts, or None."""
    own = any("criteria" in spec.options for judge in settings.judges for spec in judge)
    if settings.canaries != STANDARD or not own:
        return None
    return (
        "the standard canaries are about right and wrong answers, and a judge of this run has criteria of its own; "
        "name a file of your own with --canaries FILE"
    )


def load_canaries(source: str) -> tuple[Canary, ...]:
    """Load the canaries that ship with Proctor or those of a file; raise InputError if they are invalid."""
    if source == STANDARD:
        return read_canaries(str(files("proctor.reviewers") / "canaries.yaml"))
    check_path("the canaries", source)
    return read_canaries(source)


def canary_exams(settings: Settings) -> tuple[Exam, ...]:
    """Return the canaries as exams, for an estimate."""
    canaries = () if settings.canaries == NONE else load_canaries(settings.canaries)
    return tuple(Exam(id=each.case.id, cases=(each.case,)) for each in canaries)


def judge_canaries(store: Store, run: Run, cast: Cast, settings: Settings, stage: Stage) -> None:
    """Judge the canaries that have no verdict yet and store the result with the run. The caller holds the run's
    lock."""
    if settings.canaries == NONE or settings.reviewer is None or KEPT in settings.built:
        return
    stored = store.archive.find(run.id)
    judge = _judge(settings)
    try:
        canaries = load_canaries(settings.canaries)
    except InputError as error:
        if stored.canaries is None:
            lost = CanaryVerdicts(source=settings.canaries, digest="", judge=judge, reason=str(error))
            store.journal.amend(replace(stored, canaries=lost))
        return
    content = digest([[each.case, each.reply, each.passes] for each in canaries])
    before = stored.canaries
    if before is None or (before.digest, before.judge) != (content, judge):
        before = CanaryVerdicts(source=settings.canaries, digest=content, judge=judge)
    due = [each for each in canaries if before.verdicts.get(each.case.id) is None]
    if not due:
        return
    attempts, reason = _ask_judge(run, due, cast, settings, stage)
    found = _with_verdicts(before, canaries, attempts, reason)
    last = _last_with(store, stored, found)
    store.journal.amend(replace(stored, canaries=found if last is None else _with_drift(found, last)))


def _judge(settings: Settings) -> str:
    """Return a digest of everything about the judge that may change a verdict."""
    built = [[spec.spec, spec.options] for judge in settings.judges for spec in judge]
    identity = [settings.reviewer, settings.rubric, built, settings.passing_score, settings.weights, settings.type]
    return digest(identity)


def _ask_judge(
    run: Run, due: Sequence[Canary], cast: Cast, settings: Settings, stage: Stage
) -> tuple[dict[str, Attempt], str]:
    """Return the judged attempt of each canary, and why judging ended early, if it did."""
    alone = replace(
        settings,
        checks=None,
        trials=1,
        conditions=("",),
        concurrency=max(1, min(settings.concurrency, len(due))),
        passing_score=_USUAL_SCORE if settings.passing_score is None else settings.passing_score,
    )
    judges = cast.reviewers[-max(1, len(settings.panel)) :]
    executor = LocalExecutor(agent=cast.agent, reviewers=judges, settings=alone, stage=stage)
    attempts: dict[str, Attempt] = {}
    for batch in executor.execute(_pending(run, due)):
        attempts |= {each.attempt.key.exam: each.attempt for each in batch if isinstance(each, Finished)}
    return attempts, executor.reason


def _pending(run: Run, due: Iterable[Canary]) -> Iterable[PendingAttempt]:
    for canary in due:
        case = canary.case
        turn = Turn(number=1, question=case.question, reply=Reply(text=canary.reply), case=case.id)
        attempt = Attempt(key=Key(run=run.id, exam=case.id), transcript=Transcript(turns=(turn,)))
        yield PendingAttempt(exam=Exam(id=case.id, cases=(case,)), attempt=attempt)


def _with_verdicts(
    before: CanaryVerdicts, canaries: Sequence[Canary], attempts: Mapping[str, Attempt], reason: str
) -> CanaryVerdicts:
    new_verdicts = {name: attempt.passed if attempt.failure is None else None for name, attempt in attempts.items()}
    verdicts = {each.case.id: new_verdicts.get(each.case.id, before.verdicts.get(each.case.id)) for each in canaries}
    missing = [attempts[name] for name, verdict in verdicts.items() if verdict is None and name in attempts]
    reasons = [reason, *(why for attempt in missing for why in _why_none(attempt))]
    return replace(
        before,
        verdicts=verdicts,
        wrong=tuple(each.case.id for each in canaries if verdicts[each.case.id] is (not each.passes)),
        reason=next(filter(None, reasons), ""),
        usage=sum((attempt.usage for attempt in attempts.values()), before.usage),
    )


def _why_none(attempt: Attempt) -> list[str]:
    """Return the reasons why a canary has no verdict."""
    return [attempt.failure.reason] if attempt.failure is not None else [each.reason for each in attempt.unscored]


def _last_with(store: Store, run: Run, found: CanaryVerdicts) -> Run | None:
    """Return the latest earlier run with the same judge and canaries, at least some of them judged."""
    for other in store.archive.runs():
        known = other.canaries
        if known is None or other.id == run.id or other.created > run.created:
            continue
        if (known.judge, known.digest) == (found.judge, found.digest) and any(
            verdict is not None for verdict in known.verdicts.values()
        ):
            return other
    return None


def _with_drift(found: CanaryVerdicts, last: Run) -> CanaryVerdicts:
    before = last.canaries.verdicts if last.canaries is not None else {}
    changed = [
        name
        for name, verdict in found.verdicts.items()
        if verdict is not None and before.get(name) not in (None, verdict)
    ]
    return replace(found, since=last.id, changed=tuple(changed))
