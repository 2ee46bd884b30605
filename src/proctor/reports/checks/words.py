"""How checks are said, once for all renderings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proctor.findings.run import CheckFinding, Findings
from proctor.reports import numbers
from proctor.reports.outcomes import FLAKY, NOT_PASSED, PASSED, OutcomeLabel
from proctor.reports.words import one_line
from proctor.score import CheckResult

FAILED = OutcomeLabel(name="failed", sign=NOT_PASSED.sign, word="failed", style=NOT_PASSED.style)
NOT_CHECKABLE = OutcomeLabel(name="not_checkable", sign="–", word="not checkable", style="pending")
_WORST_FIRST = (FAILED, FLAKY, NOT_CHECKABLE, PASSED)

# Evidence tells one thing after another, the telling ones first; a quote may hold the sign that parts them.
_FIRST_THING = re.compile(r"(?:“[^”]*”|[^;])*")


def of_result(result: CheckResult) -> OutcomeLabel:
    """What became of one check of one reply."""
    if result.passed is None:
        return NOT_CHECKABLE
    return PASSED if result.passed else FAILED


def of_tally(passed: int, failed: int) -> OutcomeLabel:
    """What became of a check over several trials."""
    if not passed and not failed:
        return NOT_CHECKABLE
    if passed and failed:
        return FLAKY
    return PASSED if passed else FAILED


def badness(outcome: OutcomeLabel) -> int:
    """The worse, the lower."""
    return _WORST_FIRST.index(outcome)


def worst_first(results: Iterable[CheckResult]) -> list[CheckResult]:
    """Failed, not checkable, passed; else in the order in which they were applied."""
    return sorted(results, key=lambda result: badness(of_result(result)))


def brief(evidence: str, limit: int = 80) -> str:
    """The first thing that evidence tells: `“28 days” is missing`."""
    found = _FIRST_THING.match(evidence)
    return one_line(found[0] if found and found[0].strip() else evidence, limit)


def passed_of(check: CheckFinding) -> str:
    """`30/40`: of the replies that could be checked."""
    return f"{numbers.whole(check.passed)}/{numbers.whole(check.passed + check.failed)}"


def what_passes(findings: Findings) -> str:
    """What decides about a case that is checked, as a sentence; empty: nothing is, turns are, or others decided."""
    settings = findings.run.settings
    if not findings.checks or findings.battle is not None or findings.run.imported is not None:
        return ""
    if settings.reviewer is None:
        return "A case passes when all its checks do; no scores were asked for."
    if settings.passing_score is not None:
        needed = numbers.score(settings.passing_score)
        return f"A case passes when all its checks do and its score, if it has one, reaches {needed} or the case's own."
    return (
        "A case passes when all its checks do; its score is shown as well, unless the case sets a passing score or "
        "expects nothing but its reference."
    )
