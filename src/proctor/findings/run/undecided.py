"""Why a reply that was given has no verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from proctor.benchmark import Case
from proctor.score import CheckResult, Score


def marks_criteria(case: Case, scores: Iterable[Score]) -> bool:
    """Whether somebody has marked all that the case itself wants to have marked."""
    return case.criteria.keys() <= {part.name for score in scores for part in score.parts}


def why_undecided(case: Case | None, scores: Sequence[Score], checks: Iterable[CheckResult]) -> Iterator[str]:
    """Why, where it is not for want of a mark that was tried for."""
    unchecked = [check for check in checks if check.passed is None]
    for check in unchecked:
        yield f"{check.name} could not be checked: {check.evidence}"
    if case is not None and not marks_criteria(case, scores):
        yield "the criteria of the case itself were not scored, which needs a model as the reviewer"
    elif not unchecked and any(score.of == "agent" for score in scores):
        yield "it has a score, but no passing score to compare it with"
    elif not unchecked:
        yield "it was not judged: there was nothing to check, and no score"
