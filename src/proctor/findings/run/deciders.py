"""Whether a judge decides anything in a run, or its marks stand beside verdicts that others give."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.benchmark import Exam
from proctor.findings.run.panel import passing_score
from proctor.run import Settings

_CUSTOM = ("python", "agent")
"""What a reviewer's spec begins with that may judge by anything."""


def judge_decides(exams: Iterable[Exam], settings: Settings) -> bool | None:
    """Whether a verdict hangs on what the judge says; None: it may give checks of its own, which the run tells."""
    if settings.type != "standard":
        return True
    if settings.reviewer is None:
        return False
    if any(passing_score(case, settings) is not None for exam in exams for case in exam.cases):
        return True
    return None if is_custom(settings) else False


def is_custom(settings: Settings) -> bool:
    """Whether the judge is somebody's own code, or an object that was handed in."""
    firsts = [judge[0].spec.partition(":")[0] for judge in settings.judges]
    return settings.reviewer is not None and (not firsts or any(first in _CUSTOM for first in firsts))
