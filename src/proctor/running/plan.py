"""Derive from benchmark and settings the exams, and the attempts that are still to be played."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from random import Random

from proctor.benchmark import Benchmark, Case, Exam
from proctor.run import PLACES, Attempt, Key, PendingAttempt, Run, Settings
from proctor.score import Review

_USUAL = Settings().passing_score

Place = tuple[str, str, int]
"""(exam, condition, trial)"""


def exams_of(benchmark: Benchmark, settings: Settings) -> tuple[Exam, ...]:
    """Build the exams from a benchmark, by the run's type; each attempt plays one."""
    if benchmark.exams:
        return benchmark.exams
    if settings.type == "abm-static":
        size = settings.max_turns
        pieces = [benchmark.cases[start : start + size] for start in range(0, len(benchmark.cases), size)]
        return tuple(Exam(id=f"exam-{number}", cases=piece) for number, piece in enumerate(pieces, 1))
    if settings.type == "abm-dynamic":
        return tuple(Exam(id=case.id, cases=(case,), open=True) for case in benchmark.cases[: settings.seeds])
    return tuple(Exam(id=case.id, cases=(_with_passing_score(case, benchmark, settings),)) for case in benchmark.cases)


def own_trials(exams: tuple[Exam, ...], settings: Settings) -> dict[str, int]:
    """Map exams to the number of trials set by their case; in battles only `--trials` counts, so the map is empty."""
    if settings.type != "standard":
        return {}
    return {exam.id: exam.cases[0].trials for exam in exams if exam.cases[0].trials is not None}


def _with_passing_score(case: Case, benchmark: Benchmark, settings: Settings) -> Case:
    """Give a case the usual passing score if it expects only its reference answer: then the score alone decides."""
    if case.passing_score is not None or settings.passing_score is not None:
        return case
    if not (case.answer or case.reasoning) or case.expect != benchmark.expect:
        return case
    return replace(case, passing_score=_USUAL)


def pending_attempts(
    run: Run,
    exams: tuple[Exam, ...],
    *,
    finished: Container[Place] = frozenset(),
    under_way: Mapping[Place, tuple[Attempt, dict[int, tuple[Review, ...]]]] | None = None,
) -> Iterator[PendingAttempt]:
    """Yield the attempts left to play, trial by trial, so that early results already cover every exam."""
    settings = run.settings
    begun = under_way or {}
    rows = in_order(run, exams)
    for trial in range(1, settings.most_trials + 1):
        for column, condition in enumerate(settings.conditions):
            for row, exam in rows:
                place = (exam.id, condition, trial)
                if place in finished or trial > settings.trials_of(exam.id):
                    continue
                order = (row * len(settings.conditions) + column) * PLACES + trial
                if place in begun:
                    attempt, reviews = begun[place]
                    yield PendingAttempt(exam=exam, attempt=replace(attempt, place=order), reviews=reviews)
                    continue
                key = Key(run=run.id, exam=exam.id, condition=condition, trial=trial)
                yield PendingAttempt(exam=exam, attempt=Attempt(key=key, place=order))


def in_order(run: Run, exams: tuple[Exam, ...]) -> list[tuple[int, Exam]]:
    """Return the exams in playing order, each with its row in the file.

    Random order is stratified by category: the exams of a category are spread evenly over the run, each at most one
    rank away from its even position.
    """
    rows = list(enumerate(exams))
    if run.settings.order == "file":
        return rows
    chance = Random(run.digest)
    chance.shuffle(rows)
    kinds: dict[tuple[str, ...], list[tuple[int, Exam]]] = {}
    for row, exam in rows:
        kinds.setdefault(exam.cases[0].categories, []).append((row, exam))
    spread = [
        ((rank + chance.random()) / len(alike), row, exam)
        for alike in kinds.values()
        for rank, (row, exam) in enumerate(alike)
    ]
    return [(row, exam) for _, row, exam in sorted(spread, key=lambda each: each[:2])]
