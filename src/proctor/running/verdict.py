"""Reviews → marks and a verdict, by the run's weights and passing score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proctor.benchmark import Case
from proctor.run import Settings
from proctor.score import (
    QUESTION_WEIGHTS,
    CheckResult,
    Review,
    Score,
    Unscored,
    reaches,
    weigh,
    weights_for,
)


def marks(
    reviews: Iterable[tuple[str, Review]], *, turn: int | None, settings: Settings
) -> tuple[tuple[Score, ...], tuple[Unscored, ...]]:
    """The scores, and the marks that could not be given, from (reviewer's name, review) pairs."""
    scores: list[Score] = []
    missing: list[Unscored] = []
    for by, review in reviews:
        if review.parts:
            names = [part.name for part in review.parts]
            value = weigh(review.parts, settings.weights or weights_for(settings.type, names))
            if value is None:
                reason = f"none of the parts that were judged ({', '.join(names)}) has a weight"
                missing.append(Unscored(turn=turn, of="agent", by=by, reason=reason))
            else:
                scores.append(
                    Score(turn=turn, of="agent", parts=review.parts, value=value, by=by, explanation=review.explanation)
                )
        if review.question_parts:
            asked = weigh(review.question_parts, QUESTION_WEIGHTS)
            if asked is not None:
                scores.append(Score(turn=turn, of="examiner", parts=review.question_parts, value=asked, by=by))
        if review.unscored is not None:
            missing.append(Unscored(turn=turn, of="agent", by=by, reason=review.unscored))
    return tuple(scores), tuple(missing)


def turn_passes(
    case: Case | None,
    scores: Sequence[Score],
    missing: Sequence[Unscored],
    checks: Sequence[CheckResult],
    *,
    threshold: float | None,
    contradicted: bool = False,
) -> bool | None:
    """Whether one reply passes: all checks, the passing score where there is one, no contradiction.

    None where it cannot be said: a mark is missing that would decide, or nothing was judged at all.
    """
    if contradicted or any(check.passed is False for check in checks):
        return False
    own = case.passing_score if case is not None else None
    needed = own if own is not None else threshold
    given = [score.value for score in scores if score.of == "agent"]
    if needed is not None and any(not reaches(value, needed) for value in given):
        return False
    if needed is not None and missing:
        return None
    if (given and needed is not None) or any(check.passed for check in checks):
        return True
    return None


def attempt_passes(turns: Sequence[bool | None]) -> bool | None:
    """False if any turn failed, None if any is undecided or there is none, else True."""
    if any(passed is False for passed in turns):
        return False
    if not turns or any(passed is None for passed in turns):
        return None
    return True
