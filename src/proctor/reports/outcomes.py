"""Outcomes of cases and attempts: the sign, word and style that every rendering shares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from proctor.findings.run import CaseFinding, Findings, ProblemGroup
from proctor.reports.words import one_line
from proctor.run import Attempt, Failure, Key
from proctor.score import CheckResult


@dataclass(frozen=True, kw_only=True, slots=True)
class OutcomeLabel:
    """A possible outcome."""

    name: str
    """Stable identifier for machines."""
    sign: str
    """Symbol that is readable without colour."""
    word: str
    """Word that is readable aloud."""
    style: str
    """`pass`, `fail`, `flaky`, `unscored`, `failed`, `pending` or `plain`: the only use of colour."""


PASSED = OutcomeLabel(name="passed", sign="✓", word="passed", style="pass")
NOT_PASSED = OutcomeLabel(name="not_passed", sign="✗", word="not passed", style="fail")
AGENT_FAILED = OutcomeLabel(name="agent_failed", sign="✗", word="agent failed", style="fail")
FLAKY = OutcomeLabel(name="flaky", sign="≈", word="flaky", style="flaky")
UNSCORED = OutcomeLabel(name="unscored", sign="?", word="unscored", style="unscored")
ENVIRONMENT_FAILED = OutcomeLabel(name="environment_failed", sign="!", word="environment failed", style="failed")
PENDING = OutcomeLabel(name="pending", sign="·", word="not run yet", style="pending")

# Outcomes of checks and comparisons.
FAILED = OutcomeLabel(name="failed", sign=NOT_PASSED.sign, word="failed", style=NOT_PASSED.style)
NOT_CHECKABLE = OutcomeLabel(name="not_checkable", sign="–", word="not checkable", style="pending")
BETTER = OutcomeLabel(name="better", sign="✓", word="better", style="pass")
WORSE = OutcomeLabel(name="worse", sign="✗", word="worse", style="fail")

OF_CASES = (PASSED, NOT_PASSED, FLAKY, UNSCORED, ENVIRONMENT_FAILED, PENDING)
"""Outcomes of cases, in display order."""

TROUBLES = {
    "agent": AGENT_FAILED, "environment": ENVIRONMENT_FAILED, "unscored": UNSCORED, "undecided": UNSCORED,
}  # fmt: skip
"""Owner of a problem → outcome."""
TROUBLE_HEADINGS = {
    "agent": "The agent failed (counts as not passed)",
    "environment": "The environment failed, not the agent (does not count; resume tries again)",
    "unscored": "Could not be scored (never a 0)",
    "undecided": "No verdict could be given (neither passed nor failed)",
}

_BY_VERDICT = {"pass": PASSED, "fail": NOT_PASSED, "flaky": FLAKY}
_WORST_FIRST = ("fail", "flaky", "missing", "pass")


def which(key: Key, *, under: bool = True) -> str:
    """`case-7, trial 2, under slow-search`: an attempt, within its run; the condition unless it is said already."""
    condition = f", under {one_line(key.condition, 40)}" if under and key.condition else ""
    return f"{one_line(key.exam, 40)}, trial {key.trial}{condition}"


def missing_marks(findings: Findings) -> int:
    """Marks that a reviewer could not give, in the attempts that the run's rates are of; the checks' verdict may stand
    all the same. 0 where they are just what the unscored attempts lack."""
    plain = bool(findings.conditions) and findings.run.settings.has_plain_run
    times = {"unscored": 0, "undecided": 0}
    for trouble in findings.troubles:
        if trouble.owner in times:
            times[trouble.owner] += trouble.conditions.get("", 0) if plain else trouble.count
    lacking, told = times["unscored"], findings.compared_counts.unscored
    return 0 if lacking == told and not times["undecided"] else lacking


def in_stage(trouble: ProblemGroup) -> str:
    """Describe the stage of a problem: `calling the agent` if the environment failed, not the agent."""
    called = trouble.owner == "environment" and trouble.stage in ("agent", "examiner", "reviewer")
    return f"calling the {trouble.stage}" if called else trouble.stage


def under_faults(trouble: ProblemGroup) -> str:
    """Say that a problem occurred only under faults: `all under hiccup`, `all under injected faults`; else empty."""
    if not trouble.is_under_faults:
        return ""
    if len(trouble.conditions) == 1:
        return f"all under {one_line(next(iter(trouble.conditions)), 40)}"
    return "all under injected faults"


def of_attempt(attempt: Attempt) -> OutcomeLabel:
    """Return the outcome of an attempt."""
    if not attempt.finished:
        return PENDING
    if attempt.failure is not None:
        return AGENT_FAILED if attempt.failure.owner == "agent" else ENVIRONMENT_FAILED
    if attempt.passed is None:
        return UNSCORED
    return PASSED if attempt.passed else NOT_PASSED


def of_case(case: CaseFinding, *, under_all: bool = False) -> OutcomeLabel:
    """Return the outcome of a case over its trials.

    With several conditions this is the plain run's, as in all counts of cases; `under_all` gives the worst of all
    conditions.
    """
    verdict = case.worst_verdict if under_all else case.verdict
    if verdict in _BY_VERDICT:
        return _BY_VERDICT[verdict]
    if case.failed_by_environment:
        return ENVIRONMENT_FAILED
    return UNSCORED if case.unscored or case.counted else PENDING


def of_run(findings: Findings) -> OutcomeLabel:
    """Return the status of a run; only a complete one whose agent answered at all gets the ✓."""
    status = findings.run.status
    if findings.untested and status == "completed":
        return OutcomeLabel(name="no_test", sign="?", word="no test", style="unscored")
    if status == "completed" and agent_never_answered(findings):
        return OutcomeLabel(name="agent_failed", sign="✗", word="agent failed", style="fail")
    if status == "completed":
        if findings.complete:
            return OutcomeLabel(name=status, sign="✓", word=status, style="plain")
        return OutcomeLabel(name="incomplete", sign="!", word="incomplete", style="failed")
    stopped = status in ("failed", "cancelled")
    return OutcomeLabel(
        name=status, sign="!" if stopped else "·", word=status, style="failed" if stopped else "pending"
    )


def agent_never_answered(findings: Findings) -> bool:
    """Whether the agent itself failed in every attempt, so that no answer could be wrong."""
    answered = findings.battle is not None and findings.battle.judged > 0
    return not answered and 0 < findings.counts.failed_by_agent == findings.counts.played


def count_by_outcome(cases: Iterable[CaseFinding]) -> dict[str, int]:
    """Count cases by outcome name; with several conditions, those of the plain run."""
    return Counter(of_case(case).name for case in cases)


def worst_first(cases: Iterable[CaseFinding]) -> list[CaseFinding]:
    """Sort cases: failed, flaky, no verdict, passed with trials missing, passed; each by score, without one first.

    Cases that end alike in the plain run are sorted by their worst result under a condition.
    """
    return sorted(cases, key=_severity)


def _severity(case: CaseFinding) -> tuple[int, int, float, float]:
    rank = _WORST_FIRST.index(case.verdict) + (case.verdict == "pass" and not case.missing)
    share = case.passed / case.counted if case.counted else 0.0
    return rank, _WORST_FIRST.index(case.worst_verdict), share, -1.0 if case.score is None else case.score


def tally(case: CaseFinding) -> str:
    """Format the trials passed and missing: `2 of 3 trials`; empty for a single trial, which the sign shows."""
    what = "attempts" if case.is_pooled else "trials"
    passed = f"{case.passed} of {case.counted} {what}" if case.counted > 1 else ""
    missing = f"{case.missing} of {case.planned} missing" if case.missing else ""
    return ", ".join(piece for piece in (passed, missing) if piece)


_FRAME = re.compile(r'^[ |]*File "([^"\n]+)", line (\d+), in (\S+)', re.MULTILINE)
_LIBRARIES = re.compile(r"[/\\](?:site-packages|dist-packages|lib[/\\]python3[^/\\]*|Lib)[/\\]|^<")
_OURS = str(Path(__file__).resolve().parents[1])
_LONGEST = 60


def raised_at(failure: Failure) -> str:
    """Return the innermost traceback frame outside libraries: `agent.py, line 12, in answer`; empty if there is none.

    The folder is omitted, as it is specific to a machine.
    """
    own = [found for found in _FRAME.findall(failure.detail) if not _is_foreign(found[0])]
    if not own:
        return ""
    path, line, function = own[-1]
    name = (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name
    return f"{one_line(name, _LONGEST)}, line {line}, in {one_line(function, _LONGEST)}"


def _is_foreign(path: str) -> bool:
    return path.startswith(_OURS) or _LIBRARIES.search(path) is not None


def of_result(result: CheckResult) -> OutcomeLabel:
    """Return the outcome of a check of one reply."""
    if result.passed is None:
        return NOT_CHECKABLE
    return PASSED if result.passed else FAILED
