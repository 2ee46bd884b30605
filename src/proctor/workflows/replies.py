"""Source of a rescored run: replies to judge, reviews to keep, failures to take over."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proctor.benchmark import Exam
from proctor.run import Attempt, Finished, PendingAttempt, Record, Run, Settings
from proctor.running.plan import Place
from proctor.running.verdict import marks, turn_passes
from proctor.score import Review, Score, Unscored
from proctor.storage import Store
from proctor.transcript import Turn
from proctor.usage import Usage
from proctor.workflows.tally import RunTally

KEPT = "reviews"
"""Key in `Settings.built` of a run that keeps all reviews of its source run."""
_BATCH = 200


def place(attempt: Attempt) -> Place:
    """Return the attempt's exam, condition and trial, which identify it within a run."""
    return attempt.key.exam, attempt.key.condition, attempt.key.trial


def is_whole(exam: Exam, attempt: Attempt) -> bool:
    """Whether a conversation is complete and every fair question was answered."""
    transcript = attempt.transcript
    ended = transcript.ended is not None or (not exam.open and len(transcript.turns) == len(exam.cases))
    return ended and all(turn.reply is not None or turn.fault for turn in transcript.turns)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplySource:
    """The source run of a rescored run."""

    store: Store
    run: Run
    """The rescored run."""
    exams: Mapping[str, Exam]
    finished: Container[Place]
    """Attempts of the rescored run that are already finished."""

    @property
    def kept(self) -> bool:
        """Whether the stored reviews are kept."""
        return KEPT in self.run.settings.built

    def attempts(self, *, judged: bool) -> Iterator[Attempt]:
        """Yield the source's finished attempts that are still to be judged, or else to be taken over as they are."""
        for attempt in self.store.archive.full_attempts(str(self.run.rescored_from)):
            if self._is_due(attempt) and self._can_be_judged(attempt) is judged:
                yield attempt

    def _is_due(self, attempt: Attempt) -> bool:
        """Whether the attempt is planned but not finished; the source may have been extended since."""
        key, settings = attempt.key, self.run.settings
        planned = key.trial <= settings.trials_of(key.exam) and key.condition in settings.conditions
        return attempt.finished and planned and place(attempt) not in self.finished

    def _can_be_judged(self, attempt: Attempt) -> bool:
        """Whether it is a complete conversation; one that the old reviewer failed on needs a new reviewer."""
        failure = attempt.failure
        judged = failure is None or (failure.stage == "reviewer" and not self.kept)
        return judged and is_whole(self.exams[attempt.key.exam], attempt)


def take_over(source: ReplySource, tally: RunTally) -> None:
    """Copy the attempts that cannot be judged: failures stay failures, and kept reviews are weighed again."""
    batch: list[Record] = []
    for attempt in source.attempts(judged=False):
        batch.append(Finished(attempt=_taken_over(attempt, source)))
        if len(batch) >= _BATCH:
            _write(source.store, batch, tally)
    _write(source.store, batch, tally)


def _taken_over(attempt: Attempt, source: ReplySource) -> Attempt:
    """Return the copied attempt, without an old reviewer's scores unless reviews are kept; checks are repeated."""
    scores, unscored = (
        _weigh_reviews(attempt, source.run.settings) if source.kept else ((), _not_judged(attempt, source.run))
    )
    taken = replace(
        attempt,
        key=replace(attempt.key, run=source.run.id),
        scores=scores,
        unscored=unscored,
        contradictions=attempt.contradictions if source.kept else (),
        usage=usage_of(attempt.transcript.turns),
        lost=Usage(),
    )
    return replace(taken, turn_passed=_verdicts(taken, source))


def _weigh_reviews(attempt: Attempt, settings: Settings) -> tuple[tuple[Score, ...], tuple[Unscored, ...]]:
    scores: list[Score] = []
    missing: list[Unscored] = []
    for number, reviews in _reviews(attempt, settings.panel).items():
        names = settings.panel or (settings.reviewer or "",)
        given, lacking = marks(zip(names, reviews, strict=True), turn=number or None, settings=settings)
        scores += given
        missing += lacking
    return tuple(scores), tuple(missing)


def _not_judged(attempt: Attempt, run: Run) -> tuple[Unscored, ...]:
    """Return a note for each score that the old reviewer gave before the agent failed."""
    if attempt.failure is None or attempt.failure.owner != "agent":
        return ()
    reason, by = "the agent broke later in this conversation, which was not judged again", run.settings.reviewer or ""
    return tuple(
        Unscored(turn=score.turn, of="agent", by=by, reason=reason) for score in attempt.scores if score.of == "agent"
    )


def _verdicts(attempt: Attempt, source: ReplySource) -> tuple[bool | None, ...]:
    """Return the verdict on each reply; None if not answered or not asked fairly."""
    cases = {case.id: case for case in source.exams[attempt.key.exam].cases}
    broken = {found.turns[1] for found in attempt.contradictions}
    return tuple(
        turn_passes(
            cases.get(turn.case or ""),
            [score for score in attempt.scores if score.turn == turn.number],
            [missing for missing in attempt.unscored if missing.turn == turn.number],
            [check for check in attempt.checks if check.turn == turn.number],
            settings=source.run.settings,
            contradicted=turn.number in broken,
        )
        if turn.reply is not None and not turn.fault
        else None
        for turn in attempt.transcript.turns
    )


def usage_of(turns: Sequence[Turn]) -> Usage:
    """Return the usage of agent and examiner; the reviews were already paid for."""
    total = Usage()
    for turn in turns:
        for used in (turn.reply.usage if turn.reply is not None else None, turn.examiner_usage):
            if used is not None:
                total += used
    return total


def _write(store: Store, batch: list[Record], tally: RunTally) -> None:
    store.journal.write(batch)
    tally.add(batch)
    batch.clear()


def pending_attempts(source: ReplySource) -> Iterator[PendingAttempt]:
    """Yield the conversations to judge, with their stored reviews if those are kept."""
    for attempt in source.attempts(judged=True):
        key = replace(attempt.key, run=source.run.id)
        fresh = Attempt(
            key=key,
            place=attempt.place,
            transcript=attempt.transcript,
            struck=attempt.struck,
            lie=attempt.lie,
            changed=attempt.changed,
        )
        reviews = _reviews(attempt, source.run.settings.panel) if source.kept else {}
        yield PendingAttempt(exam=source.exams[key.exam], attempt=fresh, reviews=reviews)


def _reviews(attempt: Attempt, panel: Sequence[str]) -> dict[int, tuple[Review, ...]]:
    """Return the reviews behind the stored scores by turn, 0 for the conversation, without their usage."""
    numbers = [0, *(turn.number for turn in attempt.transcript.turns)]
    if not panel:
        return {number: (_review(attempt, number),) for number in numbers}
    alone = [_judged_by(attempt, name, first=name == panel[0]) for name in panel]
    return {number: tuple(_review(each, number) for each in alone) for number in numbers}


def _judged_by(attempt: Attempt, judge: str, *, first: bool) -> Attempt:
    """Return the attempt with one judge's scores; checks stay with the first of a panel, contradictions with all."""
    return replace(
        attempt,
        scores=tuple(score for score in attempt.scores if score.by == judge),
        unscored=tuple(missing for missing in attempt.unscored if missing.by == judge),
        checks=attempt.checks if first else (),
    )


def _review(attempt: Attempt, turn: int) -> Review:
    given: dict[str, Any] = {}
    for score in attempt.scores:
        if (score.turn or 0) == turn and score.of == "examiner":
            given["question_parts"] = score.parts
        elif (score.turn or 0) == turn:
            given |= {"parts": score.parts, "weighed": score.value}
            given |= {"explanation": score.explanation, "passed_on": score.passed_on}
    for missing in attempt.unscored:
        if (missing.turn or 0) == turn:
            given |= {"unscored": missing.reason, "passed_on": missing.passed_on}
    return Review(
        checks=tuple(check for check in attempt.checks if check.turn == turn),
        contradictions=tuple(found for found in attempt.contradictions if found.turns[1] == turn),
        **given,
    )
