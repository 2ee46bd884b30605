"""Combine reviews into scores and a verdict, by the run's weights and passing score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from proctor.benchmark import Case
from proctor.findings.run.deciders import marks_criteria
from proctor.findings.run.panel import expects_nothing, passing_score, votes
from proctor.run import Settings
from proctor.score import (
    NO_ERROR,
    QUESTION_WEIGHTS,
    CheckResult,
    Part,
    Review,
    Score,
    Unscored,
    weigh,
    weights_for,
)


def marks(
    reviews: Iterable[tuple[str, Review]], *, turn: int | None, settings: Settings
) -> tuple[tuple[Score, ...], tuple[Unscored, ...]]:
    """Return the scores, and the scores that could not be given, from (reviewer's name, review) pairs."""
    scores: list[Score] = []
    missing: list[Unscored] = []
    for by, review in reviews:
        if review.parts:
            names = _names(review.parts)
            value = _value(review, names, settings)
            if value is None:
                reason = f"none of the parts that were judged ({', '.join(names)}) has a weight"
                missing.append(Unscored(turn=turn, of="agent", by=by, reason=reason))
            else:
                scores.append(
                    Score(
                        turn=turn,
                        of="agent",
                        parts=review.parts,
                        value=value,
                        by=by,
                        explanation=review.explanation,
                        passed_on=review.passed_on,
                    )
                )
        if review.question_parts:
            known = {**dict.fromkeys(_names(review.question_parts), 1.0), **QUESTION_WEIGHTS}
            asked = weigh(review.question_parts, known)
            if asked is not None:
                scores.append(Score(turn=turn, of="examiner", parts=review.question_parts, value=asked, by=by))
        if review.unscored is not None:
            missing.append(Unscored(turn=turn, of="agent", by=by, reason=review.unscored, passed_on=review.passed_on))
    return tuple(scores), tuple(missing)


def _value(review: Review, names: tuple[str, ...], settings: Settings) -> float | None:
    """Weigh the parts by the run's weights, or else by the review's own weights merged over the defaults."""
    if settings.weights:
        return weigh(review.parts, settings.weights)
    if review.weighed is not None:
        return review.weighed
    usual = _weights(settings.type, names)
    return weigh(review.parts, {**usual, **review.weights} if review.weights else usual)


def _names(parts: Iterable[Part]) -> tuple[str, ...]:
    return tuple([part.name for part in parts])


_weights = lru_cache(maxsize=1000)(weights_for)


def turn_passes(
    case: Case | None,
    scores: Sequence[Score],
    missing: Sequence[Unscored],
    checks: Sequence[CheckResult],
    *,
    settings: Settings,
    contradicted: bool = False,
) -> bool | None:
    """Whether one reply passes: all checks, the passing score if it counts, no contradiction.

    None if undecided: an expectation could not be checked, a score that would decide is missing, or there was nothing
    to judge by. If nothing at all is expected, a reply without error passes.
    """
    outcomes = {check.passed for check in checks}
    if contradicted or False in outcomes:
        return False
    if case is not None and not marks_criteria(case, scores):
        return None  # the case's own criterion could still lower the score, whatever the other parts are
    needed = passing_score(case, settings)
    given = votes(case, scores, settings)
    for_it, against = given.count(True), given.count(False)
    if against > (for_it if settings.panel else 0):
        return False
    if None in outcomes:
        return None
    if needed is not None and _is_open(given, missing, case, settings):
        return None
    if given or _is_checked(checks):
        return True
    free = case is not None and expects_nothing(case, settings) and not missing
    return True if free and True in outcomes else None


def joint_checks(given: Sequence[Sequence[CheckResult]]) -> list[CheckResult]:
    """Merge the checks of all reviewers; if several give the same check, the majority of decided results counts."""
    if sum(map(bool, given)) < 2:
        return [check for checks in given for check in checks]
    reviewers = Counter(name for checks in given for name in {check.name for check in checks})
    joint: list[CheckResult] = []
    for check in (check for checks in given for check in checks):
        if reviewers[check.name] < 2:
            joint.append(check)
        elif check.name not in {each.name for each in joint}:
            joint.append(_majority([each for checks in given for each in checks if each.name == check.name]))
    return joint


def _majority(results: Sequence[CheckResult]) -> CheckResult:
    """Return the first result of the majority; a tie is not checkable."""
    for_it, against = ([each for each in results if each.passed is passed] for passed in (True, False))
    if len(for_it) != len(against):
        return max(for_it, against, key=len)[0]
    if not for_it:
        return results[0]
    return replace(
        for_it[0], passed=None, evidence=f"the judges are divided: {for_it[0].evidence}; {against[0].evidence}"
    )


def _is_open(given: Sequence[bool], missing: Sequence[Unscored], case: Case | None, settings: Settings) -> bool:
    """Whether a score that would decide is missing; for a panel, whether its judges are divided or gave no votes."""
    if settings.panel and given:
        return given.count(True) == given.count(False)
    return bool(missing) or (not given and case is not None and bool(case.answer))


def tie(case: Case | None, scores: Sequence[Score], *, turn: int, settings: Settings) -> Unscored | None:
    """Return why a divided panel gives no verdict, or None if it is not divided."""
    given = votes(case, scores, settings)
    if not (settings.panel and given and given.count(True) == given.count(False)):
        return None
    half = len(given) // 2
    judges = "1 judge passes" if half == 1 else f"{half} judges pass"
    reason = f"the panel is divided: {judges} the reply and {half} {'does' if half == 1 else 'do'} not"
    return Unscored(turn=turn, of="agent", by=settings.reviewer or "", reason=reason, divided=True)


def _is_checked(checks: Iterable[CheckResult]) -> bool:
    """Whether a check passed other than "no error", which every reply gets."""
    return any(check.passed and check.name != NO_ERROR for check in checks)


def attempt_passes(turns: Sequence[bool | None]) -> bool | None:
    """Return False if any turn failed, None if any is undecided or there are none, else True."""
    if False in turns:
        return False
    return None if None in turns or not turns else True
