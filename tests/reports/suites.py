"""A made-up suite, with everything that can become of a check."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from proctor.benchmark import Expectation, ExpectedCall
from proctor.score import CheckResult, Part, Score

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample

PASSED = CheckResult(turn=1, name="keywords", passed=True, evidence="“28 days” in “You have 28 days.”", value=1.0)
LACKING = CheckResult(
    turn=1, name="keywords", passed=False, evidence="“28 days” is missing; “paid” in “…paid leave…”", value=0.5
)
WRONG_SOURCE = CheckResult(
    turn=1, name="citation accuracy", passed=False, evidence="hr/old.md is not an expected source"
)
UNREADABLE = CheckResult(turn=1, name="citation accuracy", passed=None, evidence="hr/x.md cannot be read: no such file")
ANSWERED = CheckResult(turn=1, name="no error", passed=True, evidence="the agent replied")
BROKEN = CheckResult(turn=1, name="no error", passed=False, evidence="ValueError: no more")
EXPECTED = Expectation(
    keywords=("28 days", "re:paid|leave"),
    citations=1,
    quotes=True,
    sources=("hr/holidays.md",),
    tool_calls=(ExpectedCall(name="search", arguments={"query": "holiday"}, ignore=("limit",)),),
    limits={"tool_calls": 10.0, "cost": 0.05},
    checks=("python:mine:polite",),
)


def suite(maker: Callable[..., Maker], **settings: Any) -> Sample:
    """Two trials each: all well; a keyword lacking; two checks failed; right once; not checkable; the agent broke."""
    made = maker(**{"trials": 2, "reviewer": None, "passing_score": None, **settings})
    outcomes = {
        "well": ((PASSED, ANSWERED), (PASSED, ANSWERED)),
        "lacking": ((LACKING, ANSWERED), (LACKING, ANSWERED)),
        "worse": ((LACKING, WRONG_SOURCE, ANSWERED), (LACKING, WRONG_SOURCE, ANSWERED)),
        "moody": ((PASSED, ANSWERED), (LACKING, ANSWERED)),
        "unknown": ((PASSED, UNREADABLE, ANSWERED), (PASSED, UNREADABLE, ANSWERED)),
    }
    for name, trials in outcomes.items():
        made.case(name, question="How much paid holiday is there?", categories=("search", "reading"), expect=EXPECTED)
        for trial, checks in enumerate(trials, 1):
            passed = all(check.passed is not False for check in checks)
            made.played(name, trial=trial, checks=checks, passed=passed, turn_passed=(passed,))
    made.case("breaking", categories=("search",))
    for trial in (1, 2):
        made.broken("breaking", "agent", "ValueError: no more", trial=trial, checks=(BROKEN,))
    return made.sample()


def judged(maker: Callable[..., Maker], **settings: Any) -> Sample:
    """One case with a mark beside its checks."""
    made = maker(reviewer="embedded", **settings)
    part = Part(name="completeness", value=0.4, explanation="half of it is there")
    score = Score(turn=1, of="agent", parts=(part,), value=0.4, by="embedded")
    made.case("half", categories=("search",))
    made.played("half", checks=(PASSED,), scores=(score,), passed=True, turn_passed=(True,))
    return made.sample()
