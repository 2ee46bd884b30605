"""Determine whether a run's verdicts depend on a judge, or its scores are only informative."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from proctor.benchmark import Case, Exam
from proctor.findings.run.panel import passing_score
from proctor.run import Settings
from proctor.score import CheckResult, Score
from proctor.settings import BY_RULES
from proctor.spending.providers import PROVIDERS

_SCORES_ALONE = (*BY_RULES, "model", *PROVIDERS)
"""Prefixes of the specs of reviewers that give only scores; any others may add checks of their own."""


def decides(case: Case | None, settings: Settings) -> bool:
    """Whether a judge decides the verdict on a reply: by a passing score, or by the role the case prescribes."""
    return passing_score(case, settings) is not None or (case is not None and case.expect.role is not None)


def judge_decides(exams: Iterable[Exam], settings: Settings) -> bool | None:
    """Whether verdicts depend on the judge, or None if it is custom and may add checks of its own."""
    if settings.type != "standard":
        return True
    if settings.reviewer is None:
        return False
    if any(decides(case, settings) for exam in exams for case in exam.cases):
        return True
    return None if is_custom(settings) else False


def is_custom(settings: Settings) -> bool:
    """Whether a judge is custom code or an object passed in."""
    schemes = _schemes(settings)
    return settings.reviewer is not None and not (schemes and schemes.issubset(_SCORES_ALONE))


def may_decide(settings: Settings) -> bool:
    """Whether, by the settings alone, a verdict may depend on the judge; a model may judge roles."""
    if settings.type != "standard" or settings.passing_score is not None or settings.own_scores:
        return True
    schemes = _schemes(settings)
    return settings.reviewer is not None and not (schemes and schemes.issubset(BY_RULES))


def _schemes(settings: Settings) -> set[str]:
    return {spec.spec.partition(":")[0] for judge in settings.judges for spec in judge}


def marks_criteria(case: Case, scores: Iterable[Score]) -> bool:
    """Whether all criteria of the case were scored."""
    return case.criteria.keys() <= {part.name for score in scores for part in score.parts}


def why_undecided(case: Case | None, scores: Sequence[Score], checks: Iterable[CheckResult]) -> Iterator[str]:
    """Yield the reasons for a missing verdict, other than a failed attempt at scoring."""
    unchecked = [check for check in checks if check.passed is None]
    for check in unchecked:
        yield f"{check.name} could not be checked: {check.evidence}"
    if case is not None and not marks_criteria(case, scores):
        yield "the criteria of the case itself were not scored, which needs a model as the reviewer"
    elif not unchecked and any(score.of == "agent" for score in scores):
        yield "it has a score, but no passing score to compare it with"
    elif not unchecked:
        yield "it was not judged: there was nothing to check, and no score"
