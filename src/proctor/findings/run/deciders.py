"""Whether a judge decides anything in a run, or its marks stand beside verdicts that others give."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.benchmark import Case, Exam
from proctor.findings.run.panel import passing_score
from proctor.run import Settings
from proctor.settings import BY_RULES
from proctor.spending.providers import PROVIDERS

_SCORES_ALONE = (*BY_RULES, "model", *PROVIDERS)
"""What the spec of a reviewer begins with that gives scores; any other may give checks of its own."""


def decides(case: Case | None, settings: Settings) -> bool:
    """Whether a judge decides about a reply: by a score that it has to reach, or by the role that it has to keep to."""
    return passing_score(case, settings) is not None or (case is not None and case.expect.role is not None)


def judge_decides(exams: Iterable[Exam], settings: Settings) -> bool | None:
    """Whether a verdict hangs on what the judge says; None: it may give checks of its own, which the run tells."""
    if settings.type != "standard":
        return True
    if settings.reviewer is None:
        return False
    if any(decides(case, settings) for exam in exams for case in exam.cases):
        return True
    return None if is_custom(settings) else False


def is_custom(settings: Settings) -> bool:
    """Whether a judge is custom code, or an object that was handed in."""
    schemes = _schemes(settings)
    return settings.reviewer is not None and not (schemes and schemes.issubset(_SCORES_ALONE))


def may_decide(settings: Settings) -> bool:
    """Whether a verdict of a run may hang on its judge, by its settings alone: a model may judge roles."""
    if settings.type != "standard" or settings.passing_score is not None or settings.own_scores:
        return True
    schemes = _schemes(settings)
    return settings.reviewer is not None and not (schemes and schemes.issubset(BY_RULES))


def _schemes(settings: Settings) -> set[str]:
    return {spec.spec.partition(":")[0] for judge in settings.judges for spec in judge}
