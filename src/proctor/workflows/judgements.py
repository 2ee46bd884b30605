"""Stored replies judged beside their run, by the engine of `rescore`: the run and its verdicts stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proctor.benchmark import Benchmark, Exam
from proctor.config import Config, RunConfig
from proctor.errors import UsageError
from proctor.redaction import remember_secrets
from proctor.run import Attempt, Finished, Key, PendingAttempt, Record, Reviewed, Run, Settings
from proctor.running.attempt import asks_nobody
from proctor.running.plan import exams_of
from proctor.score import SecondOpinion
from proctor.storage import Store
from proctor.usage import Usage
from proctor.workflows.conduct import JudgingSession, play_beside
from proctor.workflows.ledger import Watch
from proctor.workflows.pace import pace_of
from proctor.workflows.parts import Cast, build_reviewers, choose_reviewer, reviewer_again, specs_of
from proctor.workflows.people import judge_id
from proctor.workflows.replies import is_whole, usage_of
from proctor.workflows.rescore import NoAgent
from proctor.workflows.run_limits import check_prices
from proctor.workflows.settings import make_settings
from proctor.workflows.tally import RunTally

Ask = tuple[Key, int]
"""An attempt, and which time it is to be judged."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeBeside:
    """Somebody who judges the replies of a run beside it."""

    name: str
    id: str
    """The name, and a digest of how it is built: what its judgements are kept under."""
    cast: Cast
    settings: Settings
    """The run's, with this judge in place of its own."""

    @property
    def is_free(self) -> bool:
        """Whether it judges by rules alone."""
        return all(map(asks_nobody, self.cast.reviewers))


def build_judge(
    what: str | list[str] | None, run: Run, benchmark: Benchmark, config: Config, *, budget: float | None = None
) -> JudgeBeside:
    """A judge by its name or spec, built and checked before the first call; None: the run's own."""
    remember_secrets()
    make_settings({"budget": budget}, RunConfig())  # for what it refuses
    settings = run.settings
    if what == "none" or (what is None and settings.reviewer is None):
        raise UsageError(
            f"checks alone judge {'with none' if what else f'run {run.id}'}, and they always say the same; "
            "name a reviewer, such as --reviewer embedded or --reviewer openai:MODEL"
        )
    chosen = reviewer_again(run, config, None) if what is None else choose_reviewer(what, config)
    reviewers = build_reviewers(chosen, benchmark, config, exam_type=settings.type, checks=settings.checks)
    settings = replace(
        settings,
        reviewer=chosen.name,
        panel=tuple(judge.name for judge in chosen.panel),
        rubric="+".join(reviewer.rubric for reviewer in reviewers),
        built=specs_of("reviewer", chosen),
        budget=budget,
        max_tokens=None,
    )
    check_prices(settings, config)
    cast = Cast(agent=NoAgent(run.agent), reviewers=reviewers)
    return JudgeBeside(name=chosen.name, id=judge_id(settings), cast=cast, settings=settings)


async def judge_beside(
    store: Store,
    run: Run,
    asked: Mapping[str, tuple[JudgeBeside, Sequence[Ask]]],
    *,
    config: Config,
    pace: Mapping[str, Any] | None = None,
    watch: Watch | None = None,
) -> dict[str, str]:
    """Have judges, by their ids, say what they have not said yet, and store it; judge → why it ended early.

    What was judged is not asked again; whoever judges by rules alone is, since that costs nothing. The caller keeps to
    limits and budget (`allowing`).
    """
    exams = {exam.id: exam for exam in exams_of(store.archive.benchmark_of(run.id), run.settings)}
    with store.journal.writing(run.id):
        sessions = [
            session
            for judge, asks in asked.values()
            for session in _sessions(
                store, run, exams, judge, asks, pace_of(judge.settings, config.run, **(pace or {}))
            )
        ]
        return await play_beside(store, run, sessions, watch=watch) if sessions else {}


def _sessions(
    store: Store,
    run: Run,
    exams: Mapping[str, Exam],
    judge: JudgeBeside,
    asks: Sequence[Ask],
    changed: Mapping[str, Any],
) -> Iterator[JudgingSession]:
    """What a judge has still to say, one repeat after the other."""
    known = {_place(given): given for given in store.judgements.of_run(run.id, judge.id)}
    due = [ask for ask in asks if judge.is_free or not _is_over(known.get(_place_of(*ask)))]
    settings = replace(judge.settings, **changed)
    settings = replace(settings, concurrency=max(1, min(settings.concurrency, len(due))))
    tally = _JudgementTally.of(replace(run, planned=len(due)), exams.values())
    for repeat in sorted({repeat for _, repeat in due}):
        before = {key: known.get(_place_of(key, which)) for key, which in due if which == repeat}
        yield JudgingSession(
            judge=judge.id,
            cast=judge.cast,
            settings=settings,
            pending_attempts=_pending(store, exams, before),
            journal=_JudgementJournal(store, run.id, judge.id, repeat, before),
            tally=tally,
        )


def judgements_of(store: Store, run: Run, judge: str) -> dict[Ask, SecondOpinion]:
    """What a judge has said of a run's attempts and is over."""
    return {
        (Key(run=run.id, exam=given.exam, condition=given.condition, trial=given.trial), given.repeat): given
        for given in store.judgements.of_run(run.id, judge)
        if given.finished
    }


def is_unsure(attempt: Attempt) -> bool:
    """Whether its judge is not sure of a mark."""
    return any(score.unsure for score in attempt.scores if score.of == "agent")


def can_be_judged(exam: Exam, attempt: Attempt) -> bool:
    """Whether there is a whole reply or conversation to judge."""
    return attempt.finished and attempt.failure is None and is_whole(exam, attempt)


def _pending(
    store: Store, exams: Mapping[str, Exam], keys: Mapping[Key, SecondOpinion | None]
) -> Iterator[PendingAttempt]:
    """The replies to judge, read one by one, with the reviews that were paid before."""
    for key, before in keys.items():
        stored = store.archive.attempt(key)
        if stored is None or not can_be_judged(exams[key.exam], stored):
            continue
        fresh = Attempt(
            key=key, place=stored.place, transcript=stored.transcript, struck=stored.struck, lie=stored.lie,
            lost=Usage() if before is None else before.lost,
        )  # fmt: skip
        yield PendingAttempt(exam=exams[key.exam], attempt=fresh, reviews={} if before is None else before.reviews)


class _JudgementTally(RunTally):
    """Counts what the judge uses alone: the replies were paid when they were given."""

    def count(self, attempt: Attempt) -> None:
        """Count one attempt that was judged."""
        super().count(replace(attempt, usage=attempt.usage - usage_of(attempt.transcript.turns)))


class _JudgementJournal:
    """Takes the records of a run's replies that are judged again, and keeps them as judgements."""

    def __init__(
        self, store: Store, run: str, judge: str, repeat: int, before: Mapping[Key, SecondOpinion | None]
    ) -> None:
        self._store = store
        self._run = run
        self._judge = judge
        self._repeat = repeat
        self._drafts = {key: draft for key, draft in before.items() if draft is not None}

    def write(self, records: Sequence[Record]) -> None:
        """Store what was judged, also of conversations that are not over: it was paid."""
        given = {each.key: each for each in map(self._take, records) if each is not None}
        if given:
            self._store.judgements.put(self._run, [kept.judgement for kept in given.values()])

    def amend(self, run: Run) -> None:
        """The run stays as it is."""

    def _take(self, record: Record) -> _Kept | None:
        if isinstance(record, Reviewed):
            draft = self._drafts.get(record.key) or self._fresh(record.key)
            draft = replace(draft, reviews={**draft.reviews, record.turn: record.reviews}, finished=False)
            self._drafts[record.key] = draft
            return _Kept(record.key, draft)
        if isinstance(record, Finished):
            return _Kept(record.attempt.key, self._judgement(record.attempt))
        return None

    def _fresh(self, key: Key) -> SecondOpinion:
        return SecondOpinion(
            exam=key.exam, condition=key.condition, trial=key.trial, judge=self._judge, repeat=self._repeat
        )

    def _judgement(self, attempt: Attempt) -> SecondOpinion:
        """What an attempt comes to under this judge; what failed or was cut off is not over."""
        over = attempt.finished and attempt.failure is None
        draft = self._drafts.get(attempt.key) or self._fresh(attempt.key)
        if not over:
            reason = "" if attempt.failure is None else attempt.failure.reason
            return replace(draft, finished=False, unscored=reason, lost=attempt.lost, made=attempt.ended)
        reasons = list(dict.fromkeys(missing.reason for missing in attempt.unscored))
        return replace(
            draft,
            passed=attempt.passed,
            value=attempt.value,
            unscored="; ".join(reasons) if attempt.passed is None else "",
            unsure=is_unsure(attempt),
            finished=True,
            usage=attempt.usage - usage_of(attempt.transcript.turns),
            seconds=max(0.0, attempt.ended - attempt.started),
            made=attempt.ended,
            reviews={},
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    key: Key
    judgement: SecondOpinion


def _is_over(given: SecondOpinion | None) -> bool:
    return given is not None and given.finished


def _place_of(key: Key, repeat: int) -> tuple[str, str, int, int]:
    return key.exam, key.condition, key.trial, repeat


def _place(given: SecondOpinion) -> tuple[str, str, int, int]:
    return given.exam, given.condition, given.trial, given.repeat


def repeat_all(keys: Iterable[Key], repeats: int) -> list[Ask]:
    """Every attempt once, then every attempt once more: what is interrupted has judged all about as often."""
    every = list(keys)
    return [(key, repeat) for repeat in range(1, repeats + 1) for key in every]
