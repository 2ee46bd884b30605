"""How checks are said, once for all renderings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proctor.findings.run import CheckFinding, Findings
from proctor.reports import numbers
from proctor.reports.outcomes import FLAKY, NOT_PASSED, PASSED, OutcomeLabel
from proctor.reports.words import cut, full_line, things_in
from proctor.score import CheckResult

FAILED = OutcomeLabel(name="failed", sign=NOT_PASSED.sign, word="failed", style=NOT_PASSED.style)
NOT_CHECKABLE = OutcomeLabel(name="not_checkable", sign="–", word="not checkable", style="pending")
_QUOTE, _WORD = re.compile(r"“[^”]*”"), re.compile(r"[^\W\d]+")
_WORST_FIRST = (FAILED, FLAKY, NOT_CHECKABLE, PASSED)


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


def severity(outcome: OutcomeLabel) -> int:
    """The worse, the lower."""
    return _WORST_FIRST.index(outcome)


def worst_first(results: Iterable[CheckResult]) -> list[CheckResult]:
    """Failed, not checkable, passed; else in the order in which they were applied."""
    return sorted(results, key=lambda result: severity(of_result(result)))


def brief(evidence: str, limit: int = 80) -> str:
    """The first thing that evidence tells, and how many more of its kind: `“28 days” is missing; and 2 more`."""
    first, more = first_and_more(evidence)
    return cut(first, limit - len(more)) + more if limit - len(more) > len(more) else cut(first, limit)


def first_and_more(evidence: str) -> tuple[str, str]:
    """`“28 days” is missing` and `; and 2 more`: what was found all right besides is not counted."""
    things = things_in(evidence)
    if not things:
        return full_line(evidence), ""
    more = sum(_kind(thing) == _kind(things[0]) for thing in things[1:])
    return things[0], f"; and {more:,} more" if more else ""


def _kind(thing: str) -> list[str]:
    """By its last words beside quotes and numbers: is missing, more than."""
    return _WORD.findall(_QUOTE.sub("", thing).partition(":")[0])[-2:]


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
