"""Derive the result of a finished conversation from its reviews: scores, verdict, usage and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from proctor.benchmark import Case, Exam
from proctor.findings.battle.conversation import correctness_of, right_from_of
from proctor.findings.battle.replies import is_test
from proctor.findings.battle.transitions import transitions
from proctor.run import Attempt, Failure, Settings
from proctor.running import verdict
from proctor.running.play import Play, over
from proctor.score import NO_ERROR, CheckResult, Contradiction, Review, Score, Unscored
from proctor.transcript import Turn
from proctor.usage import Usage

EXPECTED = "checks"
"""Name of the reviewer that checks case expectations, which does not count as a judge."""


@dataclass(slots=True)
class _Judged:
    """Combined reviews of one turn."""

    scores: Sequence[Score]
    unscored: Sequence[Unscored]
    checks: Sequence[CheckResult]
    contradictions: Sequence[Contradiction]


def result_of(play: Play, failure: Failure | None, *, reviewers: Sequence[str], settings: Settings) -> Attempt:
    """Return the finished attempt with its scores and verdicts."""
    by_turn = {turn: _judgement(turn, reviews, reviewers, settings) for turn, reviews in play.reviews.items()}
    scores: list[Score] = []
    missing: list[Unscored] = []
    checks: list[CheckResult] = []
    contradictions: list[Contradiction] = []
    for one in by_turn.values():
        scores += one.scores
        missing += one.unscored
        checks += one.checks
        contradictions += one.contradictions
    if settings.checks is not None and failure is not None and failure.owner == "agent":
        checks.append(_no_error_failed(failure, len(play.turns)))
    passed = _turns_passed(play, by_turn, {each.turns[1] for each in contradictions}, settings)
    stale = _kept_wrong(play.turns, by_turn, passed, scores, settings)
    if stale:
        scores = [score for score in scores if score.turn not in stale or score.of != "agent"]
        passed = [None if turn.number in stale else mark for turn, mark in zip(play.turns, passed, strict=True)]
    if settings.panel:
        missing += _ties(play, by_turn, passed, settings)
    counted = [
        mark
        for mark, turn in zip(passed, play.turns, strict=True)
        if not turn.fault and turn.number not in stale and not _is_unjudged(play.exam, turn, by_turn)
    ]
    attempt = over(
        play,
        failure,
        scores=tuple(scores),
        unscored=tuple(missing),
        checks=tuple(checks),
        contradictions=tuple(contradictions),
        dropped=sum(review.dropped for reviews in play.reviews.values() for review in reviews),
        turn_passed=tuple(passed),
        passed=_decide(counted, failure),
        judges=_usage_by_judge(play, reviewers, settings),
        judge_checked=any(map(partial(_checks_itself, reviewers), play.reviews.values())),
    )
    return replace(attempt, passed=None) if play.exam.open and not is_test(attempt) else attempt


def _checks_itself(reviewers: Sequence[str], reviews: Sequence[Review]) -> bool:
    """Whether a judge (not the checks reviewer) reported checks or contradictions that may affect the verdict."""
    pairs = zip(reviewers, reviews, strict=False)
    return any(review.checks or review.contradictions for name, review in pairs if name != EXPECTED)


def _turns_passed(
    play: Play, by_turn: Mapping[int, _Judged], contradicted: Container[int], settings: Settings
) -> list[bool | None]:
    """Return per turn whether the reply passes; None if the question was faulty or nothing was judged."""
    passed: list[bool | None] = []
    for turn in play.turns:
        one = by_turn.get(turn.number)
        if turn.fault or one is None:
            passed.append(None)
            continue
        passed.append(
            verdict.turn_passes(
                case_of(play.exam, play.turns[: turn.number]), one.scores, one.unscored, one.checks,
                contradicted=turn.number in contradicted, settings=settings,
            )
        )  # fmt: skip
    return passed


def _kept_wrong(
    turns: Sequence[Turn],
    by_turn: Mapping[int, _Judged],
    passed: Sequence[bool | None],
    scores: Sequence[Score],
    settings: Settings,
) -> set[int]:
    """Return turns that would pass only for consistency with an answer known to be wrong; they are not counted."""
    alone = {
        turn.number
        for turn, mark in zip(turns, passed, strict=True)
        if mark and turn.number > 1 and _is_marked_by(by_turn[turn.number], "consistency")
    }
    if not alone:
        return alone
    moves = transitions(turns, correctness_of(scores), right_from=right_from_of(settings))
    return alone & {move.turns[1] for move in moves if move.stood is False}


def _is_marked_by(one: _Judged, part: str) -> bool:
    """Whether the score consists of this part alone, and no check that was asked for passed."""
    marked = {each.name for score in one.scores if score.of == "agent" for each in score.parts}
    return marked == {part} and not any(check.passed and check.name != NO_ERROR for check in one.checks)


def _judgement(turn: int, reviews: Sequence[Review], reviewers: Sequence[str], settings: Settings) -> _Judged:
    pairs = zip(reviewers, reviews, strict=False)
    scores, missing = verdict.marks(pairs, turn=turn or None, settings=settings)
    checks = verdict.joint_checks([review.checks for review in reviews])
    return _Judged(scores, missing, checks, _contradictions(reviews, settings))


def _contradictions(reviews: Sequence[Review], settings: Settings) -> list[Contradiction]:
    """Return all contradictions; for a panel, those pairs that more than half of its judges found, each once."""
    found = [each for review in reviews for each in review.contradictions]
    if not settings.panel:
        return found
    named = Counter(pair for review in reviews for pair in {each.turns for each in review.contradictions})
    first = {each.turns: each for each in reversed(found)}
    return [
        first[pair] for pair in dict.fromkeys(each.turns for each in found) if 2 * named[pair] > len(settings.panel)
    ]


def _ties(
    play: Play, by_turn: Mapping[int, _Judged], passed: Sequence[bool | None], settings: Settings
) -> Iterator[Unscored]:
    """Yield an Unscored for each reply without a verdict because the panel is divided."""
    for turn, mark in zip(play.turns, passed, strict=True):
        if mark is None and not turn.fault and (one := by_turn.get(turn.number)) is not None:
            case = case_of(play.exam, play.turns[: turn.number])
            divided = verdict.tie(case, one.scores, turn=turn.number, settings=settings)
            yield from () if divided is None else (divided,)


def _usage_by_judge(play: Play, reviewers: Sequence[str], settings: Settings) -> dict[str, Usage]:
    """Map each judge of a panel to the usage of its reviews in this attempt."""
    used: dict[str, Usage] = {}
    for reviews in play.reviews.values() if settings.panel else ():
        for name, review in zip(reviewers, reviews, strict=False):
            if name in settings.panel and review.usage:
                used[name] = used.get(name, Usage()) + review.usage
    return used


def case_of(exam: Exam, turns: Sequence[Turn]) -> Case | None:
    """Return the case whose expectations judge the last of these turns: its row of the script, the seed, or None."""
    if turns[-1].number <= len(exam.cases):
        return exam.cases[turns[-1].number - 1]
    from proctor.findings.battle.links import expected_by  # imported late: loading its language data takes a while

    return expected_by(exam, turns)


def _is_unjudged(exam: Exam, turn: Turn, judged: Mapping[int, _Judged]) -> bool:
    """Whether the question was improvised and no reviewer could judge the reply, so that the turn decides nothing."""
    if turn.number <= len(exam.cases) or (one := judged.get(turn.number)) is None:
        return False
    marked = any(score.of == "agent" for score in one.scores)
    return not (marked or one.unscored or one.checks or one.contradictions)


def _no_error_failed(failure: Failure, last: int) -> CheckResult:
    return CheckResult(turn=failure.turn or last, name=NO_ERROR, passed=False, evidence=failure.reason)


def _decide(turns: Sequence[bool | None], failure: Failure | None) -> bool | None:
    """Return the verdict of an attempt: an agent failure is not passed, an environment failure is undecided."""
    if failure is not None:
        return False if failure.owner == "agent" else None
    return verdict.attempt_passes(turns)
