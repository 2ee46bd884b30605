"""What became of a case or an attempt: a sign, a word and a style that every rendering shares."""

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
    """One of the ways it can end."""

    name: str
    """For machines, stable."""
    sign: str
    """Readable in grey."""
    word: str
    """Readable aloud."""
    style: str
    """pass, fail, flaky, unscored, failed or pending: the only thing colour may stand for."""


PASSED = OutcomeLabel(name="passed", sign="✓", word="passed", style="pass")
NOT_PASSED = OutcomeLabel(name="not_passed", sign="✗", word="not passed", style="fail")
AGENT_FAILED = OutcomeLabel(name="agent_failed", sign="✗", word="agent failed", style="fail")
FLAKY = OutcomeLabel(name="flaky", sign="≈", word="flaky", style="flaky")
UNSCORED = OutcomeLabel(name="unscored", sign="?", word="unscored", style="unscored")
ENVIRONMENT_FAILED = OutcomeLabel(name="environment_failed", sign="!", word="environment failed", style="failed")
PENDING = OutcomeLabel(name="pending", sign="·", word="not run yet", style="pending")

# Of a check, and of a comparison.
FAILED = OutcomeLabel(name="failed", sign=NOT_PASSED.sign, word="failed", style=NOT_PASSED.style)
NOT_CHECKABLE = OutcomeLabel(name="not_checkable", sign="–", word="not checkable", style="pending")
BETTER = OutcomeLabel(name="better", sign="✓", word="better", style="pass")
WORSE = OutcomeLabel(name="worse", sign="✗", word="worse", style="fail")

OF_CASES = (PASSED, NOT_PASSED, FLAKY, UNSCORED, ENVIRONMENT_FAILED, PENDING)
"""In the order in which they are counted out."""

TROUBLES = {
    "agent": AGENT_FAILED, "environment": ENVIRONMENT_FAILED, "unscored": UNSCORED, "undecided": UNSCORED,
}  # fmt: skip
"""A trouble's owner → its outcome."""
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
    all the same. 0 where they are just what the unscored attempts lack.
    """
    plain = bool(findings.conditions) and findings.run.settings.has_plain_run
    times = {"unscored": 0, "undecided": 0}
    for trouble in findings.troubles:
        if trouble.owner in times:
            times[trouble.owner] += trouble.conditions.get("", 0) if plain else trouble.count
    lacking, told = times["unscored"], findings.compared_counts.unscored
    return 0 if lacking == told and not times["undecided"] else lacking


def in_stage(trouble: ProblemGroup) -> str:
    """What was being done: `calling the agent`, where it is not the agent's own failure."""
    called = trouble.owner == "environment" and trouble.stage in ("agent", "examiner", "reviewer")
    return f"calling the {trouble.stage}" if called else trouble.stage


def under_faults(trouble: ProblemGroup) -> str:
    """`all under hiccup`, `all under injected faults`: where a reason came up beside a plain run; empty: there too."""
    if not trouble.is_under_faults:
        return ""
    if len(trouble.conditions) == 1:
        return f"all under {one_line(next(iter(trouble.conditions)), 40)}"
    return "all under injected faults"


def of_attempt(attempt: Attempt) -> OutcomeLabel:
    """How one attempt ended."""
    if not attempt.finished:
        return PENDING
    if attempt.failure is not None:
        return AGENT_FAILED if attempt.failure.owner == "agent" else ENVIRONMENT_FAILED
    if attempt.passed is None:
        return UNSCORED
    return PASSED if attempt.passed else NOT_PASSED


def of_case(case: CaseFinding, *, under_all: bool = False) -> OutcomeLabel:
    """How one case ended, over its trials: in the plain run, where that is one of several conditions, as in all that
    counts cases; `under_all`: the worst of them.
    """
    verdict = case.worst_verdict if under_all else case.verdict
    if verdict in _BY_VERDICT:
        return _BY_VERDICT[verdict]
    if case.failed_by_environment:
        return ENVIRONMENT_FAILED
    return UNSCORED if case.unscored or case.counted else PENDING


def of_run(findings: Findings) -> OutcomeLabel:
    """Where the run stands; only one that lacks nothing, and whose agent answered at all, gets the ✓."""
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
    """Whether the agent itself broke in every attempt that was played: there is no answer that could be wrong."""
    answered = findings.battle is not None and findings.battle.judged > 0
    return not answered and 0 < findings.counts.failed_by_agent == findings.counts.played


def count_by_outcome(cases: Iterable[CaseFinding]) -> dict[str, int]:
    """Outcome's name → number of cases; those of the plain run, if it is one of several conditions."""
    return Counter(of_case(case).name for case in cases)


def worst_first(cases: Iterable[CaseFinding]) -> list[CaseFinding]:
    """Not passed, flaky, no verdict, passed with trials missing, passed; the lower mark first, no mark before any.

    Of those that end alike in the plain run, the one first that ends worse under another condition.
    """
    return sorted(cases, key=_severity)


def _severity(case: CaseFinding) -> tuple[int, int, float, float]:
    rank = _WORST_FIRST.index(case.verdict) + (case.verdict == "pass" and not case.missing)
    share = case.passed / case.counted if case.counted else 0.0
    return rank, _WORST_FIRST.index(case.worst_verdict), share, -1.0 if case.score is None else case.score


def tally(case: CaseFinding) -> str:
    """`2 of 3 trials`; with one trial the sign says it; what is missing is said."""
    what = "attempts" if case.is_pooled else "trials"
    passed = f"{case.passed} of {case.counted} {what}" if case.counted > 1 else ""
    missing = f"{case.missing} of {case.planned} missing" if case.missing else ""
    return ", ".join(piece for piece in (passed, missing) if piece)


_FRAME = re.compile(r'^[ |]*File "([^"\n]+)", line (\d+), in (\S+)', re.MULTILINE)
_LIBRARIES = re.compile(r"[/\\](?:site-packages|dist-packages|lib[/\\]python3[^/\\]*|Lib)[/\\]|^<")
_OURS = str(Path(__file__).resolve().parents[1])
_LONGEST = 60


def raised_at(failure: Failure) -> str:
    """`agent.py, line 12, in answer`: the innermost place that is no library's; empty: there is none, or no traceback.

    The folder is left out: it is of one machine.
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
    """What became of one check of one reply."""
    if result.passed is None:
        return NOT_CHECKABLE
    return PASSED if result.passed else FAILED
