"""Judge stored replies with other judges, using the engine of `rescore`; the run and its verdicts do not change."""

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
"""An attempt, and the number of the repeated judgement."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeBeside:
    """A judge of a run's replies in addition to the run's own."""

    name: str
    id: str
    """Name and a digest of the configuration, under which its judgements are stored."""
    cast: Cast
    settings: Settings
    """The run's settings with this judge in place of its own."""

    @property
    def is_free(self) -> bool:
        """Whether it judges by rules alone, without calling a model."""
        return all(map(asks_nobody, self.cast.reviewers))


def build_judge(
    what: str | list[str] | None, run: Run, benchmark: Benchmark, config: Config, *, budget: float | None = None
) -> JudgeBeside:
    """Build and check a judge given by name or spec, or the run's own for None, before the first call."""
    remember_secrets()
    make_settings({"budget": budget}, RunConfig())  # raises if the budget cannot be kept
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
    """Have judges, by id, make and store the missing judgements; return those that ended early, with the reason.

    Stored judgements are not repeated, except by rule-based judges, which cost nothing. The caller enforces limits and
    budget (`allowing`).
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
    """Yield the sessions for a judge's missing judgements, one repeat after the other."""
    known = {_opinion_key(given): given for given in store.judgements.of_run(run.id, judge.id)}
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
    """Return a judge's completed judgements of a run's attempts."""
    return {
        (Key(run=run.id, exam=given.exam, condition=given.condition, trial=given.trial), given.repeat): given
        for given in store.judgements.of_run(run.id, judge)
        if given.finished
    }


def is_unsure(attempt: Attempt) -> bool:
    """Whether the judge is unsure of a score."""
    return any(score.unsure for score in attempt.scores if score.of == "agent")


def can_be_judged(exam: Exam, attempt: Attempt) -> bool:
    """Whether there is a complete reply or conversation to judge."""
    return attempt.finished and attempt.failure is None and is_whole(exam, attempt)


def _pending(
    store: Store, exams: Mapping[str, Exam], keys: Mapping[Key, SecondOpinion | None]
) -> Iterator[PendingAttempt]:
    """Yield the replies to judge, read one by one, with existing reviews."""
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
    """Tally that counts only the judge's usage: the replies were paid for when they were given."""

    def count(self, attempt: Attempt) -> None:
        """Count a judged attempt."""
        super().count(replace(attempt, usage=attempt.usage - usage_of(attempt.transcript.turns)))


class _JudgementJournal:
    """Journal that stores records as judgements instead of changing the run."""

    def __init__(
        self, store: Store, run: str, judge: str, repeat: int, before: Mapping[Key, SecondOpinion | None]
    ) -> None:
        self._store = store
        self._run = run
        self._judge = judge
        self._repeat = repeat
        self._drafts = {key: draft for key, draft in before.items() if draft is not None}

    def write(self, records: Sequence[Record]) -> None:
        """Store the judgements, also of unfinished conversations, since they were paid for."""
        given = {each.key: each for each in map(self._take, records) if each is not None}
        if given:
            self._store.judgements.put(self._run, [kept.judgement for kept in given.values()])

    def amend(self, run: Run) -> None:
        """Do nothing: the run does not change."""

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
        """Convert a judged attempt to a judgement; it is unfinished if it failed or was interrupted."""
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


def _opinion_key(given: SecondOpinion) -> tuple[str, str, int, int]:
    return given.exam, given.condition, given.trial, given.repeat


def repeat_all(keys: Iterable[Key], repeats: int) -> list[Ask]:
    """Return every attempt once per repeat, repeat by repeat, so that an interruption leaves them about even."""
    every = list(keys)
    return [(key, repeat) for repeat in range(1, repeats + 1) for key in every]
