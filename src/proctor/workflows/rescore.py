"""Stored transcripts → new marks, without calling the agent: another threshold, other weights, another reviewer."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from proctor.benchmark import Case, Exam
from proctor.config import Config, load_config
from proctor.errors import EnvironmentFault, UsageError
from proctor.findings import Findings
from proctor.roles import Reviewer
from proctor.run import Attempt, Finished, Record, Run, Settings, Sitting
from proctor.running.plan import Place, exams_of
from proctor.score import Review
from proctor.storage import Store, open_store
from proctor.transcript import Reply, Request
from proctor.workflows.conduct import Watch, conduct
from proctor.workflows.evaluate import Evaluation, new_id, store_url
from proctor.workflows.parts import Cast, Chosen, build_reviewer, choose
from proctor.workflows.settings import make_settings
from proctor.workflows.tally import Tally

_BATCH = 200


class Nobody:
    """Stands where an agent would: a rescored run never asks one."""

    takes_request = True

    def __init__(self, name: str) -> None:
        self.name = name

    async def reply(self, request: Request) -> Reply:
        """Nobody answers."""
        raise EnvironmentFault("a rescored run does not ask its agent")

    async def forget(self, conversation: str) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        """Nothing is open."""


class _Kept:
    """Stands where a reviewer would whose reviews are all stored already."""

    def __init__(self, name: str, rubric: str) -> None:
        self.name = name
        self.rubric = rubric

    async def review(self, case: Case | None, turns: Any) -> Review:
        raise EnvironmentFault(f"this reply was never reviewed, and {self.name} is not at hand: name a --reviewer")

    async def conclude(self, exam: Exam, turns: Any) -> Review | None:
        return None


async def arescore(
    run: str,
    *,
    reviewer: object = None,
    passing_score: float | None = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
) -> Evaluation:
    """Judge the stored replies of a run anew, as a new run that shares its transcripts."""
    if reviewer is None and passing_score is None and not weights:
        raise UsageError("nothing would change: give --reviewer, --passing-score or --weights")
    config = config or load_config()
    url = store_url(store, config)
    with open_store(url, create=False) as opened:
        source = opened.archive.find(run)
        cast, settings = _recast(source, reviewer, config)
        checked = make_settings({"passing_score": passing_score, "weights": weights}, type(config.run)())
        if passing_score is not None:
            settings = replace(settings, passing_score=checked.passing_score)
        if weights:
            settings = replace(settings, weights=checked.weights)
        made = _new_run(source, settings, name)
        opened.journal.create(made, opened.archive.benchmark(source.digest))
        findings = await play_rescored(opened, made, cast, watch=watch)
    return Evaluation(run=findings.run, findings=findings, store=url)


def _recast(source: Run, reviewer: object, config: Config) -> tuple[Cast, Settings]:
    settings = source.settings
    if reviewer is None:
        kept: tuple[Reviewer, ...] = ()
        if settings.reviewer is not None:
            kept = (_Kept(settings.reviewer, settings.rubric),)
        return Cast(agent=Nobody(source.agent), reviewers=kept), settings
    chosen = choose(reviewer, config.reviewers, default="standard")
    judge = build_reviewer(chosen, config)
    built = {role: spec for role, spec in settings.built.items() if role != "reviewer"}
    if chosen.spec is not None:
        built["reviewer"] = chosen.spec
    settings = replace(settings, reviewer=chosen.name, rubric=judge.rubric, built=built)
    return Cast(agent=Nobody(source.agent), reviewers=(judge,)), settings


def rescoring_cast(run: Run, config: Config, reviewer: object) -> Cast:
    """Who plays in a rescored run that goes on: its own reviewer, or nobody where all its reviews were stored."""
    spec = run.settings.built.get("reviewer")
    if reviewer is None and spec is not None:
        judge = build_reviewer(Chosen(name=str(run.settings.reviewer), spec=spec), config)
        return Cast(agent=Nobody(run.agent), reviewers=(judge,))
    return _recast(run, reviewer, config)[0]


def _new_run(source: Run, settings: Settings, name: str | None) -> Run:
    return replace(
        source,
        id=new_id(),
        name=name or f"{source.name}, rescored",
        settings=settings,
        status="queued",
        reason="",
        rescored_from=source.id,
        created=time.time(),
        started=None,
        ended=None,
        seconds=0.0,
    )


async def play_rescored(
    store: Store, run: Run, cast: Cast, *, finished: Container[Place] = frozenset(), watch: Watch | None = None
) -> Findings:
    """Review what is stored; what has no reply to review is taken over as it is."""
    exams = exams_of(store.archive.benchmark(run.digest), run.settings)
    tally = Tally(planned=run.planned)
    _take_over(store, run, finished, tally)
    sittings = _sittings(store, run, {exam.id: exam for exam in exams}, finished)
    return await conduct(store, run, exams, cast=cast, sittings=sittings, tally=tally, watch=watch)


def _stored(store: Store, run: Run, finished: Container[Place]) -> Iterator[Attempt]:
    """The finished attempts of the run it came from that this run has not judged yet."""
    for attempt in store.archive.full_attempts(str(run.rescored_from)):
        if attempt.finished and (attempt.key.exam, attempt.key.condition, attempt.key.trial) not in finished:
            yield attempt


def _answered(attempt: Attempt) -> bool:
    """Whether there is a whole conversation to review; a failure of the reviewer's leaves one."""
    broke = attempt.failure is not None and attempt.failure.stage != "reviewer"
    return not broke and all(turn.reply is not None for turn in attempt.transcript.turns)


def _take_over(store: Store, run: Run, finished: Container[Place], tally: Tally) -> None:
    batch: list[Record] = []
    for attempt in _stored(store, run, finished):
        if not _answered(attempt):
            batch.append(Finished(attempt=replace(attempt, key=replace(attempt.key, run=run.id))))
        if len(batch) >= _BATCH:
            _write(store, batch, tally)
    _write(store, batch, tally)


def _write(store: Store, batch: list[Record], tally: Tally) -> None:
    store.journal.write(batch)
    tally.add(batch)
    batch.clear()


def _sittings(store: Store, run: Run, exams: Mapping[str, Exam], finished: Container[Place]) -> Iterator[Sitting]:
    source = store.archive.find(str(run.rescored_from))
    same = source.settings.reviewer == run.settings.reviewer and source.settings.rubric == run.settings.rubric
    for attempt in _stored(store, run, finished):
        if _answered(attempt):
            fresh = Attempt(key=replace(attempt.key, run=run.id), place=attempt.place, transcript=attempt.transcript)
            yield Sitting(exam=exams[attempt.key.exam], attempt=fresh, reviews=_reviews(attempt) if same else {})


def _reviews(attempt: Attempt) -> dict[int, tuple[Review, ...]]:
    """The stored marks as the reviews they came from; a turn that was never reviewed is left out."""
    reviews: dict[int, tuple[Review, ...]] = {}
    for score in attempt.scores:
        if score.of == "agent" and score.turn is not None:
            reviews[score.turn] = (Review(parts=score.parts, explanation=score.explanation),)
    for missing in attempt.unscored:
        if missing.of == "agent" and missing.turn is not None:
            reviews[missing.turn] = (Review(unscored=missing.reason),)
    return reviews
